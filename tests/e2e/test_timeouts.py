"""Timeouts before and within a request's header, parking on and off. S21's drips do not renew them."""

import ssl

import pytest

from harness import frames as f
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.pace import drip, until_closed, within
from harness.server import Server
from harness.stats import connect
from harness.tls import client_context


@pytest.fixture(params=["on", "off"], ids=["park-on", "park-off"])
def serve(request):
    return lambda *flags: Server("--park", request.param, "--threads", 1, *flags)


def want_timeout(server, reason="timeout", count=1):
    server.wait_stats(lambda s: s["connections"]["closed"][reason] >= count, f"closed by {reason}")
    server.want_open(0)


@pytest.mark.parametrize("sent", [0, 100], ids=["nothing", "half-a-hello"])
def test_a_handshake_that_does_not_come_is_ended(serve, sent):
    with serve("--tls-listen", "127.0.0.1:0", "--self-signed", "--handshake-timeout", "500ms") as server:
        into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = client_context().wrap_bio(into, out, server_hostname="localhost")
        with pytest.raises(ssl.SSLWantReadError):
            tls.do_handshake()
        with connect(server.address("https")) as sock, within(0.5, 5):
            sock.sendall(out.read()[:sent])
            until_closed(sock)
        want_timeout(server)


@pytest.mark.parametrize("sent", [b"", f.PREFACE[:5]], ids=["nothing", "five-bytes"])
def test_a_preface_that_does_not_come_is_ended(serve, sent):
    with serve("--preface-timeout", "500ms") as server:
        with connect(server.address()) as sock, within(0.5, 5):
            sock.sendall(sent)
            until_closed(sock)
        want_timeout(server)


def test_a_preface_that_drips_is_ended(serve):
    with serve("--preface-timeout", "600ms") as server:
        with connect(server.address()) as sock, within(0.6, 5), drip(sock, f.PREFACE):
            until_closed(sock)
        want_timeout(server)


def test_a_preface_without_settings_is_ended(serve):
    with serve("--preface-timeout", "500ms") as server, Http2Client(server.address()) as client:
        with within(0.5, 5):
            client.send(f.PREFACE)
            client.want_connection_error(f.SETTINGS_TIMEOUT, f.PROTOCOL_ERROR)
        want_timeout(server)


def test_settings_that_are_not_acknowledged_end_the_connection(serve):
    with serve("--preface-timeout", "500ms") as server, Http2Client(server.address()) as client:
        with within(0.5, 5):
            client.send(f.PREFACE + f.settings())
            client.want_connection_error(f.SETTINGS_TIMEOUT)
        want_timeout(server)


def test_a_header_that_does_not_end_is_ended(serve):
    with serve("--header-timeout", "500ms") as server, Http1Client(server.address()) as client:
        with within(0.5, 5):
            client.send("GET /hello HTTP/1.1\r\nHost: a\r\n")
            response = client.want_response()
            assert (response.status, response.get("connection")) == (408, "close")
            client.want_closed()
        want_timeout(server)


def test_a_header_that_drips_is_ended(serve):
    """S21: a byte now and then does not renew the time."""
    with serve("--header-timeout", "600ms") as server, Http1Client(server.address()) as client:
        with within(0.6, 5), drip(client.sock, b"GET /hello HTTP/1.1\r\nHost: " + b"a" * 1000):
            assert b"408" in until_closed(client.sock)
        want_timeout(server)


def test_a_frame_header_that_drips_is_ended(serve):
    """S21"""
    with serve("--header-timeout", "600ms") as server, Http2Client(server.address()).greet() as client:
        with within(0.6, 5), drip(client.sock, f.headers(1, f.get_block() * 5), every=0.1):
            client.want_closed()
        want_timeout(server)


def test_a_field_block_that_does_not_end_is_ended(serve):
    with serve("--header-timeout", "500ms") as server, Http2Client(server.address()).greet() as client:
        with within(0.5, 5):
            client.send(f.headers(1, f.get_block(), end_headers=False))
            client.want_closed()
        want_timeout(server)

"""SIGTERM and those who have only just come: accepted, in the backlog, in their handshake (S22)."""

import signal
import socket
import ssl

import pytest

from harness import frames as f
from harness.h2 import Http2Client
from harness.server import Server
from harness.tls import client_context


@pytest.fixture(params=["on", "off"], ids=["park-on", "park-off"])
def serve(request):
    """Starts servers with --park on or off."""
    return lambda *flags, **more: Server("--park", request.param, "--threads", 2, *flags, **more)


def test_connections_that_were_just_accepted_are_told(serve):
    """S22: they have sent nothing, or half a preface, when the signal comes."""
    with serve() as server:
        clients = [Http2Client(server.address()) for _ in range(20)]
        for client in clients[:10]:
            client.send(f.PREFACE[:10])
        server.want_open(20)
        server.signal(signal.SIGTERM)
        server.wait_stats(lambda s: s["connections"]["accepted"] == 20, "all are accepted")
        for number, client in enumerate(clients):
            client.send((f.PREFACE if number >= 10 else f.PREFACE[10:]) + f.settings())
            client.want_goaway(f.NO_ERROR)
            client.send(f.settings_ack())
            client.close()
        server.want_exit(0)


def test_a_queue_of_connections_is_accepted_before_the_listener_closes(serve):
    """Connections in the backlog when the signal comes are served to their end."""
    with serve() as server:
        clients = [Http2Client(server.address()) for _ in range(100)]
        for client in clients:
            client.send(f.PREFACE + f.settings() + f.headers(1, f.get_block()))
        server.signal(signal.SIGTERM)
        for client in clients:
            assert client.want_response(1).body == b"hello\n"
            client.close()
        server.want_exit(0)


def test_connections_in_their_handshake_are_told(serve):
    """S22: the handshake is finished after the signal, and GOAWAY is what they get."""
    with serve("--tls-listen", "127.0.0.1:0", "--self-signed", "--grace", "20s") as server:
        shaking = []
        for _ in range(20):
            into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = client_context().wrap_bio(into, out, server_hostname="localhost")
            with pytest.raises(ssl.SSLWantReadError):
                tls.do_handshake()
            hello = out.read()
            sock = socket.create_connection(server.address("https"), 15)
            sock.sendall(hello[:100])
            shaking.append((sock, tls, into, out, hello[100:]))
        server.want_open(20)
        server.signal(signal.SIGTERM)
        for sock, tls, into, out, rest in shaking:
            sock.sendall(rest)
            received = finish_handshake_and_read(sock, tls, into, out)
            assert b"\x00\x00\x08\x07\x00\x00\x00\x00\x00" in received, "no GOAWAY"
            sock.close()
        server.want_exit(0, timeout=25)


def finish_handshake_and_read(sock, tls, into, out):
    """The handshake, the HTTP/2 greeting; what comes until the first GOAWAY or the end."""
    received = b""
    greeted = False
    while b"\x00\x00\x08\x07\x00" not in received:
        try:
            if not greeted:
                tls.do_handshake()
                tls.write(f.PREFACE + f.settings())
                greeted = True
            received += tls.read(65536)
        except ssl.SSLWantReadError:
            pass
        if pending := out.read():
            sock.sendall(pending)
        if b"\x00\x00\x08\x07\x00" in received:
            break
        piece = sock.recv(65536)
        if not piece:
            break
        into.write(piece)
    return received

"""TLS: versions, ciphers, ALPN and what belongs to RFC 9113 9.2."""

import json
import ssl
import subprocess
import warnings

import pytest

from harness.h2 import Http2Client
from harness.server import Server
from harness.stats import connect
from harness.tls import client_context, tls_connect, tls_h1, tls_h2

TLS12, TLS13 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3


@pytest.fixture(params=["on", "off"], ids=["park-on", "park-off"], scope="module")
def secure(request, certificate):
    with Server("--tls-listen", "127.0.0.1:0", "--cert", certificate[0], "--key", certificate[1],
                "--park", request.param, "--threads", 2) as running:
        yield running.address("https")


def info(client):
    return json.loads(client.get("/info").body)


@pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])
def test_both_versions_speak_http2(secure, version):
    with tls_h2(secure, version=version) as client:
        tls = info(client.greet())["tls"]
        assert tls["version"] == {TLS12: "TLSv1.2", TLS13: "TLSv1.3"}[version]
        assert tls["alpn"] == "h2"


def test_older_versions_are_refused(secure):
    context = client_context()
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with connect(secure) as plain, pytest.raises((ssl.SSLError, ConnectionResetError)):
        context.wrap_socket(plain, server_hostname="localhost")


@pytest.mark.parametrize("offered, chosen", [
    (["h2", "http/1.1"], "h2"), (["http/1.1", "h2"], "h2"), (["http/1.1"], "http/1.1"), (["h2"], "h2"),
    (["spdy/3", "http/1.1"], "http/1.1"),
])
def test_alpn_prefers_http2(secure, offered, chosen):
    with tls_connect(secure, offered) as sock:
        assert sock.selected_alpn_protocol() == chosen


def test_no_alpn_means_http1(secure):
    with tls_h1(secure, alpn=()) as client:
        assert info(client)["protocol"] == "HTTP/1.1"


@pytest.mark.parametrize("offered", [["h2c"], ["spdy/3"], ["http/1.0"]])
def test_no_common_protocol_gets_the_alert(secure, offered):
    with pytest.raises(ssl.SSLError, match="(?i)no.application.protocol"):
        tls_connect(secure, offered).close()


@pytest.mark.parametrize("cipher", ["AES128-SHA", "AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-SHA256"])
def test_a_cipher_that_rfc_9113_forbids_is_not_used_for_http2(secure, cipher):
    """9.2.2"""
    with pytest.raises((ssl.SSLError, AssertionError)):
        with tls_h2(secure, version=TLS12, ciphers=cipher) as client:
            client.greet().get("/hello")


def test_http2_wins_over_what_the_preface_says(secure):
    """ALPN decided for HTTP/1.1: the preface is a bad request."""
    with tls_h1(secure) as client:
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        assert client.want_response().status in (400, 505)


def test_a_session_is_resumed(secure):
    context = client_context()
    with context.wrap_socket(connect(secure), server_hostname="localhost") as first:
        with Http2Client(None, first) as client:
            assert info(client.greet())["tls"]["resumed"] is False
            session = first.session
    with context.wrap_socket(connect(secure), server_hostname="localhost", session=session) as second:
        with Http2Client(None, second) as client:
            assert info(client.greet())["tls"]["resumed"] is True


def test_compression_and_renegotiation_are_off(secure):
    host, port = secure
    done = subprocess.run(["openssl", "s_client", "-connect", f"{host}:{port}", "-tls1_2", "-alpn", "http/1.1"],
                          input="", capture_output=True, text=True, timeout=30)
    assert "Compression: NONE" in done.stdout
    renegotiated = subprocess.run(
        ["sh", "-c", f"(sleep 0.5; echo R; sleep 0.5) | openssl s_client -connect {host}:{port} -tls1_2"],
        capture_output=True, text=True, timeout=30)
    assert "no renegotiation" in renegotiated.stderr or "RENEGOTIATING" not in renegotiated.stdout


def test_plain_text_on_a_tls_port_is_closed(secure):
    with connect(secure) as sock:
        sock.sendall(b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"HTTP/1.1 200" not in sock.recv(65536)


def test_a_close_is_announced(secure):
    """close_notify comes before the end: an attacker cannot cut an answer short unseen."""
    with tls_h1(secure) as client:
        client.request("GET", "/stream/3", "Connection: close")
        assert client.want_response().body.endswith(b"chunk 3\n")
        client.want_closed()  # Python raises SSLEOFError without the alert


def test_a_large_body_over_tls_is_right(secure):
    with tls_h2(secure) as client:
        body = client.greet().get("/bytes/3000000").body
        assert body == (b"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk\n" * 46876)[:3000000]

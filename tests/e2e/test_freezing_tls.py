"""TLS connections of foreign clients, frozen while they live: nothing of OpenSSL's stays in a slot."""

import ssl
import subprocess

import pytest

from harness.server import Server
from harness.stats import connect as plain_connect
from harness.tls import client_context, tls_connect, tls_h1, tls_h2

TLS12, TLS13 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3


@pytest.fixture(params=["ec", "rsa"])
def freezing(request, tmp_path):
    """A server with that kind of key; at its end no connection is left, and no slot had to be set aside."""
    paths = [str(tmp_path / name) for name in ("server.crt", "server.key")]
    kind = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"] if request.param == "ec" else ["rsa:2048"]
    subprocess.run(["openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    with Server("--tls-listen", "127.0.0.1:0", "--cert", paths[0], "--key", paths[1], "--threads", 2,
                "--freeze-after", "0") as server:
        yield server
        server.want_open(0)
        assert server.stats()["memory"]["quarantined_slots"] == 0
        assert server.stats()["parking_events"]["freezes"] > 0


def want_frozen(server, count):
    server.wait_stats(lambda s: s["connections"]["frozen"] == count, f"{count} frozen")


@pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])
@pytest.mark.parametrize("connect", [tls_h1, tls_h2], ids=["h1", "h2"])
def test_a_frozen_connection_answers_and_ends(freezing, version, connect):
    with connect(freezing.address("https"), version=version) as client:
        if connect is tls_h2:
            client.greet()
        for _ in range(3):
            assert client.get("/hello").body == b"hello\n"
            want_frozen(freezing, 1)


def test_clients_that_leave_while_frozen(freezing):
    socks = [tls_connect(freezing.address("https"), ("http/1.1",), version=version)
             for version in (TLS12, TLS13) for _ in range(20)]
    want_frozen(freezing, 40)
    for sock in socks:
        sock.close()


def test_a_resumed_session(freezing):
    address = freezing.address("https")
    for version in (TLS12, TLS13):
        context = client_context(("http/1.1",), version=version)
        session = None
        for _ in range(3):
            with tls_connect_in(context, address, session) as sock:
                sock.sendall(b"GET /hello HTTP/1.1\r\nhost: localhost\r\n\r\n")
                assert b"hello" in sock.recv(4096)
                assert sock.session_reused == (session is not None)
                session = sock.session
                want_frozen(freezing, 1)
            freezing.want_open(0)


def tls_connect_in(context, address, session):
    return context.wrap_socket(plain_connect(address), server_hostname="localhost", session=session)


@pytest.mark.parametrize("flags", [
    [], ["-tls1_2"], ["-no_ticket"], ["-tls1_2", "-no_ticket"], ["-groups", "P-384"],
    ["-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"], ["-tls1_2", "-cipher", "ECDHE+CHACHA20"],
    ["-ciphersuites", "TLS_AES_256_GCM_SHA384"]], ids=lambda flags: " ".join(flags) or "default")
def test_openssls_own_client(freezing, flags):
    host, port = freezing.address("https")
    client = subprocess.Popen(["openssl", "s_client", "-connect", f"{host}:{port}", "-alpn", "http/1.1", "-quiet",
                               "-no_ign_eof", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    for _ in range(2):
        client.stdin.write(b"GET /hello HTTP/1.1\r\nhost: localhost\r\n\r\n")
        client.stdin.flush()
        while client.stdout.readline() != b"hello\n":
            assert client.poll() is None
        want_frozen(freezing, 1)
    client.stdin.close()
    client.wait()
    client.stdout.close()


def test_a_key_update_while_frozen(freezing):
    host, port = freezing.address("https")
    client = subprocess.Popen(["openssl", "s_client", "-connect", f"{host}:{port}", "-alpn", "http/1.1", "-tls1_3"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    freezing.want_open(1)
    want_frozen(freezing, 1)
    thaws = freezing.stats()["parking_events"]["thaws"]
    client.stdin.write(b"K\n")  # asks for one in return
    client.stdin.flush()
    freezing.wait_stats(lambda s: s["parking_events"]["thaws"] > thaws and s["connections"]["frozen"] == 1,
                        "it took the update and froze again")
    client.stdin.write(b"GET /hello HTTP/1.1\r\nhost: localhost\r\n\r\n")
    client.stdin.flush()
    while b"hello" not in client.stdout.readline():
        assert client.poll() is None
    client.stdin.write(b"Q\n")
    client.stdin.close()
    client.wait()
    client.stdout.close()


def test_what_is_no_handshake(freezing):
    for nonsense in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\x05hello", b"\x16\x03\x01"):
        with plain_connect(freezing.address("https")) as plain:
            plain.sendall(nonsense)
            if len(nonsense) > 3:
                while plain.recv(4096):
                    pass
    with tls_h1(freezing.address("https")) as client:  # for the fixture: one that froze
        assert client.get("/hello").status == 200
        want_frozen(freezing, 1)

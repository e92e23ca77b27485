"""Bytes that TLS has decrypted, or holds whole, are announced by no socket: nobody may forget them."""

import socket
import ssl
import time

from harness.server import Server

ASK = b"GET /hello HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 474 + b"\r\n\r\n"


class MemoryTls:
    """A TLS client whose records leave in one piece, so that many of them arrive in one read."""

    def __init__(self, address):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["http/1.1"])
        self.socket = socket.create_connection(address, timeout=10)
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_hostname="localhost")
        while True:
            try:
                self._tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self.flush()
                self._in.write(self.socket.recv(65536))
        self.flush()

    def write(self, data):
        self._tls.write(data)

    def flush(self):
        self.socket.sendall(self._out.read())

    def read_answers(self, count):
        data = b""
        deadline = time.monotonic() + 10
        self.socket.settimeout(3)
        while data.count(b"hello\n") < count and time.monotonic() < deadline:
            try:
                data += self._tls.read(65536)
            except ssl.SSLWantReadError:
                try:
                    self._in.write(self.socket.recv(65536))
                except TimeoutError:
                    break
        return data.count(b"hello\n")


def test_requests_behind_a_slow_one_are_answered(park):
    """The session takes 16 KiB of them at first; the rest waits inside TLS until the slow answer is out."""
    with Server("--tls-listen", "127.0.0.1:0", "--self-signed", "--park", park) as server:
        client = MemoryTls(server.address("https"))
        client.write(b"GET /delay/500 HTTP/1.1\r\nHost: a\r\n\r\n")
        for _ in range(6):
            client.write(ASK * 2)
        client.flush()
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "the slow one runs")
        for _ in range(15):
            client.write(ASK * 2)
        client.flush()
        assert client.read_answers(42) == 42
        client.socket.close()

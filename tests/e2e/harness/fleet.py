"""Many connections from one process, opened in step and held."""

import resource
import socket

from harness import frames
from harness.wait import TIMEOUT

GREETING = frames.PREFACE + frames.settings()


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class Fleet:
    """`count` plain HTTP/2 connections, each after one GET that was answered to its end and with the server's
    SETTINGS acknowledged."""

    def __init__(self, address, count, path="/hello", batch=200):
        raise_descriptor_limit()
        self.sockets = []
        request = frames.headers(1, frames.get_block(path))
        try:
            for start in range(0, count, batch):
                fresh = [self._connect(address) for _ in range(min(batch, count - start))]
                for sock in fresh:
                    sock.sendall(GREETING + request)
                for sock in fresh:
                    self._read_answer(sock)
                    sock.sendall(frames.settings_ack())
        except BaseException:
            self.close()
            raise

    def _connect(self, address):
        sock = socket.create_connection(address, TIMEOUT)
        self.sockets.append(sock)
        return sock

    @staticmethod
    def _read_answer(sock):
        """To the frame that ends stream 1."""
        data = bytearray()
        at = 0
        while True:
            while len(data) >= at + 9:
                length = int.from_bytes(data[at:at + 3], "big")
                kind, flags, stream = data[at + 3], data[at + 4], int.from_bytes(data[at + 5:at + 9], "big")
                at += 9 + length
                if stream == 1 and kind in (frames.DATA, frames.HEADERS) and flags & frames.END_STREAM:
                    return
                assert kind not in (frames.RST_STREAM, frames.GOAWAY), "the server refuses"
            piece = sock.recv(65536)
            assert piece, "the server closed"
            data += piece

    def ask_again(self, numbers, path="/hello"):
        """Another GET on these connections, answered to its end."""
        for number in numbers:
            sock = self.sockets[number]
            sock.sendall(frames.headers(3, frames.get_block(path)))
            data = b""
            while True:
                data += sock.recv(65536)
                assert data, "the server closed"
                if self._ends_stream(data, 3):
                    break

    @staticmethod
    def _ends_stream(data, wanted):
        at = 0
        while len(data) >= at + 9:
            length = int.from_bytes(data[at:at + 3], "big")
            kind, flags, stream = data[at + 3], data[at + 4], int.from_bytes(data[at + 5:at + 9], "big")
            if stream == wanted and kind in (frames.DATA, frames.HEADERS) and flags & frames.END_STREAM:
                return len(data) >= at + 9 + length
            assert kind not in (frames.RST_STREAM, frames.GOAWAY), "the server refuses"
            at += 9 + length
        return False

    def close(self):
        for sock in self.sockets:
            sock.close()
        self.sockets = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

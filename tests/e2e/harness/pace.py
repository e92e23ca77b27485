"""Peers that take their time, and how long something took."""

import socket
import threading
import time

from harness.wait import TIMEOUT


class within:
    """The block ends after at least `least` and less than `most` seconds."""

    def __init__(self, least, most):
        self.least, self.most = least, most

    def __enter__(self):
        self.began = time.monotonic()

    def __exit__(self, kind, *_):
        if kind is None:
            took = time.monotonic() - self.began
            assert self.least * 0.9 <= took < self.most, f"it took {took:.2f} s"


class drip:
    """Sends those bytes one by one in the background, until the block ends or the peer is gone."""

    def __init__(self, sock, data, every=0.05):
        self.sock, self.data, self.every = sock, data, every
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        for byte in self.data:
            if self.done.wait(self.every):
                return
            try:
                self.sock.sendall(bytes([byte]))
            except OSError:
                return

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()


def until_closed(sock):
    """Reads to the end."""
    data = b""
    try:
        while piece := sock.recv(65536):
            data += piece
    except ConnectionResetError:
        pass
    return data


def slow_reader(address):
    """A connection that makes the server wait: its receive buffer is as small as the kernel allows, and so are its
    segments, because the server's kernel takes some hundred segments, which on loopback have 64 KiB."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 88)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.settimeout(TIMEOUT)
    sock.connect(address)
    return sock

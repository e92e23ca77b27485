"""The state a connection is in when a test pulls its trigger."""

from harness import frames
from harness.h1 import Http1Client
from harness.h2 import Http2Client


class Situation:
    def __init__(self, server, depth):
        self.server = server
        self.depth = depth

    def greeted(self, settings=None, window=0, **more):
        """A new HTTP/2 connection with SETTINGS exchanged."""
        client = Http2Client(self.server.address(), **more).greet(settings, window)
        self.settle()
        return client

    def http1(self):
        return Http1Client(self.server.address())

    def settle(self):
        """Call it just before the trigger: where the test wants it so, it waits until the connection is parked, or
        frozen."""
        if self.depth:
            self.server.wait_stats(
                lambda s: s["connections"][self.depth] >= 1 and s["connections"][self.depth] == s["connections"]["open"],
                f"the connection is {self.depth}")

    def want_usable(self):
        """The server still answers, on a fresh connection."""
        with Http2Client(self.server.address()) as client:
            assert client.greet().get("/hello").body == b"hello\n"

    def want_refused(self, *codes, send):
        """On a greeted connection the bytes end it with GOAWAY and one of the codes; the server lives."""
        with self.greeted() as client:
            client.send(send)
            client.want_connection_error(*codes)
        self.want_usable()

    def want_tolerated(self, *pieces):
        """After the bytes a greeted connection still answers."""
        with self.greeted() as client:
            client.send(*pieces)
            assert client.get("/hello").body == b"hello\n"


def open_upload():
    """HEADERS of an upload that stays open, on stream 1."""
    pseudo = ((":method", "POST"), (":scheme", "http"), (":path", "/upload"), (":authority", "localhost"))
    return frames.headers(1, frames.literals(*pseudo), end=False)

# ctest: serial
"""5,000 clients that do not read the megabyte they asked for: what each costs the server, and that it comes back."""

import pytest

from harness import frames as f
from harness.fleet import raise_descriptor_limit
from harness.h2 import Http2Client
from harness.pace import slow_reader
from harness.server import Server, is_sanitized

pytestmark = pytest.mark.skipif(is_sanitized(), reason="a sanitizer's memory is not the server's")

CONNECTIONS = 5000
KIB = 1024


def unread_h2(address):
    """A connection that asked for a megabyte, with windows wide open, and reads nothing of it."""
    client = Http2Client(None, slow_reader(address))
    client.greet({f.INITIAL_WINDOW_SIZE: f.LARGEST_WINDOW}, window=2**30)
    client.start("/bytes/1MiB")
    return client.sock


def unread_h1(address):
    sock = slow_reader(address)
    sock.sendall(b"GET /bytes/1MiB HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return sock


def blocked(stats):
    """Connections with an answer that is not out yet."""
    return stats["connections"]["open"] - stats["connections"]["idle"] if stats["memory"]["buffer_bytes"] else 0


class wave:
    """That many blocked answers; they close at the end of the block."""

    def __init__(self, server, unread, count):
        self.server, self.unread, self.count = server, unread, count
        self.sockets = []

    def __enter__(self):
        raise_descriptor_limit()
        try:
            self.sockets = [self.unread(self.server.address()) for _ in range(self.count)]
            return self.server.wait_stats(lambda s: blocked(s) == self.count, "all are blocked", timeout=40)
        except BaseException:
            self.close()
            raise

    def __exit__(self, kind, *_):
        self.close()
        if kind is None:
            assert self.server.want_open(0)["memory"]["buffer_bytes"] == 0

    def close(self):
        for sock in self.sockets:
            sock.close()


@pytest.fixture(params=[unread_h2, unread_h1], ids=["h2", "h1"])
def unread(request):
    return request.param


@pytest.fixture
def warm(park, unread):
    """A server that has paid what the first connections cost once and for all."""
    with Server("--park", park, "--threads", 2, "--write-timeout", "10m") as server:
        with wave(server, unread, 20):
            pass
        yield server


def test_an_unread_megabyte_costs_less_than_32_kib(warm, unread):
    before = warm.rss()
    with wave(warm, unread, CONNECTIONS) as stats:
        each = (warm.rss() - before) / CONNECTIONS
        assert each < 32 * KIB, f"{each / KIB:.1f} KiB per connection"
        assert 0 < stats["memory"]["buffer_bytes"] / CONNECTIONS < 32 * KIB


def test_memory_comes_back_when_they_close(warm, unread):
    """Not only to the allocator: the process is as small again as before, but for an eighth of what it had grown."""
    before = warm.rss()
    with wave(warm, unread, CONNECTIONS):
        grown = warm.rss() - before
    left = warm.rss() - before
    assert left < grown / 8, f"{left / KIB:.0f} KiB of {grown / KIB:.0f} KiB stay"


def test_a_wave_leaves_nothing_allocated(warm, unread):
    def after_a_wave():
        with wave(warm, unread, CONNECTIONS // 5):
            pass
        return warm.stats()["memory"]["heap_bytes"]
    first = after_a_wave()
    assert after_a_wave() - first < 100 * KIB  # 100 bytes per connection

# ctest: serial
"""S6 to S10: floods end with ENHANCE_YOUR_CALM, memory is flat and the CPU quiet again after each, a parked neighbour
notices nothing; and a load test is no flood."""

import re
import select
import shutil
import subprocess

import pytest
from hyperframe.frame import GoAwayFrame

from harness import frames as f
from harness.h2 import Http2Client
from harness.server import Server, is_sanitized
from harness.stats import dormant

CALM = f.ENHANCE_YOUR_CALM
MOST_GROWTH = 4 * 2**20


class Arena:
    """A server with a parked neighbour; after the block it is as it was before."""

    def __init__(self, park):
        self.server = Server("--park", park, "--threads", 1, "--write-timeout", "2s")
        self.parks = park == "on"

    def __enter__(self):
        self.server.__enter__()
        try:
            with Http2Client(self.server.address()) as warm:
                warm.greet().get("/hello")
            self.neighbour = Http2Client(self.server.address()).greet()
            self.neighbour.get("/hello")
            self.server.wait_stats(lambda s: s["connections"]["open"] == 1 and dormant(s) == self.parks,
                                   "the neighbour rests")
            self.before = self.server.rss()
        except BaseException:
            self.server.kill()
            raise
        return self

    def __exit__(self, kind, *rest):
        try:
            if kind is None:
                self.check()
        finally:
            self.neighbour.close()
            self.server.__exit__(kind, *rest)

    def check(self):
        stats = self.server.want_open(1)
        assert self.neighbour.get("/hello").body == b"hello\n"
        assert (stats["requests"]["in_flight"], stats["tasks"]["handler"]) == (0, 0)
        assert stats["memory"]["buffer_bytes"] == 0
        self.server.want_quiet()
        if not is_sanitized():
            grown = self.server.rss() - self.before
            assert grown < MOST_GROWTH, f"{grown / 2**20:.1f} MiB more"

    def attacker(self, settings=None):
        return Http2Client(self.server.address()).greet(settings)


@pytest.fixture
def arena(park):
    with Arena(park) as ready:
        yield ready


def flood(client, piece, count, per_send=500):
    """Sends the piece that often, or until the server has had enough: want_calm() asks whether it had."""
    for _ in range(0, count, per_send):
        if select.select([client.sock], [], [], 0)[0] and not client._fill(len(client._input) + 1):
            return
        client.send(piece * per_send if isinstance(piece, bytes) else b"".join(piece() for _ in range(per_send)))
        if client.refused or b"\x07\x00\x00\x00\x00\x00" in client._input:  # GOAWAY's header
            return


def want_calm(client, *others):
    """GOAWAY with ENHANCE_YOUR_CALM (or one of the others), if the reset that may follow let it through."""
    client.windows = False
    goaways = []
    try:
        while (found := client.read_frame()) is not None:
            goaways += [found] if isinstance(found, GoAwayFrame) else []
    except AssertionError:
        pass  # cut off within a frame
    assert not goaways or goaways[-1].error_code in (CALM, *others), goaways
    client.close()


def test_empty_continuations_without_end(arena):
    """S6"""
    with arena.attacker() as client:
        client.send(f.headers(1, f.get_block(), end_headers=False))
        flood(client, f.continuation(1, b"", end_headers=False), 100_000)
        want_calm(client, f.PROTOCOL_ERROR)


def test_continuations_with_a_byte_each_without_end(arena):
    """S6"""
    with arena.attacker() as client:
        client.send(f.headers(1, f.get_block(), end_headers=False))
        flood(client, f.continuation(1, f.literal("x", "y"), end_headers=False), 100_000)
        want_calm(client, f.PROTOCOL_ERROR)


@pytest.mark.parametrize("stay", [False, True], ids=["answered", "held-by-the-window"])
def test_a_block_of_20000_references_to_one_field(arena, stay):
    """S7: each counts name, value and 32."""
    with arena.attacker({f.INITIAL_WINDOW_SIZE: 0} if stay else None) as client:
        client.send(f.headers(1, f.get_block() + b"\x40\x01a\x01b"))
        if not stay:
            client.want_response(1)
        for stream in range(3, 43, 2):
            client.send(f.frame(f.HEADERS, f.END_STREAM, stream, f.get_block() + b"\xbe" * 16_000),
                        f.continuation(stream, b"\xbe" * 4_000))
        client.want_frame(object, where=lambda x: x.type in (f.RST_STREAM, f.GOAWAY, f.HEADERS) and x.stream_id != 1)
        if not is_sanitized():
            assert arena.server.rss() - arena.before < MOST_GROWTH


def test_a_cookie_in_thousands_of_crumbs(arena):
    """S7"""
    with arena.attacker() as client:
        block = f.get_block() + b"\x40" + b"\x06cookie" + b"\x03a=b"
        client.send(f.frame(f.HEADERS, f.END_STREAM, 1, block + b"\xbe" * 16_000), f.continuation(1, b"\xbe" * 4_000))
        client.want_frame(object, where=lambda x: x.type in (f.RST_STREAM, f.GOAWAY)
                          or x.type == f.HEADERS and dict(x.fields)[":status"] == "431")


@pytest.mark.parametrize("trigger", [
    lambda s: f.window_update(s, 0),
    lambda s: f.window_update(s, f.LARGEST_WINDOW),
    lambda s: f.data(s, b"x"),
    lambda s: f.frame(f.PRIORITY, 0, s, bytes(4)),
    lambda s: f.headers(s, f.get_block()),
], ids=["zero-window-update", "window-overflow", "data-after-end", "short-priority", "headers-after-end"])
def test_made_you_reset(arena, trigger):
    """S8: resets that the server is made to send count too."""
    with arena.attacker() as client:
        streams = iter(range(1, 2**31, 2))

        def piece():
            stream = next(streams)
            return f.headers(stream, f.get_block("/wait?ms=60000")) + trigger(stream)
        flood(client, piece, 10_000, per_send=50)
        assert arena.server.stats()["tasks"]["handler"] <= 250
        # A connection error at the first of them is as good (RFC 9113 5.4.1).
        want_calm(client, f.PROTOCOL_ERROR, f.STREAM_CLOSED, f.FRAME_SIZE_ERROR, f.FLOW_CONTROL_ERROR)


def test_rapid_reset(arena):
    """S9"""
    with arena.attacker() as client:
        streams = iter(range(1, 2**31, 2))
        most = 0

        def piece():
            stream = next(streams)
            return f.headers(stream, f.get_block("/wait?ms=60000")) + f.rst_stream(stream)
        while not client.refused and b"\x07\x00\x00\x00\x00\x00" not in client._input:
            assert client.next_stream < 200, "a hundred batches were taken"
            client.next_stream += 1
            client.send(b"".join(piece() for _ in range(1000)))
            most = max(most, arena.server.stats()["tasks"]["handler"])
            if select.select([client.sock], [], [], 0)[0]:
                client._fill(len(client._input) + 1)
        assert most <= 250
        want_calm(client)


def test_streams_over_the_limit_without_end(arena):
    """S8"""
    with arena.attacker() as client:
        streams = iter(range(1, 2**31, 2))
        flood(client, lambda: f.headers(next(streams), f.get_block("/wait?ms=60000")), 10_000, per_send=100)
        assert arena.server.stats()["tasks"]["handler"] <= 250
        want_calm(client)


@pytest.mark.parametrize("piece", [f.ping(), f.settings(), f.settings({f.INITIAL_WINDOW_SIZE: 65535})],
                         ids=["ping", "empty-settings", "settings"])
def test_what_asks_for_a_reply_each_time(arena, piece):
    """S10: without reading one."""
    with arena.attacker() as client:
        for _ in range(1000):
            client.send(piece * 1000)
            if client.refused:
                break
        assert arena.server.stats()["memory"]["buffer_bytes"] <= 512 * 1024
        want_calm(client)


@pytest.mark.parametrize("piece", [f.priority(1), f.frame(0x77, 0, 0, b"?"), f.frame(f.PING, f.ACK, 0, bytes(8))],
                         ids=["priority", "unknown", "ping-ack"])
def test_frames_that_only_make_work(arena, piece):
    with arena.attacker() as client:
        flood(client, piece, 1_000_000, per_send=2000)
        want_calm(client)


def test_empty_data_frames(arena):
    with arena.attacker() as client:
        stream = client.start("/upload", method="POST", end=False)
        flood(client, f.data(stream, b""), 1_000_000, per_send=1000)
        want_calm(client)


def test_windows_opened_byte_by_byte(arena):
    with arena.attacker({f.INITIAL_WINDOW_SIZE: 0}) as client:
        stream = client.start("/bytes/1MiB")
        flood(client, f.window_update(stream, 1), 1_000_000, per_send=1000)
        want_calm(client)


def test_requests_that_are_malformed_each_time(arena):
    with arena.attacker() as client:
        streams = iter(range(1, 2**31, 2))
        block = f.get_block() + f.literal("connection", "close")
        flood(client, lambda: f.headers(next(streams), block), 100_000)
        want_calm(client)


def test_a_browser_that_cancels_a_pages_requests_is_no_flood(arena):
    with arena.attacker() as client:
        for _ in range(100):
            client.send(f.rst_stream(client.start("/wait?ms=60000")))
        assert client.get("/hello").status == 200


@pytest.mark.skipif(shutil.which("h2load") is None, reason="h2load is not installed")
@pytest.mark.parametrize("count", [100_000, pytest.param(400_000, marks=pytest.mark.long)])
def test_h2load_is_no_flood(park, count):
    with Server("--park", park, "--threads", 1) as server:
        done = subprocess.run(["h2load", "-n", str(count), "-c", "32", "-m", "4", server.url() + "/hello"],
                              capture_output=True, text=True, timeout=250)
        assert re.search(rf"{count} succeeded, 0 failed, 0 errored, 0 timeout", done.stdout), done.stdout
        assert server.stats()["requests"]["by_status"]["2xx"] == count

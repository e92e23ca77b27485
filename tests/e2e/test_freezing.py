# ctest: serial
"""Frozen connections end to end: what they cost, that they wake, and what is left of them."""

import pytest

from harness.fleet import Fleet
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.server import Server, is_sanitized

KIB = 1024
NOT_MEASURED = pytest.mark.skipif(is_sanitized(), reason="a sanitizer's memory is not the server's")


def want_frozen(server, count):
    return server.wait_stats(lambda s: s["connections"]["frozen"] == count == s["connections"]["open"],
                             f"{count} connections are frozen", timeout=60)


@NOT_MEASURED
def test_a_frozen_connection_costs_less_than_half_a_kib():
    with Server("--threads", 1) as server:
        before = server.rss()
        with Fleet(server.address(), 5000) as fleet:
            want_frozen(server, 5000)
            stats = server.wait_stats(lambda s: s["memory"]["slot_bytes"] == 0, "no page of a frozen connection is left")
            assert stats["freeze_after_s"] == 1.0, "by default"
            assert stats["memory"]["bytes_per_parked_connection"] <= 300
            each = (server.rss() - before) / 5000
            assert each <= 0.45 * KIB, f"{each:.0f} bytes"
            fleet.ask_again(range(0, 5000, 50))
            assert server.stats()["parking_events"]["thaws"] >= 100


@NOT_MEASURED
def test_when_a_fleet_has_left_the_memory_is_back():
    with Server("--threads", 1) as server:
        with Fleet(server.address(), 100):
            want_frozen(server, 100)
        server.want_open(0)
        before = server.rss()
        with Fleet(server.address(), 9000) as fleet:
            want_frozen(server, 9000)
            fleet.ask_again(range(0, 9000, 10))
        server.want_open(0)
        assert server.rss() - before <= 2 * 2**20, f"{(server.rss() - before) / KIB:.0f} KiB more"


def test_an_http1_connection_freezes_and_answers():
    with Server("--threads", 1) as server, Http1Client(server.address()) as client:
        for _ in range(2):
            assert client.get("/hello").body == b"hello\n"
            want_frozen(server, 1)
        assert server.stats()["parking_events"]["thaws"] >= 1


def test_an_event_stream_freezes_between_events():
    with Server("--threads", 1, "--freeze-after", "100ms") as server, Http2Client(server.address()).greet() as client:
        stream = client.start("/events?interval=1s&count=3")
        want_frozen(server, 1)
        body = client.want_response(stream).body
        assert [line for line in body.splitlines() if line.startswith(b"id:")] == [b"id: 1", b"id: 2", b"id: 3"]
        events = server.stats()["parking_events"]
        assert events["thaws"] >= 2 and events["wakes_by"]["timer"] >= 2


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer wants more address space than this")
def test_without_address_space_connections_are_parked_only_and_it_says_so_once():
    limited = ["prlimit", f"--as={2**30}"]
    with Server("--threads", 2, "--max-connections", 100_000, prefix=limited) as server:
        assert server.stderr.count("parked, but not frozen") == 1, server.stderr
        with Fleet(server.address(), 50, batch=50) as fleet:
            server.want_parked(50)
            stats = server.stats()
            assert stats["connections"]["parked"] == 50
            assert stats["memory"]["slot_bytes"] is None
            fleet.ask_again(range(50))
            server.want_parked(50)
        server.want_open(0)

"""/stats.json: every field that scripts rely on, each with a figure that is right."""

import os

import pytest

from harness import frames as f
from harness.command import h2park
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.pace import slow_reader
from harness.server import Server, is_sanitized
from harness.tls import tls_h2

FIELDS = {
    "": {"version", "pid", "uptime_s", "parking", "freeze_after_s", "threads"},
    "connections": {"open", "accepted", "refused", "h1", "h2", "tls", "active", "idle", "parked", "frozen", "closed"},
    "tasks": {"live", "serve", "handler", "other", "created"},
    "memory": {"rss_bytes", "heap_bytes", "frame_bytes", "slot_bytes", "frozen_bytes", "quarantined_slots",
               "slot_overflows", "buffer_bytes", "socket_kernel_bytes", "socket_fixed_bytes",
               "bytes_per_parked_connection"},
    "parking_events": {"parks", "wakes", "wakes_by", "freezes", "thaws"},
    "requests": {"total", "in_flight", "by_status", "streams_open", "log_dropped"},
}
# Null without a freezer.
FREEZERS = {"freeze_after_s", "frozen", "slot_bytes", "frozen_bytes", "quarantined_slots", "slot_overflows", "freezes",
            "thaws"}


def test_every_field_is_there_and_none_is_null_but_the_freezers_without_parking(server):
    with Http2Client(server.address()) as client:
        client.greet().get("/hello")
        stats = server.stats()
    assert {name for name, value in stats.items() if not isinstance(value, dict)} == FIELDS[""]
    assert {stats[name] is None for name in FREEZERS & set(FIELDS[""])} == {not stats["parking"]}
    missing = set() if stats["parking"] else set(FREEZERS)
    missing |= {"bytes_per_parked_connection"}  # null while no connection is parked
    missing |= ({"socket_fixed_bytes"} if not os.access("/proc/slabinfo", os.R_OK) else set())
    missing |= ({"heap_bytes"} if is_sanitized() else set())  # a sanitizer's malloc does not tell
    for group, names in FIELDS.items():
        place = stats[group] if group else stats
        assert names <= set(place), group
        for name in names - missing:
            assert place[name] is not None, f"{group}.{name}"
    assert set(stats["parking_events"]["wakes_by"]) == {"readable", "handler", "body", "timer", "shutdown", "write"}


def test_the_process_figures_are_those_of_the_process(server):
    stats = server.stats()
    assert stats["pid"] == server.pid
    assert abs(stats["memory"]["rss_bytes"] - server.rss()) < 2**20
    if not is_sanitized():
        assert 0 < stats["memory"]["heap_bytes"] <= stats["memory"]["rss_bytes"] + 2**20


def test_the_server_says_how_it_was_started():
    with Server("--threads", 3, "--freeze-after", "250ms") as server:
        first = server.stats()
        assert (first["threads"], first["parking"], first["freeze_after_s"]) == (3, True, 0.25)
        assert h2park("--version")[1] == f"h2park {first['version']}\n"
        server.wait_stats(lambda s: first["uptime_s"] < s["uptime_s"] < first["uptime_s"] + 60, "time passes")
    with Server("--park", "off") as server:
        stats = server.stats()
        assert (stats["parking"], stats["freeze_after_s"]) == (False, None)


def test_tasks_are_counted_while_they_live():
    with Server("--park", "off", "--threads", 1) as server, Http2Client(server.address()).greet() as client:
        before = server.wait_stats(lambda s: s["connections"]["idle"] == 1, "it rests")["tasks"]
        assert (before["live"], before["serve"], before["handler"], before["other"]) == (1, 1, 0, 0)
        client.start("/wait?ms=60000")
        after = server.wait_stats(lambda s: s["tasks"]["handler"] == 1, "a handler runs")["tasks"]
        assert (after["live"], after["serve"], after["other"]) == (2, 1, 0)
        assert after["created"] == before["created"] + 1


def test_what_finds_no_room_in_its_slot_is_counted():
    """A body that its handler does not read is larger than the connection's slot."""
    with Server("--threads", 1) as server, Http2Client(server.address()).greet() as client:
        assert server.stats()["memory"]["slot_overflows"] == 0
        stream = client.start("/wait?ms=60000", end=False)
        client.send(*[f.data(stream, b"x" * 16000) for _ in range(4)])
        server.wait_stats(lambda s: s["memory"]["slot_overflows"] > 0, "it went to the heap")


def test_connections_are_counted_by_protocol(park):
    with Server("--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0", "--self-signed", "--park", park) as server:
        with Http2Client(server.address()).greet(), Http1Client(server.address()) as old, \
                tls_h2(server.address("https")).greet():
            old.get("/hello")
            stats = server.wait_stats(lambda s: s["connections"]["idle"] == 3, "three are idle")["connections"]
            assert {name: stats[name] for name in ("open", "accepted", "h1", "h2", "tls")} == \
                {"open": 3, "accepted": 3, "h1": 1, "h2": 2, "tls": 1}
            assert stats["active"] + stats["parked"] + stats["frozen"] == 3
        stats = server.want_open(0)["connections"]
        assert {name: stats[name] for name in ("h1", "h2", "tls", "idle", "active", "parked")} == \
            dict.fromkeys(("h1", "h2", "tls", "idle", "active", "parked"), 0)
        assert stats["closed"]["client"] == 3


def test_requests_are_counted_by_status(park):
    with Server("--park", park) as server, Http2Client(server.address()).greet() as client:
        for path in ("/hello", "/status/204", "/status/301", "/none", "/status/503"):
            client.get(path)
        client.want_rst(client.start("/rst"))
        requests = server.wait_stats(lambda s: s["requests"]["in_flight"] == 0, "all are answered")["requests"]
        assert requests["total"] == 6
        assert {kind: n for kind, n in requests["by_status"].items() if n} == {"2xx": 3, "3xx": 1, "4xx": 1, "5xx": 1}


def test_handlers_and_streams_are_counted_while_they_run(park):
    with Server("--park", park) as server, Http2Client(server.address()).greet() as client:
        for _ in range(3):
            client.start("/wait?ms=60000")
        # A snapshot may fall between a request's arrival and its handler's start.
        stats = server.wait_stats(lambda s: s["requests"]["in_flight"] == s["tasks"]["handler"] == 3, "three run")
        assert stats["requests"]["streams_open"] == 3
        assert stats["memory"]["frame_bytes"] > 0
        assert stats["connections"]["idle"] == 0


@pytest.mark.parametrize("path", ["/bytes/64MiB", "/stream/1000000", "/drip?bytes=1MiB&count=50&interval=0ms"])
@pytest.mark.parametrize("protocol", ["h2", "h1"])
def test_an_answer_that_is_not_out_yet_is_in_flight(server, protocol, path):
    """Whether its handler still runs, or has left a source behind that feeds the answer."""
    with slow_reader(server.address()) as sock:
        before = server.stats()["requests"]
        if protocol == "h2":
            Http2Client(None, sock).greet({f.INITIAL_WINDOW_SIZE: f.LARGEST_WINDOW}, window=2**30).start(path)
        else:
            sock.sendall(b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % path.encode())
        stats = server.wait_stats(lambda s: s["memory"]["buffer_bytes"] and s["requests"]["total"] > before["total"],
                                  "the answer is blocked")["requests"]
        assert (stats["in_flight"], stats["streams_open"]) == (1, 1)
    server.wait_stats(lambda s: s["requests"]["in_flight"] == s["requests"]["streams_open"] == 0, "nothing is left")


def test_a_park_and_a_wake_are_counted():
    with Server() as server, Http2Client(server.address()).greet() as client:
        client.get("/hello")
        before = server.want_parked(1)["parking_events"]
        client.want_alive()
        after = server.want_parked(1)["parking_events"]
        assert after["parks"] > before["parks"] and after["wakes"] > before["wakes"]
        assert sum(after["wakes_by"].values()) >= after["wakes"]


def test_kernel_bytes_show_what_a_client_does_not_read(server):
    with slow_reader(server.address()) as sock:
        sock.sendall(b"GET /bytes/1GiB HTTP/1.1\r\nHost: a\r\n\r\n")
        server.wait_stats(lambda s: s["memory"]["socket_kernel_bytes"] > 4096 and s["memory"]["buffer_bytes"] > 0,
                          "the kernel holds some of it, the server the rest")


@pytest.mark.parametrize("threads", [1, 3])
def test_figures_are_summed_over_threads(threads):
    with Server("--threads", threads) as server:
        clients = [Http2Client(server.address()).greet() for _ in range(12)]
        for client in clients:
            client.get("/hello")
        assert server.want_parked(12)["requests"]["total"] == 12
        for client in clients:
            client.close()

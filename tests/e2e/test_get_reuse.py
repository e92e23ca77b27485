"""When `h2park get` uses a connection again: the reuse table, with a peer that counts connections."""

import statistics
import threading

import pytest

from harness.get import get, get_json
from harness.scripted import Peer, answer, chunked, in_turn, response
from harness.wait import TIMEOUT

REQUESTS = 100
LIMIT = 256 * 1024
OK = "HTTP/1.1 200 OK\r\n"


def trickle(seconds, pieces=4):
    """A chunked body whose last piece comes that much later than its head."""
    def script(line):
        while line.read_request():
            line.send(OK.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
            for _ in range(pieces):
                line.pause(seconds / pieces)
                line.send(b"4\r\nabcd\r\n")
            line.send(b"0\r\n\r\n")
    return script


def until_closed(line):
    if line.read_request():
        line.send(OK.encode() + b"\r\nto the end")


CLOSE = response(b"x" * 100, "Connection: close")
OLD = response(b"x" * 100, version="HTTP/1.0")
OLD_KEPT = response(b"x" * 100, "Connection: keep-alive", version="HTTP/1.0")

# What the peer answers, what its drain comes to, and why the next request needs another connection ("": it does not).
TABLE = {
    "100 bytes": (answer(response(b"x" * 100)), "drained", ""),
    "4 KiB": (answer(response(b"x" * 4096)), "drained", ""),
    "200 KiB": (answer(response(b"x" * 200 * 1024)), "drained", ""),
    "256 KiB": (answer(response(b"x" * LIMIT)), "drained", ""),
    "256 KiB and 1": (answer(response(b"x" * (LIMIT + 1))), "over_limit_known", "over_limit_known"),
    "1 MiB": (answer(response(b"x" * 1024 * 1024)), "over_limit_known", "over_limit_known"),
    "100 bytes chunked": (answer(chunked(b"x" * 100)), "drained", ""),
    "4 KiB chunked": (answer(chunked(b"x" * 4096)), "drained", ""),
    "200 KiB chunked": (answer(chunked(b"x" * 200 * 1024)), "drained", ""),
    "256 KiB chunked": (answer(chunked(b"x" * LIMIT)), "drained", ""),
    "256 KiB and 1 chunked": (answer(chunked(b"x" * (LIMIT + 1))), "over_limit", "over_limit"),
    "1 MiB chunked": (answer(chunked(b"x" * 1024 * 1024)), "over_limit", "over_limit"),
    "trickles for 20 ms": (trickle(0.02), "drained", ""),
    "close": (answer(CLOSE), "not_reusable:connection_close", "connection_close"),
    "HTTP/1.0": (answer(OLD), "not_reusable:http10", "http10"),
    "HTTP/1.0 keep-alive": (answer(OLD_KEPT), "drained", ""),
    "to the end": (until_closed, "not_reusable:until_close", "until_close"),
}
# So that a busy machine's 50 ms do not decide: the bound itself has tests of its own.
PATIENT = ("--drain-time", "10s")


def want_nobody_waited(records):
    """To have a connection took as long as to dial one. The median: a busy machine has its outliers."""
    waits = [t["total"] - t["send"] - t["wait"] - t["read"] for t in (record["timings"] for record in records)]
    assert statistics.median(waits) < 25, waits


def causes(records):
    """But for the first request's. Records come in the order in which bodies end."""
    reasons = [record["connection"]["miss_reason"] for record in records if not record["connection"]["reused"]]
    assert reasons.count("first") == 1, reasons
    return set(reasons) - {"first"}


@pytest.mark.parametrize("row", TABLE)
def test_unread_bodies_with_draining(row):
    script, result, reason = TABLE[row]
    with Peer(script) as peer:
        got = get_json("-n", REQUESTS, "--read", "none", *PATIENT, peer.url())
        assert peer.requests == REQUESTS
        assert {record["drain"]["result"] for record in got.records} == {result}
        assert got.summary["drains"] == {result.partition(":")[0]: REQUESTS}
        assert got.summary["connections"]["opened"] == peer.connections
        want_nobody_waited(got.records)
        if reason:
            assert causes(got.records) <= {reason, "draining"} and reason in causes(got.records)
            assert not any(record["connection"]["reused"] for record in got.records)
            assert peer.connections >= REQUESTS
        else:
            # Nothing keeps a connection from being used again but that the last body is still on its way.
            assert causes(got.records) <= {"draining"}
            # 54 of 100 is what the slowest row takes on a fake clock (tests/unit/client/reuse_test.cpp).
            assert peer.connections <= REQUESTS * 3 / 4
    if row in ("100 bytes", "100 bytes chunked", "HTTP/1.0 keep-alive"):
        assert peer.connections == 1, "such a body is there with its head"


@pytest.mark.parametrize("row", TABLE)
def test_unread_bodies_without_draining(row):
    script, _, reason = TABLE[row]
    reason = reason if reason in ("connection_close", "http10", "until_close") else "no_drain"
    with Peer(script) as peer:
        got = get_json("-n", REQUESTS, "--read", "none", "--no-drain", peer.url())
        assert peer.connections == peer.requests == REQUESTS
        assert {record["drain"]["result"] for record in got.records} == {"not_reusable:" + reason}
        assert all(record["drain"]["bytes"] == 0 for record in got.records)
        assert causes(got.records) == {reason}
        assert got.summary["connections"] == {"opened": REQUESTS, "reused": 0, "closed": {reason: REQUESTS}}
        want_nobody_waited(got.records)


def test_a_body_that_trickles_for_80_ms_is_given_up():
    with Peer(trickle(0.08)) as peer:
        got = get_json("-n", REQUESTS, "--read", "none", peer.url())
        assert {record["drain"]["result"] for record in got.records} == {"timed_out"}
        assert all(record["drain"]["ms"] >= 50 for record in got.records)
        assert not any(record["connection"]["reused"] for record in got.records)
        assert causes(got.records) <= {"draining", "drain_timed_out"}
        want_nobody_waited(got.records)


@pytest.mark.parametrize("head, rest", [
    ("Content-Length: 10\r\n\r\nhello", b"there"),
    ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", b"5\r\nthere\r\n0\r\n\r\n")])
def test_no_request_waits_for_a_drain(head, rest):
    """No body ends before the last request has come: one that waited would wait in vain."""
    last = threading.Event()

    def script(line):
        while line.read_request():
            line.send((OK + head).encode())
            if line.peer.requests == 20:
                last.set()
            assert last.wait(TIMEOUT), "a request waits for a drain"
            line.send(rest)
    with Peer(script) as peer:
        got = get_json("-n", 20, "--read", "none", *PATIENT, peer.url())
        assert peer.connections == 20
        assert causes(got.records) == {"draining"}
        assert got.summary["drains"] == {"drained": 20}
        assert all(record["drain"]["bytes"] == 10 for record in got.records)


@pytest.mark.parametrize("drains", [True, False])
def test_a_body_of_which_only_the_newline_is_unread(drains):
    with Peer(answer(response(b"{}\n"))) as peer:
        got = get_json("-n", REQUESTS, "--read", 2, *([] if drains else ["--no-drain"]), peer.url())
        assert {(record["bytes"], record["drain"]["bytes"]) for record in got.records} == {(2, 1 if drains else 0)}
        assert peer.connections == (1 if drains else REQUESTS)


def test_reads_as_much_of_a_body_as_it_is_told():
    with Peer(answer(response(b"x" * 100))) as peer:
        for read, taken, result in ((10, 10, "drained"), (100, 100, "complete"), (1000, 100, "complete"),
                                    ("all", 100, "complete"), ("none", 0, "drained"), (0, 0, "drained")):
            got = get_json("-n", 3, "--read", read, peer.url())
            assert {(r["bytes"], r["drain"]["bytes"], r["drain"]["result"]) for r in got.records} == {
                (taken, 100 - taken, result)}
        assert get("--read", 10, peer.url()).body == b"x" * 10
        # Unread when repeated without --output; else read.
        assert get_json("-n", 2, peer.url()).records[0]["bytes"] == 0
        assert get_json("-n", 2, "-o", "/dev/null", peer.url()).records[0]["bytes"] == 100
        assert get_json(peer.url()).records[0]["bytes"] == 100


@pytest.mark.parametrize("bytes_allowed, reused", [("100", True), ("99", False), ("0", False)])
def test_drains_no_more_than_it_is_told(bytes_allowed, reused):
    for data in (response(b"x" * 100), chunked(b"x" * 100)):
        with Peer(answer(data)) as peer:
            get_json("-n", 10, "--read", "none", "--drain-bytes", bytes_allowed, peer.url())
            assert peer.connections == (1 if reused else 10)


def test_workers_share_the_pool():
    with Peer(answer(response(b"x" * 100))) as peer:
        got = get_json("-n", 200, "-c", 8, peer.url())
        assert peer.requests == 200 and peer.connections <= 8
        assert got.summary["connections"]["reused"] == 200 - sum(not r["connection"]["reused"] for r in got.records)


def test_each_origin_has_its_own_connections():
    with Peer(answer(response(b"a"))) as one, Peer(answer(response(b"b"))) as other:
        get_json("-n", 10, one.url(), other.url())
        assert (one.connections, one.requests, other.connections, other.requests) == (1, 5, 1, 5)
        get(one.url("/1"), other.url("/1"), one.url("/2"), other.url("/2"))
        assert (one.connections, other.connections) == (2, 2)


# ---- what ends an idle connection

def reasons(peer, *flags):
    got = get_json("-n", 3, *flags, peer.url())
    return [record["connection"]["miss_reason"] for record in got.records]


def test_no_place_for_idle_connections():
    with Peer(answer(response(b"x"))) as peer:
        assert reasons(peer, "--max-idle", 0) == ["first", "max_idle", "max_idle"]
        assert peer.connections == 3


def test_an_idle_connection_is_kept_for_its_time():
    with Peer(answer(response(b"x"))) as peer:
        flags = ("--think", "60ms", "--idle-timeout")
        assert reasons(peer, *flags, "20ms") == ["first", "idle_timeout", "idle_timeout"]
        assert reasons(peer, *flags, "1h") == ["first", None, None]


@pytest.mark.parametrize("hint, think, expected", [
    ("timeout=1", "650ms", "keep_alive_timeout"), ("timeout=0", "0", "keep_alive_timeout"),
    ("timeout=9, max=0", "0", "keep_alive_max"), ("max=100, timeout=60", "50ms", None), ("nonsense", "0", None)])
def test_keep_alive_hints(hint, think, expected):
    with Peer(answer(response(b"x", "Keep-Alive: " + hint))) as peer:
        assert reasons(peer, "--think", think) == ["first", expected, expected]


def test_a_server_that_closes_idle_connections():
    with Peer(answer(response(b"x"), then=lambda line: line.close())) as peer:
        assert reasons(peer, "--think", "100ms") == ["first", "peer_closed", "peer_closed"]
        assert get_json("-n", 3, "--think", "100ms", peer.url()).summary["connections"]["closed"]["peer_closed"] >= 2


def test_variables_tell_the_same_as_json():
    names = ("reused", "conn_id", "conn_requests", "reuse_miss_reason", "drain_bytes", "drain_result")
    with Peer(in_turn(response(b"x" * 9), response(b"y" * 8, "Connection: close"), response(b"z" * 7))) as peer:
        form = "|".join(f"%{{{name}}}" for name in names) + "\n"
        got = get("-s", "-o", "/dev/null", "-n", 4, "--read", 3, "-w", form, peer.url())
        assert got.text.splitlines()[:4] == [
            "0|1|1|first|6|drained", "1|1|2||0|not_reusable:connection_close",
            "0|2|1|connection_close|4|drained", "1|2|2||4|drained"]

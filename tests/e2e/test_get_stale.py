"""Connections that die under `h2park get`, uploads that are refused early, and drains in great numbers: cases C13 and
C18 of other clients' reports."""

import json
import signal
import threading

import pytest

from harness.get import get, get_json, running
from harness.pace import within
from harness.scripted import Peer, response
from harness.wait import TIMEOUT, wait_until

FINE = response(b"fine")


def dies_on_its_second_request(end, first_bytes=b""):
    """The first connection; others go on answering."""
    def script(line):
        while line.read_request():
            if line.number == 1 and line.requests == 2:
                line.send(first_bytes)
                return end(line)
            line.send(FINE)
    return script


ENDS = {"FIN": lambda line: line.close(), "RST": lambda line: line.reset()}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_c13_an_idempotent_request_is_made_once_more_on_a_fresh_connection(end, method):
    """9112 9.3.1"""
    with Peer(dies_on_its_second_request(ENDS[end])) as peer:
        # Of the answer to HEAD the rest is no body, and poisons the connection.
        read = ["-I"] if method == "HEAD" else ["-X", method, "--read", "all"]
        if method == "HEAD":
            peer.script = dies_on_its_second_request_without_bodies(ENDS[end])
        got = get_json("-n", 3, *read, peer.url())
        assert [record["status"] for record in got.records] == [200] * 3
        assert [record["connection"]["miss_reason"] for record in got.records] == ["first", "stale", None]
        assert (peer.connections, peer.requests) == (2, 4)


def dies_on_its_second_request_without_bodies(end):
    def script(line):
        while line.read_request():
            if line.number == 1 and line.requests == 2:
                return end(line)
            line.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
    return script


@pytest.mark.parametrize("end, code", [("FIN", 52), ("RST", 56)])
def test_c13_a_post_fails_and_says_why(end, code):
    with Peer(dies_on_its_second_request(ENDS[end])) as peer:
        got = get_json("-s", "-n", 2, "-d", "x=1", "--read", "all", peer.url(), code=code)
        assert (peer.connections, peer.requests) == (1, 2)
        message = got.records[1]["error"]["message"]
        assert "reused connection" in message and "POST is not repeated" in message


@pytest.mark.parametrize("end", ENDS)
def test_c13_nothing_is_repeated_once_a_byte_of_the_answer_came(end):
    with Peer(dies_on_its_second_request(ENDS[end], first_bytes=b"H")) as peer:
        got = get_json("-s", "-n", 2, "--read", "all", peer.url(), code=56)
        assert (peer.connections, peer.requests) == (1, 2)
        assert got.records[1]["error"]["cause"] == "receive"


def test_c13_a_retry_that_fails_is_not_repeated():
    def script(line):
        while line.read_request():
            if line.peer.requests > 1:
                return
            line.send(FINE)
    with Peer(script) as peer:
        got = get_json("-s", "-n", 2, "--read", "all", peer.url(), code=52)
        assert (peer.connections, peer.requests) == (2, 3)
        assert "again on a fresh one" in got.records[1]["error"]["message"]


def test_c13_a_fresh_connection_that_dies_is_not_replaced():
    with Peer(lambda line: line.read_request()) as peer:
        get("-s", peer.url(), code=52)
        assert (peer.connections, peer.requests) == (1, 1)


def test_c13_a_whole_pool_that_has_died_is_replaced():
    """Each request finds out for itself, and gets a fresh connection rather than the next dead one."""
    together = threading.Barrier(5)

    def script(line):
        while line.read_request():
            if line.number <= 5:
                together.wait(TIMEOUT)
                if line.requests == 2:
                    return line.reset()
            line.send(FINE)
    with Peer(script) as peer:
        got = get_json("-n", 10, "-c", 5, "--read", "all", peer.url())
        assert [record["status"] for record in got.records] == [200] * 10
        assert (peer.connections, peer.requests) == (10, 15)


@pytest.mark.parametrize("after", [0, 0.001, 0.002])
def test_c13_a_close_just_before_the_next_request_goes_unnoticed(after):
    def script(line):
        if line.read_request():
            line.send(FINE)
            line.pause(after)
    with Peer(script) as peer:
        got = get_json("-n", 30, "--think", "1ms", "--read", "all", peer.url())
        assert [record["status"] for record in got.records] == [200] * 30
        assert peer.connections == 30
        assert {record["connection"]["miss_reason"] for record in got.records} <= {"first", "peer_closed", "stale"}


def test_408_for_an_idle_connection_is_no_answer():
    """9110 15.5.9"""
    late = response(b"you were idle", "Connection: close", status="408 Request Timeout")

    def script(line):
        while line.read_request():
            line.send(late if line.number == 1 and line.requests == 2 else FINE)
    with Peer(script) as peer:
        got = get_json("-n", 2, "--read", "all", peer.url())
        assert [record["status"] for record in got.records] == [200, 200]
    with Peer(lambda line: line.read_request() and line.send(late)) as peer:
        assert get_json(peer.url()).records[0]["status"] == 408


# ---- uploads (9112 9.5, 9110 10.1.1)

@pytest.fixture(scope="module")
def upload(tmp_path_factory):
    path = tmp_path_factory.mktemp("upload") / "body"
    path.write_bytes(b"x" * 20_000_000)
    return f"@{path}"


@pytest.mark.parametrize("end", [lambda line: line.hang(), lambda line: line.reset(), lambda line: None])
def test_an_answer_that_comes_first_ends_the_upload(upload, end):
    def script(line):
        if line.read_request(body=False):
            line.send(response(b"too large", "Connection: close", status="413 Content Too Large"))
            end(line)
    with Peer(script) as peer:
        for expect in ([], ["-H", "Expect:"]):
            got = get("--data-binary", upload, *expect, "-w", " %{http_code}", peer.url())
            assert got.text == "too large 413"
            assert (peer.heard[-1].get("expect") == "100-continue") == (not expect)


def test_a_body_waits_for_100_but_not_for_ever(upload):
    def script(line):
        heard = line.read_request(body=False)
        if heard and heard.target == "/continue":
            line.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if heard:
            line.send(response(b"%d" % len(line.read(int(heard.get("content-length"))))))
    with Peer(script) as peer:
        assert get("--data-binary", upload, peer.url("/continue")).body == b"20000000"
        with within(1, TIMEOUT):
            assert get("--data-binary", upload, peer.url("/silent")).body == b"20000000"


def test_a_server_that_knows_no_expectations_is_asked_without(upload):
    def script(line):
        while heard := line.read_request(body=False):
            if heard.get("expect"):
                line.send(response(b"what?", status="417 Expectation Failed"))
            else:
                line.send(response(b"%d" % len(line.read(int(heard.get("content-length"))))))
    with Peer(script) as peer:
        got = get("--data-binary", upload, "-w", " %{http_code} %{size_upload}", peer.url())
        assert got.text == "20000000 200 20000000"
        assert [heard.get("expect") for heard in peer.heard] == ["100-continue", None]


# ---- drains

def unending(line):
    if line.read_request():
        line.send(b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf of it")
        line.hang()


def test_c18_500_drains_at_once_end_with_the_run():
    """None of these bodies ends: the run waits for --drain-time once, not 500 times."""
    together = threading.Barrier(500)

    def script(line):
        if line.read_request():
            together.wait(TIMEOUT)
            line.send(b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf of it")
            line.hang()
    with Peer(script) as peer, within(0.2, TIMEOUT):
        got = get_json("-n", 500, "-c", 500, "--drain-time", "200ms", peer.url())
        assert got.summary["drains"] == {"timed_out": 500}
        assert got.summary["connections"]["closed"] == {"drain_timed_out": 500}


@pytest.mark.parametrize("rest, end, result", [(b"", "FIN", "failed"), (b"", "RST", "failed"),
                                               (b"5\r\nhello\r\nx\r\n", "FIN", "failed")])
def test_c18_a_drain_that_breaks_is_no_error_of_its_request(rest, end, result):
    def script(line):
        if line.read_request():
            line.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            line.pause(0.01)
            line.send(rest)
            ENDS[end](line)
    with Peer(script) as peer:
        got = get_json("-n", 3, "--drain-time", "5s", "--think", "50ms", peer.url())
        assert [record["drain"]["result"] for record in got.records] == [result] * 3
        assert [record["error"] for record in got.records] == [None] * 3
        assert {record["connection"]["miss_reason"] for record in got.records} == {"first", "drain_failed"}


def test_c18_a_signal_cuts_drains_short():
    with Peer(unending) as peer, within(0, TIMEOUT):
        with running("-n", 5, "--drain-time", "1h", "--output-format", "json", peer.url()) as process:
            wait_until(lambda: peer.requests == 5, "all requests are made")
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 128 + signal.SIGINT
        summary = json.loads(output.splitlines()[-1])["summary"]
        # One that had not been answered yet has none.
        assert summary["drains"].get("timed_out", 0) == summary["requests"] >= 4

"""Repeated requests of `h2park get`: pace, records, summaries, pictures, and how a run ends."""

import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import termios
import threading
import time

import pytest

from harness.get import get, get_json, running
from harness.pace import within
from harness.process import cpu_seconds
from harness.scripted import Peer, answer, response
from harness.server import Server
from harness.wait import TIMEOUT, wait_until

PHASES = ["dns", "connect", "tls", "send", "wait", "first_byte", "read", "total"]


@pytest.fixture(scope="module", name="site")
def site_():
    with Server("--threads", 1) as server:
        yield server.url()


# ---- what is told

def test_a_record_has_these_keys_and_types(site):
    got = get_json(site + "/hello")
    record = got.records[0]
    assert list(record) == ["url", "method", "status", "protocol", "bytes", "timings", "connection", "drain", "error"]
    assert record["url"] == site + "/hello" and record["method"] == "GET" and record["status"] == 200
    assert record["protocol"] == "HTTP/1.1" and record["bytes"] == 6 and record["error"] is None
    assert list(record["timings"]) == PHASES
    assert all(isinstance(ms, float) and ms >= 0 for ms in record["timings"].values())
    assert list(record["connection"]) == ["id", "reused", "idle_ms", "requests", "miss_reason"]
    assert record["connection"] == {"id": 1, "reused": False, "idle_ms": None, "requests": 1, "miss_reason": "first"}
    assert list(record["drain"]) == ["result", "bytes", "ms"]
    assert record["drain"] == {"result": "complete", "bytes": 0, "ms": pytest.approx(0, abs=5)}
    later = get_json("-n", 2, "--think", "20ms", site + "/hello").records[1]["connection"]
    assert later["reused"] is True and later["idle_ms"] >= 15 and later["miss_reason"] is None


def test_a_failed_request_has_a_record_too(site):
    got = get_json("-s", "-f", site + "/nothing", "http://nothing.invalid/", code=6)
    refused, unresolved = got.records
    assert refused["status"] == 404 and refused["error"] == {
        "cause": "http_error", "exit_code": 22, "message": "The requested URL returned error: 404"}
    assert unresolved["status"] == 0 and unresolved["protocol"] is None
    assert unresolved["error"]["cause"] == "resolve" and unresolved["error"]["exit_code"] == 6
    assert unresolved["connection"] == {"id": 0, "reused": False, "idle_ms": None, "requests": 0, "miss_reason": None}
    assert got.summary["requests"] == 2 and got.summary["errors"] == {"http_error": 1, "resolve": 1}


def test_the_summary_agrees_with_the_records(site):
    got = get_json("-n", 300, "-c", 7, "--read", 100, site + "/bytes/1000", site + "/nothing")
    records, summary = got.records, got.summary
    assert list(summary) == ["requests", "errors", "statuses", "duration_s", "requests_per_second", "bytes",
                             "connections", "drains", "timings"]
    assert len(records) == summary["requests"] == 300 and summary["errors"] == {}
    assert summary["statuses"] == {"2xx": 150, "4xx": 150}
    assert summary["bytes"] == sum(record["bytes"] for record in records)
    assert summary["connections"]["reused"] == sum(record["connection"]["reused"] for record in records)
    assert summary["connections"]["opened"] >= len({record["connection"]["id"] for record in records})
    assert sum(summary["connections"]["closed"].values()) == summary["connections"]["opened"]
    outcomes = [record["drain"]["result"] for record in records]
    assert summary["drains"] == {name: outcomes.count(name) for name in sorted(set(outcomes))}
    assert summary["requests_per_second"] == pytest.approx(300 / summary["duration_s"], rel=0.01)
    assert list(summary["timings"]) == [*PHASES, "latency"]
    total = sorted(record["timings"]["total"] for record in records)
    told = summary["timings"]["total"]
    assert list(told) == ["count", "min", "mean", "p50", "p90", "p99", "max"] and told["count"] == 300
    assert (told["min"], told["max"]) == (total[0], total[-1])
    assert told["mean"] == pytest.approx(sum(total) / 300, rel=0.02, abs=0.002)
    assert told["p50"] == pytest.approx(total[149], rel=0.1, abs=0.01)
    assert told["min"] <= told["p50"] <= told["p90"] <= told["p99"] <= told["max"]


def test_repeated_requests_end_with_a_table_and_a_histogram(site):
    got = get("-n", 50, site + "/bytes/1000")
    lines = got.text.splitlines()
    assert lines[0].startswith("Requests     50 in ") and "per second" in lines[0]
    assert "Status       2xx 50" in lines and any(line.startswith("Drains       ") for line in lines)
    assert any(line.startswith("Connections  opened ") for line in lines)
    assert ["Phase", "min", "mean", "p50", "p90", "p99", "max"] in [line.split() for line in lines]
    assert [line.split()[0] for line in lines if line.startswith("total")] == ["total"]
    rows = lines[lines.index("Latency") + 1:]
    assert sum(int(row.split()[3]) for row in rows) == 50 and all("#" in row or " 0" in row for row in rows)
    assert got.errors == "", "no progress where nobody looks"


# ---- pace

def test_rate_think_and_duration_set_the_pace():
    with Peer(answer(response(b"x"))) as peer:
        with within(0.45, 5):
            get_json("-n", 10, "-q", 20, peer.url())
        with within(0.45, 5):
            get_json("-n", 10, "--think", "50ms", peer.url())
        with within(0.5, 5):
            got = get_json("-z", "500ms", "-q", 50, "-c", 2, peer.url())
        assert 20 <= got.summary["requests"] <= 26
        assert got.summary["duration_s"] == pytest.approx(0.5, abs=0.1)


def test_concurrency_is_what_it_says():
    together = threading.Barrier(8)

    def script(line):
        while line.read_request():
            together.wait(TIMEOUT)
            line.send(response(b"x"))
    with Peer(script) as peer:
        get_json("-n", 32, "-c", 8, peer.url())
        assert peer.connections == 8


def test_a_duration_gives_up_what_is_under_way_after_a_second():
    with Peer(lambda line: (line.read_request(), line.hang())) as peer:
        with within(1.1, 6):
            got = get_json("-z", "100ms", "-c", 3, peer.url())
        assert got.records == [] and got.summary["errors"] == {"cancelled": 3}


# ---- how a run ends

@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_with_its_summary(number):
    for flags in (("-n", 10**9, "--think", "1ms"), ("-z", "1h", "-q", "2/h")):
        with Peer(answer(response(b"x"))) as peer:
            with running(*flags, "--output-format", "json", peer.url()) as process:
                wait_until(lambda: peer.requests > 0, "a request has come")
                process.send_signal(number)
                output, errors = process.communicate(timeout=TIMEOUT)
                assert process.returncode == 128 + number and errors == b""
                summary = json.loads(output.splitlines()[-1])["summary"]
                assert summary["requests"] == len(output.splitlines()) - 1


def test_a_signal_ends_a_single_request():
    with Peer(lambda line: (line.read_request(), line.send(b"HTTP/1.1 200 OK\r\n\r\npart"), line.hang())) as peer:
        with running(peer.url()) as process:
            assert process.stdout.read(4) == b"part"
            process.send_signal(signal.SIGINT)
            assert process.wait(TIMEOUT) == 128 + signal.SIGINT


@pytest.mark.parametrize("flags", [("--output-format", "json"), ("-w", "%{http_code}\n")])
def test_it_ends_when_nobody_reads_any_more(flags):
    with Peer(answer(response(b"x"))) as peer:
        with running("-n", 10**9, *flags, peer.url()) as process:
            assert process.stdout.readline()
            process.stdout.close()
            assert process.wait(TIMEOUT) == 23
            errors = process.stderr.read().decode()
            assert errors.count("\n") == 1 and "Broken pipe" in errors, errors


def test_a_full_disk_is_told(site):
    with open("/dev/full", "wb") as full:
        for flags in ((), ("-n", 3), ("--output-format", "json"), ("-s", "-o", "/dev/null", "-w", "x")):
            with running(*flags, site + "/hello", stdout=full) as process:
                assert process.wait(TIMEOUT) == 23, flags
                errors = process.stderr.read().decode()
                if "-s" in flags:
                    assert errors == ""
                else:
                    assert errors.count("\n") == 1 and "No space" in errors, (flags, errors)


def test_a_run_that_waits_costs_nothing():
    with Peer(lambda line: (line.read_request(), line.send(b"HTTP/1.1 200"), line.hang())) as peer:
        with running("-n", 4, "-c", 4, peer.url()) as process:
            wait_until(lambda: peer.requests == 4, "all requests have come")
            before = cpu_seconds(process.pid)
            time.sleep(0.5)
            assert cpu_seconds(process.pid) - before <= 0.02


# ---- for people

def on_a_terminal(*arguments):
    """What it writes to standard error, a terminal of 60 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    with running(*arguments, stderr=theirs) as process:
        os.close(theirs)
        output = process.stdout.read()
        assert process.wait(TIMEOUT) == 0
    shown = b""
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    return shown.decode(), output.decode()


def test_progress_is_for_terminals():
    with Peer(answer(response(b"x"))) as peer:
        shown, output = on_a_terminal("-z", "1500ms", "-q", 20, peer.url())
        assert " requests" in shown and "connections" in shown and shown.endswith("\r\x1b[K"), repr(shown)
        assert all(len(line.replace("\x1b[K", "")) < 60 for line in shown.split("\r")), repr(shown)
        assert output.startswith("Requests ")
        for flags in (("-z", "1500ms", "-q", 20, "-s"), ("-n", 5)):
            assert on_a_terminal(*flags, peer.url())[0] == ""


PICTURES = {"svg": b"<?xml", "png": b"\x89PNG\r\n\x1a\n"}


@pytest.mark.parametrize("kind", PICTURES)
def test_plot_draws_a_picture(site, kind, tmp_path):
    picture = tmp_path / f"run.{kind}"
    get_json("-n", 40, "-c", 4, "--plot", picture, site + "/bytes/100000")
    data = picture.read_bytes()
    assert data.startswith(PICTURES[kind]) and len(data) > 5000


def test_plot_says_what_it_lacks(site, tmp_path):
    for code, flags, env, naming in ((4, [tmp_path / "a.svg"], {"PATH": str(tmp_path)}, "gnuplot"),
                                     (2, [tmp_path / "a.gif"], {}, ".svg"),
                                     (23, [tmp_path / "no" / "a.svg"], {}, "no/a.svg")):
        got = get("-n", 2, "--plot", *flags, site + "/hello", env=env, code=code)
        assert naming in got.errors and got.errors.count("\n") == 1 and got.body == b"", got.errors

"""The access log: one line per request, of both protocols; it never holds up serving."""

import json
import os
import re

import pytest

from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.server import Server
from harness.stats import get
from harness.wait import wait_until


def lines_of(server, count):
    return wait_until(lambda: len(lines := server.stdout.splitlines()) >= count and lines, f"{count} lines are logged")


@pytest.mark.parametrize("protocol", ["h2", "h1"])
def test_a_json_line_tells_the_request(park, protocol):
    with Server("--park", park, "--access-log", "json") as server:
        if protocol == "h2":
            with Http2Client(server.address()) as client:
                client.greet().get("/bytes/1000?x=1", ("x-request-id", "mine"))
        else:
            with Http1Client(server.address()) as client:
                client.get("/bytes/1000?x=1", "X-Request-Id: mine")
        entry = json.loads(lines_of(server, 1)[0])
        seen = [entry[name] for name in ("method", "target", "status", "bytes")]
        assert seen == ["GET", "/bytes/1000?x=1", 200, 1000]
        assert entry["protocol"].startswith("HTTP/2") if protocol == "h2" else entry["protocol"] == "HTTP/1.1"
        assert (entry["route"], entry["request_id"], entry["complete"]) == ("/bytes/{n}", "mine", True)
        assert entry["peer"].startswith("127.0.0.1") and entry["duration_s"] >= 0


def test_a_text_line_is_the_default(park):
    with Server("--park", park, access_log="text") as server, Http1Client(server.address()) as client:
        client.get("/hello")
        assert re.match(r'127\.0\.0\.1\S* - - \[.*\] "GET /hello HTTP/1\.1" 200 6 \d', lines_of(server, 1)[0])


def test_control_characters_cannot_forge_a_line():
    with Server("--access-log", "text") as server, Http2Client(server.address()).greet() as client:
        client.get('/none"%0a')
        client.get("/hello")
        lines = lines_of(server, 2)
        assert len(lines) == 2 and '\\"' in lines[0]


def test_a_client_that_went_away_is_logged():
    with Server("--access-log", "json") as server:
        with Http2Client(server.address()).greet() as client:
            client.start("/wait?ms=600000")
            server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "it runs")
        entry = json.loads(lines_of(server, 1)[0])
        assert entry["complete"] is False and entry["target"] == "/wait?ms=600000"


def test_everything_logged_is_there_after_the_end(tmp_path):
    path = tmp_path / "access.log"
    with Server("--access-log", "json", "--access-log-file", path) as server, Http2Client(server.address()) as client:
        client.greet()
        for number in range(1000):
            client.get(f"/hello?{number}")
        client.close()
        server.stop()
    targets = [json.loads(line)["target"] for line in path.read_text().splitlines()]
    assert targets == [f"/hello?{number}" for number in range(1000)]


def test_an_existing_file_is_appended_to(tmp_path):
    path = tmp_path / "access.log"
    path.write_text("before\n")
    with Server("--access-log", "text", "--access-log-file", path) as server, Http1Client(server.address()) as client:
        client.get("/hello")
    assert path.read_text().startswith("before\n127.0.0.1")


def test_a_log_that_nobody_reads_does_not_hold_up_serving(tmp_path):
    """A pipe that is full: lines are dropped and counted, every request is answered, the server can be stopped."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with Server("--access-log", "json", "--access-log-file", fifo, "--threads", 1) as server:
            with Http2Client(server.address()) as client:
                client.greet()
                padding = "x" * 4000
                for _ in range(3000):  # 12 MB, three times the queue
                    assert client.get(f"/hello?{padding}").status == 200

            def told():
                """The writer can say so once its write has returned."""
                try:
                    os.read(reader, 2**20)
                except BlockingIOError:
                    pass
                return re.search(r"access log.*drop", server.stderr)
            wait_until(told, "it says that lines were dropped")
            lost = server.stats()["requests"]["log_dropped"]
            assert 0 < lost < 3000 and get(server.stats_address, "/metrics")[2].count(
                b"\nh2park_access_log_dropped_total ") == 1
            server.stop(timeout=20)
    finally:
        os.close(reader)


def test_a_full_disk_does_not_end_the_server():
    with Server("--access-log", "text", "--access-log-file", "/dev/full") as server:
        with Http1Client(server.address()) as client:
            for _ in range(5):
                assert client.get("/hello").status == 200
        wait_until(lambda: os.strerror(28) in server.stderr, "it says why")
        server.wait_stats(lambda s: s["requests"]["log_dropped"] == 5, "each of them is counted")

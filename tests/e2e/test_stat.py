"""h2park stat for scripts: formats, fields, lines, differences, and waiting."""

import json
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from harness.command import h2park, want_failure
from harness.fleet import Fleet
from harness.h1 import Http1Client
from harness.server import BINARY, Server
from harness.wait import TIMEOUT, wait_until


@pytest.fixture(scope="module")
def server():
    with Server("--threads", 1) as running:
        yield running


def stat(server, *flags, code=0):
    status, output, errors = h2park("stat", f"unix:{server.stats_address}", *flags)
    assert status == code, errors
    return output


def start(*arguments):
    return subprocess.Popen([BINARY, "stat", *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


# ---- once

def test_json_is_what_the_server_says(server):
    assert json.loads(stat(server, "--format", "json")).keys() == server.stats().keys()


def test_fields_are_printed_in_the_given_order(server):
    with Fleet(server.address(), 3):
        server.want_parked(3)
        lines = [line.split()[:2] for line in stat(server, "--fields", "tasks.serve,connections.parked").splitlines()]
        assert lines == [["tasks.serve", "0"], ["connections.parked", "3"]]
        chosen = json.loads(stat(server, "-f", "json", "--fields", "connections.parked,parking_events.wakes_by.timer"))
        assert chosen == {"connections": {"parked": 3}, "parking_events": {"wakes_by": {"timer": 0}}}


def test_prometheus_text_has_a_head_for_each_metric_and_only_known_lines(server):
    text = stat(server, "--format", "prom")
    declared = {}
    for line in text.splitlines():
        if found := re.fullmatch(r"# (HELP|TYPE) (h2park_[a-z0-9_]+) (.+)", line):
            declared.setdefault(found[2], {})[found[1]] = found[3]
            continue
        found = re.fullmatch(r'(h2park_[a-z0-9_]+)(\{[a-z]+="[^"]*"\})? ([0-9.]+)', line)
        assert found, line
        assert declared[found[1]].keys() == {"HELP", "TYPE"}, line
        assert declared[found[1]]["TYPE"] == ("counter" if found[1].endswith("_total") else "gauge"), line
    assert {"h2park_connections_open", "h2park_requests_total", "h2park_memory_rss_bytes",
            "h2park_uptime_seconds", "h2park_wakes_total"} <= declared.keys()


@pytest.mark.parametrize("flags, naming", [
    (("--fields", "conections.open"), ["--fields", "'conections.open'"]),
    (("--fields", "requests.total/s"), ["requests.total/s", "--watch"]),
    (("--until", "tasks.live <> 3"), ["--until", "column 13"]),
    (("--until", "tasks.live < 3 &&"), ["--until", "column 18", "the expression ends"]),
    (("--until", "tasks.liv < 3"), ["column 1", "'tasks.liv'"]),
    (("--timeout", "1s"), ["--timeout", "--until"]),
    (("--watch", "0"), ["--watch", "at least 10ms"]),
    (("--count", "0"), ["--count"]),
    (("--stats-token", "a b"), ["--stats-token"]),
])
def test_a_wrong_command_line_is_one_line_and_exit_2(flags, naming):
    want_failure(2, "stat", *flags, naming=naming)


def test_a_key_that_the_server_does_not_have_is_named(server):
    address = f"unix:{server.stats_address}"
    for flags in (("--fields", "connections.closed.nobody"), ("--until", "connections.closed.nobody>0"),
                  ("-n", "1", "--fields", "connections.closed.nobody")):
        want_failure(2, "stat", address, *flags, naming=["connections.closed.nobody", "client"])


# ---- again and again, into a pipe

def test_a_pipe_gets_a_header_and_a_line_per_tick(server):
    lines = stat(server, "--watch", "20ms", "--count", "4").splitlines()
    assert len(lines) == 5
    names = lines[0].split()
    assert names == ["time", "connections.open", "connections.active", "connections.parked", "connections.frozen",
                     "tasks.live", "memory.rss_bytes", "memory.bytes_per_parked_connection",
                     "parking_events.parks/s", "parking_events.wakes/s", "requests.total/s"]
    for line in lines[1:]:
        assert len(line.split()) == len(names)
        assert re.match(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z ", line)
    assert "-" in lines[1].split() and lines[2].split()[-1] == "0"


def test_each_line_is_written_when_it_is_read(server):
    with start(f"unix:{server.stats_address}", "--watch", "10ms", "--fields", "connections.open") as watching:
        try:
            assert watching.stdout.readline() == "connections.open\n"
            with Http1Client(server.address()) as client:
                client.get("/hello")
                wait_until(lambda: watching.stdout.readline().strip() == "1", "the connection shows")
        finally:
            watching.kill()


def test_rates_are_those_of_the_requests(server):
    with start(f"unix:{server.stats_address}", "-w", "50ms", "-f", "json", "--fields",
               "requests.total,requests.total/s,uptime_s") as watching, Http1Client(server.address()) as client:
        try:
            before = json.loads(watching.stdout.readline())
            assert before["requests"]["total/s"] is None
            for _ in range(5):
                client.get("/hello")
                now = json.loads(watching.stdout.readline())
                expected = (now["requests"]["total"] - before["requests"]["total"]) / (now["uptime_s"] - before["uptime_s"])
                assert now["requests"]["total/s"] == pytest.approx(expected, abs=0.01)
                before = now
        finally:
            watching.kill()


def test_a_reader_that_goes_away_ends_it(server):
    with start(f"unix:{server.stats_address}", "--watch", "10ms") as watching:
        watching.stdout.readline()
        watching.stdout.close()
        watching.wait(TIMEOUT)


def test_a_server_that_goes_away_is_said_once_and_waited_for(tmp_path):
    flags = ("--stats", f"unix:{tmp_path}/s")
    with Server(*flags):
        watching = start(f"unix:{tmp_path}/s", "--watch", "20ms", "--fields", "pid")
        assert watching.stdout.readline().strip() == "pid"
        assert watching.stdout.readline().strip().isdigit()
    try:
        wait_until(lambda: watching.stdout.readline().strip() == "-", "a line without figures")
        with Server(*flags) as second:
            wait_until(lambda: watching.stdout.readline().strip() == str(second.pid), "the second server's line")
            watching.kill()
    finally:
        watching.kill()
    errors = watching.communicate()[1].splitlines()
    assert len(errors) == 2, errors
    assert errors[0].endswith("; trying again") and errors[1] == f"h2park: unix:{tmp_path}/s answers again"


def test_the_last_reading_decides_about_a_counts_exit_code(tmp_path):
    with Server("--stats", f"unix:{tmp_path}/s"):
        watching = start(f"unix:{tmp_path}/s", "-w", "100ms", "-n", "15")
        watching.stdout.readline()
    assert watching.wait(TIMEOUT) == 1
    assert len(watching.stdout.read().splitlines()) == 15
    watching.communicate()


# ---- waiting

def test_until_waits_until_it_holds(server):
    expression = "connections.parked>=20 && tasks.serve==0 && requests.in_flight<=0"
    waiting = start(f"unix:{server.stats_address}", "--until", expression, "--timeout", "60s")
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(0.3)
    with Fleet(server.address(), 20):
        output, errors = waiting.communicate(timeout=TIMEOUT)
    assert (waiting.returncode, output, errors) == (0, "", "")


def test_until_tells_the_last_values_when_it_gives_up(server):
    server.want_open(0)
    line = want_failure(1, "stat", f"unix:{server.stats_address}", "--until", "connections.open>7 || tasks.live > 99",
                        "--timeout", "50ms")
    assert line == ("h2park: stat: not within 50ms: connections.open>7 || tasks.live > 99 "
                    "(connections.open 0, tasks.live 0)")


def test_until_waits_for_a_server_that_starts_later(tmp_path):
    waiting = start(f"unix:{tmp_path}/s", "--until", "uptime_s >= 0", "--timeout", "60s", "-f", "json", "--fields", "pid")
    with Server("--stats", f"unix:{tmp_path}/s") as late:
        output, errors = waiting.communicate(timeout=TIMEOUT)
        assert (waiting.returncode, errors) == (0, "")
        assert json.loads(output) == {"pid": late.pid}
    want_failure(1, "stat", f"unix:{tmp_path}/none", "--until", "tasks.live<8", "--timeout", "0",
                 naming=["not within 0", f"{tmp_path}/none"])


def test_null_never_satisfies_a_comparison():
    with Server("--freeze-after", "never") as server:  # so it has no slots
        address = f"unix:{server.stats_address}"
        for op in ("==", "!=", "<", ">="):
            want_failure(1, "stat", address, "--until", f"memory.slot_bytes{op}0", "--timeout", "0",
                         naming=["memory.slot_bytes -"])
        assert h2park("stat", address, "--until", "!(memory.slot_bytes==0)", "--timeout", "0")[0] == 0


# ---- differences

def test_diff_shows_what_has_happened_since(server, tmp_path):
    before = tmp_path / "before.json"
    before.write_text(stat(server, "--format", "json"))
    with Fleet(server.address(), 4):
        server.want_parked(4)
        table = stat(server, "--diff", before)
        fields = json.loads(stat(server, "--diff", before, "-f", "json", "--fields", "connections,requests.total"))
    rows = {words[0]: words[1:] for words in (line.split() for line in table.splitlines())}
    assert re.match(r"[0-9.]+ s between them\nfield +old +new +difference +per second\n", table)
    assert rows["connections.open"] == ["0", "4", "+4"]
    old, new, difference, rate = rows["requests.total"]
    assert int(new) - int(old) == 4 and difference == "+4" and float(rate) > 0
    assert fields["restarted"] is False and fields["elapsed_s"] > 0
    assert fields["fields"]["connections.open"] == {"old": 0, "new": 4, "difference": 4}
    assert fields["fields"]["requests.total"]["per_second"] == pytest.approx(4 / fields["elapsed_s"], rel=0.01)


def test_diff_says_that_the_server_was_restarted(server, tmp_path):
    with Server() as other:
        (tmp_path / "old.json").write_text(stat(other, "-f", "json"))
    table = stat(server, "--diff", tmp_path / "old.json")
    assert table.startswith(f"the server was restarted (pid {other.pid}, now {server.pid})")
    assert json.loads(stat(server, "--diff", tmp_path / "old.json", "-f", "json"))["restarted"] is True


def test_diff_reads_standard_input(server):
    done = subprocess.run([BINARY, "stat", f"unix:{server.stats_address}", "--diff", "-"], text=True, timeout=TIMEOUT,
                          input=stat(server, "-f", "json"), capture_output=True)
    assert done.returncode == 0 and "requests.total" in done.stdout


def test_diff_names_a_file_that_it_cannot_use(server, tmp_path):
    (tmp_path / "other.json").write_text('{"a": 1}')
    address = f"unix:{server.stats_address}"
    want_failure(1, "stat", address, "--diff", tmp_path / "none.json", naming=["none.json", "No such file"])
    want_failure(1, "stat", address, "--diff", tmp_path / "other.json", naming=["other.json", "not the statistics"])


# ---- a protected server

class Protected(BaseHTTPRequestHandler):
    """Answers what h2park would, to those who know the token."""

    def do_GET(self):
        good = self.headers["Authorization"] == "Bearer s3cret"
        body = b'{"version":"1","connections":{"open":7},"tasks":{}}' if good else b""
        self.send_response(200 if good else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def protected():
    endpoint = HTTPServer(("127.0.0.1", 0), Protected)
    thread = threading.Thread(target=endpoint.serve_forever, daemon=True)
    thread.start()
    yield endpoint.server_address[1]
    endpoint.shutdown()
    endpoint.server_close()


def test_a_token_opens_a_protected_server(protected, tmp_path):
    (tmp_path / "token").write_text("s3cret\n")
    for token in ("s3cret", f"@{tmp_path}/token"):
        status, output, errors = h2park("stat", protected, "--stats-token", token, "--fields", "connections.open")
        assert (status, output.split()) == (0, ["connections.open", "7"]), errors


def test_a_missing_and_a_wrong_token_are_told_apart(protected, tmp_path):
    want_failure(1, "stat", protected, naming=["it wants a token (--stats-token)"])
    want_failure(1, "stat", protected, "--stats-token", "wrong", naming=["it does not accept this token"])
    want_failure(1, "stat", protected, "--stats-token", f"@{tmp_path}/none", naming=["--stats-token", "none", "No such"])

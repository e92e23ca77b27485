"""/metrics: what Prometheus reads, and its histograms."""

import re
import shutil
import subprocess
from collections import defaultdict

import pytest

from harness import frames as f
from harness.command import h2park
from harness.h2 import Http2Client
from harness.server import Server
from harness.stats import get
from harness.wait import TIMEOUT, wait_until

DURATION = "h2park_request_duration_seconds"
LATENCY = "h2park_wake_latency_seconds"
SAMPLE = re.compile(r'([a-z0-9_]+)(?:\{([^}]*)\})? (\S+)')


def want_lint_clean(text):
    promtool = shutil.which("promtool")
    assert promtool, "promtool is missing: install Debian's package 'prometheus' (tools/test does)"
    done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, timeout=TIMEOUT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def scrape(server):
    status, fields, body = get(server.stats_address, "/metrics")
    assert status == 200 and fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return body.decode()


def samples(text):
    """{name: {labels: value}}"""
    found = defaultdict(dict)
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = SAMPLE.fullmatch(line).groups()
            found[name][labels or ""] = float(value)
    return found


def histogram(text, name, labels=""):
    """[(upper bound, how many are not above it)], sum, count"""
    read = samples(text)
    prefix = labels and labels + ","
    buckets = [(float(key[len(prefix):].partition('"')[2].rstrip('"').replace("+Inf", "inf")), value)
               for key, value in read[name + "_bucket"].items() if key.startswith(f'{prefix}le="')]
    assert buckets and buckets == sorted(buckets), "bounds and counts grow"
    assert [count for _, count in buckets] == sorted(count for _, count in buckets)
    assert buckets[-1] == (float("inf"), read[name + "_count"][labels])
    return buckets, read[name + "_sum"][labels], read[name + "_count"][labels]


def test_promtool_finds_nothing_to_complain_of(server):
    with Http2Client(server.address()).greet() as client:
        for path in ("/hello", "/none", "/status/503"):
            client.get(path)
        client.want_rst(client.start("/rst"))
        text = scrape(server)
        want_lint_clean(text)
        assert f"# TYPE {DURATION} histogram" in text and f"# TYPE {LATENCY} histogram" in text
        declared = re.findall(r"^# (HELP|TYPE) (\S+)", text, re.M)
        assert len(declared) == len(set(declared)), "each metric has one head"


def test_promtool_takes_what_stat_writes_too(server):
    for source in ([f"unix:{server.stats_address}"], ["--pid", server.pid]):
        code, text, errors = h2park("stat", *source, "--format", "prom")
        assert code == 0, errors
        want_lint_clean(text)


def test_figures_are_those_of_stats_json(server):
    with Http2Client(server.address()).greet() as client:
        client.get("/hello")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 0, "it is over")
        stats, read = server.stats(), samples(scrape(server))
        assert read["h2park_requests_total"][""] == stats["requests"]["total"]
        assert read["h2park_connections_open"][""] == stats["connections"]["open"] == 1
        assert read["h2park_responses_total"]['class="2xx"'] == stats["requests"]["by_status"]["2xx"]
        assert read["h2park_build_info"] == {f'version="{stats["version"]}"': 1}


def test_durations_of_requests_are_counted_where_they_belong(park):
    with Server("--park", park, "--threads", 2) as server:
        with Http2Client(server.address()).greet() as client:
            for _ in range(20):
                client.get("/hello")
            client.get("/delay/300")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 0, "they are over")
        buckets, total, count = histogram(scrape(server), DURATION)
        assert count == 21
        assert dict(buckets)[0.25] == 20, "those that are answered at once, and not the one that took 300 ms"
        assert 0.3 <= total < 5
        assert dict(buckets)[0.000001] == 0, "time is measured within a turn too"


def test_a_request_is_counted_when_its_answer_is_out(server):
    before = histogram(scrape(server), DURATION)[2]
    with Http2Client(server.address()).greet() as client:
        stream = client.start("/wait?ms=60000")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "it runs")
        assert histogram(scrape(server), DURATION)[2] == before
        client.send(f.rst_stream(stream))
        wait_until(lambda: histogram(scrape(server), DURATION)[2] == before + 1, "it was given up")


@pytest.mark.parametrize("depth, flags", [
    ("active", ["--park", "off"]),
    ("parked", ["--freeze-after", "never"]),
    ("frozen", ["--freeze-after", "0"]),
])
def test_wakes_are_counted_by_depth(depth, flags):
    with Server(*flags, "--threads", 1) as server, Http2Client(server.address()).greet() as client:
        for number in range(10):
            server.wait_stats(lambda s: s["connections"]["idle"] == 1 == s["connections"][depth], "it is at rest")
            client.get("/hello")
        text = scrape(server)
        for other in {"active", "parked", "frozen"} - {depth}:
            assert histogram(text, LATENCY, f'depth="{other}"')[2] <= 1, "but for the first, while it settles"
        buckets, total, count = histogram(text, LATENCY, f'depth="{depth}"')
        assert 9 <= count <= 10
        assert 0 < total < 10 and dict(buckets)[0.000001] == 0

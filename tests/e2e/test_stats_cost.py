# ctest: serial
"""What reading the statistics costs while 5,000 connections are busy. `pytest -s` prints the figures.

A person's page or a scraper reads once a second at most; here /stats.json and /metrics are both read, on a connection
each, and also ten times as often. Time on a processor is the kernel's account of each thread, to the nanosecond.
"""

import shutil
import subprocess
import time

import pytest

from harness.fleet import Fleet, raise_descriptor_limit
from harness.process import thread_cpu_seconds
from harness.server import Server, is_sanitized
from harness.stats import get

CONNECTIONS = 5000
SECONDS = 5.0
pytestmark = pytest.mark.skipif(is_sanitized(), reason="a sanitizer's time is not the server's")


class Shares:
    """Of a core, while the block ran: the statistics' thread, and the serving threads with the main one."""

    def __init__(self, server):
        self._pid = server.pid

    def _read(self):
        return time.monotonic(), thread_cpu_seconds(self._pid, "h2park-stats"), thread_cpu_seconds(self._pid, "h2park")

    def __enter__(self):
        self._before = self._read()
        return self

    def __exit__(self, *_):
        seconds, stats, serving = (after - before for before, after in zip(self._before, self._read()))
        self.seconds = seconds
        self.stats = stats / seconds
        self.serving = serving / seconds


def read_for(server, seconds, per_second):
    """Both paths, at that rate; how often it was."""
    begin = time.monotonic()
    times = 0
    while (due := begin + times / per_second) < begin + seconds:
        time.sleep(max(0, due - time.monotonic()))
        for path in ("/stats.json", "/metrics"):
            assert get(server.stats_address, path)[0] == 200
        times += 1
    return times


def say(text):
    print(f"\n  {text}", end="")


@pytest.fixture
def busy_server():
    """5,000 connections, each with a request every half second."""
    raise_descriptor_limit()
    with Server("--threads", 1, "--max-connections", CONNECTIONS + 100) as server:
        load = subprocess.Popen(
            [shutil.which("h2load"), "-c", str(CONNECTIONS), "-t", "1", "--rps", "2", "-D", "60",
             "http://127.0.0.1:%d/hello" % server.address()[1]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            before = server.wait_stats(lambda s: s["connections"]["open"] == CONNECTIONS, "all are open", timeout=60)
            server.wait_stats(lambda s: s["requests"]["total"] >= before["requests"]["total"] + CONNECTIONS,
                              "each has asked", timeout=60)
            yield server
        finally:
            load.kill()
            load.communicate()


@pytest.mark.parametrize("per_second, most", [(1, 0.01), (10, 0.02)])
def test_reading_costs_the_statistics_thread_less_than_a_hundredth_of_a_core(busy_server, per_second, most):
    before = busy_server.stats()
    with Shares(busy_server) as shares:
        read_for(busy_server, SECONDS, per_second)
    after = busy_server.stats()
    requests = after["requests"]["total"] - before["requests"]["total"]
    assert after["connections"]["open"] == CONNECTIONS and requests >= CONNECTIONS, "they were busy"
    say(f"{per_second} times a second, {requests / shares.seconds:.0f} requests/s: statistics' thread "
        f"{shares.stats:.3%} of a core, serving {shares.serving:.1%}")
    assert shares.stats < most


@pytest.mark.parametrize("flags, name", [
    (["--park", "off"], "active"),
    (["--freeze-after", "never"], "parked"),
    ([], "frozen"),
])
def test_reading_costs_serving_threads_less_than_a_hundredth_of_a_core(flags, name):
    """With nothing else to do, so that what the threads use is what the readings cost. Connections that have not been
    woken since the last reading are passed over."""
    with Server(*flags, "--threads", 1, "--max-connections", CONNECTIONS + 100) as server, \
            Fleet(server.address(), CONNECTIONS):
        server.wait_stats(lambda s: s["connections"][name] == CONNECTIONS, f"all are {name}", timeout=60)
        server.want_quiet()
        read_for(server, 2, 1)  # each socket is asked once
        with Shares(server) as unread:
            time.sleep(SECONDS)
        with Shares(server) as read:
            read_for(server, SECONDS, 10)
        cost = read.serving - unread.serving
        say(f"{CONNECTIONS} {name} connections: {cost:.3%} of a core")
        assert cost < 0.01

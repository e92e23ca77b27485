"""h2park stat --pid: the figures of any process."""

import json
import os
import socket
import subprocess
import sys

import pytest

from harness.command import h2park, want_failure
from harness.process import open_descriptors, rss_bytes, thread_count
from harness.wait import TIMEOUT, wait_until

# A stranger: it holds a TCP connection to itself, with bytes that nobody reads.
STRANGER = """
import socket, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(listener.getsockname())
server, _ = listener.accept()
client.sendall(b"x" * 50000)
threading.Thread(target=threading.Event().wait, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def stranger():
    with subprocess.Popen([sys.executable, "-c", STRANGER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == "ready\n"
        yield process
        process.stdin.close()


def figures(pid, *flags):
    status, output, errors = h2park("stat", "--pid", pid, "--format", "json", *flags)
    assert status == 0, errors
    return json.loads(output)["process"]


def test_any_process_is_read(stranger):
    process = figures(stranger.pid)
    assert process["pid"] == stranger.pid and process["name"].startswith("python")
    assert abs(process["rss_bytes"] - rss_bytes(stranger.pid)) < 2**20
    assert 0 < process["pss_bytes"] <= process["rss_bytes"] + 2**20
    assert process["threads"] == thread_count(stranger.pid) == 2
    assert process["descriptors"] == open_descriptors(stranger.pid)
    assert process["uptime_s"] < 60 and process["cpu_s"] >= 0


def test_the_kernels_memory_of_its_sockets_is_summed(stranger):
    process = figures(stranger.pid)
    assert process["tcp_sockets"] == 3
    assert process["socket_kernel_bytes"] >= 50000
    # Those of another process are not in it.
    assert figures(os.getpid(), "--fields", "process.tcp_sockets") == {"tcp_sockets": 0}
    with socket.create_server(("::1", 0), family=socket.AF_INET6):
        assert figures(os.getpid())["tcp_sockets"] == 1


def test_the_table_groups_and_rounds(stranger):
    status, output, _ = h2park("stat", "--pid", stranger.pid)
    assert status == 0
    lines = output.splitlines()
    assert lines[0] == "process"
    rss = next(line for line in lines if line.startswith("  rss_bytes")).split()
    assert rss[2:] and rss[3] == "MiB"


def test_it_can_be_watched_and_waited_for(stranger):
    status, output, _ = h2park("stat", "-p", stranger.pid, "-w", "20ms", "-n", "3", "--fields",
                               "process.threads,process.cpu_s/s")
    assert status == 0
    lines = [line.split() for line in output.splitlines()]
    assert lines[0] == ["process.threads", "process.cpu_s/s"]
    assert [line[0] for line in lines[1:]] == ["2", "2", "2"]
    assert lines[1][1] == "-" and float(lines[3][1]) < 1
    assert h2park("stat", "-p", stranger.pid, "--until", "process.threads == 2 && process.rss_bytes > 1MiB")[0] == 0
    want_failure(1, "stat", "-p", stranger.pid, "--until", "process.threads > 2", "--timeout", "30ms",
                 naming=["process.threads 2"])


def test_prometheus_text_has_the_usual_names(stranger):
    status, output, _ = h2park("stat", "-p", stranger.pid, "-f", "prom")
    assert status == 0
    for metric in ("process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"):
        assert f"\n# TYPE {metric} " in output and f"\n{metric} " in output


def test_no_such_process_is_one_line_and_exit_1():
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert want_failure(1, "stat", "--pid", gone.pid) == f"h2park: process {gone.pid}: No such process"
    want_failure(1, "stat", "--pid", gone.pid, "--until", "process.threads>0", naming=["No such process"])


def test_a_process_that_ends_ends_the_watch(stranger):
    watching = subprocess.Popen([os.environ["H2PARK"], "stat", "-p", str(stranger.pid), "-w", "20ms"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: watching.stdout.readline(), "a line")
    stranger.stdin.close()
    stranger.wait(TIMEOUT)
    _, errors = watching.communicate(timeout=TIMEOUT)
    assert watching.returncode == 1
    assert errors == f"h2park: process {stranger.pid}: No such process\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_a_process_that_may_not_be_read_is_one_line_and_exit_1(stranger):
    def become_nobody():
        os.setgid(65534)
        os.setuid(65534)
    status, output, errors = h2park("stat", "--pid", stranger.pid, preexec_fn=become_nobody)
    assert (status, output) == (1, "")
    assert errors == (f"h2park: process {stranger.pid}: Permission denied: only its user and root may see its "
                      "descriptors\n")

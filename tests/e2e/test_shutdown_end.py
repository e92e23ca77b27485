"""How a stop ends: what hangs is cancelled after --grace, a second signal ends at once, and the exit codes."""

import signal
import time

import pytest

from harness import frames as f
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.pace import slow_reader
from harness.server import Server
from harness.stats import get


@pytest.fixture(params=["on", "off"], ids=["park-on", "park-off"])
def serve(request):
    """Starts servers with --park on or off."""
    return lambda *flags, **more: Server("--park", request.param, "--threads", 2, *flags, **more)


def test_what_hangs_is_cancelled_after_the_grace_period(serve):
    with serve("--grace", "500ms") as server:
        with Http2Client(server.address()).greet() as client, Http1Client(server.address()) as old:
            stream = client.start("/wait?ms=600000")
            old.request("GET", "/wait?ms=600000")
            server.wait_stats(lambda s: s["requests"]["in_flight"] == 2, "both run")
            began = time.monotonic()
            server.signal(signal.SIGTERM)
            client.want_closed()
            assert any(x.type in (f.RST_STREAM, f.GOAWAY) for x in client.seen), stream
            old.want_closed()
            server.want_exit(0)
            assert 0.45 < time.monotonic() - began < 5


def test_a_client_that_reads_nothing_does_not_hold_it_up(serve):
    with serve("--grace", "300ms") as server:
        sock = slow_reader(server.address())
        sock.sendall(b"GET /bytes/1GiB HTTP/1.1\r\nHost: localhost\r\n\r\n")
        server.wait_stats(lambda s: s["memory"]["buffer_bytes"] > 0, "output is queued")
        server.signal(signal.SIGTERM)
        server.want_exit(0, timeout=8)
        sock.close()


def test_an_event_stream_ends_at_the_grace_period(serve):
    with serve("--grace", "500ms") as server, Http2Client(server.address()).greet() as client:
        client.start("/events?interval=100ms")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "it runs")
        server.signal(signal.SIGTERM)
        client.want_closed()
        server.want_exit(0, timeout=8)


def test_a_second_signal_ends_at_once(serve):
    with serve("--grace", "10m") as server, Http2Client(server.address()).greet() as client:
        client.start("/wait?ms=600000")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "it runs")
        server.signal(signal.SIGTERM)
        client.want_goaway()
        server.signal(signal.SIGTERM)
        server.want_exit(128 + signal.SIGTERM)


def test_an_unused_server_ends_at_once(serve):
    with serve("--grace", "10m") as server:
        began = time.monotonic()
        server.signal(signal.SIGTERM)
        server.want_exit(0)
        assert time.monotonic() - began < 5


def test_health_says_so_while_it_stops(serve):
    with serve() as server, Http2Client(server.address()).greet() as client:
        assert get(server.stats_address, "/healthz")[0] == 200
        client.start("/delay/1000")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "it runs")
        server.signal(signal.SIGTERM)
        client.want_goaway()
        assert get(server.stats_address, "/healthz")[0] == 503
        client.close()
        server.want_exit(0)

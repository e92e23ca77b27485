"""What draining is for: a server that is a network away."""

# ctest: serial

import statistics
import time

import pytest

from harness.get import get_json
from harness.relay import Relay
from harness.server import Server, is_sanitized
from harness.tls import tls_h1

ROUND_TRIP_MS = 20.0
REQUESTS = 100
# TCP's handshake and TLS 1.3's.
SET_UP_ROUND_TRIPS = 2

pytestmark = pytest.mark.skipif(is_sanitized(), reason="times say nothing under a sanitizer")


@pytest.fixture(scope="module")
def far_away(certificate):
    """(URL of a 2 KiB body on a TLS server 20 ms away, the file with its certificate)."""
    with Server("--tls-listen", "127.0.0.1:0", "--cert", certificate[0], "--key", certificate[1]) as server:
        port = server.address("https")[1]
        with Relay(ROUND_TRIP_MS / 2, port) as relay:
            yield f"https://localhost:{relay.port}/bytes/2048", certificate[0]


def sweep(far_away, *flags):
    url, authority = far_away
    return get_json("-n", REQUESTS, "--fail", "--read", "none", "--cacert", authority, *flags, url, timeout=60)


def round_trip_ms(far_away):
    """What a round trip takes just now: of 20 ms, and of a machine that has other things to do."""
    port = int(far_away[0].split(":")[2].split("/")[0])
    with tls_h1(("127.0.0.1", port)) as client:
        times = []
        for _ in range(30):
            begin = time.monotonic()
            assert client.get("/bytes/1").status == 200
            times.append((time.monotonic() - begin) * 1000)
    return statistics.median(times)


def duration_ms(got):
    return sum(record["timings"]["total"] for record in got.records)


def test_unread_bodies_cost_a_round_trip_each_and_one_set_up(far_away):
    round_trip = round_trip_ms(far_away)
    assert round_trip >= ROUND_TRIP_MS
    drained = sweep(far_away)
    assert drained.summary["requests"] == REQUESTS
    assert drained.summary["connections"]["opened"] == 1
    assert duration_ms(drained) <= 1.1 * (REQUESTS + SET_UP_ROUND_TRIPS) * round_trip


def test_clients_that_abandon_the_connection_pay_for_it(far_away):
    abandoned = sweep(far_away, "--no-drain")
    assert abandoned.summary["connections"]["opened"] == REQUESTS
    # Each pays the set-up: with a ticket TLS 1.3 still takes its round trip.
    assert duration_ms(abandoned) >= REQUESTS * (1 + SET_UP_ROUND_TRIPS) * ROUND_TRIP_MS

"""What draining is for: a server that is a network away."""

# ctest: serial

import pytest

from harness.get import get_json
from harness.relay import Relay
from harness.server import Server, is_sanitized

ROUND_TRIP_MS = 20.0
REQUESTS = 100
# TCP's handshake and TLS 1.3's, a round trip each.
SET_UP_MS = 2 * ROUND_TRIP_MS

pytestmark = pytest.mark.skipif(is_sanitized(), reason="times say nothing under a sanitizer")


@pytest.fixture(scope="module")
def far_away(certificate):
    """(URL of a 2 KiB body on a TLS server 20 ms away, the file with its certificate)."""
    with Server("--tls-listen", "127.0.0.1:0", "--cert", certificate[0], "--key", certificate[1]) as server:
        port = int(server.address("https").rpartition(":")[2])
        with Relay(ROUND_TRIP_MS / 2, port) as relay:
            yield f"https://localhost:{relay.port}/bytes?n=2048", certificate[0]


def sweep(far_away, *flags):
    url, authority = far_away
    return get_json("-n", REQUESTS, "--read", "none", "--cacert", authority, *flags, url, timeout=60)


def duration_ms(got):
    return sum(record["timings"]["total"] for record in got.records)


def test_unread_bodies_cost_a_round_trip_each_and_one_set_up(far_away):
    drained = sweep(far_away)
    assert drained.summary["requests"] == REQUESTS
    assert drained.summary["connections"]["opened"] == 1
    assert duration_ms(drained) <= 1.1 * (REQUESTS * ROUND_TRIP_MS + SET_UP_MS)


def test_clients_that_abandon_the_connection_pay_for_it(far_away):
    abandoned = sweep(far_away, "--no-drain")
    assert abandoned.summary["connections"]["opened"] == REQUESTS
    # Each pays the set-up: with a ticket TLS 1.3 still takes its round trip.
    assert duration_ms(abandoned) >= REQUESTS * (ROUND_TRIP_MS + SET_UP_MS)

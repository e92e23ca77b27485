# ctest: serial
# ctest: long
"""Fleets that come, freeze, wake and go again and again leave the server no larger."""

import pytest

from harness.fleet import Fleet
from harness.server import Server, is_sanitized

CONNECTIONS = 5000
ROUNDS = 20


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer's memory is not the server's")
def test_the_last_round_ends_no_higher_than_the_first():
    with Server("--threads", 1, "--freeze-after", "200ms") as server:
        sizes = []
        for _ in range(ROUNDS):
            with Fleet(server.address(), CONNECTIONS) as fleet:
                server.wait_stats(lambda s: s["connections"]["frozen"] == CONNECTIONS, "all are frozen", timeout=240)
                fleet.ask_again(range(CONNECTIONS))
                server.want_parked(CONNECTIONS)
            server.want_open(0)
            sizes.append(server.rss())
        events = server.stats()["parking_events"]
        assert events["thaws"] >= ROUNDS * CONNECTIONS
        # A few pages are libraries' code that is read in late.
        assert sizes[-1] - sizes[0] <= 256 * 1024, [size // 1024 for size in sizes]

# ctest: serial
"""5,000 idle connections cost no task when parked, and one each when not."""

import pytest

from harness.fleet import Fleet
from harness.server import Server
from harness.stats import dormant

CONNECTIONS = 5000


def test_parked_connections_have_no_task():
    with Server("--park=on", "--threads", 2) as server, Fleet(server.address(), CONNECTIONS) as fleet:
        stats = server.want_parked(CONNECTIONS)
        assert stats["tasks"]["live"] <= 8
        assert stats["tasks"]["handler"] == 0
        assert stats["memory"]["frame_bytes"] <= 8 * 16 * 1024
        assert stats["parking"] is True
        assert stats["connections"]["open"] == stats["connections"]["idle"] == CONNECTIONS
        assert stats["connections"]["active"] == 0
        fleet.ask_again(range(0, CONNECTIONS, 50))  # they still answer
        server.want_parked(CONNECTIONS)


def test_without_parking_each_connection_has_a_task():
    with Server("--park=off", "--threads", 2) as server, Fleet(server.address(), CONNECTIONS):
        stats = server.wait_stats(lambda s: s["connections"]["open"] == CONNECTIONS, "all are open")
        assert stats["tasks"]["live"] >= CONNECTIONS
        assert dormant(stats) == 0
        assert stats["parking_events"]["parks"] == 0
        assert stats["parking"] is False


def test_connections_that_close_leave_nothing(park):
    with Server("--park", park, "--threads", 2) as server:
        with Fleet(server.address(), 500):
            server.want_open(500)
        stats = server.want_open(0)
        assert stats["tasks"]["live"] <= 8
        assert dormant(stats) == 0
        assert stats["memory"]["buffer_bytes"] == 0
        assert sum(stats["connections"]["closed"].values()) == 500


def test_a_connection_is_parked_only_after_the_time_asked_for():
    with Server("--park-after", "1s", "--threads", 1) as server, Fleet(server.address(), 20):
        assert dormant(server.stats()) == 0
        server.want_parked(20)
        assert server.stats()["parking_events"]["wakes"] <= 20


@pytest.mark.parametrize("threads", [1, 2])
def test_connections_are_spread_over_the_threads_that_were_asked_for(threads):
    with Server("--threads", threads) as server, Fleet(server.address(), 100):
        assert server.stats()["threads"] == threads
        server.want_parked(100)

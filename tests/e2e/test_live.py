"""/live: how deep each connection sleeps, as events."""

import pytest

from harness.dashboard import DashboardServer, events, expand, watch
from harness.fleet import Fleet
from harness.stats import get


def test_live_tells_each_connection_in_its_place():
    with DashboardServer("--threads", 2, "--freeze-after", "never") as server, Fleet(server.address(), 20) as fleet:
        server.want_parked(20)
        with watch(server, "?interval=250ms") as sock:
            first, second = events(sock, 2)
            for event in (first, second):
                assert event["stats"]["connections"]["parked"] == 20
                assert event["left_out"] == 0
                assert len(event["depths"]) == 2
                assert sum(expand(text).count("p") for text in event["depths"]) == 20
            fleet.ask_again([7])
            woke = next(event for event in (events(sock, 1)[0] for _ in range(20))
                        if "P" in "".join(event["depths"]))
            marks = [(thread, place) for thread, text in enumerate(woke["depths"])
                     for place, letter in enumerate(expand(text)) if letter == "P"]
            assert len(marks) == 1
            thread, place = marks[0]
            fleet.sockets[7].close()
            gone = next(event for event in (events(sock, 1)[0] for _ in range(20))
                        if event["stats"]["connections"]["open"] == 19)
            left = expand(gone["depths"][thread])
            assert place >= len(left) or left[place] == "."
            others = [expand(text).lower() for text in woke["depths"]]
            others[thread] = others[thread][:place] + "." + others[thread][place + 1:]
            assert [expand(text).rstrip(".") for text in gone["depths"]] == [text.rstrip(".") for text in others], \
                "the others are where they were"


def test_watching_disturbs_no_frozen_connection():
    with DashboardServer("--threads", 2, "--freeze-after", "0") as server, Fleet(server.address(), 50):
        server.wait_stats(lambda s: s["connections"]["frozen"] == 50, "all are frozen")
        before = server.stats()["parking_events"]
        with watch(server, "?interval=250ms") as sock:
            for event in events(sock, 5):
                assert sum(expand(text).count("f") for text in event["depths"]) == 50
        assert server.stats()["parking_events"] == before


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "169.254.169.254"])
@pytest.mark.parametrize("path", ["/", "/live", "/dashboard/main.js"])
def test_other_host_names_are_refused(path, host):
    with DashboardServer() as server:
        status, _, _ = get(server.stats_address, path, host=host)
        assert status == 403


def test_a_shutdown_ends_the_streams():
    with DashboardServer() as server:
        with watch(server) as sock:
            events(sock, 1)
            server.stop()
            while sock.recv(65536):
                pass

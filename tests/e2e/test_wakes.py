"""What wakes a parked connection: each sender is seen in the statistics and in what the client gets."""

import signal

import pytest
from hyperframe.frame import DataFrame

from harness import frames as f
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.pace import slow_reader
from harness.server import Server
from harness.stats import dormant
from harness.tls import tls_h1, tls_h2

HELLO = b"hello\n"


@pytest.fixture(scope="module")
def parking():
    with Server("--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0", "--self-signed", "--threads", 1) as running:
        yield running


@pytest.fixture(params=["plain", "tls"])
def greeted(request, parking):
    """A parked HTTP/2 connection."""
    plain = request.param == "plain"
    with Http2Client(parking.address()) if plain else tls_h2(parking.address("https")) as client:
        client.greet()
        parking.want_parked(1)
        yield client
    parking.want_open(0)


@pytest.fixture(params=["plain", "tls"])
def http1(request, parking):
    """A parked HTTP/1.1 connection that was used once."""
    plain = request.param == "plain"
    with Http1Client(parking.address()) if plain else tls_h1(parking.address("https")) as client:
        assert client.get("/hello").body == HELLO
        parking.want_parked(1)
        yield client
    parking.want_open(0)


def wakes(server, sender):
    return server.stats()["parking_events"]["wakes_by"][sender]


def want_parked_while_it_runs(server):
    server.wait_stats(lambda s: s["tasks"]["handler"] == s["requests"]["in_flight"] == dormant(s) == 1,
                      "the handler runs and the connection is parked")


class woken_by:
    """Within the block, that sender woke a connection."""

    def __init__(self, server, sender):
        self.server, self.sender = server, sender

    def __enter__(self):
        self.before = wakes(self.server, self.sender)

    def __exit__(self, kind, *_):
        if kind is None:
            assert wakes(self.server, self.sender) > self.before, f"not woken by {self.sender}"


def test_a_request_wakes_and_runs_to_its_end(parking, greeted):
    """The first request after an idle spell must not arrive cancelled (golang/go#81444)."""
    for _ in range(3):
        with woken_by(parking, "readable"):
            assert greeted.get("/hello").body == HELLO
        with woken_by(parking, "readable"):
            assert greeted.get("/delay/20").body == b"done\n"  # a handler that waits would notice a cancel
        parking.want_parked(1)


def test_an_http1_request_wakes_and_runs_to_its_end(parking, http1):
    for _ in range(3):
        with woken_by(parking, "readable"):
            assert http1.get("/hello").body == HELLO
            assert http1.get("/delay/20").body == b"done\n"
        parking.want_parked(1)


def test_a_connection_parks_before_its_first_byte(parking):
    with Http2Client(parking.address()) as client:
        parking.want_parked(1)
        assert client.greet().get("/hello").body == HELLO
    with Http1Client(parking.address()) as client:
        parking.want_parked(1)
        assert client.get("/hello").body == HELLO


def test_an_event_wakes_and_the_connection_parks_between_events(parking, greeted):
    stream = greeted.start("/events?interval=300ms&count=4")
    greeted.want_frame(DataFrame, stream)
    for number in (2, 3, 4):
        parking.want_parked(1)
        before = parking.stats()["parking_events"]["wakes_by"]
        assert b"id: %d\n" % number in greeted.want_frame(DataFrame, stream).data
        after = parking.stats()["parking_events"]["wakes_by"]
        assert after["timer"] + after["handler"] > before["timer"] + before["handler"]


def test_an_http1_event_stream_parks_between_events(parking, http1):
    http1.request("GET", "/events?interval=300ms&count=3")
    want_parked_while_it_runs(parking)
    response = http1.want_response()
    assert [line for line in response.body.splitlines() if line.startswith(b"id:")] == [b"id: 1", b"id: 2", b"id: 3"]


def test_a_long_polls_answer_wakes(parking, greeted):
    stream = greeted.start("/wait?ms=1000")
    want_parked_while_it_runs(parking)
    assert b"waited_ms" in greeted.want_response(stream).body
    parking.want_parked(1)


def test_an_http1_long_poll_parks_while_it_waits(parking, http1):
    http1.request("GET", "/wait?ms=1000")
    want_parked_while_it_runs(parking)
    assert b"waited_ms" in http1.want_response().body


def test_a_ping_wakes(parking, greeted):
    with woken_by(parking, "readable"):
        greeted.want_alive(b"wake up!")
    parking.want_parked(1)


def test_a_settings_change_wakes_and_releases_what_was_held(parking):
    with Http2Client(parking.address()).greet({f.INITIAL_WINDOW_SIZE: 0}) as client:
        stream = client.start("/hello")
        parking.want_parked(1)  # with DATA waiting for the window
        with woken_by(parking, "readable"):
            client.send(f.settings({f.INITIAL_WINDOW_SIZE: 100}))
            assert client.want_response(stream).body == HELLO
        parking.want_parked(1)


def test_a_body_that_comes_after_parking_is_read(parking, greeted):
    stream = greeted.start("/echo", method="POST", end=False)
    for piece in (b"one ", b"two ", b"three"):
        parking.want_parked(1)
        with woken_by(parking, "readable"):
            greeted.send(f.data(stream, piece))
            assert greeted.want_frame(DataFrame, stream).data == piece
    greeted.send(f.data(stream, end=True))
    greeted.want_frame(DataFrame, stream, where=lambda x: "END_STREAM" in x.flags)


def test_a_blocked_write_that_can_go_on_wakes(parking):
    """The socket is full, nobody serves the connection, and reading on the client's side is what wakes it."""
    with Http2Client(None, slow_reader(parking.address()), windows=False) as client:
        client.greet({f.INITIAL_WINDOW_SIZE: f.LARGEST_WINDOW}, window=2**30)
        stream = client.start("/bytes/4MiB")
        parking.wait_stats(lambda s: s["memory"]["buffer_bytes"] > 0, "output is queued")
        assert len(client.read_body(stream, 2**22)) == 2**22
    parking.want_open(0)


def test_the_clients_end_wakes_and_closes(parking, greeted):
    with woken_by(parking, "readable"):
        greeted.close()
        parking.want_open(0)


def test_the_idle_deadline_wakes_and_closes():
    """The deadline stays with a parked connection (userver#1303), and GOAWAY tells the client."""
    with Server("--idle-timeout", "700ms") as server, Http2Client(server.address()).greet() as client:
        client.get("/hello")
        server.want_parked(1)
        client.want_farewell(1)
        stats = server.want_open(0)
        assert stats["connections"]["closed"]["idle"] == 1
        assert stats["parking_events"]["wakes_by"]["timer"] >= 1


def test_the_idle_deadline_closes_a_parked_http1_connection():
    with Server("--idle-timeout", "700ms") as server, Http1Client(server.address()) as client:
        client.get("/hello")
        server.want_parked(1)
        client.want_closed()
        assert server.want_open(0)["connections"]["closed"]["idle"] == 1


def test_waking_does_not_lose_the_idle_deadline():
    """userver#1304: after a wake and another park the deadline runs again."""
    with Server("--idle-timeout", "1s") as server, Http2Client(server.address()).greet() as client:
        for _ in range(3):
            server.want_parked(1)
            client.get("/hello")
        server.want_parked(1)
        client.want_farewell(5)
        assert server.want_open(0)["connections"]["closed"]["idle"] == 1


def test_a_connection_with_an_open_stream_is_not_idle():
    with Server("--idle-timeout", "300ms") as server, Http2Client(server.address()).greet() as client:
        stream = client.start("/wait?ms=1200")
        server.want_parked(1)
        assert client.want_response(stream).status == 200
        client.want_farewell(stream)


def test_a_shutdown_wakes_and_says_goodbye():
    with Server() as server, Http2Client(server.address()).greet() as client:
        client.get("/hello")
        server.want_parked(1)
        server.signal(signal.SIGTERM)
        assert client.want_goaway(f.NO_ERROR).last_stream_id == 2**31 - 1
        client.send(f.ping(b"go on   "))  # the server's own PING is answered below
        client.close()
        server.want_exit(0)


def test_a_request_racing_with_parking_is_always_answered(parking):
    """Requests at every distance from the moment the connection parks: none is lost or cancelled."""
    with Http2Client(parking.address()).greet() as client:
        for number in range(2000):
            assert client.get("/hello").status == 200
            if number % 7 == 0:
                parking.stats()

"""Timeouts of idle connections, of bodies that stop coming and of answers that nobody takes (S21)."""

import threading
import time

import pytest

from harness import frames as f
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.pace import slow_reader, until_closed, within
from harness.server import Server


@pytest.fixture(params=["on", "off"], ids=["park-on", "park-off"])
def serve(request):
    return lambda *flags: Server("--park", request.param, "--threads", 1, *flags)


def want_timeout(server, reason="timeout", count=1):
    server.wait_stats(lambda s: s["connections"]["closed"][reason] >= count, f"closed by {reason}")
    server.want_open(0)


def test_a_valid_ping_each_moment_does_not_keep_a_connection(serve):
    """S21: documented: PING does not count as use."""
    with serve("--idle-timeout", "1s") as server, Http2Client(server.address()).greet() as client:
        with within(1, 6):
            done = threading.Event()

            def ping():
                while not done.wait(0.2):
                    client.send(f.ping())
            pinger = threading.Thread(target=ping)
            pinger.start()
            try:
                client.want_farewell(0)
            finally:
                done.set()
                pinger.join()
        want_timeout(server, "idle")


def test_a_request_that_crosses_the_idle_goaway_is_answered(serve):
    """S22: the first GOAWAY names 2^31-1 and so refuses nothing."""
    with serve("--idle-timeout", "500ms") as server, Http2Client(server.address()).greet() as client:
        assert client.want_goaway(f.NO_ERROR).last_stream_id == 2**31 - 1
        assert client.get("/hello").body == b"hello\n"
        client.want_farewell(1)


@pytest.mark.parametrize("protocol", ["h2", "h1"])
def test_a_body_that_stops_coming_ends_its_request(serve, protocol):
    with serve("--idle-timeout", "600ms") as server:
        if protocol == "h2":
            with Http2Client(server.address()).greet() as client, within(0.6, 5):
                stream = client.start("/upload", method="POST", end=False)
                client.send(f.data(stream, b"some"))
                client.want_frame(object, where=lambda x: x.type in (f.RST_STREAM, f.GOAWAY))
        else:
            with Http1Client(server.address()) as client, within(0.6, 5):
                client.request("POST", "/upload", "Content-Length: 100", body=b"some")
                assert b"200" not in until_closed(client.sock)[:20]
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 0, "the handler has ended")


@pytest.mark.parametrize("protocol", ["h2", "h1"])
def test_a_client_that_stops_reading_is_cut_off(serve, protocol):
    """S21: GOAWAY cannot be written any more."""
    with serve("--write-timeout", "700ms") as server, slow_reader(server.address()) as sock, within(0.7, 10):
        if protocol == "h2":
            with Http2Client(None, sock, windows=False) as client:
                client.greet({f.INITIAL_WINDOW_SIZE: f.LARGEST_WINDOW}, window=2**30)
                client.start("/bytes/1GiB")
                want_timeout(server)
        else:
            sock.sendall(b"GET /bytes/1GiB HTTP/1.1\r\nHost: a\r\n\r\n")
            want_timeout(server)


def test_a_stream_whose_window_stays_closed_is_reaped(serve):
    """S7, S21: the connection is fine and stays."""
    with serve("--write-timeout", "600ms") as server:
        with Http2Client(server.address()).greet({f.INITIAL_WINDOW_SIZE: 0}) as client:
            stream = client.start("/bytes/100")
            with within(0.6, 5):
                client.want_rst(stream)
            server.wait_stats(lambda s: s["requests"]["in_flight"] == 0, "the handler has ended")
            client.send(f.settings({f.INITIAL_WINDOW_SIZE: 65535}))
            assert client.get("/hello").status == 200


def test_a_client_that_reads_slowly_is_served(serve):
    """Progress renews the time: four times the timeout in all."""
    with serve("--write-timeout", "700ms") as server:
        with Http2Client(server.address(), windows=False).greet({f.INITIAL_WINDOW_SIZE: 10}) as client:
            stream = client.start("/bytes/150")
            for _ in range(14):
                client.read_body(stream, 10)
                time.sleep(0.2)
                client.send(f.window_update(stream, 10))
            client.read_body(stream, 10)


def test_a_handler_that_takes_long_is_no_timeout(serve):
    with serve("--header-timeout", "200ms", "--idle-timeout", "200ms", "--write-timeout", "200ms",
               "--preface-timeout", "200ms") as server:
        with Http2Client(server.address()).greet() as client, Http1Client(server.address()) as old:
            stream = client.start("/delay/1000")
            old.request("GET", "/delay/1000")
            assert client.want_response(stream).body == b"done\n"
            assert old.want_response().body == b"done\n"

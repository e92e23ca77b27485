"""SIGTERM and SIGINT: every connection is told, in two steps, and what runs may finish."""

import signal
import socket

import pytest
from hyperframe.frame import GoAwayFrame, HeadersFrame, PingFrame

from harness import frames as f
from harness.fleet import Fleet
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.server import Server
from harness.tls import tls_h2
from harness.wait import wait_until

FIRST_GOAWAY = 2**31 - 1


@pytest.fixture(params=["on", "off"], ids=["park-on", "park-off"])
def serve(request):
    """Starts servers with --park on or off."""
    return lambda *flags, **more: Server("--park", request.param, "--threads", 2, *flags, **more)


def want_notice(client):
    """Reads the first GOAWAY and the PING that measures the round trip. Returns the PING's acknowledgement."""
    last, data = None, None
    while last is None or data is None:
        found = client.want_frame((GoAwayFrame, PingFrame), where=lambda x: "ACK" not in x.flags)
        if isinstance(found, PingFrame):
            data = found.opaque_data
        else:
            last = found.last_stream_id
            assert (last, found.error_code) == (FIRST_GOAWAY, f.NO_ERROR)
    return f.ping(data, f.ACK)


def goaways(client):
    return [(x.last_stream_id, x.error_code) for x in client.seen if isinstance(x, GoAwayFrame)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_goaway_comes_in_two_steps(serve, number):
    with serve() as server, Http2Client(server.address()).greet() as client:
        stream = client.start("/delay/400")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "the request runs")
        server.signal(number)
        client.send(want_notice(client))
        assert client.want_goaway(f.NO_ERROR).last_stream_id == stream
        assert client.want_response(stream).body == b"done\n"
        client.want_closed()
        server.want_exit(0)


def test_the_round_trip_is_measured_after_the_first_goaway(serve):
    """RFC 9113 6.8. A PING before it would be acknowledged by a client that has not seen the GOAWAY, and that may
    still open streams which the second GOAWAY then refuses."""
    with serve() as server, Http2Client(server.address()).greet() as client:
        client.start("/delay/400")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "the request runs")
        server.signal(signal.SIGTERM)
        client.want_goaway(f.NO_ERROR)
        assert not [x for x in client.seen if isinstance(x, PingFrame)], "the PING came first"
        client.close()
        server.want_exit(0)


def test_the_first_goaway_refuses_nothing(serve):
    """S22: a stream opened between the two is answered, and the second counts it."""
    with serve() as server, Http2Client(server.address()).greet() as client:
        running = client.start("/delay/400")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "the request runs")
        server.signal(signal.SIGTERM)
        acknowledgement = want_notice(client)
        late = client.start("/hello")
        client.send(acknowledgement)
        assert client.want_response(late).body == b"hello\n"
        assert client.want_response(running).body == b"done\n"
        client.want_closed()
        assert goaways(client) == [(FIRST_GOAWAY, f.NO_ERROR), (late, f.NO_ERROR)]
        server.want_exit(0)


def test_streams_after_the_second_goaway_are_not_processed(serve):
    with serve() as server, Http2Client(server.address()).greet() as client:
        running = client.start("/delay/400")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "the request runs")
        server.signal(signal.SIGTERM)
        client.send(want_notice(client))
        assert client.want_goaway(f.NO_ERROR).last_stream_id == running
        late = client.start("/hello", ("x-late", "decoded all the same"))
        assert client.want_response(running).body == b"done\n"
        client.want_closed()
        assert not [x for x in client.seen if isinstance(x, HeadersFrame) and x.stream_id == late]
        server.want_exit(0)


def test_a_client_that_does_not_answer_the_ping_is_told_all_the_same(serve):
    """The second GOAWAY does not wait for ever for the round trip."""
    with serve("--grace", "3s") as server, Http2Client(server.address()).greet() as client:
        client.get("/hello")
        server.signal(signal.SIGTERM)
        client.want_goaway(f.NO_ERROR)
        client.want_closed()
        assert goaways(client)[-1][1] == f.NO_ERROR
        server.want_exit(0)


def test_an_idle_connection_is_told_and_closed(serve):
    with serve() as server, Http2Client(server.address()).greet() as client:
        client.get("/hello")
        server.wait_stats(lambda s: s["connections"]["idle"] == 1, "it is idle")
        server.signal(signal.SIGTERM)
        client.send(want_notice(client))
        assert client.want_goaway(f.NO_ERROR).last_stream_id == 1
        client.want_closed()
        server.want_exit(0)


def test_every_parked_connection_is_told():
    """golang/go#81154: a graceful shutdown must not skip those that are parked."""
    with Server("--threads", 2) as server, Fleet(server.address(), 500) as fleet:
        server.want_parked(500)
        server.signal(signal.SIGTERM)
        for sock in fleet.sockets:
            client = Http2Client(None, sock)
            client.send(want_notice(client))
        for sock in fleet.sockets:
            client = Http2Client(None, sock)
            assert client.want_goaway(f.NO_ERROR).last_stream_id == 1
            client.want_closed()
        server.want_exit(0)


def test_http1_answers_say_connection_close(serve):
    with serve() as server, Http1Client(server.address()) as client:
        client.request("GET", "/delay/400")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "the request runs")
        server.signal(signal.SIGTERM)
        response = client.want_response()
        assert (response.body, response.get("connection")) == (b"done\n", "close")
        client.want_closed()
        server.want_exit(0)


def test_an_idle_http1_connection_is_closed(serve):
    with serve() as server, Http1Client(server.address()) as client:
        client.get("/hello")
        server.wait_stats(lambda s: s["connections"]["idle"] == 1, "it is idle")
        server.signal(signal.SIGTERM)
        client.want_closed()
        server.want_exit(0)


def refuses(address):
    try:
        socket.create_connection(address, 5).close()
    except ConnectionRefusedError:
        return True
    return False


def test_nobody_is_accepted_any_more(serve):
    with serve() as server, Http2Client(server.address()).greet() as client:
        client.start("/delay/1000")
        server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "the request runs")
        server.signal(signal.SIGTERM)
        client.want_goaway()
        wait_until(lambda: refuses(server.address()), "connections are refused")
        client.close()
        server.want_exit(0)


def test_tls_connections_are_told(serve):
    with serve("--tls-listen", "127.0.0.1:0", "--self-signed") as server:
        with tls_h2(server.address("https")).greet() as client:
            client.get("/hello")
            server.signal(signal.SIGTERM)
            client.send(want_notice(client))
            client.want_goaway(f.NO_ERROR)
            client.want_closed()
        server.want_exit(0)

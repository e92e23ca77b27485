"""RFC 9113 5.1: stream ids and states; with parking on, off, and with the connection parked before."""

import pytest

from harness import frames as f


@pytest.mark.parametrize("piece", [
    f.data(1, b"x"), f.rst_stream(5), f.window_update(7, 1), f.continuation(1)
], ids=["data", "rst", "window-update", "continuation"])
def test_a_frame_on_an_idle_stream_is_refused(situation, piece):
    situation.want_refused(f.PROTOCOL_ERROR, send=piece)


def test_priority_on_an_idle_stream_is_legal_and_reserves_nothing(situation):
    with situation.greeted() as client:
        client.send(f.priority(3))
        assert client.get("/hello").status == 200  # stream 1 after PRIORITY on 3


def test_an_even_stream_id_is_refused(situation):
    situation.want_refused(f.PROTOCOL_ERROR, send=f.headers(2, f.get_block()))


def test_a_stream_id_that_does_not_increase_is_refused(situation):
    with situation.greeted() as client:
        client.next_stream = 5
        client.get("/hello")
        situation.settle()
        client.send(f.headers(3, f.get_block()))
        client.want_connection_error(f.PROTOCOL_ERROR, f.STREAM_CLOSED)


def test_data_after_end_stream_is_a_stream_error(situation):
    with situation.greeted({f.INITIAL_WINDOW_SIZE: 0}) as client:
        stream = client.start("/hello")  # held open by the window
        situation.settle()
        client.send(f.data(stream, b"x", end=True))
        client.want_frame(object, where=lambda x: x.type in (f.RST_STREAM, f.GOAWAY)
                          and x.error_code == f.STREAM_CLOSED)


def test_headers_after_end_stream_are_an_error(situation):
    with situation.greeted({f.INITIAL_WINDOW_SIZE: 0}) as client:
        stream = client.start("/hello")
        situation.settle()
        client.send(f.headers(stream, f.literals(("x", "y"))))
        client.want_frame(object, where=lambda x: x.type in (f.RST_STREAM, f.GOAWAY)
                          and x.error_code in (f.STREAM_CLOSED, f.PROTOCOL_ERROR))


def test_window_update_priority_and_rst_on_a_closed_stream_are_tolerated(situation):
    with situation.greeted() as client:
        stream = client.start("/hello")
        client.want_response(stream)
        situation.settle()
        client.send(f.window_update(stream, 1), f.priority(stream), f.rst_stream(stream))
        client.want_alive()


def test_an_rst_stream_is_never_answered_with_one(situation):
    with situation.greeted() as client:
        stream = client.start("/delay/60000")
        situation.settle()
        client.send(f.rst_stream(stream, f.CANCEL), f.rst_stream(stream, 0xDEADBEEF))
        assert not [x for x in client.want_alive() if x.type == f.RST_STREAM]


def test_streams_over_the_limit_are_refused_and_can_be_retried(situation):
    with situation.greeted() as client:
        streams = [client.start("/wait?ms=60000") for _ in range(250)]
        situation.settle()
        extra = client.start("/hello")
        client.want_rst(extra, f.REFUSED_STREAM)
        client.send(*(f.rst_stream(stream) for stream in streams[:10]))
        assert client.get("/hello").status == 200

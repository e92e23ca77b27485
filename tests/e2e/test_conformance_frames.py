"""RFC 9113 6: what each kind of frame must look like; with parking on, off, and with the connection parked before."""

import struct

import pytest

from harness import frames as f
from harness.situation import open_upload


@pytest.mark.parametrize("piece", [f.data(0, b"x"), f.headers(0, f.get_block()), f.frame(f.PRIORITY, 0, 0, bytes(5)),
                                   f.rst_stream(0), f.ping(stream=1), f.goaway(stream=1)],
                         ids=["data", "headers", "priority", "rst", "ping", "goaway"])
def test_a_frame_on_the_wrong_stream_is_refused(situation, piece):
    situation.want_refused(f.PROTOCOL_ERROR, send=piece)


def test_data_padded_to_its_whole_length_is_refused(situation):
    situation.want_refused(f.PROTOCOL_ERROR,
            send=open_upload() + f.frame(f.DATA, f.PADDED, 1, bytes([6]) + bytes(5)))


def test_headers_padded_to_their_whole_length_are_refused(situation):
    block = f.get_block()
    situation.want_refused(f.PROTOCOL_ERROR,
            send=f.frame(f.HEADERS, f.PADDED | f.END_HEADERS | f.END_STREAM, 1, bytes([len(block) + 1]) + block))


def test_padding_counts_for_flow_control(situation):
    """Far more padding than the window, sent as the server opens it again, arrives as an empty body."""
    with situation.greeted() as client:
        stream = client.start("/upload", method="POST", end=False)
        window = client.server_settings.get(f.INITIAL_WINDOW_SIZE, 65535)
        sent = 0
        while sent < 4 * window:
            credit = window + sum(client.window_updates(stream)) - sent
            connection_credit = 65535 + sum(client.window_updates(0)) - sent
            if min(credit, connection_credit) < 257:
                client.want_frame(object, where=lambda x: x.type == f.WINDOW_UPDATE)
                continue
            client.send(f.data(stream, b"x", padding=255))
            sent += 257
        client.send(f.data(stream, b"", end=True))
        assert b'"bytes":%d' % (sent // 257) in client.want_response(stream).body


@pytest.mark.parametrize("piece, codes", [
    (f.frame(f.PRIORITY, 0, 1, bytes(4)), (f.FRAME_SIZE_ERROR,)),
    (f.frame(f.PING, 0, 0, bytes(7)), (f.FRAME_SIZE_ERROR,)),
    (f.frame(f.WINDOW_UPDATE, 0, 0, bytes(3)), (f.FRAME_SIZE_ERROR,)),
    (f.frame(f.GOAWAY, 0, 0, bytes(7)), (f.FRAME_SIZE_ERROR,)),
], ids=["priority", "ping", "window-update", "goaway"])
def test_a_frame_of_a_wrong_length_is_refused(situation, piece, codes):
    with situation.greeted() as client:
        stream = client.start("/upload", method="POST", end=False)
        situation.settle()
        client.send(piece)
        client.want_stream_error(stream, *codes)


def test_an_rst_stream_of_a_wrong_length_is_refused(situation):
    situation.want_refused(f.FRAME_SIZE_ERROR, send=open_upload() + f.frame(f.RST_STREAM, 0, 1, bytes(3)))


def test_a_push_promise_from_a_client_is_refused(situation):
    situation.want_refused(f.PROTOCOL_ERROR,
            send=open_upload() + f.frame(f.PUSH_PROMISE, f.END_HEADERS, 1, b"\0\0\0\2" + f.get_block()))


def test_a_ping_is_answered_with_its_bytes(situation):
    with situation.greeted() as client:
        client.send(f.ping(b"\x00\xff1234\n\0"))
        client.want_pong(b"\x00\xff1234\n\0")


def test_a_ping_ack_is_not_answered(situation):
    with situation.greeted() as client:
        client.send(f.ping(b"not ours", f.ACK))
        assert not [x for x in client.want_alive() if x.type == f.PING]


def test_unknown_error_codes_are_harmless(situation):
    with situation.greeted() as client:
        stream = client.start("/delay/60000")
        client.send(f.rst_stream(stream, 0xFEEDFACE))
        assert client.get("/hello").status == 200


def test_a_clients_goaway_lets_streams_finish(situation):
    with situation.greeted() as client:
        stream = client.start("/delay/100")
        client.send(f.goaway())
        assert client.want_response(stream).body == b"done\n"


@pytest.mark.parametrize("between", [
    f.data(1, b"x"), f.headers(3, f.get_block()), f.ping(), f.continuation(3, b"")
], ids=["data", "headers", "ping", "continuation-of-another"])
def test_nothing_may_come_between_headers_and_continuation(situation, between):
    situation.want_refused(f.PROTOCOL_ERROR,
            send=f.headers(1, f.get_block()[:10], end_headers=False) + between)


def test_continuation_after_the_end_of_headers_is_refused(situation):
    situation.want_refused(f.PROTOCOL_ERROR, send=open_upload() + f.continuation(1, b""))


def test_headers_may_be_split_over_continuations(situation):
    block = f.get_block()
    with situation.greeted() as client:
        client.send(f.headers(1, block[:1], end_headers=False), f.continuation(1, block[1:20], end_headers=False),
                    f.continuation(1, block[20:]))
        assert client.want_response(1).body == b"hello\n"


def test_headers_with_priority_and_padding_are_read(situation):
    payload = bytes([3]) + struct.pack(">LB", 0x80000000, 200) + f.get_block() + bytes(3)
    with situation.greeted() as client:
        client.send(f.frame(f.HEADERS, f.PADDED | f.WITH_PRIORITY | f.END_HEADERS | f.END_STREAM, 1, payload))
        assert client.want_response(1).body == b"hello\n"

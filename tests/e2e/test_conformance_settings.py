"""RFC 9113 3.4, 4.1, 4.2 and 6.5: the preface, SETTINGS, and frames in general. Each with parking on, off, and with
the connection parked before the frame comes."""

import struct

import pytest

from harness import frames as f
from harness.h2 import Http2Client
from harness.situation import open_upload


def test_the_server_sends_settings_first(situation):
    with Http2Client(situation.server.address()) as client:
        client.send(f.PREFACE + f.settings())
        assert client.read_frame().type == f.SETTINGS


def test_settings_announce_the_stream_limit(situation):
    with situation.greeted() as client:
        assert client.server_settings[f.MAX_CONCURRENT_STREAMS] == 250
        assert client.server_settings.get(f.ENABLE_PUSH, 0) == 0


def test_a_first_frame_other_than_settings_is_refused(situation):
    with Http2Client(situation.server.address()) as client:
        client.send(f.PREFACE + f.ping())
        client.want_connection_error(f.PROTOCOL_ERROR)


def test_a_wrong_end_of_the_preface_is_refused(situation):
    with Http2Client(situation.server.address()) as client:
        client.send(b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n" + f.settings())
        received = b""
        while piece := client.sock.recv(65536):
            received += piece
        assert b"HTTP/1.1 400" in received or received[-8:][:4] == struct.pack(">L", f.PROTOCOL_ERROR), received


def test_the_preface_in_single_bytes_is_http2(situation):
    with Http2Client(situation.server.address()) as client:
        for byte in f.PREFACE + f.settings():
            client.send(bytes([byte]))
        client.want_settings()
        client.send(f.settings_ack())
        client.want_settings_ack()
        assert client.get("/hello").body == b"hello\n"


def test_settings_are_acknowledged_in_order(situation):
    with situation.greeted() as client:
        client.send(f.settings({f.INITIAL_WINDOW_SIZE: 1}), f.settings({f.INITIAL_WINDOW_SIZE: 2}), f.ping())
        client.want_settings_ack()
        client.want_settings_ack()
        if not any(seen.type == f.PING for seen in client.seen):
            client.want_pong()


@pytest.mark.parametrize("pairs, code", [
    ([(f.ENABLE_PUSH, 2)], f.PROTOCOL_ERROR),
    ([(f.INITIAL_WINDOW_SIZE, 2**31)], f.FLOW_CONTROL_ERROR),
    ([(f.MAX_FRAME_SIZE, 2**14 - 1)], f.PROTOCOL_ERROR),
    ([(f.MAX_FRAME_SIZE, 2**24)], f.PROTOCOL_ERROR),
], ids=["push-2", "window-over", "frame-size-under", "frame-size-over"])
def test_a_setting_outside_its_range_is_refused(situation, pairs, code):
    situation.want_refused(code, send=f.settings(pairs))


def test_unknown_settings_are_ignored(situation):
    situation.want_tolerated(f.settings([(0xFF, 1), (0, 7), (0x1234, 2**32 - 1)]))


def test_settings_on_a_stream_are_refused(situation):
    situation.want_refused(f.PROTOCOL_ERROR, send=f.settings(stream=1))


def test_settings_of_a_wrong_length_are_refused(situation):
    situation.want_refused(f.FRAME_SIZE_ERROR, send=f.frame(f.SETTINGS, payload=b"12345"))


def test_a_settings_ack_with_payload_is_refused(situation):
    situation.want_refused(f.FRAME_SIZE_ERROR, send=f.frame(f.SETTINGS, f.ACK, payload=bytes(6)))


def test_unknown_frame_types_are_ignored(situation):
    situation.want_tolerated(f.frame(0x16, 0xFF, 0, b"whatever"), f.frame(0xAA, 0, 77, bytes(100)))


def test_undefined_flags_and_the_reserved_bit_are_ignored(situation):
    situation.want_tolerated(f.frame(f.PING, 0xFE & ~f.ACK, 0, bytes(8)),
                             f.frame(f.WINDOW_UPDATE, 0xFF, 2**31, b"\0\0\0\1"))


def test_a_stray_padded_bit_is_ignored(situation):
    situation.want_tolerated(f.frame(f.SETTINGS, f.PADDED), f.frame(f.PING, f.PADDED, 0, bytes(8)),
              f.frame(f.WINDOW_UPDATE, f.PADDED, 0, b"\0\0\0\1"))


def test_a_frame_of_the_largest_size_is_taken(situation):
    with situation.greeted() as client:
        assert client.post("/echo", b"x" * 16384).body == b"x" * 16384


def test_a_larger_headers_frame_is_refused(situation):
    situation.want_refused(f.FRAME_SIZE_ERROR, send=f.frame(f.HEADERS, f.END_HEADERS | f.END_STREAM, 1, bytes(16385)))


def test_a_larger_data_frame_is_refused(situation):
    with situation.greeted() as client:
        client.send(open_upload(), f.data(1, bytes(16385)))
        client.want_stream_error(1, f.FRAME_SIZE_ERROR)


def test_an_extension_frame_within_a_field_block_is_refused(situation):
    situation.want_refused(f.PROTOCOL_ERROR,
            send=f.headers(1, f.get_block(), end_headers=False) + f.frame(0x16, 0, 1, b"x"))

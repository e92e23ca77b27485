"""HTTP/2 frames as bytes (RFC 9113 4.1, 6): whatever one asks for, valid or not."""

import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)

END_STREAM = ACK = 0x1
END_HEADERS = 0x4
PADDED = 0x8
WITH_PRIORITY = 0x20

HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = \
    range(1, 7)

(NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED, FRAME_SIZE_ERROR,
 REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, ENHANCE_YOUR_CALM, INADEQUATE_SECURITY,
 HTTP_1_1_REQUIRED) = range(14)

LARGEST_WINDOW = 2**31 - 1


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    """`length`: what the header claims, if not the truth."""
    size = len(payload) if length is None else length
    return struct.pack(">BHBBL", size >> 16, size & 0xFFFF, kind, flags, stream) + payload


def settings(values=None, flags=0, stream=0):
    """`values`: a dictionary, or pairs where an order or a repetition matters."""
    pairs = values.items() if isinstance(values, dict) else values or ()
    return frame(SETTINGS, flags, stream, b"".join(struct.pack(">HL", key, value) for key, value in pairs))


def settings_ack():
    return frame(SETTINGS, ACK)


def ping(data=b"8 bytes.", flags=0, stream=0):
    return frame(PING, flags, stream, data)


def window_update(stream, increment):
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">L", increment))


def rst_stream(stream, code=CANCEL):
    return frame(RST_STREAM, 0, stream, struct.pack(">L", code))


def priority(stream, depends_on=0, weight=15):
    return frame(PRIORITY, 0, stream, struct.pack(">LB", depends_on, weight))


def goaway(last=0, code=NO_ERROR, data=b"", stream=0):
    return frame(GOAWAY, 0, stream, struct.pack(">LL", last, code) + data)


def data(stream, content=b"", end=False, padding=None):
    if padding is None:
        return frame(DATA, END_STREAM if end else 0, stream, content)
    return frame(DATA, PADDED | (END_STREAM if end else 0), stream, bytes([padding]) + content + bytes(padding))


def headers(stream, block, end=True, end_headers=True):
    return frame(HEADERS, (END_STREAM if end else 0) | (END_HEADERS if end_headers else 0), stream, block)


def continuation(stream, block=b"", end_headers=True):
    return frame(CONTINUATION, END_HEADERS if end_headers else 0, stream, block)


def literal(name, value):
    """A field without indexing and without Huffman code (RFC 7541 6.2.2): for names and values hpack would refuse."""
    def string(text):
        raw = text if isinstance(text, bytes) else text.encode("latin-1")
        assert len(raw) < 127
        return bytes([len(raw)]) + raw
    return b"\x00" + string(name) + string(value)


def literals(*pairs):
    return b"".join(literal(name, value) for name, value in pairs)


def get_block(path="/hello"):
    """A GET as literals: it leaves the peer's table alone."""
    return literals((":method", "GET"), (":scheme", "http"), (":path", path), (":authority", "localhost"))

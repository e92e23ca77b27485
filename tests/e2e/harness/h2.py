"""A raw HTTP/2 client over a blocking socket: it sends any frame and reads what comes, one at a time."""

from dataclasses import dataclass, field

import hpack
from hyperframe.frame import (DataFrame, Frame, GoAwayFrame, HeadersFrame, PingFrame, PushPromiseFrame,
                              RstStreamFrame, SettingsFrame, WindowUpdateFrame)

from harness import frames
from harness.stats import connect
from harness.wait import TIMEOUT

KEPT_FRAMES = 10_000


@dataclass
class Response:
    status: int
    fields: list
    body: bytes = b""
    trailers: list = field(default_factory=list)
    informational: list = field(default_factory=list)

    def get(self, name, default=None):
        values = [value for key, value in self.fields if key == name]
        assert len(values) <= 1, f"{name} is there {len(values)} times"
        return values[0] if values else default


class Http2Client:
    """`windows`: whether it opens windows again for what it has read."""

    def __init__(self, address, sock=None, timeout=TIMEOUT, windows=True):
        self.sock = sock or connect(address, timeout)
        self.sock.settimeout(timeout)
        self.encoder = hpack.Encoder()
        self.decoder = hpack.Decoder(max_header_list_size=16 * 1024 * 1024)
        self.decoder.max_allowed_table_size = 65536
        self.next_stream = 1
        self.server_settings = {}
        self.seen = []  # frames, oldest first
        self.windows = windows
        self.closed = False  # the server has closed, and everything was read
        self.refused = False  # the server takes nothing more
        self._input = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()

    # ---- out

    def send(self, *pieces):
        try:
            self.sock.sendall(b"".join(pieces))
        except (BrokenPipeError, ConnectionResetError):
            self.refused = True  # what came before can still be read

    def greet(self, settings=None, window=0):
        """Preface, SETTINGS, and the server's: afterwards nothing is owed by either side."""
        opening = frames.PREFACE + frames.settings(settings)
        self.send(opening + (frames.window_update(0, window) if window else b""))
        self.want_settings()
        self.send(frames.settings_ack())
        self.want_settings_ack()
        return self

    def block(self, path="/hello", *more, method="GET", scheme="http", authority="localhost"):
        fields = [(":method", method), (":scheme", scheme), (":authority", authority), (":path", path), *more]
        return self.encoder.encode(fields)

    def start(self, path="/hello", *more, end=True, **pseudo):
        """Opens the next stream and returns its id."""
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        self.send(frames.headers(stream, self.block(path, *more, **pseudo), end))
        return stream

    def get(self, path="/hello", *more, **pseudo):
        return self.want_response(self.start(path, *more, **pseudo))

    def post(self, path, body, *more, method="POST"):
        """A small body: it has to fit the window the server gives at the beginning."""
        stream = self.start(path, *more, method=method, end=False)
        pieces = [body[at:at + 16384] for at in range(0, len(body), 16384)] or [b""]
        for piece in pieces[:-1]:
            self.send(frames.data(stream, piece))
        self.send(frames.data(stream, pieces[-1], end=True))
        return self.want_response(stream)

    # ---- in

    def _fill(self, count):
        while len(self._input) < count:
            try:
                piece = self.sock.recv(262144)
            except (ConnectionResetError, BrokenPipeError):
                piece = b""
            if not piece:
                self.closed = True
                return False
            self._input += piece
        return True

    def read_frame(self):
        """The next frame, parsed; None at the end of the connection."""
        if not self._fill(9):
            assert not self._input, f"closed within a frame header: {bytes(self._input)!r}"
            return None
        found, length = Frame.parse_frame_header(memoryview(bytes(self._input[:9])))
        assert self._fill(9 + length), "closed within a frame"
        found.parse_body(memoryview(bytes(self._input[9:9 + length])))
        del self._input[:9 + length]
        self._note(found)
        return found

    def _note(self, found):
        assert not isinstance(found, PushPromiseFrame), "a push"
        if isinstance(found, HeadersFrame):
            self._decode(found)
        if isinstance(found, SettingsFrame) and "ACK" not in found.flags:
            self.server_settings.update(found.settings)
        if isinstance(found, DataFrame) and self.windows and found.flow_controlled_length:
            more = frames.window_update(0, found.flow_controlled_length)
            if "END_STREAM" not in found.flags:
                more += frames.window_update(found.stream_id, found.flow_controlled_length)
            self.send(more)
        self.seen.append(found)
        assert len(self.seen) < KEPT_FRAMES, "frames without end"

    def _decode(self, found):
        block = bytes(found.data)
        while "END_HEADERS" not in found.flags:
            assert self._fill(9)
            more, length = Frame.parse_frame_header(memoryview(bytes(self._input[:9])))
            assert more.type == frames.CONTINUATION and more.stream_id == found.stream_id, "a broken field block"
            assert self._fill(9 + length)
            more.parse_body(memoryview(bytes(self._input[9:9 + length])))
            del self._input[:9 + length]
            block += bytes(more.data)
            if "END_HEADERS" in more.flags:
                found.flags.add("END_HEADERS")
        found.fields = [(name, value) for name, value in self.decoder.decode(block)]

    def want_frame(self, kind, stream=None, where=lambda _: True):
        """The next frame of that class, passing over others."""
        passed = []
        while (found := self.read_frame()) is not None:
            if isinstance(found, kind) and stream in (None, found.stream_id) and where(found):
                return found
            passed.append(found)
        raise AssertionError(f"closed without {kind.__name__}; before it came {passed}")

    def want_settings(self):
        return self.want_frame(SettingsFrame, where=lambda f: "ACK" not in f.flags)

    def want_settings_ack(self):
        return self.want_frame(SettingsFrame, where=lambda f: "ACK" in f.flags)

    def want_pong(self, data=b"8 bytes."):
        return self.want_frame(PingFrame, where=lambda f: "ACK" in f.flags and f.opaque_data == data)

    def want_alive(self, data=b"alive..."):
        """It answers a PING. Returns the frames that came before."""
        before = len(self.seen)
        self.send(frames.ping(data))
        self.want_pong(data)
        return self.seen[before:-1]

    def want_rst(self, stream, *codes):
        found = self.want_frame(RstStreamFrame, stream)
        assert not codes or found.error_code in codes, f"RST_STREAM with {found.error_code}, not {codes}"
        return found

    def want_goaway(self, *codes):
        found = self.want_frame(GoAwayFrame)
        assert not codes or found.error_code in codes, \
            f"GOAWAY with {found.error_code} {found.additional_data!r}, not {codes}"
        return found

    def want_closed(self):
        """Whatever still comes, then the end."""
        while self.read_frame() is not None:
            pass

    def want_connection_error(self, *codes):
        found = self.want_goaway(*codes)
        self.want_closed()
        return found

    def want_farewell(self, last_stream):
        """A graceful end: GOAWAYs without an error, the last naming the last stream (RFC 9113 6.8), then the close.
        The server's PINGs are answered."""
        passed = []
        while (found := self.read_frame()) is not None:
            passed.append(found)
            if isinstance(found, PingFrame) and "ACK" not in found.flags:
                self.send(frames.ping(found.opaque_data, frames.ACK))
        goodbyes = [(x.last_stream_id, x.error_code) for x in passed if isinstance(x, GoAwayFrame)]
        assert goodbyes and goodbyes[-1] == (last_stream, frames.NO_ERROR), goodbyes
        assert all(code == frames.NO_ERROR for _, code in goodbyes), goodbyes
        assert [last for last, _ in goodbyes] == sorted((last for last, _ in goodbyes), reverse=True), goodbyes

    def want_stream_error(self, stream, *codes):
        """RST_STREAM, a 400 before it perhaps; or the connection error that may always take its place (RFC 9113
        5.4.1, 8.1.1)."""
        found = self.want_frame((RstStreamFrame, GoAwayFrame), where=lambda f: f.stream_id in (0, stream))
        assert found.error_code in codes, f"{found}, not {codes}"
        for answer in self.seen:
            if isinstance(answer, HeadersFrame) and answer.stream_id == stream:
                assert dict(answer.fields)[":status"].startswith("4"), f"answered {answer.fields}"
        return found

    def want_malformed(self, stream):
        """A malformed request is a stream error PROTOCOL_ERROR, or a 400 (RFC 9113 8.1.1)."""
        found = self.want_frame((HeadersFrame, RstStreamFrame, GoAwayFrame), where=lambda f: f.stream_id in (0, stream))
        if isinstance(found, HeadersFrame):
            assert dict(found.fields)[":status"] == "400", found.fields
        else:
            assert found.error_code == frames.PROTOCOL_ERROR, found

    def want_response(self, stream):
        """The whole answer on that stream, 1xx included; frames of others are passed over."""
        informational = []
        head = self.want_frame(HeadersFrame, stream)
        while int(dict(head.fields)[":status"]) < 200:
            informational.append(Response(int(dict(head.fields)[":status"]), head.fields))
            assert "END_STREAM" not in head.flags, "1xx with END_STREAM"
            head = self.want_frame(HeadersFrame, stream)
        response = Response(int(head.fields[0][1]), head.fields, informational=informational)
        assert head.fields[0][0] == ":status"
        body = bytearray()
        last = head
        while "END_STREAM" not in last.flags:
            last = self.want_frame((DataFrame, HeadersFrame, RstStreamFrame), stream)
            assert not isinstance(last, RstStreamFrame), f"reset with {last.error_code} after {len(body)} bytes"
            if isinstance(last, HeadersFrame):
                response.trailers = last.fields
                assert "END_STREAM" in last.flags, "trailers without END_STREAM"
            else:
                body += last.data
        response.body = bytes(body)
        return response

    def read_body(self, stream, count):
        """At least `count` bytes of DATA on the stream."""
        body = bytearray()
        while len(body) < count:
            body += self.want_frame(DataFrame, stream).data
        return bytes(body)

    def window_updates(self, stream):
        """Increments seen so far."""
        return [f.window_increment for f in self.seen if isinstance(f, WindowUpdateFrame) and f.stream_id == stream]


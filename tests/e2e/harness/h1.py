"""A raw HTTP/1.1 client: bytes out, responses in."""

from dataclasses import dataclass, field

from harness.stats import connect
from harness.wait import TIMEOUT


@dataclass
class Response:
    status: int
    version: str
    fields: list
    body: bytes = b""
    trailers: list = field(default_factory=list)
    informational: list = field(default_factory=list)

    def get(self, name, default=None):
        """The one value of a field."""
        values = [value for key, value in self.fields if key == name.lower()]
        assert len(values) <= 1, f"{name} is there {len(values)} times"
        return values[0] if values else default

    def tokens(self, name):
        return {t.strip().lower() for key, value in self.fields if key == name for t in value.split(",")}


class Http1Client:
    def __init__(self, address, sock=None, timeout=TIMEOUT):
        self.sock = sock or connect(address, timeout)
        self.sock.settimeout(timeout)
        self._input = bytearray()
        self._eof = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()

    # ---- out

    def send(self, data):
        self.sock.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))

    def request(self, method, target, *fields, body=b"", host="localhost", version="HTTP/1.1"):
        lines = [f"{method} {target} {version}"]
        if host is not None:
            lines.append(f"Host: {host}")
        lines += fields
        self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)

    def get(self, target, *fields, **more):
        """A GET and its answer."""
        self.request("GET", target, *fields, **more)
        return self.want_response()

    # ---- in

    def _fill(self):
        if self._eof:
            return False
        try:
            piece = self.sock.recv(65536)
        except ConnectionResetError:
            piece = b""
        self._eof = not piece
        self._input += piece
        return bool(piece)

    def _line(self):
        while b"\r\n" not in self._input:
            assert self._fill(), f"closed within a line: {bytes(self._input)!r}"
        line, _, rest = self._input.partition(b"\r\n")
        self._input = bytearray(rest)
        return line.decode("latin-1")

    def _exactly(self, count):
        pieces = bytearray()
        while len(pieces) + len(self._input) < count:
            pieces += self._input
            self._input.clear()
            assert self._fill(), f"closed {count - len(pieces)} bytes before the body's end"
        rest = count - len(pieces)
        pieces += self._input[:rest]
        del self._input[:rest]
        return bytes(pieces)

    def _fields(self):
        fields = []
        while line := self._line():
            name, colon, value = line.partition(":")
            assert colon and name == name.strip(), f"not a field: {line!r}"
            fields.append((name.lower(), value.strip()))
        return fields

    def want_head(self):
        version, _, rest = self._line().partition(" ")
        assert version == "HTTP/1.1", f"not a status line: {version!r}"
        return Response(int(rest[:3]), version, self._fields())

    def want_response(self, head=False):
        """The next final response with its body, and the 1xx before it. `head`: it answers a HEAD."""
        informational = []
        while (response := self.want_head()).status < 200:
            informational.append(response)
        response.informational = informational
        if not head and response.status not in (204, 304):
            self._body(response)
        return response

    def _body(self, response):
        if "chunked" in response.tokens("transfer-encoding"):
            assert response.get("content-length") is None
            self._chunks(response)
        elif (length := response.get("content-length")) is not None:
            response.body = self._exactly(int(length))
        else:
            while self._fill():
                pass
            response.body, self._input = bytes(self._input), bytearray()

    def _chunks(self, response):
        body = bytearray()
        while size := int(self._line().partition(";")[0], 16):
            body += self._exactly(size)
            assert self._line() == ""
        response.body = bytes(body)
        response.trailers = self._fields()

    def read_some(self):
        """What has come, at least a byte; b"" at the end."""
        if not self._input:
            self._fill()
        data, self._input = bytes(self._input), bytearray()
        return data

    def want_closed(self):
        """The server closes and says nothing more before it does."""
        while self._fill():
            pass
        assert not self._input, bytes(self._input)

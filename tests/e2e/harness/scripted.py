"""Peer: an HTTP/1.1 server that does exactly as its script says, right or wrong, and counts."""

import os
import shutil
import socket
import ssl
import struct
import tempfile
import threading
from dataclasses import dataclass

from harness.wait import TIMEOUT


@dataclass
class Heard:
    """A request as it came."""
    method: str
    target: str
    version: str
    fields: list
    head: bytes
    body: bytes = b""

    def get(self, name, default=None):
        values = [value for key, value in self.fields if key == name.lower()]
        assert len(values) <= 1, f"{name} is there {len(values)} times"
        return values[0] if values else default


class Line:
    """One connection, as its script sees it: exact bytes, pauses, ends."""

    def __init__(self, peer, sock, number):
        self.peer, self.sock, self.number = peer, sock, number
        self.requests = 0
        self._input = b""

    def read_request(self, body=True):
        """The next one; None if the client closes instead. `body`: its body as well."""
        while b"\r\n\r\n" not in self._input:
            if not self._fill():
                return None
        head, _, self._input = self._input.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        fields = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
        heard = Heard(*lines[0].split(" ", 2), fields, head + b"\r\n\r\n")
        if body:
            heard.body = self.read(int(heard.get("content-length", 0)))
        self.requests += 1
        self.peer.note(heard)
        return heard

    def read(self, count):
        while len(self._input) < count:
            assert self._fill(), "closed within a body"
        data, self._input = self._input[:count], self._input[count:]
        return data

    def _fill(self):
        try:
            piece = self.sock.recv(65536)
        except ConnectionResetError:
            return False
        self._input += piece
        return bool(piece)

    def send(self, *pieces):
        """Each piece in a write of its own."""
        for piece in pieces:
            self.sock.sendall(piece)

    def pause(self, seconds):
        """Lets time pass, which the other side is to notice; less if the test is over."""
        self.peer.over.wait(seconds)

    def wait_closed(self):
        """Until the client closes. True if it said so properly: with TLS by close_notify before the end."""
        try:
            while self.sock.recv(65536):
                pass
        except (ssl.SSLError, OSError):
            return False
        return True

    def hang(self):
        """Says nothing more, until the client closes or the test is over."""
        self.wait_closed()

    def close(self):
        """An end without ceremony: with TLS no close_notify."""
        raw = self.sock.detach()
        os.close(raw)

    def close_notify(self):
        self.sock.settimeout(1)
        try:
            self.sock.unwrap()
        except (OSError, ValueError):
            pass

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()


class Peer:
    """`script(line)` runs in a thread for each connection, which is closed when it returns. `certificate`:
    (certificate, key) for TLS. `ask`: a file of certificates one of which the client is to show. `unix`: a unix socket
    instead of a port of `host`. Use it with `with`: whatever a script raises is raised there."""

    def __init__(self, script, certificate=None, unix=False, host="127.0.0.1", ask=None):
        self.script = script
        self.connections = 0
        self.heard = []
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._faults = []
        self._open = {}
        self._threads = []
        self._directory = tempfile.mkdtemp(prefix="h2park-e2e-") if unix else None
        self._context = None
        if certificate:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*certificate)
        if ask:
            self._context.load_verify_locations(ask)
            self._context.verify_mode = ssl.CERT_REQUIRED
        if unix:
            self.path = os.path.join(self._directory, "peer.sock")
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(self.path)
        else:
            self._listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind((host, 0))
            self.port = self._listener.getsockname()[1]
            name = "localhost" if certificate else f"[{host}]" if ":" in host else host
            self.origin = f"{'https' if certificate else 'http'}://{name}:{self.port}"
        self._listener.listen(1024)
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    @property
    def requests(self):
        return len(self.heard)

    def url(self, path="/"):
        return self.origin + path

    def note(self, heard):
        with self._lock:
            self.heard.append(heard)

    def _accept(self):
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                self._open[self.connections] = sock
                thread = threading.Thread(target=self._serve, args=(sock, self.connections), daemon=True)
                self._threads.append(thread)
            thread.start()

    def _serve(self, sock, number):
        sock.settimeout(TIMEOUT)
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self._context:
                sock = self._context.wrap_socket(sock, server_side=True, suppress_ragged_eofs=False)
                with self._lock:
                    self._open[number] = sock
            self.script(Line(self, sock, number))
        except (OSError, ValueError):
            pass  # the client went away first, or the script closed: what a test wants it sees at the client
        except Exception as fault:  # pylint: disable=broad-except
            self._faults.append(fault)
        finally:
            with self._lock:
                self._open.pop(number, None)
            sock.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._acceptor.join(TIMEOUT)
        with self._lock:
            for sock in self._open.values():
                try:
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)
                except OSError:
                    pass
        for thread in self._threads:
            thread.join(TIMEOUT)
        if self._directory:
            shutil.rmtree(self._directory)
        if kind is None and self._faults:
            raise self._faults[0]


# ---- scripts

def answer(*pieces, then=None):
    """Answers each request of each connection with the pieces; `then(line)` after the first one."""
    def script(line):
        while line.read_request():
            line.send(*pieces)
            if then:
                then(line)
                return
    return script


def in_turn(*answers):
    """The n-th request of the whole run has the n-th answer, further ones the last."""
    def script(line):
        while line.read_request():
            line.send(answers[min(line.peer.requests, len(answers)) - 1])
    return script


def response(body=b"", *fields, status="200 OK", version="HTTP/1.1"):
    """With Content-Length."""
    lines = [f"{version} {status}", *fields, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def chunked(body, *fields, size=65536, trailers=()):
    lines = ["HTTP/1.1 200 OK", *fields, "Transfer-Encoding: chunked", "", ""]
    pieces = [body[at:at + size] for at in range(0, len(body), size)]
    data = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return "\r\n".join(lines).encode() + data + b"0\r\n" + "".join(f"{t}\r\n" for t in trailers).encode() + b"\r\n"

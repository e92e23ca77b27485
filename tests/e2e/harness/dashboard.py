"""A server with its dashboard where a browser can go, and the events of /live as a script reads them."""

import json

from harness.server import Server
from harness.stats import connect


class DashboardServer(Server):
    """Statistics on a TCP port."""

    def __init__(self, *flags, stats="127.0.0.1:0"):
        super().__init__("--listen", "127.0.0.1:0", "--stats", stats, *flags)

    @property
    def dashboard(self):
        host, port = self.stats_address
        return f"http://{host}:{port}/"

    def _wait_ready(self):
        super()._wait_ready()
        host, _, port = self.stderr.partition("stats on ")[2].split()[0].rpartition(":")
        self.stats_address = (host, int(port))


def events(sock, count):
    """The data of so many events of /live."""
    found = []
    buffer = b""
    while len(found) < count:
        piece = sock.recv(65536)
        assert piece, "the stream ended"
        buffer += piece
        *whole, buffer = buffer.split(b"\n\n")
        found += [json.loads(event[event.index(b"data: ") + 6:]) for event in whole if b"data: " in event]
    return found


def watch(server, query=""):
    sock = connect(server.stats_address)
    sock.sendall(f"GET /live{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return sock


def expand(text):
    """"2a.f" as "aa.f"."""
    out, digits = "", ""
    for letter in text:
        if letter.isdigit():
            digits += letter
        else:
            out, digits = out + letter * int(digits or 1), ""
    return out

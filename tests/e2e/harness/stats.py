"""Reads /stats.json, as a script would."""

import json
import socket

from harness.wait import TIMEOUT


def connect(address, timeout=TIMEOUT):
    """`address`: ("host", port), or the path of a unix socket."""
    if isinstance(address, str):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(timeout)
        sock.connect(address)
        return sock
    sock = socket.create_connection(address, timeout)
    # A test sends small pieces one after the other: none must wait for the acknowledgement of the one before.
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def get(address, path, *fields, host="localhost", method="GET"):
    """One request on a connection of its own: status, lower-case fields, body. `fields`: more of them, as lines."""
    with connect(address) as sock:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close", *fields]
        sock.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        answer = bytearray()
        while piece := sock.recv(65536):
            answer += piece
    head, _, body = bytes(answer).partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return int(lines[0].split()[1]), fields, body


def read_stats(address):
    status, _, body = get(address, "/stats.json")
    assert status == 200, body
    return json.loads(body)


def dormant(stats):
    """How many connections have no serve coroutine, frozen or not."""
    return stats["connections"]["parked"] + (stats["connections"]["frozen"] or 0)

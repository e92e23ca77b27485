# ctest: serial
"""Out of descriptors: accepting pauses, one line says so, nothing spins; it goes on when there are some again."""

import socket

import pytest

from harness.h2 import Http2Client
from harness.process import open_descriptors
from harness.server import Server, is_sanitized
from harness.wait import wait_until

LIMIT = 48


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer wants a descriptor to look at memory")
def test_accepting_pauses_without_spinning_and_goes_on(park):
    with Server("--park", park, "--threads", 1, "--max-connections", 1000,
                prefix=["prlimit", f"--nofile={LIMIT}:{LIMIT}"]) as server:
        waiting = [socket.create_connection(server.address(), 15) for _ in range(LIMIT + 20)]
        wait_until(lambda: open_descriptors(server.pid) >= LIMIT, "the table is full")
        wait_until(lambda: "accepting pauses" in server.stderr, "it says so")
        server.want_quiet()
        before = server.cpu()
        with Http2Client(None, waiting[0]) as first:  # those that are in are served
            for _ in range(20):
                if first.next_stream == 1:
                    first.greet()
                assert first.get("/hello").status == 200
            for sock in waiting[1:LIMIT]:
                sock.close()
        with Http2Client(None, waiting[-1]) as last:
            assert last.greet().get("/hello").status == 200
        assert server.cpu() - before < 0.5
        for sock in waiting:
            sock.close()
        assert server.stderr.count("accepting pauses") == 1, server.stderr


def test_more_than_max_connections_are_refused(park):
    with Server("--park", park, "--threads", 2, "--max-connections", 10) as server:
        clients = [Http2Client(server.address()).greet() for _ in range(10)]
        extra = socket.create_connection(server.address(), 15)
        assert extra.recv(1) == b"", "one more than allowed is served"
        assert server.stats()["connections"]["refused"] == 1
        clients.pop().close()
        server.want_open(9)
        with Http2Client(server.address()) as again:
            assert again.greet().get("/hello").status == 200
        for client in clients:
            assert client.get("/hello").status == 200
            client.close()

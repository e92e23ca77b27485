# ctest: serial
"""An upload's size never shows in the server's memory, and connections that are gone leave none behind."""

import hashlib
import os
import threading

import pytest

from harness import frames as f
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.pace import slow_reader
from harness.server import Server, is_sanitized

pytestmark = pytest.mark.skipif(is_sanitized(), reason="a sanitizer's memory is not the server's")

KIB = 1024


def upload(client, path, total, piece=bytes(16384)):
    """A body as fast as the server's windows allow, without reading an answer. The stream's id."""
    stream = client.start(path, method="POST", end=False)
    stream_window = client.server_settings.get(f.INITIAL_WINDOW_SIZE, 65535)
    sent = 0
    while sent < total:
        credit = min(65535 + sum(client.window_updates(0)), stream_window + sum(client.window_updates(stream))) - sent
        count = min(credit, len(piece), total - sent)
        if count <= 0:
            client.want_frame(object, where=lambda x: x.type == f.WINDOW_UPDATE)
            client.seen = [x for x in client.seen if x.type == f.WINDOW_UPDATE]
            continue
        client.send(f.data(stream, piece[:count]))
        sent += count
    client.send(f.data(stream, end=True))
    return stream


def test_an_uploads_size_does_not_show(park):
    with Server("--park", park, "--threads", 1) as server, Http2Client(server.address()).greet() as client:
        client.want_response(upload(client, "/upload", 2**20))
        before = server.rss()
        peaks = []
        done = threading.Event()

        def watch():
            while not done.wait(0.01):
                peaks.append(server.rss())
        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            assert b'"bytes":67108864' in client.want_response(upload(client, "/upload", 2**26)).body
        finally:
            done.set()
            watcher.join()
        assert max(peaks) - before < 2**21, f"{(max(peaks) - before) / KIB:.0f} KiB more"


def test_a_slow_handler_holds_the_upload_back(park):
    """/delay does not read: no more than a stream's window is ever on its way."""
    with Server("--park", park, "--threads", 1) as server, Http2Client(server.address()).greet() as client:
        stream = client.start("/delay/60000", end=False)
        window = client.server_settings.get(f.INITIAL_WINDOW_SIZE, 65535)
        for _ in range(min(window, 65535) // 16384):
            client.send(f.data(stream, bytes(16384)))
        client.want_alive()
        assert sum(client.window_updates(stream)) == 0
        assert server.stats()["memory"]["buffer_bytes"] <= window


def test_an_echo_that_nobody_reads_holds_the_upload_back(park):
    """64 MiB through /echo by a client that does not read: the server stops taking, and forgets nothing."""
    with Server("--park", park, "--threads", 1, "--max-body-bytes", "1GiB") as server:
        with Http1Client(None, slow_reader(server.address())) as client:
            before = server.rss()
            body = os.urandom(2**20) * 64
            client.request("POST", "/echo", f"Content-Length: {len(body)}")
            sender = threading.Thread(target=lambda: client.send(body))
            sender.start()
            server.wait_stats(lambda s: s["memory"]["buffer_bytes"] > 0, "output is queued")
            server.want_quiet()
            assert server.stats()["memory"]["buffer_bytes"] <= 512 * KIB
            assert server.rss() - before < 2**21
            assert hashlib.sha256(client.want_response().body).digest() == hashlib.sha256(body).digest()
            sender.join(15)


def test_memory_is_flat_over_many_connections(park):
    """A leak of 100 bytes per connection would show."""
    with Server("--park", park, "--threads", 1) as server:
        def cycle(count):
            for _ in range(count):
                with Http2Client(server.address()) as client:
                    client.greet().get("/hello")
            server.want_open(0)
        cycle(1000)
        before = server.rss()
        cycle(3000)
        assert server.rss() - before < 300 * KIB, f"{(server.rss() - before) / KIB:.0f} KiB more"

"""Clients that others wrote: each gets the body, and the server saw the protocol it meant to speak."""

import json
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import pytest

from harness.server import Server
from harness.tls import client_context

HERE = Path(__file__).parent


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


@pytest.fixture(params=["on", "off"], ids=["park-on", "park-off"], scope="module")
def both(request):
    """A server with a plain and a TLS address."""
    with Server("--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0", "--self-signed", "--park", request.param,
                "--threads", 2) as running:
        yield running


def run(*command, timeout=50):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def curl_info(*flags, url):
    """What the server saw of a curl that got /hello, and then, on the same connection where it can, /info."""
    curl = ("curl", "-sS", "--fail", "--noproxy", "*", *flags)
    if "--http2-prior-knowledge" in flags:
        # curl 7.88's second request on such a connection fails with any server: "Error in the HTTP2 framing layer".
        assert run(*curl, url + "/hello") == "hello\n"
        return json.loads(run(*curl, url + "/info"))
    hello, _, info = run(*curl, url + "/hello", url + "/info").partition("\n")
    assert hello == "hello"
    info = json.loads(info)
    assert info["request"] == 2, "the connection was not used again"
    return info


@pytest.mark.parametrize("flags, scheme, protocol", [
    (["--http2-prior-knowledge"], "http", "HTTP/2"),
    (["--http1.1"], "http", "HTTP/1.1"),
    (["-k", "--http2"], "https", "HTTP/2"),
    (["-k", "--http1.1"], "https", "HTTP/1.1"),
    (["-k", "--http2", "--tlsv1.2", "--tls-max", "1.2"], "https", "HTTP/2"),
], ids=["h2c", "http1", "h2-tls", "http1-tls", "h2-tls12"])
def test_curl_speaks(both, flags, scheme, protocol):
    info = curl_info(*flags, url=both.url(scheme))
    assert info["protocol"].startswith(protocol)
    assert (info["tls"] is not None) == (scheme == "https")
    if scheme == "https":
        assert info["tls"]["alpn"] == ("h2" if protocol == "HTTP/2" else "http/1.1")


def test_curl_asking_for_an_upgrade_to_h2c_gets_http1(both):
    info = curl_info("--http2", url=both.url())
    assert info["protocol"] == "HTTP/1.1"


def test_curl_uploads_over_http2_what_it_gets_back(both, tmp_path):
    source = tmp_path / "body"
    source.write_bytes(bytes(range(256)) * 20_000)
    run("curl", "-sS", "--noproxy", "*", "--http2-prior-knowledge", "--data-binary", f"@{source}",
        "-o", tmp_path / "back", both.url() + "/echo")
    assert (tmp_path / "back").read_bytes() == source.read_bytes()


@needs("nghttp")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_nghttp_speaks(both, scheme):
    output = run("nghttp", "--no-verify", both.url(scheme) + "/hello", both.url(scheme) + "/info")
    assert "hello\n" in output
    assert re.search(r'"protocol": "HTTP/2', output)


@needs("h2load")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_h2load_gets_every_answer(both, scheme):
    before = both.stats()["requests"]["by_status"]["2xx"]
    output = run("h2load", "-n", 20000, "-c", 20, "-m", 10, both.url(scheme) + "/hello")
    assert re.search(r"20000 succeeded, 0 failed, 0 errored, 0 timeout", output), output
    assert both.stats()["requests"]["by_status"]["2xx"] - before == 20000


@needs("h2load")
def test_h2load_speaks_http1(both):
    output = run("h2load", "--h1", "-n", 5000, "-c", 10, both.url() + "/hello")
    assert re.search(r"5000 succeeded, 0 failed, 0 errored, 0 timeout", output), output


@needs("node")
@pytest.mark.parametrize("scheme, alpn", [("http", "h2c"), ("https", "h2")])
def test_node_speaks(both, scheme, alpn):
    output = json.loads(run("node", HERE / "node_client.mjs", both.url(scheme), "/hello", "/info", "/bytes/300000"))
    assert output["alpn"] == alpn
    hello, info, large = output["answers"]
    assert (hello["status"], hello["body"]) == (200, "hello\n")
    assert json.loads(info["body"])["protocol"].startswith("HTTP/2")
    assert len(large["body"]) == 300000


@needs("chromium")
def test_chromium_speaks(both, tmp_path):
    output = run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 f"--user-data-dir={tmp_path}", "--ignore-certificate-errors", "--dump-dom",
                 both.url("https") + "/info")
    assert re.search(r'"protocol": "HTTP/2', output), output
    assert re.search(r'"alpn": "h2"', output), output
    assert "Chrom" in output  # its User-Agent


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_python_h2_speaks(both, scheme):
    with socket.create_connection(both.address(scheme), 10) as plain:
        sock = client_context().wrap_socket(plain) if scheme == "https" else plain
        connection = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        connection.initiate_connection()
        for stream, path in ((1, "/hello"), (3, "/info")):
            connection.send_headers(stream, [(":method", "GET"), (":path", path), (":scheme", scheme),
                                             (":authority", "localhost")], end_stream=True)
        sock.sendall(connection.data_to_send())
        bodies = {1: b"", 3: b""}
        ended = set()
        deadline = time.monotonic() + 20
        while ended != {1, 3} and time.monotonic() < deadline:
            for event in connection.receive_data(sock.recv(65536)):
                if isinstance(event, h2.events.DataReceived):
                    bodies[event.stream_id] += event.data
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    ended.add(event.stream_id)
            sock.sendall(connection.data_to_send())
    assert bodies[1] == b"hello\n"
    assert json.loads(bodies[3])["protocol"].startswith("HTTP/2")

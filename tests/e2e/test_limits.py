"""The limits that are flags: each is obeyed at the number that was given, over both protocols."""

import pytest

from harness import frames as f
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.server import Server


@pytest.fixture(params=["h2", "h1"])
def protocol(request):
    return request.param


def connected(protocol, server):
    return Http2Client(server.address()).greet() if protocol == "h2" else Http1Client(server.address())


def ask(client, *fields):
    if isinstance(client, Http2Client):
        return client.get("/hello", *fields).status
    return client.get("/hello", *(f"{name}: {value}" for name, value in fields)).status


def post(client, path, body):
    if isinstance(client, Http2Client):
        return client.post(path, body).status
    client.request("POST", path, f"Content-Length: {len(body)}", body=body)
    return client.want_response().status


def test_max_header_fields(protocol):
    with Server("--max-header-fields", 20) as server:
        with connected(protocol, server) as client:
            assert ask(client, *((f"x-{i}", "v") for i in range(15))) == 200
            assert ask(client, *((f"x-{i}", "v") for i in range(21))) == 431


def test_max_header_bytes(protocol):
    with Server("--max-header-bytes", "4KiB") as server:
        with connected(protocol, server) as client:
            assert ask(client, ("x", "v" * 3000)) == 200
            assert ask(client, ("x", "v" * 5000)) == 431


def test_every_field_costs_32_bytes_more_than_it_has(protocol):
    """RFC 9113 6.5.2: 90 fields of 5 bytes are 3.3 KiB."""
    with Server("--max-header-bytes", "3KiB") as server:
        with connected(protocol, server) as client:
            assert ask(client, *((f"x{i:02}", "vv") for i in range(90))) == 431


@pytest.mark.parametrize("path", ["/upload", "/echo"])
def test_max_body_bytes(protocol, path):
    with Server("--max-body-bytes", "10KiB") as server:
        with connected(protocol, server) as client:
            assert post(client, path, bytes(10 * 1024)) == 200
            assert post(client, path, bytes(10 * 1024 + 1)) == 413


def test_max_streams():
    with Server("--max-streams", 3) as server, Http2Client(server.address()).greet() as client:
        assert client.server_settings[f.MAX_CONCURRENT_STREAMS] == 3
        streams = [client.start("/wait?ms=60000") for _ in range(3)]
        client.want_rst(client.start("/hello"), f.REFUSED_STREAM)
        client.send(f.rst_stream(streams[0]))
        assert client.get("/hello").status == 200


def test_the_header_list_limit_is_announced():
    with Server("--max-header-bytes", "20KiB") as server, Http2Client(server.address()).greet() as client:
        assert client.server_settings[f.MAX_HEADER_LIST_SIZE] == 20 * 1024

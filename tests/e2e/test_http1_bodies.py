"""Request bodies over HTTP/1.1 (RFC 9112 6 and 7): framing, Expect, and uploads that are refused."""

import os
import socket

import pytest

from harness.h1 import Http1Client


@pytest.fixture
def client(server):
    with Http1Client(server.address()) as connected:
        yield connected


def post(client, *fields, body=b"", path="/echo"):
    client.request("POST", path, *fields, body=body)


def want_400(client):
    response = client.want_response()
    assert (response.status, response.get("connection")) == (400, "close")
    client.want_closed()


def test_a_body_with_a_length_is_echoed(client):
    body = os.urandom(200_000)
    post(client, f"Content-Length: {len(body)}", body=body)
    assert client.want_response().body == body


def test_a_body_in_chunks_is_echoed(client):
    body = os.urandom(50_000)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + 777]), body[i:i + 777]) for i in range(0, len(body), 777))
    post(client, "Transfer-Encoding: chunked", body=chunks + b"0\r\n\r\n")
    response = client.want_response()
    assert response.body == body and "chunked" in response.tokens("transfer-encoding")
    assert client.get("/hello").body == b"hello\n"


def test_chunks_in_single_bytes_are_read(client):
    post(client, "Transfer-Encoding: chunked")
    for byte in b"3;name=\"v;x\"\r\nabc\r\n0000A\r\n0123456789\r\n0\r\nX-Trailer: t\r\n\r\n":
        client.send(bytes([byte]))
    assert client.want_response().body == b"abc0123456789"
    assert client.get("/hello").body == b"hello\n"


@pytest.mark.parametrize("body", [
    b"0x5\r\nhello\r\n0\r\n\r\n", b"5x\r\nhello\r\n0\r\n\r\n", b"+5\r\nhello\r\n0\r\n\r\n", b"-1\r\nhello\r\n0\r\n\r\n",
    b"1_0\r\n0123456789abcdef\r\n0\r\n\r\n", b"\r\nhello\r\n0\r\n\r\n", b"FFFFFFFFFFFFFFFF1\r\nhello\r\n0\r\n\r\n",
    b"5\nhello\r\n0\r\n\r\n", b"5\r\nhello\n0\r\n\r\n", b"5\r\nhello0\r\n\r\n", b"5\r\nhelloworld\r\n0\r\n\r\n",
    b"5 \x01\r\nhello\r\n0\r\n\r\n", b"5;\x00x\r\nhello\r\n0\r\n\r\n", b" 5\r\nhello\r\n0\r\n\r\n",
], ids=["0x", "5x", "plus", "minus", "underscore", "empty", "overflow", "bare-lf-size", "bare-lf-data", "no-crlf",
        "too-long", "control", "nul", "space"])
def test_a_broken_chunk_is_refused(client, body):
    """H2"""
    post(client, "Transfer-Encoding: chunked", body=body, path="/upload")
    want_400(client)


def test_leading_zeros_of_a_chunk_size_are_fine(client):
    post(client, "Transfer-Encoding: chunked", body=b"00000000000000005\r\nhello\r\n0\r\n\r\n")
    assert client.want_response().body == b"hello"


@pytest.mark.parametrize("fields", [
    ["Content-Length: 5", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: chunked", "Content-Length: 5"],
    ["Transfer-Encoding: chunked, chunked"],
    ["Transfer-Encoding: chunked, gzip"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    ["Content-Length: 5", "Content-Length: 6"],
    ["Content-Length: 5, 6"],
    ["Content-Length: +5"],
    ["Content-Length: -5"],
    ["Content-Length: 0x5"],
    ["Content-Length: 5 5"],
    ["Content-Length:"],
    ["Content-Length: 18446744073709551617"],
], ids=lambda fields: "+".join(fields).replace("Content-Length", "CL").replace("Transfer-Encoding", "TE"))
def test_a_length_that_is_not_one_is_refused(client, fields):
    """H2"""
    post(client, *fields, body=b"5\r\nhello\r\n0\r\n\r\n", path="/upload")
    want_400(client)


def test_a_transfer_coding_we_do_not_know_gets_501(client):
    post(client, "Transfer-Encoding: gzip, chunked", body=b"5\r\nhello\r\n0\r\n\r\n")
    assert client.want_response().status == 501


def test_transfer_encoding_in_http_1_0_is_refused(client):
    client.request("POST", "/echo", "Transfer-Encoding: chunked", version="HTTP/1.0", body=b"5\r\nhello\r\n0\r\n\r\n")
    want_400(client)


# ---- Expect (RFC 9110 10.1.1)

def test_an_expectation_is_met_with_100(client):
    post(client, "Content-Length: 4", "Expect: 100-continue")
    assert client.want_head().status == 100
    client.send(b"body")
    assert client.want_response().body == b"body"


def test_a_refusal_comes_in_place_of_100(client):
    post(client, "Content-Length: 999999999999", "Expect: 100-continue", path="/upload")
    response = client.want_response()
    assert (response.status, response.informational) == (413, [])


def test_an_expectation_of_http_1_0_is_ignored(client):
    client.request("POST", "/echo", "Content-Length: 4", "Expect: 100-continue", version="HTTP/1.0", body=b"body")
    response = client.want_response()
    assert (response.status, response.informational, response.body) == (200, [], b"body")


def test_an_unknown_expectation_gets_417(client):
    client.request("GET", "/hello", "Expect: miracles")
    assert client.want_response().status == 417


# ---- uploads that are refused (RFC 9112 9.6)

def test_a_refused_upload_gets_its_answer_though_the_client_goes_on_sending(server):
    """Lingering close: without it the reset would take the answer from the client's buffer."""
    for _ in range(10):
        with Http1Client(server.address()) as client:
            size = 100 * 2**20
            client.request("POST", "/upload", f"Content-Length: {size}")
            try:
                for _ in range(64):
                    client.send(bytes(65536))
            except (BrokenPipeError, ConnectionResetError):
                pass
            assert client.want_response().status == 413


def test_a_body_that_grows_too_large_gets_413(client):
    post(client, "Transfer-Encoding: chunked", path="/upload")
    piece = b"100000\r\n" + bytes(2**20) + b"\r\n"
    try:
        for _ in range(66):
            client.send(piece)
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert client.want_response().status == 413


def test_a_body_that_no_handler_reads_is_skipped(client):
    client.request("GET", "/hello", "Content-Length: 10", body=b"0123456789")
    assert client.want_response().body == b"hello\n"
    assert client.get("/hello").body == b"hello\n"


def test_a_body_cut_short_is_no_request(server):
    with Http1Client(server.address()) as client:
        post(client, "Content-Length: 10", body=b"12345", path="/upload")
        client.sock.shutdown(socket.SHUT_WR)
        data = b""
        while piece := client.read_some():
            data += piece
        assert b"200" not in data.partition(b"\r\n")[0], data
    server.wait_stats(lambda s: s["requests"]["in_flight"] == 0, "the handler has ended")

"""HTTP/1.1 as RFC 9112 and 9110 want it, parking on and off."""

import json
import socket

import pytest

from harness.h1 import Http1Client


@pytest.fixture
def client(server):
    with Http1Client(server.address()) as connected:
        yield connected


def want_refused(client, status):
    """That answer, and the connection ends."""
    response = client.want_response()
    assert response.status == status, response
    assert response.get("connection") == "close"
    client.want_closed()


def test_pipelined_requests_are_answered_in_order(client):
    client.send("".join(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        for path in ("/delay/100", "/bytes/70000", "/hello", "/status/204", "/info")))
    assert client.want_response().body == b"done\n"
    assert len(client.want_response().body) == 70000
    assert client.want_response().body == b"hello\n"
    assert client.want_response().status == 204
    assert json.loads(client.want_response().body)["request"] == 5


def test_many_pipelined_requests_are_all_answered(client):
    import threading
    count = 5000
    sender = threading.Thread(target=client.send, args=(b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n" * count,))
    sender.start()
    for _ in range(count):
        assert client.want_response().body == b"hello\n"
    sender.join()


def test_pipelined_uploads_are_kept_apart(client):
    client.send(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nfirst"
                b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nsecond\r\n0\r\n\r\n"
                b"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    assert [client.want_response().body for _ in range(3)] == [b"first", b"second", b"hello\n"]


def test_a_request_in_single_bytes_is_read(client):
    for byte in b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n":
        client.send(bytes([byte]))
    assert client.want_response().body == b"hello\n"


def test_a_target_in_absolute_form_names_the_host(client):
    client.request("GET", "http://example.org:8080/info?x=1", host="elsewhere")
    info = json.loads(client.want_response().body)
    assert (info["authority"], info["target"]) == ("example.org:8080", "/info?x=1")


@pytest.mark.parametrize("fields", [[], ["Host: a", "Host: a"], ["Host: a", "Host: b"], ["Host: a b"],
                                    ["Host: a/b"], ["Host: user@a"]])
def test_a_host_that_is_missing_twice_there_or_wrong_gets_400(client, fields):
    client.request("GET", "/hello", *fields, host=None)
    want_refused(client, 400)


def test_http_1_0_needs_no_host_and_is_closed(client):
    client.request("GET", "/hello", host=None, version="HTTP/1.0")
    response = client.want_response()
    assert (response.status, response.body) == (200, b"hello\n")
    assert response.get("transfer-encoding") is None
    client.want_closed()


def test_http_1_0_with_keep_alive_stays(client):
    for _ in range(2):
        client.request("GET", "/hello", "Connection: keep-alive", host=None, version="HTTP/1.0")
        response = client.want_response()
        assert (response.body, response.get("connection").lower()) == (b"hello\n", "keep-alive")


def test_http_1_0_gets_a_stream_until_the_end_of_the_connection(client):
    client.request("GET", "/stream/3", "Connection: keep-alive", host=None, version="HTTP/1.0")
    response = client.want_response()
    assert response.get("transfer-encoding") is None
    assert response.body == b"chunk 1\nchunk 2\nchunk 3\n"


def test_connection_close_is_obeyed(client):
    client.request("GET", "/hello", "Connection: close")
    want_refused(client, 200)


def test_close_among_other_tokens_is_obeyed(client):
    client.request("GET", "/hello", "Connection: foo, CLOSE")
    assert client.want_response().body == b"hello\n"
    client.want_closed()


# ---- methods and versions

@pytest.mark.parametrize("line, status", [
    ("BREW /hello HTTP/1.1", 501),
    ("CONNECT localhost:80 HTTP/1.1", 501),
    ("TRACE /hello HTTP/1.1", 405),
    ("DELETE /hello HTTP/1.1", 405),
    ("POST /hello HTTP/1.1", 405),
])
def test_a_method_that_is_unknown_or_not_allowed_is_refused(client, line, status):
    client.send(f"{line}\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
    response = client.want_response()
    assert response.status == status
    if status == 405:
        assert "GET" in response.get("allow") and "HEAD" in response.get("allow")


def test_options_of_the_server_as_a_whole(client):
    client.request("OPTIONS", "*")
    response = client.want_response()
    assert response.status in (200, 204) and "GET" in response.get("allow")


def test_options_of_a_route_lists_its_methods(client):
    client.request("OPTIONS", "/upload")
    assert {"POST", "PUT", "OPTIONS"} <= {m.strip() for m in client.want_response().get("allow").split(",")}


def test_head_is_get_without_the_body(client):
    client.request("HEAD", "/bytes/12345")
    response = client.want_response(head=True)
    assert (response.status, response.get("content-length")) == (200, "12345")
    assert client.get("/hello").body == b"hello\n"


@pytest.mark.parametrize("version, status", [("HTTP/2.0", 505), ("HTTP/3.0", 505), ("HTTP/0.9", 505), ("HTTP/9.9", 505),
                                             ("HTTP/1", 400), ("HTTP/1.1.1", 400), ("HTTPS/1.1", 400),
                                             ("http/1.1", 400)])
def test_other_versions_are_refused(client, version, status):
    client.request("GET", "/hello", version=version)
    want_refused(client, status)


def test_a_later_minor_version_is_served_as_1_1(client):
    client.request("GET", "/hello", version="HTTP/1.2")
    assert client.want_response().status == 200


# ---- what is no request

@pytest.mark.parametrize("head", [
    "GET\r\nHost: a\r\n\r\n",
    "GET /hello\r\nHost: a\r\n\r\n",
    "GET  /hello HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /hello HTTP/1.1 x\r\nHost: a\r\n\r\n",
    "GET hello HTTP/1.1\r\nHost: a\r\n\r\n",
    " GET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /hel\0lo HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost : a\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: a\r\nx\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: a\r\nx y: z\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: a\r\nx: a\r\n folded\r\n\r\n",
    "GET /hello HTTP/1.1\r\n Host: a\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: a\r\nx: \0\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: a\r\nx: a\rb\r\n\r\n",
    "G\x7fT /hello HTTP/1.1\r\nHost: a\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "x" * 100 + "\r\n\r\n",
], ids=["one-word", "no-version", "two-spaces", "four-words", "relative", "leading-space", "nul-in-target",
        "space-before-colon", "no-colon", "no-name", "space-in-name", "obs-fold", "space-first", "nul", "bare-cr",
        "control", "tls-hello"])
def test_what_is_no_request_gets_400(client, head):
    client.send(head)
    want_refused(client, 400)


def test_empty_lines_before_a_request_are_passed_over(client):
    client.send("\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    assert client.want_response().status == 200


def test_a_request_that_begins_like_the_preface_gets_400(client):
    """H4"""
    client.send("PRI * HTTP/1.1\r\nHost: a\r\n\r\n")
    want_refused(client, 400)


def test_an_upgrade_to_h2c_is_ignored(client):
    """H4; RFC 9113 3.1"""
    client.request("GET", "/info", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c",
                   "HTTP2-Settings: AAMAAABkAAQAAP__")
    response = client.want_response()
    assert (response.status, json.loads(response.body)["protocol"]) == (200, "HTTP/1.1")
    assert response.get("upgrade") is None
    assert client.get("/hello").body == b"hello\n"


def test_too_many_fields_get_431(client):
    client.request("GET", "/hello", *(f"x-{i}: v" for i in range(101)))
    want_refused(client, 431)


def test_too_many_header_bytes_get_431(client):
    client.request("GET", "/hello", "x: " + "v" * 70_000)
    want_refused(client, 431)


def test_a_target_that_is_too_long_gets_414_or_431(client):
    client.request("GET", "/" + "x" * 70_000)
    response = client.want_response()
    assert response.status in (414, 431)


# ---- a half-closed client

@pytest.mark.parametrize("path, body", [("/hello", b"hello\n"), ("/delay/200", b"done\n")])
def test_a_half_closed_client_still_gets_its_answer(client, path, body):
    client.request("GET", path)
    client.sock.shutdown(socket.SHUT_WR)
    assert client.want_response().body == body
    client.want_closed()


def test_a_half_closed_client_gets_all_it_pipelined(client):
    client.send(b"GET /delay/50 HTTP/1.1\r\nHost: a\r\n\r\n" * 3)
    client.sock.shutdown(socket.SHUT_WR)
    assert [client.want_response().body for _ in range(3)] == [b"done\n"] * 3
    client.want_closed()


def test_a_half_closed_client_gets_its_large_answer(client):
    client.request("GET", "/bytes/4MiB")
    client.sock.shutdown(socket.SHUT_WR)
    assert len(client.want_response().body) == 4 * 2**20
    client.want_closed()


def test_a_client_that_goes_away_ends_its_handler(server, client):
    client.request("GET", "/wait?ms=600000")
    server.wait_stats(lambda s: s["requests"]["in_flight"] == 1, "it runs")
    client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()
    server.wait_stats(lambda s: s["requests"]["in_flight"] == 0 and s["tasks"]["handler"] == 0, "it has ended")

"""Every built-in route, over both protocols, plain and TLS, parking on and off."""

import json
import re
import time

import pytest
from hyperframe.frame import RstStreamFrame

from harness import frames as f
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.server import Server
from harness.tls import tls_h1, tls_h2

PATTERN = b"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk\n"


@pytest.fixture(params=["on", "off"], ids=["park-on", "park-off"], scope="module")
def both(request):
    with Server("--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0", "--self-signed", "--park", request.param,
                "--threads", 2) as running:
        yield running


class Peer:
    """One way to ask for things, whatever the protocol."""

    def __init__(self, client, http2):
        self.client, self.http2 = client, http2

    def ask(self, path, *fields, method="GET"):
        if self.http2:
            return self.client.get(path, *fields, method=method)
        self.client.request(method, path, *(f"{name}: {value}" for name, value in fields))
        return self.client.want_response(head=method == "HEAD")

    def post(self, path, body, *fields):
        if self.http2:
            return self.client.post(path, body, *fields)
        self.client.request("POST", path, f"Content-Length: {len(body)}",
                            *(f"{name}: {value}" for name, value in fields), body=body)
        return self.client.want_response()


@pytest.fixture(params=["h2", "h1", "h2-tls", "h1-tls"])
def peer(request, both):
    secure = request.param.endswith("-tls")
    http2 = request.param.startswith("h2")
    if secure:
        client = (tls_h2 if http2 else tls_h1)(both.address("https"))
    else:
        client = (Http2Client if http2 else Http1Client)(both.address())
    with client:
        if http2:
            client.greet()
        yield Peer(client, http2)


def test_hello(peer):
    response = peer.ask("/hello")
    assert (response.status, response.body, response.get("content-length")) == (200, b"hello\n", "6")
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", response.get("date"))


def test_the_index_lists_every_route(peer):
    listed = peer.ask("/").body.decode()
    for route in ("/hello", "/bytes/", "/stream/", "/echo", "/upload", "/status/", "/delay/", "/drip", "/events",
                  "/wait", "/trailers", "/bigheader/", "/manyheaders/", "/early-hints", "/info", "/rst"):
        assert route in listed
    assert peer.ask("/", ("accept", "text/html")).get("content-type").startswith("text/html")


@pytest.mark.parametrize("size", [0, 1, 16384, 16385, 300_001])
def test_bytes(peer, size):
    response = peer.ask(f"/bytes/{size}")
    assert response.get("content-length") == str(size)
    assert response.body == (PATTERN * (size // 64 + 1))[:size]


def test_bytes_with_a_unit(peer):
    assert len(peer.ask("/bytes/64KiB").body) == 65536


@pytest.mark.parametrize("path", ["/bytes/x", "/bytes/-1", "/stream/x", "/delay/x", "/drip?bytes=x", "/events?count=x",
                                  "/wait?ms=x", "/bigheader/x", "/manyheaders/x", "/status/99", "/status/600"])
def test_a_parameter_that_makes_no_sense_gets_400(peer, path):
    assert peer.ask(path).status == 400


def test_stream(peer):
    response = peer.ask("/stream/5")
    assert response.body == b"".join(b"chunk %d\n" % i for i in range(1, 6))
    assert response.get("content-length") is None


def test_echo(peer):
    body = bytes(range(256)) * 64
    response = peer.post("/echo", body, ("content-type", "application/x-test"))
    assert (response.body, response.get("content-type")) == (body, "application/x-test")


def test_echo_of_nothing(peer):
    response = peer.post("/echo", b"")
    assert (response.status, response.body) == (200, b"")


def test_upload(peer):
    assert json.loads(peer.post("/upload", b"x" * 40000).body) == {"bytes": 40000}


@pytest.mark.parametrize("code", [200, 201, 204, 205, 301, 304, 400, 401, 404, 405, 418, 500, 503, 599])
def test_status(peer, code):
    response = peer.ask(f"/status/{code}")
    assert response.status == code
    if code in (204, 304):
        assert response.body == b"" and response.get("transfer-encoding") is None
    assert peer.ask("/hello").status == 200


def test_delay(peer):
    before = time.monotonic()
    assert peer.ask("/delay/150").body == b"done\n"
    assert time.monotonic() - before >= 0.145


def test_drip(peer):
    before = time.monotonic()
    assert peer.ask("/drip?bytes=3&interval=50ms&count=4").body == b"." * 12
    assert time.monotonic() - before >= 0.145


def test_events(peer):
    response = peer.ask("/events?interval=20ms&count=3")
    assert response.get("content-type").startswith("text/event-stream")
    events = response.body.decode().split("\n\n")
    assert events.pop() == ""
    assert [event.split("\n")[0] for event in events] == ["id: 1", "id: 2", "id: 3"]
    assert all(json.loads(event.split("data: ")[1])["n"] == n for n, event in enumerate(events, 1))


def test_wait(peer):
    assert 140 <= json.loads(peer.ask("/wait?ms=150").body)["waited_ms"] < 5000


def test_trailers(peer):
    response = peer.ask("/trailers")
    assert dict(response.trailers) == {"x-body-bytes": str(len(response.body)), "x-body-done": "true"}


@pytest.mark.parametrize("size", [0, 100, 20_000, 60_000])
def test_bigheader(peer, size):
    assert peer.ask(f"/bigheader/{size}").get("x-big") == "x" * size
    assert peer.ask("/hello").status == 200


def test_manyheaders(peer):
    fields = dict(peer.ask("/manyheaders/500").fields)
    assert all(fields[f"x-header-{i}"] == str(i) for i in range(1, 501))


def test_early_hints(peer):
    response = peer.ask("/early-hints")
    assert response.status == 200
    assert [hint.status for hint in response.informational] == [103]
    assert "preload" in response.informational[0].get("link")


def test_info_tells_what_the_server_saw(peer, both):
    first = json.loads(peer.ask("/info", ("x-mine", "one"), ("x-mine", "two")).body)
    assert first["protocol"].startswith("HTTP/2") if peer.http2 else first["protocol"] == "HTTP/1.1"
    assert (first["method"], first["target"], first["authority"]) == ("GET", "/info", "localhost")
    assert [value for name, value in first["headers"] if name == "x-mine"] == ["one", "two"]
    second = json.loads(peer.ask("/info?a=b", method="POST" if not peer.http2 else "GET").body) \
        if peer.http2 else json.loads(peer.ask("/info?a=b").body)
    assert second["target"] == "/info?a=b"
    assert (second["connection"], second["request"]) == (first["connection"], first["request"] + 1)
    if first["tls"] is not None:
        assert first["tls"]["version"].startswith("TLSv1.") and first["tls"]["server_name"] == "localhost"


def test_rst(both):
    with Http2Client(both.address()).greet() as client:
        stream = client.start("/rst")
        assert client.read_body(stream, 1)
        found = client.want_frame(RstStreamFrame, stream)
        assert found.error_code == f.CANCEL
        assert client.get("/hello").status == 200


def test_rst_over_http1_cuts_the_answer(both):
    with Http1Client(both.address()) as client:
        client.request("GET", "/rst")
        with pytest.raises(AssertionError, match="closed"):
            client.want_response()


def test_what_is_not_there_gets_404(peer):
    for path in ("/none", "/hello/", "/hello/x", "//hello", "/HELLO"):
        assert peer.ask(path).status == 404, path


def test_a_path_is_decoded_before_it_is_routed(peer):
    assert peer.ask("/%68ello").body == b"hello\n"


def test_a_method_that_the_route_has_not_gets_405(peer):
    response = peer.post("/hello", b"x")
    assert response.status == 405 and "GET" in response.get("allow")
    assert peer.ask("/hello").status == 200


@pytest.mark.parametrize("path", ["/hello", "/bytes/100", "/stream/3", "/events?count=1", "/trailers", "/info", "/"])
def test_head_has_no_body(peer, path):
    response = peer.ask(path, method="HEAD")
    assert (response.status, response.body) == (200, b"")
    assert peer.ask("/hello").body == b"hello\n"


def test_unknown_methods_get_501(peer):
    assert peer.ask("/hello", method="BREW").status == 501


def test_a_request_id_is_handed_back(peer):
    response = peer.ask("/info", ("x-request-id", "abc-123"))
    assert response.get("x-request-id") == "abc-123"
    assert json.loads(response.body)["request_id"] == "abc-123"

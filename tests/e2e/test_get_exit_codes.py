"""Exit codes of `h2park get`: curl's, each from the situation that it is for, with one line that says so."""

import gzip
import socket

import pytest

from harness.get import CURL, curl, get
from harness.scripted import Peer, answer, response
from harness.tls import make_certificate


def want(code, *arguments, naming=(), same_code_as_curl=True, **more):
    """Exactly one line on standard error, which names the things; none with -s, once there is a request."""
    got = get(*arguments, code=code, **more)
    lines = got.errors.splitlines()
    assert len(lines) == 1 and lines[0].startswith("h2park: "), got.errors
    for name in naming:
        assert name in lines[0], f"{name!r} is not named: {lines[0]}"
    of_a_request = lines[0].startswith(f"h2park: ({code}) ")
    assert of_a_request or lines[0].startswith("h2park: get: "), lines[0]
    if of_a_request:
        assert get("-s", *arguments, code=code, **more).errors == ""
    if CURL and same_code_as_curl:
        assert curl(*arguments, **more).code == code
    return got


def once(data, end=lambda line: None):
    def script(line):
        if line.read_request():
            line.send(data)
            end(line)
    return script


@pytest.fixture(scope="module")
def peer():
    with Peer(answer(response(b"body\n"))) as running:
        yield running


@pytest.fixture(name="closed_port")
def closed_port_():
    """Bound and not listening: nobody else gets it, and nothing answers there."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield sock.getsockname()[1]


def test_2_for_a_wrong_command_line(peer):
    want(2, "--no-such-option", peer.url(), naming=["--no-such-option"])
    want(2, naming=["URL"])
    want(2, "-m", "soon", peer.url(), naming=["max-time", "soon"])
    want(2, "-I", "-d", "x", peer.url(), naming=["head", "data"])


@pytest.mark.parametrize("field", ["a\r\nb: c", "a\nb", "a\x7f"])
@pytest.mark.parametrize("option", ["-A", "-e", "-b"])
def test_2_for_what_would_be_another_field(peer, option, field):
    before = peer.requests
    if option == "-b":
        field = "k=" + field
    want(2, option, field, peer.url(), same_code_as_curl=False)
    want(2, "-H", "Name: " + field, peer.url(), same_code_as_curl=False)
    assert peer.requests == before


def test_2_for_what_would_be_another_request_line(peer):
    before = peer.requests
    want(2, "-X", "GET / HTTP/1.1\r\nEvil: 1\r\n\r\n", peer.url(), same_code_as_curl=False)
    want(2, "-X", "GET /other", peer.url(), same_code_as_curl=False)
    assert peer.requests == before


@pytest.mark.parametrize("url", ["http://[::1/", "http://127.0.0.1:99999/", "http://h/a b", "http://h/a\r\nEvil: 1",
                                 "http://", "http://h:port/"])
def test_3_for_a_malformed_url(url):
    want(3, url, naming=["URL"])


def test_3_for_a_redirect_to_one():
    with Peer(answer(response(b"", "Location: http://[::1/", status="302 Found"))) as peer:
        want(3, "-L", peer.url(), naming=["Redirect", "http://[::1/"])


def test_5_for_a_proxy_without_an_address(peer):
    want(5, peer.url(), env={"http_proxy": "http://proxy.invalid:1"}, naming=["proxy.invalid"])


def test_6_for_a_host_without_an_address():
    want(6, "http://nothing.invalid/", naming=["nothing.invalid"])


def test_7_for_a_refused_connection(closed_port):
    want(7, f"http://127.0.0.1:{closed_port}/", naming=["127.0.0.1", str(closed_port), "refused"])
    want(7, "http://h.example/", env={"http_proxy": f"http://127.0.0.1:{closed_port}"}, naming=[str(closed_port)])


def test_7_for_a_missing_unix_socket(tmp_path):
    want(7, "--unix-socket", tmp_path / "none.sock", "http://localhost/", naming=["none.sock"])


def test_7_for_an_address_of_the_family_that_was_ruled_out(peer):
    want(7, "-6", peer.url(), naming=["127.0.0.1", "IPv6"])
    want(7, "-4", "http://[::1]:80/", naming=["::1", "IPv4"])


@pytest.mark.parametrize("answered", [b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 2000 OK\r\n\r\n",
                                      b"HTTP/1.1 20 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                                      b"HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
                                      b"HTTP/1.1 200 OK\r\n A: b\r\n\r\n", b"HTTP/2 200\r\n\r\n", b"\0\1\2\3" * 20])
def test_8_for_what_is_no_http(answered):
    with Peer(once(answered, lambda line: line.hang())) as peer:
        want(8, peer.url(), naming=[f"127.0.0.1:{peer.port}"], same_code_as_curl=False)


@pytest.mark.parametrize("answered", [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
                                      b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
                                      b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
                                      b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n"])
def test_18_for_a_body_that_ends_too_early(answered, tmp_path):
    with Peer(once(answered)) as peer:
        got = want(18, peer.url(), naming=["remaining"])
        assert got.body in (b"abc", b"ab")
        # What came is kept, as with curl.
        get("-s", "-o", tmp_path / "f", peer.url(), code=18)
        assert (tmp_path / "f").read_bytes() == got.body


def test_22_for_a_status_of_400_and_above():
    with Peer(answer(response(b"not here", status="404 Not Found"))) as peer:
        assert want(22, "-f", peer.url(), naming=["404"]).body == b""
        assert get(peer.url()).body == b"not here"


def test_23_for_what_could_not_be_written(peer, tmp_path):
    want(23, "-o", tmp_path, peer.url(), naming=[str(tmp_path), "directory"], same_code_as_curl=False)
    want(23, "-o", tmp_path / "no" / "file", peer.url(), naming=["no/file"], same_code_as_curl=False)
    want(23, "-o", "/dev/full", peer.url(), naming=["/dev/full", "No space"])
    want(23, "-O", peer.url(), naming=["no file's name"], same_code_as_curl=False)


def test_26_for_what_could_not_be_read(peer, tmp_path):
    before = peer.requests
    missing = tmp_path / "missing"
    for option in ("-d", "--data-binary", "-H", "-w"):
        want(26, option, f"@{missing}", peer.url(), naming=[str(missing), "No such file"], same_code_as_curl=False)
    assert peer.requests == before


def test_28_for_a_server_that_takes_too_long():
    with Peer(once(b"", lambda line: line.hang())) as peer:
        want(28, "-m", "0.1", peer.url(), naming=["timed out", "0 bytes"])
    with Peer(once(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", lambda line: line.hang())) as peer:
        assert want(28, "-m", "0.3", peer.url(), naming=["3 out of 10 bytes"]).body == b"abc"


def test_28_for_a_connection_that_takes_too_long():
    # It accepts nothing, so that TLS is never begun.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        want(28, "--connect-timeout", "0.1", url, naming=["timed out"])


def test_28_for_a_body_without_an_end():
    def flood(line):
        if line.read_request():
            line.send(b"HTTP/1.1 200 OK\r\n\r\n")
            while not line.peer.over.is_set():
                line.send(b"x" * 65536)
    with Peer(flood) as peer:
        want(28, "-m", "0.2", "-o", "/dev/null", peer.url(), naming=["timed out"])


def test_35_for_a_server_without_tls():
    def speak_first(line):
        line.send(b"220 mail.example ESMTP\r\n")
        line.hang()
    with Peer(speak_first) as peer:
        want(35, f"https://localhost:{peer.port}/", naming=["TLS", "localhost"])


@pytest.mark.parametrize("count", [0, 3])
def test_47_for_redirects_without_an_end(count):
    with Peer(answer(response(b"", "Location: /again", status="302 Found"))) as peer:
        want(47, "-L", "--max-redirs", count, peer.url(), naming=[str(count), "redirects"])
        assert peer.requests == (count + 1) * (3 if CURL else 2)


def test_52_for_a_server_that_says_nothing():
    with Peer(lambda line: line.read_request()) as peer:
        want(52, peer.url(), naming=["Empty reply"])


def test_56_for_a_connection_that_breaks():
    with Peer(once(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", lambda line: line.reset())) as peer:
        want(56, peer.url(), naming=["reset"])
    with Peer(once(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", lambda line: line.hang())) as peer:
        want(56, peer.url(), naming=["chunk"])


def test_56_for_a_proxy_that_refuses():
    with Peer(answer(response(b"no", status="403 Forbidden"))) as peer:
        want(56, "https://h.example/", env={"https_proxy": peer.url()}, naming=["403", str(peer.port)])


def test_60_for_a_certificate_that_is_not_trusted(certificate, tmp_path):
    other = make_certificate(tmp_path, "other")[0]
    with Peer(answer(response(b"secret")), certificate) as peer:
        want(60, peer.url(), naming=["localhost", "self-signed"], same_code_as_curl=False)
        want(60, "--cacert", other, peer.url(), naming=["localhost"], same_code_as_curl=False)
        elsewhere = f"https://other.example:{peer.port}/"
        want(60, "--cacert", certificate[0], "--connect-to", f"::127.0.0.1:{peer.port}", elsewhere,
             naming=["other.example"], same_code_as_curl=False)
        assert peer.requests == 0
        assert get("-k", peer.url()).body == b"secret"


@pytest.mark.parametrize("body, coding", [(b"no gzip at all", "gzip"), (gzip.compress(b"x" * 9000)[:-9], "gzip"),
                                          (b"x", "unheard-of")])
def test_61_for_a_body_that_is_not_what_it_says(body, coding):
    with Peer(answer(response(body, "Content-Encoding: " + coding))) as peer:
        got = want(61, "--compressed", peer.url(), naming=[coding], same_code_as_curl=False)
        assert got.body in (b"", (b"x" * 9000)[:len(got.body)] if coding == "gzip" else b"")
        # Unasked it is passed on as it is.
        assert get(peer.url()).body == body

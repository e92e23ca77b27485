"""What `h2park get` does for one URL after the other, beside the real curl: same bytes, same exit codes."""

import gzip
import os
import zlib

import pytest

from harness.get import CURL, curl, get, same_as_curl
from harness.scripted import Peer, answer, in_turn, response
from harness.server import Server

pytestmark = pytest.mark.skipif(not CURL, reason="curl is not installed")

# Both sides send it, or sizes would differ.
SAME_AGENT = ("-A", "agent")


@pytest.fixture(scope="module", name="site")
def site_():
    with Server("--threads", 1) as server:
        yield server.url()


def heard_alike(peer, *arguments, code=0, drop=("user-agent", "proxy-connection"), **more):
    """Both make the same requests: method, target, fields without regard to their order, body. Returns the last."""
    before = peer.requests
    ours, _ = same_as_curl(*arguments, **more)
    assert ours.code == code, ours.errors
    heard = [(h.method, h.target, h.version, sorted(f for f in h.fields if f[0] not in drop), h.body)
             for h in peer.heard[before:]]
    # RFC 6265 4.2.1 has a space between cookies.
    heard = [(*h[:3], [(name, value.replace("; ", ";")) for name, value in h[3]], h[4]) for h in heard]
    half = len(heard) // 2
    assert half > 0 and heard[:half] == heard[half:], heard
    return peer.heard[before + half - 1]


@pytest.fixture(scope="module", name="peer")
def peer_():
    with Peer(answer(response(b"body\n", "Content-Type: text/plain", "X-Two: 1", "X-Two: 2"))) as running:
        yield running


# ---- requests

@pytest.mark.parametrize("arguments", [
    [], ["-X", "DELETE"], ["-X", "PUT", "-d", "x"], ["-d", "a=1"], ["-d", "a=1", "-d", "b=2"], ["-d", ""],
    ["-d", "@-"], ["--data-binary", "@-"], ["--data-raw", "@-"], ["-H", "X-A: 1", "-H", "x-b:2"], ["-H", "Accept:"],
    ["-H", "X-Empty;"], ["-H", "Host: other.example"], ["-H", "@-"], ["-A", "agent"], ["-A", ""], ["-e", "http://r/"],
    ["-b", "a=1; b=2"], ["-b", "a=1", "-b", "b=2"], ["-u", "user:pass:word"], ["-u", "user:"], ["-0"], ["--http1.1"],
    ["-I"], ["-d", "x", "-H", "Content-Type: text/x"], ["-H", "Connection: close"]])
def test_requests_are_curls(peer, arguments):
    drop = ["proxy-connection"] if "-A" in arguments else ["user-agent", "proxy-connection"]
    heard_alike(peer, *arguments, peer.url("/a?b=c"), stdin=b"X-One: 1\r\nX-Two: 2\n", drop=drop)


@pytest.mark.parametrize("written", ["/a/./b/../c", "/?q", "?q=1", "/a#fragment", "/%41%2f", "", "/a?b?c", "//a//"])
def test_targets_are_curls(peer, written):
    heard_alike(peer, peer.origin + written)


def test_userinfo_is_credentials_and_not_shown(peer):
    url = f"http://us%20er:pa%3Ass@127.0.0.1:{peer.port}/"
    assert heard_alike(peer, url).get("authorization") == "Basic dXMgZXI6cGE6c3M="
    got = get("-v", "-w", "%{url_effective}", url)
    assert "pa" + "%3Ass" not in got.errors + got.text and "pa:ss" not in got.errors


def test_cookies_of_a_file_and_of_the_server(tmp_path):
    jar = tmp_path / "jar"
    jar.write_text("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tfrom\tfile\n"
                   "127.0.0.1\tFALSE\t/other\tFALSE\t0\tother\tpath\n")
    for source in (jar, ""):
        with Peer(in_turn(response(b"", "Set-Cookie: set=1"), response(b""))) as peer:
            get("-b", source, peer.url(), peer.url())
            first, second = (heard.get("cookie") for heard in peer.heard)
            assert first == ("from=file" if source else None)
            assert set(second.split("; ")) == ({"from=file", "set=1"} if source else {"set=1"})


def test_a_body_in_chunks(site):
    for body in (b"", b"hello", b"x" * 100_000):
        ours, _ = same_as_curl("-H", "Transfer-Encoding: chunked", "--data-binary", "@-", site + "/echo", stdin=body)
        assert ours.body == body


# ---- answers

def test_bodies_heads_and_files(site, tmp_path):
    for arguments in (["/hello"], ["/hello", "/bytes/10"], ["/nothing"], ["-f", "/nothing"], ["-sf", "/nothing"],
                      ["-f", "/hello"], ["/bytes/1000000"], ["-X", "PUT", "-d", "x", "/echo"]):
        same_as_curl(*[site + each if each.startswith("/") else each for each in arguments])
    with Peer(answer(response(bytes(range(256)) * 100, "X: y", status="200 Fine thing"))) as peer:
        same_as_curl("-i", peer.url())
        same_as_curl("-o", tmp_path / "body", peer.url())
        assert (tmp_path / "body").read_bytes() == bytes(range(256)) * 100
    with Peer(answer(b"HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 5\r\n\r\n")) as peer:
        same_as_curl("-I", peer.url())
        same_as_curl("-I", "-i", peer.url())


@pytest.mark.parametrize("path", ["/hello", "/a/b.txt?c/d", "/x%2Fy", "/%2e%2e%2f%2e%2e%2fz", "/a\\b", "/.hidden"])
def test_remote_names_stay_in_this_folder(peer, path, tmp_path):
    made = []
    for run in (get, curl):
        folder = tmp_path / run.__name__ / "here"
        folder.mkdir(parents=True)
        run("-O", peer.url(path), cwd=folder)
        assert os.listdir(folder.parent) == ["here"]
        made += os.listdir(folder)
        assert (folder / made[-1]).read_bytes() == b"body\n"
    assert made[0] == made[1] or "\\" in path, made


def test_a_file_is_only_touched_once_there_is_something_for_it(peer, tmp_path):
    kept = tmp_path / "kept"
    kept.write_text("before")
    same_as_curl("-s", "-o", kept, "http://nothing.invalid/")
    assert kept.read_text() == "before"
    get("-o", kept, peer.url())
    assert kept.read_text() == "body\n"


CODED = {"gzip": gzip.compress(b"hello" * 1000), "deflate": zlib.compress(b"hello" * 1000),
         "identity": b"hello" * 1000}


@pytest.mark.parametrize("coding", CODED)
def test_compressed_bodies_are_undone_if_asked(coding):
    with Peer(answer(response(CODED[coding], "Content-Encoding: " + coding))) as peer:
        ours, _ = same_as_curl("--compressed", peer.url())
        assert ours.body == b"hello" * 1000
        assert "gzip" in peer.heard[0].get("accept-encoding")
        assert get(peer.url()).body == CODED[coding]


def test_a_bomb_is_written_as_it_comes(tmp_path):
    with Peer(answer(response(gzip.compress(bytes(50_000_000)), "Content-Encoding: gzip"))) as peer:
        get("--compressed", "-o", tmp_path / "out", peer.url())
    assert (tmp_path / "out").stat().st_size == 50_000_000


# ---- --write-out

SURE = ("content_type", "errormsg", "exitcode", "filename_effective", "ftp_entry_path", "http_code", "http_connect",
        "http_version", "local_ip", "method", "num_connects", "num_headers", "num_redirects", "proxy_ssl_verify_result",
        "redirect_url", "referer", "remote_ip", "remote_port", "response_code", "scheme", "size_download",
        "size_header", "size_request", "size_upload", "ssl_verify_result", "stderr", "stdout", "time_redirect", "url",
        "url_effective", "urlnum", "onerror", "header_json")


def test_variables_are_curls(peer, site):
    every = "\\n".join(f"{name}=%{{{name}}}" for name in SURE) + "\\r\\t%%%{nothing}%|\\z\n"
    with Peer(answer(response(b"", "Location: /next", status="302 Found"))) as redirects:
        for url in (peer.url("/a?b"), site + "/hello", redirects.url(), site + "/nothing"):
            for flags in ([], ["-e", "http://r/"], ["-X", "PUT"], ["-o", "/dev/null"], ["-I"]):
                same_as_curl(*SAME_AGENT, *flags, "-w", every, url)


def test_variables_of_failures_are_curls():
    # curl tells the remote address and a connection even of an attempt that came to nothing.
    sure = [name for name in SURE if name not in ("errormsg", "remote_ip", "remote_port", "num_connects", "local_ip")]
    form = "\\n".join(f"{name}=%{{{name}}}" for name in sure)
    with Peer(lambda line: line.read_request()) as silent:
        for url in ("http://nothing.invalid/", silent.url()):
            same_as_curl("-s", *SAME_AGENT, "-w", form, url)


def test_a_format_may_come_from_a_file(peer, tmp_path):
    form = tmp_path / "format"
    form.write_text("%{http_code}\n %{size_download}\\n\r\n")
    ours, _ = same_as_curl("-w", f"@{form}", peer.url())
    assert ours.body == b"body\n200 5\n"
    same_as_curl("-w", "@-", peer.url(), stdin=b"%{method}")


def test_each_url_has_its_line(site):
    urls = [site + "/hello", site + "/nothing", site + "/bytes/3"]
    same_as_curl("-w", "%{urlnum} %{http_code} %{num_connects}\n", *urls)


# ---- failures on their way, tried again

def retried(tmp_path, *flags):
    """Both fetch from a server that is busy at first."""
    busy = response(b"busy", "Retry-After: 0", status="503 Service Unavailable")
    files = []
    for run in (get, curl):
        with Peer(in_turn(busy, response(b"at last"))) as peer:
            path = tmp_path / f"{len(files)}"
            run("-s", *flags, "-o", path, peer.url())
            files.append(path.read_bytes())
            assert peer.requests == 2
    return files


@pytest.mark.parametrize("flags", [["--retry", 3], ["--retry", 3, "-i"], ["--retry", 3, "-d", "x"]])
def test_a_file_has_only_the_last_attempt(tmp_path, flags):
    ours, _ = retried(tmp_path, *flags)
    assert ours == (response(b"at last") if "-i" in flags else b"at last")


def test_retries_are_as_many_as_told():
    with Peer(answer(response(b"busy", "Retry-After: 0", status="503 Busy"))) as peer:
        got = get("-s", "-f", "--retry", 2, "-w", "%{num_retries} %{http_code}", peer.url(), code=22)
        assert peer.requests == 3 and got.text == "2 503"
    with Peer(answer(response(b"no", status="404 No"))) as peer:
        get("-s", "--retry", 2, peer.url())
        assert peer.requests == 1

"""--root: files at /, over both protocols; nothing outside of it."""

import os

import pytest

from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.server import Server

LARGE = os.urandom(1024) * 3000


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server for a directory; beside it lies a file that nobody must see."""
    base = tmp_path_factory.mktemp("site")
    (base / "secret.txt").write_text("secret")
    root = base / "root"
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "index.html").write_text("<h1>top</h1>")
    (root / "sub" / "index.html").write_text("<h1>sub</h1>")
    (root / "sub" / "deep" / "note.txt").write_text("0123456789")
    (root / "large.bin").write_bytes(LARGE)
    (root / "empty.txt").write_text("")
    (root / "sp ace.txt").write_text("space")
    (root / "ünï.txt").write_text("unicode")
    (root / ".hidden").write_text("secret")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("secret")
    (root / "link-out.txt").symlink_to("../secret.txt")
    (root / "link-abs.txt").symlink_to(base / "secret.txt")
    (root / "dir-out").symlink_to("..")
    (root / "link-in.txt").symlink_to("sub/deep/note.txt")
    os.mkfifo(root / "fifo")
    (root / "empty-dir").mkdir()
    with Server("--root", root, "--threads", 2) as running:
        yield running


@pytest.fixture(params=["h2", "h1"])
def ask(request, site):
    """ask(path, method="GET", **fields) -> response"""
    http2 = request.param == "h2"
    with (Http2Client if http2 else Http1Client)(site.address()) as client:
        if http2:
            client.greet()

        def send(path, method="GET", **fields):
            pairs = [(name.replace("_", "-"), value) for name, value in fields.items()]
            if http2:
                return client.get(path, *pairs, method=method)
            client.request(method, path, *(f"{name}: {value}" for name, value in pairs))
            return client.want_response(head=method == "HEAD")
        yield send


@pytest.mark.parametrize("path, body, kind", [
    ("/", b"<h1>top</h1>", "text/html"),
    ("/index.html", b"<h1>top</h1>", "text/html"),
    ("/sub/", b"<h1>sub</h1>", "text/html"),
    ("/sub/deep/note.txt", b"0123456789", "text/plain"),
    ("/large.bin", LARGE, "application/octet-stream"),
    ("/empty.txt", b"", "text/plain"),
    ("/sp%20ace.txt", b"space", "text/plain"),
    ("/%C3%BCn%C3%AF.txt", b"unicode", "text/plain"),
    ("/index.html?query=ignored", b"<h1>top</h1>", "text/html"),
    ("/link-in.txt", b"0123456789", "text/plain"),
])
def test_a_file_is_served(ask, path, body, kind):
    response = ask(path)
    assert (response.status, response.body, response.get("content-length")) == (200, body, str(len(body)))
    assert response.get("content-type").startswith(kind)
    assert response.get("etag") and response.get("last-modified")


@pytest.mark.parametrize("path", [
    "/../secret.txt", "/%2e%2e/secret.txt", "/sub/../../secret.txt", "/..%2fsecret.txt",
    "/sub/%2e%2e/%2e%2e/secret.txt",
    "/dir-out/secret.txt", "/link-out.txt", "/link-abs.txt", "/.hidden", "/%2ehidden", "/.git/config",
    "/..\\secret.txt", "//secret.txt", "/./secret.txt", "/secret.txt%00.html", "/%2f%2e%2e/secret.txt",
    "/dir-out/root/index.html",
])
def test_nothing_outside_and_no_dot_file_is_served(ask, path):
    response = ask(path)
    assert response.status in (400, 403, 404)
    assert b"secret" not in response.body.replace(b"secret.txt", b"")


@pytest.mark.parametrize("path", ["/none", "/none/", "/index.html/", "/empty-dir/", "/fifo", "/sub/none.txt"])
def test_what_is_not_there_gets_404(ask, path):
    assert ask(path).status == 404


def test_a_directory_without_its_slash_is_redirected(ask):
    response = ask("/sub?x=1")
    assert (response.status, response.get("location")) == (301, "/sub/?x=1")


def test_head_is_get_without_the_body(ask):
    response = ask("/large.bin", method="HEAD")
    assert (response.status, response.body, response.get("content-length")) == (200, b"", str(len(LARGE)))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_only_get_and_head_are_allowed(ask, method):
    response = ask("/index.html", method=method)
    assert response.status == 405 and "GET" in response.get("allow") and "HEAD" in response.get("allow")


def test_an_etag_that_matches_gets_304(ask):
    tag = ask("/index.html").get("etag")
    for condition in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        response = ask("/index.html", if_none_match=condition)
        assert (response.status, response.body, response.get("etag")) == (304, b"", tag)
    assert ask("/index.html", if_none_match='"other"').status == 200


def test_a_date_that_is_not_older_gets_304(ask):
    modified = ask("/index.html").get("last-modified")
    assert ask("/index.html", if_modified_since=modified).status == 304
    assert ask("/index.html", if_modified_since="Sat, 01 Jan 2000 00:00:00 GMT").status == 200
    assert ask("/index.html", if_modified_since="rubbish").status == 200


def test_an_etag_counts_more_than_a_date(ask):
    modified = ask("/index.html").get("last-modified")
    assert ask("/index.html", if_none_match='"other"', if_modified_since=modified).status == 200


def test_a_precondition_that_fails_gets_412(ask):
    assert ask("/index.html", if_match='"other"').status == 412
    assert ask("/index.html", if_match=ask("/index.html").get("etag")).status == 200


def test_a_changed_file_has_another_etag(ask, site):
    path = site.command[site.command.index("--root") + 1] + "/sub/deep/changing.txt"
    with open(path, "w") as out:
        out.write("one")
    first = ask("/sub/deep/changing.txt").get("etag")
    with open(path, "w") as out:
        out.write("two")
    os.utime(path, (1, 1))
    response = ask("/sub/deep/changing.txt", if_none_match=first)
    assert (response.status, response.body) == (200, b"two")


@pytest.mark.parametrize("asked, got, body", [
    ("bytes=0-3", "bytes 0-3/10", b"0123"),
    ("bytes=4-", "bytes 4-9/10", b"456789"),
    ("bytes=-3", "bytes 7-9/10", b"789"),
    ("bytes=8-100", "bytes 8-9/10", b"89"),
    ("bytes=-100", "bytes 0-9/10", b"0123456789"),
    ("bytes=0-0", "bytes 0-0/10", b"0"),
])
def test_a_range_is_served(ask, asked, got, body):
    response = ask("/sub/deep/note.txt", range=asked)
    assert (response.status, response.get("content-range"), response.body) == (206, got, body)


@pytest.mark.parametrize("asked", ["bytes=10-", "bytes=100-200", "bytes=-0"])
def test_a_range_outside_the_file_gets_416(ask, asked):
    response = ask("/sub/deep/note.txt", range=asked)
    assert (response.status, response.get("content-range")) == (416, "bytes */10")


@pytest.mark.parametrize("asked", ["bytes=0-1,3-4", "lines=1-2", "bytes=5-2", "bytes=x-", "bytes=", "0-3"])
def test_a_range_that_is_not_a_single_one_is_ignored(ask, asked):
    response = ask("/sub/deep/note.txt", range=asked)
    assert (response.status, response.body) == (200, b"0123456789")


def test_a_range_of_an_older_version_is_ignored(ask):
    tag = ask("/sub/deep/note.txt").get("etag")
    assert ask("/sub/deep/note.txt", range="bytes=0-3", if_range=tag).status == 206
    assert ask("/sub/deep/note.txt", range="bytes=0-3", if_range='"older"').status == 200


def test_a_range_of_a_large_file_is_exact(ask):
    response = ask("/large.bin", range="bytes=1000001-2000000")
    assert response.body == LARGE[1000001:2000001]

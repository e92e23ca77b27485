"""How `h2park get` reaches a server: addresses, unix sockets, TLS and proxies, beside the real curl."""

import socket
import threading

import pytest

from harness.get import CURL, curl, get, get_json, same_as_curl
from harness.scripted import Peer, answer, response
from harness.tls import make_certificate

pytestmark = pytest.mark.skipif(not CURL, reason="curl is not installed")

WHERE = "%{remote_ip} %{remote_port} %{http_code} %{scheme} %{ssl_verify_result} %{http_connect}\n"


@pytest.fixture(scope="module", name="peer")
def peer_():
    with Peer(answer(response(b"plain"))) as running:
        yield running


@pytest.fixture(scope="module", name="secure")
def secure_(certificate):
    with Peer(answer(response(b"secret")), certificate) as running:
        yield running


@pytest.fixture(scope="module", name="six")
def six_():
    try:
        with Peer(answer(response(b"six")), host="::1") as running:
            yield running
    except OSError:
        pytest.skip("there is no IPv6")


# ---- addresses

def test_names_can_be_given_addresses(peer):
    url = f"http://name.example:{peer.port}/"
    same_as_curl("-w", WHERE, "--resolve", f"name.example:{peer.port}:127.0.0.1", url)
    same_as_curl("-w", WHERE, "--resolve", f"*:{peer.port}:127.0.0.1", url)
    same_as_curl("-w", WHERE, "--connect-to", f"name.example:{peer.port}:127.0.0.1:{peer.port}", url)
    same_as_curl("-w", WHERE, "--connect-to", f"::127.0.0.1:{peer.port}", "http://name.example/")
    same_as_curl("-s", "--resolve", "other.example:80:127.0.0.1", "http://name.invalid/")
    assert {heard.get("host") for heard in peer.heard[-8:]} == {f"name.example:{peer.port}", "name.example"}


def test_the_next_address_is_tried(peer, six):
    """Nothing listens at the first one."""
    both = "[::1],127.0.0.1"
    assert get("--resolve", f"name.example:{peer.port}:{both}", f"http://name.example:{peer.port}/").body == b"plain"
    both = "127.0.0.1,[::1]"
    assert get("--resolve", f"name.example:{six.port}:{both}", f"http://name.example:{six.port}/").body == b"six"


def test_families_are_chosen(peer, six):
    same_as_curl("-w", WHERE, six.url())
    same_as_curl("-6", "-w", WHERE, six.url())
    same_as_curl("-4", "-w", WHERE, peer.url())
    for family, url in (("-4", six.url()), ("-6", peer.url())):
        before = peer.connections, six.connections
        ours, _ = same_as_curl("-s", family, url)
        assert ours.code == 7 and (peer.connections, six.connections) == before


def test_a_unix_socket_serves_every_host():
    with Peer(answer(response(b"unix")), unix=True) as peer:
        same_as_curl("--unix-socket", peer.path, "http://any.example/a?b", env={"http_proxy": "http://127.0.0.1:1"})
        assert [(heard.target, heard.get("host")) for heard in peer.heard] == [("/a?b", "any.example")] * 2


# ---- TLS

def test_certificates_are_verified(secure, certificate, tmp_path):
    other = make_certificate(tmp_path, "other")[0]
    for flags, code in (([], 60), (["-k"], 0), (["--cacert", certificate[0]], 0), (["--cacert", other], 60),
                        (["--cacert", tmp_path / "none"], 77), (["--cacert", certificate[1]], 77),
                        (["--cert", tmp_path / "none"], 58), (["-k", "--cert", certificate[0]], 58)):
        ours, _ = same_as_curl("-s", *(["-w", WHERE] if code == 0 else []), *flags, secure.url())
        assert ours.code == code, (flags, ours.errors)
    wrong = f"https://wrong.example:{secure.port}/"
    same_as_curl("-s", "--cacert", certificate[0], "--connect-to", f"::127.0.0.1:{secure.port}", wrong)


def test_a_certificate_of_its_own_is_shown(certificate, tmp_path):
    own = make_certificate(tmp_path, "own")
    shown = []
    with Peer(lambda line: (line.read_request(), shown.append(line.sock.getpeercert()), line.send(response(b"x"))),
              certificate, ask=own[0]) as peer:
        joint = tmp_path / "joint.pem"
        joint.write_text(open(own[0], encoding="ascii").read() + open(own[1], encoding="ascii").read())
        for flags in (["--cert", own[0], "--key", own[1]], ["--cert", joint]):
            get("--cacert", certificate[0], *flags, peer.url())
            assert shown.pop()["subject"] == ((("commonName", "own"),),)
        # With TLS 1.3 the refusal comes after the handshake: while the request is sent, or later.
        for run, more in ((get, {"code": None}), (curl, {})):
            assert run("-s", "--cacert", certificate[0], peer.url(), **more).code in (55, 56)


# ---- proxies

def tunnel(line):
    """A proxy for CONNECT."""
    heard = line.read_request()
    if heard is None:
        return
    if line.peer.status != "200 Connected":
        line.send(response(b"no", status=line.peer.status))
        return
    assert heard.method == "CONNECT" and heard.target == heard.get("host"), heard
    with socket.create_connection(("127.0.0.1", int(heard.target.rpartition(":")[2]))) as origin:
        line.send(b"HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n")
        back = threading.Thread(target=pump, args=(origin, line.sock))
        back.start()
        pump(line.sock, origin)
        back.join()


def pump(source, sink):
    try:
        while piece := source.recv(65536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@pytest.fixture(name="proxy")
def proxy_():
    with Peer(tunnel) as running:
        running.status = "200 Connected"
        yield running


def test_plain_requests_go_to_the_proxy_in_absolute_form(peer):
    for proxy in (f"http://127.0.0.1:{peer.port}", f"127.0.0.1:{peer.port}", f"http://user:word@127.0.0.1:{peer.port}"):
        for more in ({"env": {"http_proxy": proxy}}, {"env": {"all_proxy": proxy}}):
            same_as_curl("http://a.example:81/x?y#z", **more)
            ours, theirs = peer.heard[-2:]
            assert ours.target == theirs.target == "http://a.example:81/x?y"
            for name in ("host", "proxy-authorization", "authorization"):
                assert ours.get(name) == theirs.get(name)
        same_as_curl("-x", proxy, "http://a.example/")
    # Not the variable that a CGI script's client could set.
    same_as_curl("-s", "http://nothing.invalid/", env={"HTTP_PROXY": peer.url()})


@pytest.mark.parametrize("exceptions, direct", [("*", True), ("127.0.0.1", True), ("127.0.0.0/8", True),
                                                ("other", False), ("a,127.0.0.1,b", True), ("", False),
                                                ("127.0.0", False)])
def test_no_proxy_names_what_is_reached_directly(peer, exceptions, direct):
    for more in (["--noproxy", exceptions], []):
        env = {"http_proxy": "http://127.0.0.1:1", **({} if more else {"no_proxy": exceptions})}
        ours, _ = same_as_curl("-s", *more, peer.url(), env=env)
        assert ours.code == (0 if direct else 7)


def test_no_proxy_takes_subdomains(peer):
    url = f"http://a.name.example:{peer.port}/"
    for exceptions, code in (("name.example", 0), (".name.example", 0), ("ame.example", 7)):
        ours, _ = same_as_curl("-s", "--resolve", f"a.name.example:{peer.port}:127.0.0.1", url,
                               env={"http_proxy": "http://127.0.0.1:1", "no_proxy": exceptions})
        assert ours.code == code, exceptions


def test_https_goes_through_a_tunnel(secure, proxy, certificate):
    flags = ["--cacert", certificate[0], secure.url("/a")]
    ours, _ = same_as_curl("-w", "%{http_connect} %{http_code} %{num_connects} %{remote_port}\n", *flags,
                           env={"https_proxy": proxy.url()})
    assert ours.text.startswith("secret200 200 1 ")
    before = proxy.connections
    got = get_json("-n", 5, *flags, env={"https_proxy": proxy.url()})
    assert proxy.connections == before + 1 and got.summary["connections"]["reused"] == 4
    get("-u", "user:word", *flags, env={"https_proxy": f"http://p:q@127.0.0.1:{proxy.port}"})
    assert proxy.heard[-1].get("proxy-authorization") == "Basic cDpx"
    assert proxy.heard[-1].get("authorization") is None, "the origin's password is not the proxy's"
    assert secure.heard[-1].get("proxy-authorization") is None


@pytest.mark.parametrize("status", ["403 Forbidden", "407 Proxy Authentication Required", "502 Bad Gateway"])
def test_a_proxy_that_refuses(secure, proxy, status):
    proxy.status = status
    ours, _ = same_as_curl("-s", "-w", "%{http_connect} %{http_code} %{exitcode}\n", secure.url(),
                           env={"https_proxy": proxy.url()})
    assert ours.text == f"{status[:3]} 000 56\n"

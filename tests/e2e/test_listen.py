"""Where the server listens: several addresses, unix sockets, IPv6, sockets that a service manager hands over."""

import os
import re
import socket
import stat
import subprocess

import pytest

from harness.command import h2park, want_failure
from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.server import Server
from harness.stats import dormant, get, read_stats
from harness.tls import fingerprint, tls_h2

HELLO = b"hello\n"


def has_ipv6():
    try:
        with open("/proc/net/if_inet6") as addresses:
            return "00000000000000000000000000000001" in addresses.read()
    except FileNotFoundError:
        return False


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here")


def hello(address):
    with Http2Client(address) as client:
        return client.greet().get("/hello").body


def test_every_address_answers(tmp_path):
    path = str(tmp_path / "h2park.sock")
    with Server("--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--listen", f"unix:{path}",
                "--tls-listen", "127.0.0.1:0", "--self-signed", "--threads", 2) as server:
        assert len(server.listening) == 4 and f"unix:{path}" in server.listening
        assert hello(server.address("http", 0)) == hello(server.address("http", 1)) == HELLO
        assert hello(path) == HELLO
        with Http1Client(path) as client:
            assert client.get("/hello").body == HELLO
        with tls_h2(server.address("https")) as client:
            assert client.greet().get("/hello").body == HELLO


def test_tls_alone_serves_nothing_in_plain_text():
    with Server("--tls-listen", "127.0.0.1:0", "--self-signed") as server:
        assert [url.partition(":")[0] for url in server.listening] == ["https"]


def test_the_fingerprint_printed_is_the_one_shown():
    with Server("--tls-listen", "127.0.0.1:0", "--self-signed") as server:
        assert re.search("SHA-256", server.stderr)
        assert server.fingerprint == fingerprint(server.address("https"))


@needs_ipv6
def test_the_ipv6_wildcard_takes_ipv4_too():
    with Server("--listen", "[::]:0") as server:
        _, port = server.address()
        assert hello(("127.0.0.1", port)) == hello(("::1", port)) == HELLO


@needs_ipv6
def test_ipv6_loopback():
    with Server("--listen", "[::1]:0", "--stats", "[::1]:0") as server:
        assert server.url().startswith("http://[::1]:")
        assert hello(server.address()) == HELLO


def test_a_stale_socket_file_is_removed_and_ours_is_too(tmp_path):
    path = str(tmp_path / "s.sock")
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(path)
    with Server("--listen", f"unix:{path}"):
        assert hello(path) == HELLO
    assert not os.path.exists(path)


def test_a_live_socket_is_refused_and_stays(tmp_path):
    path = str(tmp_path / "s.sock")
    with Server("--listen", f"unix:{path}"):
        want_failure(1, "serve", "--listen", f"unix:{path}", "--stats", "off", naming=[path, "in use"])
        assert hello(path) == HELLO


def test_a_file_that_is_no_socket_is_refused_and_stays(tmp_path):
    path = tmp_path / "precious"
    path.write_text("data")
    want_failure(1, "serve", "--listen", f"unix:{path}", "--stats", "off", naming=[path])
    assert path.read_text() == "data"


def test_connections_of_a_unix_socket_are_dealt_to_all_threads(tmp_path):
    path = str(tmp_path / "s.sock")
    with Server("--listen", f"unix:{path}", "--threads", 2) as server:
        clients = [Http2Client(path).greet() for _ in range(8)]
        for client in clients:
            assert client.get("/hello").body == HELLO
        server.want_parked(8)
        for client in clients:
            client.close()


def test_tls_over_a_unix_socket(tmp_path):
    path = str(tmp_path / "tls.sock")
    with Server("--listen", "127.0.0.1:0", "--tls-listen", f"unix:{path}", "--self-signed"):
        with tls_h2(path) as client:
            assert client.greet().get("/hello").body == HELLO


# ---- what a service manager brings

ACTIVATE = "import os, sys; os.environ['LISTEN_PID'] = str(os.getpid()); os.execv(sys.argv[1], sys.argv[1:])"


def activated(sockets, *flags, names=None):
    """A server with those sockets as descriptors 3 and on. LISTEN_PID has to be its own, so Python becomes it."""
    count = len(sockets)

    def place():
        high = [os.dup2(sock.fileno(), 200 + i) for i, sock in enumerate(sockets)]
        for i, fd in enumerate(high):
            os.dup2(fd, 3 + i)
            os.set_inheritable(3 + i, True)
            os.close(fd)
    environment = {"LISTEN_FDS": str(count)}
    if names:
        environment["LISTEN_FDNAMES"] = names
    return Server(*flags, env=environment, prefix=["/usr/bin/python3", "-c", ACTIVATE], preexec=place,
                  pass_fds=tuple(range(3, 3 + count)))


def test_activated_sockets_are_served():
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        with activated([one, two], "--threads", 2) as server:
            assert server.listening == [f"http://127.0.0.1:{s.getsockname()[1]}" for s in (one, two)]
            assert [hello(sock.getsockname()) for sock in (one, two)] == [HELLO, HELLO]


def test_an_activated_unix_socket_keeps_its_file(tmp_path):
    path = str(tmp_path / "s.sock")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(path)
        sock.listen()
        with activated([sock]):
            assert hello(path) == HELLO
    assert os.path.exists(path)


def test_a_descriptor_that_does_not_listen_is_named():
    with socket.socket() as sock:
        with pytest.raises(AssertionError, match="descriptor 3"):
            activated([sock]).kill()


@pytest.mark.parametrize("abstract", [False, True], ids=["path", "abstract"])
def test_the_service_manager_is_told(tmp_path, abstract):
    name = f"\0h2park-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(name)
        manager.settimeout(15)
        with Server(env={"NOTIFY_SOCKET": name.replace("\0", "@")}) as server:
            assert "READY=1" in manager.recv(4096).decode().split("\n")
            assert hello(server.address()) == HELLO
            server.stop()
            assert "STOPPING=1" in manager.recv(4096).decode().split("\n")


# ---- the statistics' address

def test_statistics_over_tcp():
    with Server("--stats", "127.0.0.1:0") as server:
        address = re.search(r"stats on (?:http://)?127\.0\.0\.1:(\d+)", server.stderr)
        assert read_stats(("127.0.0.1", int(address[1])))["pid"] == server.pid


def test_the_statistics_socket_is_private(tmp_path):
    with Server() as server:
        assert stat.S_IMODE(os.stat(server.stats_address).st_mode) == 0o600
        path = server.stats_address
        server.stop()
        assert not os.path.exists(path)


@pytest.mark.parametrize("host, status", [
    ("localhost", 200), ("127.0.0.1", 200), ("127.0.0.1:PORT", 200), ("LOCALHOST:PORT", 200), ("[::1]", 200),
    ("evil.example", 403), ("127.0.0.1.evil.example", 403), ("localhost.evil.example", 403), ("192.0.2.1", 403),
    ("127.0.0.1:1", 403),
])
def test_a_foreign_host_is_refused(host, status):
    """DNS rebinding: a page of evil.example, whose name now means 127.0.0.1, must not read the statistics."""
    with Server("--stats", "127.0.0.1:0") as server:
        port = int(re.search(r"stats on (?:http://)?127\.0\.0\.1:(\d+)", server.stderr)[1])
        got, fields, body = get(("127.0.0.1", port), "/stats.json", host=host.replace("PORT", str(port)))
        assert got == status
        assert "access-control-allow-origin" not in fields
        assert (b'"pid"' in body) == (status == 200)


def test_the_endpoint_serves_its_paths_only():
    with Server() as server:
        for path in ("/", "/healthz", "/metrics", "/stats.json"):
            assert get(server.stats_address, path)[0] == 200
        assert get(server.stats_address, "/hello")[0] == 404
        status, fields, _ = get(server.stats_address, "/stats.json", method="POST")
        assert (status, fields["allow"]) == (405, "GET, HEAD")


def test_statistics_can_be_switched_off():
    with Server("--stats", "off") as server:
        assert hello(server.address()) == HELLO
        assert "stats on" not in server.stderr


def test_stat_prints_them(park):
    import json
    with Server("--park", park) as server, Http2Client(server.address()).greet() as client:
        client.get("/hello")
        server.wait_stats(lambda s: dormant(s) == (park == "on"), "it rests")
        address = f"unix:{server.stats_address}"
        status, table, errors = h2park("stat", address)
        assert (status, errors) == (0, "") and re.search(r"\bopen +1\b", table), table
        status, text, _ = h2park("stat", address, "--format", "json")
        figures = json.loads(text)
        assert status == 0 and figures["connections"]["open"] == 1
        assert figures["parking"] is (park == "on")


def test_stat_says_what_does_not_answer_as_it_should():
    with socket.create_server(("127.0.0.1", 0)) as other:
        import threading

        def answer():
            peer, _ = other.accept()
            with peer:
                peer.recv(1000)
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        thread = threading.Thread(target=answer)
        thread.start()
        port = other.getsockname()[1]
        want_failure(1, "stat", f"127.0.0.1:{port}", naming=[str(port)])
        thread.join()


def test_stat_can_be_piped_into_a_full_disk():
    with Server() as server, open("/dev/full", "w") as full:
        done = subprocess.run([server.command[0], "stat", f"unix:{server.stats_address}"], stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=15)
        assert done.returncode == 1 and os.strerror(28) in done.stderr

"""SIGHUP reloads the certificate, SIGUSR1 reopens the access log; both leave connections alone."""

import json
import os
import shutil
import signal

import pytest

from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.server import Server
from harness.tls import fingerprint, make_certificate, tls_h2
from harness.wait import wait_until


@pytest.fixture
def reloading(tmp_path):
    """A TLS server, its certificate's path and its key's."""
    certificate, key = make_certificate(tmp_path, "first")
    with Server("--tls-listen", "127.0.0.1:0", "--cert", certificate, "--key", key, "--threads", 2) as server:
        yield server, certificate, key


def replace(source, target):
    for old, new in zip(source, target):
        shutil.copy(old, new)


def test_sighup_brings_the_new_certificate(reloading, tmp_path):
    server, certificate, key = reloading
    before = fingerprint(server.address("https"))
    with tls_h2(server.address("https")).greet() as held:
        replace(make_certificate(tmp_path, "second"), (certificate, key))
        assert fingerprint(server.address("https")) == before, "read before it was told"
        server.signal(signal.SIGHUP)
        wait_until(lambda: fingerprint(server.address("https")) != before, "the new certificate is shown")
        assert held.get("/hello").body == b"hello\n"
        seen = {fingerprint(server.address("https")) for _ in range(20)}
        assert len(seen) == 1 and before not in seen, "a thread shows the old one"


def test_a_certificate_that_is_broken_changes_nothing(reloading):
    server, certificate, _ = reloading
    before = fingerprint(server.address("https"))
    with open(certificate, "w") as broken:
        broken.write("no certificate")
    lines = server.stderr.count("\n")
    server.signal(signal.SIGHUP)
    wait_until(lambda: certificate in server.stderr, "it says so")
    assert server.stderr.count("\n") == lines + 1
    assert fingerprint(server.address("https")) == before


def test_sighup_without_tls_does_no_harm():
    with Server() as server:
        server.signal(signal.SIGHUP)
        with Http2Client(server.address()) as client:
            assert client.greet().get("/hello").status == 200


def test_sigusr1_reopens_the_access_log(tmp_path):
    path = tmp_path / "access.log"
    with Server("--access-log", "json", "--access-log-file", path) as server, Http1Client(server.address()) as client:
        client.get("/hello")
        wait_until(lambda: path.exists() and "/hello" in path.read_text(), "the first line")
        os.rename(path, tmp_path / "access.log.1")
        client.get("/status/201")
        wait_until(lambda: "/status/201" in (tmp_path / "access.log.1").read_text(), "the old file is kept until told")
        server.signal(signal.SIGUSR1)
        wait_until(path.exists, "the file is there again")
        client.get("/status/202")
        wait_until(lambda: "/status/202" in path.read_text(), "the third line")
        assert [json.loads(line)["target"] for line in path.read_text().splitlines()] == ["/status/202"]

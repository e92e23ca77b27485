"""What goes wrong at start: the right exit code and one line that says which and why. Nothing is started."""

import os
import socket

import pytest

from harness.command import h2park, want_failure
from harness.server import Server
from harness.tls import make_certificate

LISTEN = ("--listen", "127.0.0.1:0", "--stats", "off")


@pytest.mark.parametrize("arguments, naming", [
    (["--no-such-flag"], ["--no-such-flag"]),
    (["--listn", "127.0.0.1:0"], ["--listn", "--listen"]),
    (["stray"], ["stray"]),
    (["--listen"], ["--listen"]),
    (["--listen", ""], ["--listen"]),
    (["--listen", "127.0.0.1:notaport"], ["--listen", "notaport"]),
    (["--listen", "127.0.0.1:65536"], ["--listen", "65536"]),
    (["--listen", "[::1:80"], ["--listen", "[::1:80"]),
    (["--listen", "unix:"], ["--listen"]),
    (["--listen", "127.0.0.1:18080", "--listen", "127.0.0.1:18080"], ["127.0.0.1:18080"]),
    (["--threads", "0"], ["--threads"]),
    (["--threads", "many"], ["--threads", "many"]),
    (["--threads", "1", "--threads", "2"], ["--threads"]),
    (["--park", "maybe"], ["--park", "maybe"]),
    (["--park-after", "5"], ["--park-after"]),
    (["--park-after", "-5s"], ["--park-after"]),
    (["--park=off", "--park-after", "1s"], ["--park-after"]),
    (["--idle-timeout", "0"], ["--idle-timeout"]),
    (["--idle-timeout", "3 parsecs"], ["--idle-timeout", "parsecs"]),
    (["--grace", "soon"], ["--grace", "soon"]),
    (["--max-streams", "0"], ["--max-streams"]),
    (["--max-header-bytes", "lots"], ["--max-header-bytes", "lots"]),
    (["--max-header-fields", "-1"], ["--max-header-fields"]),
    (["--max-connections", "0"], ["--max-connections"]),
    (["--max-body-bytes", "1XB"], ["--max-body-bytes", "1XB"]),
    (["--tls-listen", "127.0.0.1:0"], ["--tls-listen", "--cert"]),
    (["--cert", "x.pem"], ["--cert", "--tls-listen"]),
    (["--tls-listen", "127.0.0.1:0", "--cert", "x.pem"], ["--cert", "--key"]),
    (["--tls-listen", "127.0.0.1:0", "--self-signed", "--cert", "x.pem", "--key", "y.pem"], ["--self-signed"]),
    (["--access-log", "xml"], ["--access-log", "xml"]),
    (["--access-log", "off", "--access-log-file", "x.log"], ["--access-log-file"]),
    (["--log-level", "chatty"], ["--log-level", "chatty"]),
    (["--stats", "0.0.0.0:0"], ["--stats", "0.0.0.0"]),
    (["--stats", "[::]:0"], ["--stats", "[::]"]),
    (["--stats", "192.0.2.1:8081"], ["--stats", "192.0.2.1"]),
], ids=lambda value: " ".join(value) if value and value[0].startswith("--") else "")
def test_a_bad_flag_is_one_line_and_exit_2(arguments, naming):
    want_failure(2, "serve", *arguments, naming=naming)


@pytest.mark.parametrize("arguments", [["serv"], ["--bogus"], ["stat", "--format", "xml"], ["stat", "a", "b"]])
def test_a_bad_command_line_is_one_line_and_exit_2(arguments):
    want_failure(2, *arguments)


def test_a_bad_flag_leaves_no_socket_file(tmp_path):
    path = tmp_path / "s.sock"
    want_failure(2, "serve", "--listen", f"unix:{path}", "--threads", "0", naming=["--threads"])
    assert not path.exists()


def test_a_line_feed_in_an_argument_stays_in_one_line():
    want_failure(2, "serve", "--listen", "a\nb:1")


def test_a_port_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = want_failure(1, "serve", "--listen", f"127.0.0.1:{port}", "--stats", "off", naming=[f"127.0.0.1:{port}"])
        assert os.strerror(98) in line


def test_a_port_of_another_h2park_is_taken_too():
    """Both would use SO_REUSEPORT: the first binds without it, so that this is an error."""
    with Server("--threads", 2) as first:
        host, port = first.address()
        want_failure(1, "serve", "--threads", "2", "--listen", f"{host}:{port}", "--stats", "off", naming=[str(port)])


def test_a_stats_port_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        want_failure(1, "serve", "--listen", "127.0.0.1:0", "--stats", address, naming=[address])


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid", "[2001:db8::1]"])
def test_an_interface_that_is_not_there_is_named(host):
    want_failure(1, "serve", "--listen", f"{host}:18081", "--stats", "off", naming=[host])


def test_a_socket_path_that_is_too_long_is_named(tmp_path):
    status, _, errors = h2park("serve", "--listen", f"unix:{tmp_path}/{'x' * 120}", "--stats", "off")
    assert status in (1, 2) and "x" * 20 in errors and len(errors.splitlines()) == 1


def test_a_socket_in_a_directory_that_is_not_there_is_named(tmp_path):
    want_failure(1, "serve", "--listen", f"unix:{tmp_path}/none/s.sock", "--stats", "off", naming=["none/s.sock"])


def test_a_root_that_is_not_there_is_named(tmp_path):
    want_failure(1, "serve", *LISTEN, "--root", f"{tmp_path}/none", naming=["none", os.strerror(2)])


def test_a_root_that_is_a_file_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    want_failure(1, "serve", *LISTEN, "--root", tmp_path / "file", naming=["file", os.strerror(20)])


def test_an_access_log_that_cannot_be_opened_is_named(tmp_path):
    want_failure(1, "serve", *LISTEN, "--access-log-file", f"{tmp_path}/none/a.log",
                 naming=["none/a.log", os.strerror(2)])


def tls_failure(certificate, key, *naming):
    return want_failure(1, "serve", "--tls-listen", "127.0.0.1:0", "--stats", "off", "--cert", certificate,
                        "--key", key, naming=naming)


def test_a_certificate_that_is_not_there_is_named(certificate, tmp_path):
    tls_failure(tmp_path / "none.crt", certificate[1], "none.crt", os.strerror(2))


def test_a_key_that_is_not_there_is_named(certificate, tmp_path):
    tls_failure(certificate[0], tmp_path / "none.key", "none.key", os.strerror(2))


def test_a_certificate_that_is_none_is_named(certificate, tmp_path):
    (tmp_path / "empty.crt").write_text("hello\n")
    tls_failure(tmp_path / "empty.crt", certificate[1], "empty.crt")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_certificate_that_must_not_be_read_is_named(certificate, tmp_path):
    (tmp_path / "secret.crt").write_text("x")
    (tmp_path / "secret.crt").chmod(0)
    tls_failure(tmp_path / "secret.crt", certificate[1], "secret.crt", os.strerror(13))


def test_a_key_of_another_certificate_is_named(certificate, tmp_path):
    _, other = make_certificate(tmp_path, "other")
    tls_failure(certificate[0], other, certificate[0], other)


def test_stat_without_a_server_is_one_line_and_exit_1(tmp_path):
    want_failure(1, "stat", f"unix:{tmp_path}/none.sock", naming=["none.sock"])


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"], ["stat", "--help"], ["--version"]])
def test_help_is_no_error(arguments):
    status, output, errors = h2park(*arguments)
    assert (status, errors) == (0, "") and "h2park" in output

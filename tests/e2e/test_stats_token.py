"""Who gets the statistics: this machine without more ado, others with a token."""

import base64
import json

import pytest

from harness.command import h2park, want_failure
from harness.server import Server
from harness.stats import get

TOKEN = "c2Vj.cmV0-_~+/=="
BEARER = f"Authorization: Bearer {TOKEN}"
GUARDED = ("/stats.json", "/metrics", "/none")


def basic(user, password):
    return "Authorization: Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.fixture(scope="module")
def token_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("token") / "token"
    path.write_text(TOKEN + "\nnot this line\n")
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def open_to_all(token_file):
    """Statistics at every address of this machine."""
    with Server("--stats", "0.0.0.0:0", "--stats-token", f"@{token_file}", "--threads", 1) as running:
        yield running


def stats_address(server):
    """Where it says that its statistics are."""
    host, _, port = server.stderr.partition("stats on ")[2].split()[0].rpartition(":")
    return host, int(port)


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:8081"])
def test_other_machines_need_a_token(address):
    line = want_failure(2, "serve", "--listen", "127.0.0.1:0", "--stats", address, naming=[address, "--stats-token"])
    assert "not a loopback address" in line


@pytest.mark.parametrize("flags, naming, code", [
    (["--stats-token", ""], ["--stats-token"], 2),
    (["--stats-token", "two words"], ["--stats-token"], 2),
    (["--stats-token", TOKEN, "--stats", "off"], ["--stats-token", "--stats off"], 2),
    (["--stats-token", "@/none"], ["/none", "No such file"], 1),
])
def test_a_token_that_cannot_be_is_refused(flags, naming, code):
    line = want_failure(code, "serve", "--listen", "127.0.0.1:0", *flags, naming=naming)
    assert "two words" not in line, "what may be a secret is not shown"


def test_whoever_shows_the_token_is_answered(open_to_all):
    address = stats_address(open_to_all)
    for shown in (BEARER, BEARER.replace("Bearer", "bearer"), basic("anybody", TOKEN), basic("", TOKEN)):
        status, _, body = get(address, "/stats.json", shown)
        assert status == 200 and json.loads(body)["pid"] == open_to_all.pid
        assert get(address, "/metrics", shown)[0] == 200
        assert get(address, "/none", shown)[0] == 404


@pytest.mark.parametrize("path", GUARDED)
def test_nobody_else_is(open_to_all, path):
    address = stats_address(open_to_all)
    wrong = [[], ["Authorization: Bearer"], ["Authorization: Bearer wrong"], [BEARER + "x"], [BEARER, BEARER],
             [basic("anybody", "wrong")], [basic(TOKEN, "")], ["Authorization: Basic %%%"], [f"Cookie: token={TOKEN}"]]
    for shown in wrong:
        status, fields, body = get(address, path, *shown)
        assert (status, fields["www-authenticate"].split()[0]) == (401, "Bearer"), shown
        assert b"connections" not in body
    assert get(address, f"{path}?token={TOKEN}")[0] == 401


def test_a_browser_is_asked_for_a_password(open_to_all):
    status, fields, _ = get(stats_address(open_to_all), "/", "Accept: text/html,*/*;q=0.8")
    assert status == 401 and fields["www-authenticate"].startswith("Basic realm="), "the last one of the two"


def test_health_is_for_everybody(open_to_all):
    assert get(stats_address(open_to_all), "/healthz") == get(stats_address(open_to_all), "/healthz", BEARER)
    assert get(stats_address(open_to_all), "/healthz")[2] == b"ok\n"


def test_with_a_token_every_host_will_do(open_to_all):
    address = stats_address(open_to_all)
    assert get(address, "/stats.json", BEARER, host="stats.example:1234")[0] == 200
    assert get(address, "/stats.json", host="stats.example:1234")[0] == 401


@pytest.mark.parametrize("stats", ["127.0.0.1:0", "unix"])
def test_a_token_guards_loopback_and_unix_sockets_too(stats, tmp_path):
    where = f"unix:{tmp_path}/s" if stats == "unix" else stats
    with Server("--stats", where, "--stats-token", TOKEN) as server:
        address = f"{tmp_path}/s" if stats == "unix" else stats_address(server)
        assert get(address, "/metrics")[0] == 401
        assert get(address, "/metrics", BEARER)[0] == 200


def test_stat_shows_the_token(open_to_all, token_file):
    where = "127.0.0.1:%d" % stats_address(open_to_all)[1]
    for token in (TOKEN, f"@{token_file}"):
        code, output, errors = h2park("stat", where, "--stats-token", token, "--fields", "pid")
        assert code == 0, errors
        assert output.split() == ["pid", str(open_to_all.pid)]
    want_failure(1, "stat", where, naming=["it wants a token (--stats-token)"])
    want_failure(1, "stat", where, "--stats-token", "wrong", naming=["it does not accept this token"])


def test_the_token_of_a_file_shows_nowhere(open_to_all, token_file):
    with open(f"/proc/{open_to_all.pid}/cmdline") as words:
        assert TOKEN not in words.read()
    assert TOKEN not in open_to_all.stderr

"""The client's duties of RFC 9112 and 9110, and what public reports say of other clients. C1 and so on: the cases'
names in the reports."""

import pytest

from harness.get import get, get_json
from harness.scripted import Peer, answer, chunked, in_turn, response

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
REFUSAL = response(b"go away", "Connection: close", status="400 Bad Request")


def two(script, *flags):
    """Two requests in turn: their records, and how many connections they took."""
    with Peer(script) as peer:
        got = get_json("-n", 2, *flags, peer.url())
        assert peer.requests == 2
        return got.records, peer.connections


def want_not_reused(script, reason, *flags):
    records, connections = two(script, *flags)
    assert connections == 2
    assert records[1]["connection"]["miss_reason"] == reason, records
    return records


def want_reused(script, *flags):
    records, connections = two(script, *flags)
    assert connections == 1 and records[1]["connection"]["reused"], records
    return records


# ---- what a request is (9112 3.2, 7.4; 9110 4.2.4)

def test_a_request_has_its_host_first_and_neither_userinfo_nor_te():
    with Peer(answer(response(b""))) as peer:
        get(f"http://user:word@127.0.0.1:{peer.port}/a/../b?q#fragment")
        heard = peer.heard[0]
        assert (heard.method, heard.target, heard.version) == ("GET", "/b?q", "HTTP/1.1")
        assert heard.fields[0] == ("host", f"127.0.0.1:{peer.port}")
        assert heard.get("authorization") == "Basic dXNlcjp3b3Jk"
        assert heard.get("te") is None and heard.get("connection") is None
        assert b"\n" not in heard.head.replace(b"\r\n", b"")


def test_no_request_is_sent_before_the_answer_to_the_one_before():
    """9112 9.3.2"""
    def script(line):
        while line.read_request():
            assert line._input == b"", "pipelined"
            line.send(response(b"x" * 10))
    with Peer(script) as peer:
        get_json("-n", 50, peer.url())
        assert peer.connections == 1


# ---- heads

@pytest.mark.parametrize("head", [b"HTTP/1.1 200\r\n", b"HTTP/1.1 200 \r\n", b"HTTP/1.1 200 any \xe9 reason\r\n",
                                  b"HTTP/1.1 200 OK\n", b"HTTP/1.7 200 OK\r\n"])
def test_reason_line_end_and_minor_version_do_not_matter(head):
    """9112 2.2, 4"""
    assert want_reused(answer(head + b"content-LENGTH:5\r\n\r\nhello"), "--read", "all")[0]["bytes"] == 5


def test_obs_fold_is_read_as_a_space_or_refused():
    """9112 5.2"""
    with Peer(answer(OK + b"A: one\r\n\t two\r\nContent-Length: 0\r\n\r\n")) as peer:
        got = get("-w", "%{header_json}", peer.url(), code=None)
        assert got.code == 8 or "one two" in got.text


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
@pytest.mark.parametrize("fields", [b"Content-Length: 10\r\n", b"Transfer-Encoding: chunked\r\n", b""])
def test_some_statuses_have_no_body_whatever_their_fields_say(status, fields):
    """9112 6.3 rule 1"""
    head = f"HTTP/1.1 {status}\r\n".encode() + fields + b"\r\n"
    assert want_reused(answer(head), "--read", "all")[0]["drain"]["result"] == "complete"
    want_not_reused(answer(head + b"0123456789"), "unsolicited_data", "--read", "all")


@pytest.mark.parametrize("fields", [b"Content-Length: 10\r\n", b"Transfer-Encoding: chunked\r\n", b""])
def test_c4_an_answer_to_head_has_no_body(fields):
    head = OK + fields + b"\r\n"
    records = want_reused(answer(head), "-I")
    assert [(r["method"], r["status"], r["bytes"]) for r in records] == [("HEAD", 200, 0)] * 2
    for body in (b"0123456789", b"5\r\nhello\r\n0\r\n\r\n", REFUSAL):
        records = want_not_reused(answer(head + body), "unsolicited_data", "-I")
        assert [(r["status"], r["bytes"]) for r in records] == [(200, 0)] * 2


# ---- 1xx (9110 15.2)

def test_c6_any_1xx_responses_come_before_the_answer():
    hints = (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 2 + b"HTTP/1.1 100 Continue\r\n\r\n" +
             b"HTTP/1.1 199 Odd\r\nContent-Length: 5\r\n\r\n")
    with Peer(answer(hints + response(b"body"))) as peer:
        got = get("-v", peer.url())
        assert got.body == b"body"
        assert got.errors.count("< HTTP/1.1 103 Early Hints") == 2 and "< Link: </a>" in got.errors
        assert get("-i", peer.url()).body == hints + response(b"body")
        assert {(r["status"], r["bytes"]) for r in get_json("-n", 3, "--read", "all", peer.url()).records} == {(200, 4)}


@pytest.mark.parametrize("unsound", [b"HTTP/1.1 103 Early Hints\r\n\r\n" * 10_000,
                                     b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"])
def test_c6_endless_1xx_and_an_unasked_101_are_errors(unsound):
    with Peer(answer(unsound, then=lambda line: line.hang())) as peer:
        assert get(peer.url(), code=8).body == b""


# ---- framing

@pytest.mark.parametrize("read", ["all", "none"])
def test_c1_bytes_after_the_body_are_never_a_response(read):
    stray = OK + b"Content-Length: 13\r\n\r\n" + b"thirteen byte" + b"and eleven."
    records = want_not_reused(in_turn(stray, response(b"the right one")), "unsolicited_data", "--read", read)
    assert [r["bytes"] + r["drain"]["bytes"] for r in records] == [13, 13]
    with Peer(answer(stray)) as peer:
        assert get(peer.url()).body == b"thirteen byte"


@pytest.mark.parametrize("pause", [0, 0.001, 0.03])
def test_c3_a_refusal_after_the_response_is_not_the_next_one(pause):
    def script(line):
        if line.read_request():
            line.send(response(b"fine") + (b"" if pause else REFUSAL))
            if pause:
                line.pause(pause)
                line.send(REFUSAL)
    records = want_not_reused(script, "unsolicited_data", "--think", "150ms", "--read", "all")
    assert [r["status"] for r in records] == [200, 200]


def test_a_line_end_too_many_is_dropped():
    """9112 2.2, of which servers are as guilty as clients."""
    want_reused(answer(response(b"body") + b"\r\n"), "--read", "all")


@pytest.mark.parametrize("lengths", [[b"5", b"6"], [b"5, 6"], [b"+5"], [b"-1"], [b"0x5"], [b""], [b"5 5"],
                                     [b"18446744073709551617"]])
def test_an_invalid_or_ambiguous_content_length_is_an_error(lengths):
    """9112 6.3 rule 5"""
    head = OK + b"".join(b"Content-Length: " + length + b"\r\n" for length in lengths) + b"\r\n"
    with Peer(answer(head + b"hello", then=lambda line: line.hang())) as peer:
        assert get(peer.url(), code=8).body == b""


def test_the_same_content_length_twice_is_one():
    for field in (b"Content-Length: 5\r\nContent-Length: 5\r\n", b"Content-Length: 5, 5\r\n"):
        assert want_reused(answer(OK + field + b"\r\nhello"), "--read", "all")[0]["bytes"] == 5


def test_c7_trailers_are_kept_apart_wherever_the_body_is_cut():
    data = chunked(b"hello", trailers=["X-Sum: 1", "Content-Length: 99", "Set-Cookie: a=b"], size=3)

    def script(line):
        for cut in range(len(data) + 1):
            if not line.read_request():
                return
            line.send(data[:cut])
            line.send(data[cut:])
    with Peer(script) as peer:
        got = get_json("-n", len(data) + 1, "--read", "all", "-b", "", peer.url())
        assert {(r["bytes"], r["status"], r["drain"]["result"]) for r in got.records} == {(5, 200, "complete")}
        assert peer.connections == 1
        assert all(heard.get("cookie") is None for heard in peer.heard), "a trailer became a field"
    with Peer(answer(data)) as peer:
        assert get("-w", " %{num_headers} %{header_json}", peer.url()).text == \
            'hello 1 {"transfer-encoding":["chunked"]\n}'
        assert "< x-sum: 1" in get("-v", peer.url()).errors.lower()


@pytest.mark.parametrize("size", [b"0x5", b"5x", b"+5", b"-1", b"1_0", b"", b" 5", b"FFFFFFFFFFFFFFFF1", b"5 5"])
def test_c9_a_chunk_size_is_hex_digits_that_fit(size):
    with Peer(answer(CHUNKED + size + b"\r\nhello\r\n0\r\n\r\n", then=lambda line: line.hang())) as peer:
        assert get(peer.url(), code=56).body == b""


def test_c9_leading_zeros_and_extensions_are_fine():
    for size in (b"0" * 17 + b"5", b"5;a=b;c", b'5 ; a="b;c"'):
        assert want_reused(answer(CHUNKED + size + b"\r\nhello\r\n000\r\n\r\n"), "--read", "all")[0]["bytes"] == 5


@pytest.mark.parametrize("body", [b"5\nhello\r\n", b"5;a=\0b\r\nhello\r\n", b"5;a\nb\r\nhello\r\n", b"5\r\nhelloX\r\n",
                                  b"5\r\nhello\n", b"5\r\nhello"])
def test_c10_chunks_have_their_line_ends_and_no_controls(body):
    with Peer(answer(CHUNKED + body + b"0\r\n\r\n", then=lambda line: line.hang())) as peer:
        assert get(peer.url(), code=56).body in (b"", b"hello")


def test_c12_transfer_encoding_wins_over_content_length_and_is_not_trusted():
    both = OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    assert want_not_reused(answer(both), "transfer_coding", "--read", "all")[0]["bytes"] == 5
    old = CHUNKED.replace(b"/1.1", b"/1.0") + b"5\r\nhello\r\n0\r\n\r\n"
    want_not_reused(answer(old, then=lambda line: None), "transfer_coding", "--read", "all")


def test_c12_chunked_that_is_not_last_is_read_to_the_end():
    odd = OK + b"Transfer-Encoding: chunked, gzip\r\n\r\nwhat is this"
    with Peer(answer(odd, then=lambda line: None)) as peer:
        assert get(peer.url()).body == b"what is this"
    want_not_reused(answer(odd, then=lambda line: None), "transfer_coding", "--read", "all")


def test_c16_connection_is_a_list_of_tokens_and_close_wins():
    for fields in ("Connection: Keep-Alive, Foo", "Connection: TE", "Connection: closed", "connection:"):
        want_reused(answer(response(b"x", fields)))
    for fields in (["Connection: TE, close"], ["Connection: CLOSE"], ["Connection: keep-alive", "Connection: close"],
                   ["Connection: close, keep-alive"]):
        want_not_reused(answer(response(b"x", *fields)), "connection_close")
    kept = response(b"x", "Connection: Keep-Alive", version="HTTP/1.0")
    want_reused(answer(kept))
    want_not_reused(answer(response(b"x", version="HTTP/1.0")), "http10")
    unended = b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nx"
    want_not_reused(answer(unended, then=lambda line: None), "until_close")


def test_the_requests_own_close_is_kept_too():
    """9112 9.6"""
    want_not_reused(answer(response(b"x")), "connection_close", "-H", "Connection: close")
    want_not_reused(answer(response(b"x")), "http10", "--http1.0")


# ---- TLS (9112 9.8)

UNENDED = OK + b"\r\nall of it?"


@pytest.mark.parametrize("data, code", [(response(b"body"), 0), (chunked(b"body"), 0), (UNENDED, 56),
                                        (OK + b"Content-Length: 10\r\n\r\nbody", 18), (CHUNKED + b"4\r\nbody\r\n", 18)])
def test_an_end_without_close_notify_is_no_end_of_a_body(certificate, data, code):
    with Peer(answer(data, then=lambda line: line.close()), certificate) as peer:
        assert get("--cacert", certificate[0], peer.url(), code=code).body in (b"body", b"all of it?")


def test_an_end_with_close_notify_ends_a_body(certificate):
    with Peer(answer(UNENDED, then=lambda line: line.close_notify()), certificate) as peer:
        assert get("--cacert", certificate[0], peer.url()).body == b"all of it?"


def test_we_say_close_notify_before_we_close(certificate):
    proper = []
    with Peer(answer(response(b"x"), then=lambda line: proper.append(line.wait_closed())), certificate) as peer:
        get("--cacert", certificate[0], peer.url())
        get_json("-n", 2, "--max-idle", 0, "--cacert", certificate[0], peer.url())
    assert proper == [True] * 3

"""RFC 9113 section 8: well-formed and malformed requests, bodies and trailers; with parking on, off, and with the
connection parked before."""

import pytest

from harness import frames as f

GET = ((":method", "GET"), (":scheme", "http"), (":path", "/hello"), (":authority", "localhost"))


def pseudo(**changes):
    """The GET with pseudo-fields changed, or left out for None."""
    fields = [(name, changes.get(name[1:], value)) for name, value in GET]
    return [pair for pair in fields if pair[1] is not None]


@pytest.mark.parametrize("fields", [
    pseudo(method=None),
    pseudo(scheme=None),
    pseudo(path=None),
    pseudo(path=""),
    pseudo(path="hello"),
    [*GET, (":method", "GET")],
    [*GET, (":path", "/hello")],
    [*GET, (":unknown", "x")],
    [*GET, (":status", "200")],
    [("x", "y"), *GET],
    [*GET[:3], ("x", "y"), GET[3]],
    [*GET, ("X-Upper", "y")],
    [*GET, ("bad name", "y")],
    [*GET, ("bad:name", "y")],
    [*GET, ("", "y")],
    [*GET, ("x", "a\nb")],
    [*GET, ("x", "a\rb")],
    [*GET, ("x", "a\0b")],
    [*GET, ("x", " leading")],
    [*GET, ("x", "trailing ")],
    [*GET, ("x", "trailing\t")],
    [*GET, ("connection", "close")],
    [*GET, ("keep-alive", "timeout=5")],
    [*GET, ("proxy-connection", "keep-alive")],
    [*GET, ("upgrade", "h2c")],
    [*GET, ("transfer-encoding", "chunked")],
    [*GET, ("te", "gzip")],
    [*GET, ("host", "elsewhere")],
    [*GET, ("host", "localhost"), ("host", "localhost")],
    [*GET, ("content-length", "-1")],
    [*GET, ("content-length", "1x")],
    [*GET, ("content-length", "1"), ("content-length", "2")],
    pseudo(authority="user@localhost"),
    pseudo(authority=None),
    pseudo(method="CONNECT", authority=None, scheme=None, path=None),
    pseudo(method="CONNECT"),
], ids=lambda fields: "+".join(f"{n}={v}" for n, v in fields if (n, v) not in GET)[:40].replace("\0", "NUL") or "less")
def test_a_malformed_request_is_refused(situation, fields):
    """S19. The connection may end with it; the table stays in step if it does not."""
    with situation.greeted() as client:
        client.send(f.headers(1, f.literals(*fields)))
        client.want_malformed(1)
    situation.want_usable()


def test_a_malformed_request_leaves_the_connection(situation):
    with situation.greeted() as client:
        client.send(f.headers(1, f.literals(*GET, ("connection", "close"))))
        client.want_malformed(1)
        client.next_stream = 3
        situation.settle()
        assert client.get("/hello").status == 200


def test_te_trailers_is_accepted(situation):
    with situation.greeted() as client:
        assert client.get("/hello", ("te", "trailers")).status == 200


def test_a_host_field_may_stand_for_the_authority(situation):
    with situation.greeted() as client:
        client.send(f.headers(1, f.literals(*GET[:3], ("host", "localhost"))))
        assert client.want_response(1).status == 200


def test_cookie_crumbs_are_joined(situation):
    with situation.greeted() as client:
        body = client.get("/info", ("cookie", "a=1"), ("cookie", "b=2"), ("cookie", "c=3")).body
        assert b'"cookie", "a=1; b=2; c=3"' in body


def test_connect_is_not_implemented(situation):
    with situation.greeted() as client:
        client.send(f.headers(1, f.literals((":method", "CONNECT"), (":authority", "localhost:80")), end=False))
        assert client.want_response(1).status == 501


def test_options_of_the_server_as_a_whole(situation):
    with situation.greeted() as client:
        response = client.get("*", method="OPTIONS")
        assert response.status in (200, 204) and "GET" in response.get("allow")


def test_trace_is_not_allowed(situation):
    with situation.greeted() as client:
        assert client.get("/hello", method="TRACE").status == 405


def test_a_head_is_answered_without_a_body(situation):
    with situation.greeted() as client:
        response = client.get("/bytes/1000", method="HEAD")
        assert (response.status, response.get("content-length"), response.body) == (200, "1000", b"")


def test_an_expectation_is_met_with_100(situation):
    with situation.greeted() as client:
        stream = client.start("/upload", ("expect", "100-continue"), method="POST", end=False)
        situation.settle()
        client.want_frame(object, stream, where=lambda x: x.type == f.HEADERS and dict(x.fields)[":status"] == "100")
        client.send(f.data(stream, b"four", end=True))
        assert b'"bytes":4' in client.want_response(stream).body


def test_a_content_length_above_the_data_is_malformed(situation):
    with situation.greeted() as client:
        stream = client.start("/upload", ("content-length", "10"), method="POST", end=False)
        situation.settle()
        client.send(f.data(stream, b"short", end=True))
        client.want_stream_error(stream, f.PROTOCOL_ERROR)


def test_data_above_the_content_length_is_malformed(situation):
    with situation.greeted() as client:
        stream = client.start("/upload", ("content-length", "3"), method="POST", end=False)
        situation.settle()
        client.send(f.data(stream, b"longer"))
        client.want_stream_error(stream, f.PROTOCOL_ERROR)


def test_a_content_length_without_a_body_is_malformed(situation):
    with situation.greeted() as client:
        stream = client.start("/upload", ("content-length", "3"), method="POST")
        client.want_stream_error(stream, f.PROTOCOL_ERROR)


def test_trailers_end_an_upload(situation):
    with situation.greeted() as client:
        stream = client.start("/upload", method="POST", end=False)
        client.send(f.data(stream, b"12345"))
        situation.settle()
        client.send(f.headers(stream, client.encoder.encode([("x-checksum", "abc")])))
        assert b'"bytes":5' in client.want_response(stream).body


def test_second_headers_without_end_stream_are_malformed(situation):
    with situation.greeted() as client:
        stream = client.start("/upload", method="POST", end=False)
        situation.settle()
        client.send(f.headers(stream, client.encoder.encode([("x", "y")]), end=False))
        client.want_stream_error(stream, f.PROTOCOL_ERROR)


@pytest.mark.parametrize("fields", [((":path", "/x"),), ((":status", "200"),), (("X-Upper", "y"),)],
                         ids=["path", "status", "upper-case"])
def test_bad_trailers_are_malformed(situation, fields):
    """S19"""
    with situation.greeted() as client:
        stream = client.start("/upload", method="POST", end=False)
        situation.settle()
        client.send(f.headers(stream, f.literals(*fields)))
        client.want_stream_error(stream, f.PROTOCOL_ERROR)


def test_trailers_on_a_stream_that_the_server_reset_are_discarded(situation):
    """S1: decoded for the table's sake, then forgotten."""
    with situation.greeted() as client:
        stream = client.start("/rst", end=False, method="GET")
        client.want_rst(stream)
        situation.settle()
        client.send(f.headers(stream, client.encoder.encode([("x-late", "a value for the table")])))
        situation.settle()
        body = client.get("/info", ("x-late", "a value for the table")).body  # an index into the table
        assert b'"x-late", "a value for the table"' in body


def test_data_on_a_stream_that_the_server_reset_counts_for_the_connection_window(situation):
    with situation.greeted() as client:
        stream = client.start("/rst", end=False, method="GET")
        client.want_rst(stream)
        situation.settle()
        for _ in range(3):
            client.send(f.data(stream, bytes(16384)))
        client.want_alive()
        sent = 0
        upload = client.start("/upload", method="POST", end=False)
        while sent < 200_000:  # more than the connection's window, if what was discarded were not given back
            credit = 65535 + sum(client.window_updates(0)) - sent - 3 * 16384
            stream_credit = client.server_settings.get(f.INITIAL_WINDOW_SIZE, 65535) + \
                sum(client.window_updates(upload)) - sent
            piece = min(credit, stream_credit, 16384)
            if piece <= 0:
                client.want_frame(object, where=lambda x: x.type == f.WINDOW_UPDATE)
                continue
            client.send(f.data(upload, bytes(piece)))
            sent += piece
        client.send(f.data(upload, end=True))
        assert b'"bytes":%d' % sent in client.want_response(upload).body


def test_an_upload_refused_early_is_stopped_without_losing_the_answer(situation):
    """RFC 9113 8.1: the whole answer, then RST_STREAM(NO_ERROR)."""
    with situation.greeted() as client:
        stream = client.start("/upload", ("content-length", str(2**40)), method="POST", end=False)
        assert client.want_response(stream).status == 413
        client.want_rst(stream, f.NO_ERROR)
        client.send(f.data(stream, bytes(1000)))
        situation.settle()
        assert client.get("/hello").status == 200


def test_too_many_fields_get_431_and_keep_the_table_in_step(situation):
    with situation.greeted() as client:
        many = [(f"x-{i}", "v") for i in range(101)]
        assert client.get("/hello", *many).status == 431
        situation.settle()
        assert b'"x-100", "v"' in client.get("/info", *many[90:]).body


def test_too_many_header_bytes_get_431_and_keep_the_table_in_step(situation):
    with situation.greeted() as client:
        large = [(f"x-large-{i}", "v" * 8000) for i in range(9)]
        stream, client.next_stream = client.next_stream, client.next_stream + 2
        block = client.block("/hello", ("x-kept", "in the table"), *large)
        client.send(f.headers(stream, block[:16384], end_headers=False))
        for at in range(16384, len(block), 16384):
            client.send(f.continuation(stream, block[at:at + 16384], end_headers=at + 16384 >= len(block)))
        assert client.want_response(stream).status == 431
        situation.settle()
        assert b'"x-kept", "in the table"' in client.get("/info", ("x-kept", "in the table")).body


def test_the_last_id_counts_only_what_was_processed(situation):
    with situation.greeted() as client:
        stream = client.start("/hello")
        client.want_response(stream)
        situation.settle()
        client.send(f.data(0, b"x"))
        assert client.want_goaway(f.PROTOCOL_ERROR).last_stream_id == stream
        client.want_closed()

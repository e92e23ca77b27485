"""RFC 7541 as a server must hold a client to it, S12 to S14 among it; with parking on, off, and with the connection
parked before."""

import hpack
import pytest

from harness import frames as f

BASE = f.get_block()


@pytest.mark.parametrize("block", [
    BASE + b"\x80",                              # index 0 (6.1)
    BASE + b"\xbe",                              # index 62 of an empty table (2.3.3)
    BASE + b"\xff\xff\xff\x7f",                  # far beyond it
    BASE + b"\x7e\x01x",                         # name index 62 in a literal
    BASE + b"\xff" + b"\xff" * 10 + b"\x01",     # an integer without end (5.1)
    BASE + b"\x00\x7f" + b"\xff" * 10 + b"\x01", # a length without end
    BASE + b"\x00\x05abc",                       # a string that ends early
    BASE + b"\x00",                              # a literal without name
], ids=["index-0", "index-62", "index-huge", "name-index", "integer", "length", "short", "cut"])
def test_a_broken_block_is_a_compression_error(situation, block):
    situation.want_refused(f.COMPRESSION_ERROR, send=f.headers(1, block))


def test_a_size_update_after_the_first_field_is_refused(situation):
    """S12"""
    situation.want_refused(f.COMPRESSION_ERROR, send=f.headers(1, BASE[:13] + b"\x20" + BASE[13:]))


def test_a_size_update_above_the_limit_is_refused(situation):
    """S13: 4097 is more than the default, 2^20 more than anything a server would announce."""
    limit = 2**20
    encoded = bytearray([0x3F])
    rest = limit - 31
    while rest >= 128:
        encoded.append(rest % 128 + 128)
        rest //= 128
    situation.want_refused(f.COMPRESSION_ERROR, send=f.headers(1, bytes(encoded) + bytes([rest]) + BASE))


@pytest.mark.parametrize("value", [
    b"\x82\x07\xff",                  # '0', then 8 bits of ones more than a byte's padding
    b"\x81\x00",                      # '0' (00000), then padding of zeros
    b"\x84\xff\xff\xff\xff",          # EOS
    b"\x85\x07\xff\xff\xff\xff",      # EOS inside
], ids=["long-padding", "zero-padding", "eos", "eos-inside"])
def test_a_bad_huffman_string_is_refused(situation, value):
    """S14"""
    situation.want_refused(f.COMPRESSION_ERROR, send=f.headers(1, BASE + b"\x00\x01x" + value))


def test_two_size_updates_at_the_beginning_are_legal(situation):
    with situation.greeted() as client:
        client.send(f.headers(1, b"\x20\x3f\xe1\x1f" + BASE))  # 0, then 4096
        assert client.want_response(1).status == 200


def test_the_clients_smaller_table_is_announced_in_the_next_block(situation):
    """RFC 7541 4.2: after acknowledging a smaller table the server's next block begins with a size update."""
    with situation.greeted() as client:
        client.get("/hello")
        situation.settle()
        client.send(f.settings({f.HEADER_TABLE_SIZE: 0}))
        client.want_settings_ack()
        client.decoder.max_allowed_table_size = 0
        situation.settle()
        assert client.get("/hello").status == 200
        assert client.decoder.header_table.maxsize == 0


def test_an_entry_larger_than_the_table_empties_it(situation):
    with situation.greeted() as client:
        first = client.block("/hello", ("x-first", "in the table"))
        large = b"\x40\x07x-large\x7f" + b"\xa1\x1f" + b"v" * (127 + 33 + 31 * 128)  # 4128 bytes
        client.send(f.headers(1, first))
        client.want_response(1)
        situation.settle()
        client.send(f.headers(3, f.get_block() + large))
        client.want_response(3)
        client.send(f.headers(5, f.get_block() + b"\xbe"))  # 62: nothing there any more
        client.want_connection_error(f.COMPRESSION_ERROR)


def test_the_table_evicts_its_oldest_entries(situation):
    with situation.greeted() as client:
        for number in range(100):
            fields = [(f"x-{number}", "v" * 100), (f"x-{number}-again", "w" * 100)]
            body = client.get("/info", *fields).body
            assert f'"x-{number}", "{"v" * 100}"'.encode() in body
            if number % 25 == 0:
                situation.settle()


def test_never_indexed_fields_are_understood(situation):
    with situation.greeted() as client:
        body = client.get("/info", hpack.NeverIndexedHeaderTuple("authorization", "secret")).body
        assert b"authorization" in body

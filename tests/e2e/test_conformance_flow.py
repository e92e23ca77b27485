"""RFC 9113 section 6.9, flow control both ways; with parking on, off, and with the connection parked before."""

from hyperframe.frame import DataFrame

from harness import frames as f


def test_a_response_keeps_within_both_windows(situation):
    with situation.greeted({f.INITIAL_WINDOW_SIZE: 1000}, windows=False) as client:
        stream = client.start("/bytes/200000")
        assert len(client.read_body(stream, 1000)) == 1000
        situation.settle()
        client.send(f.window_update(stream, 1_000_000))
        assert len(client.read_body(stream, 64535)) == 64535  # the connection's 65535 less what came
        situation.settle()
        assert not [x for x in client.want_alive() if isinstance(x, DataFrame)]
        client.send(f.window_update(0, 1_000_000))
        assert len(client.read_body(stream, 134465)) == 134465


def test_a_body_longer_than_both_windows_arrives_whole(situation):
    with situation.greeted() as client:
        body = client.get("/bytes/1MiB").body
        line = b"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk\n"
        assert body == line * (len(body) // 64) and len(body) == 2**20


def test_frames_are_read_while_writing_is_blocked(situation):
    with situation.greeted({f.INITIAL_WINDOW_SIZE: 0}) as client:
        stream = client.start("/bytes/100")
        situation.settle()
        client.want_alive()
        client.send(f.window_update(stream, 100))
        assert len(client.read_body(stream, 100)) == 100


def test_a_zero_increment_on_a_stream_is_a_stream_error(situation):
    """S5"""
    with situation.greeted({f.INITIAL_WINDOW_SIZE: 0}) as client:
        stream = client.start("/bytes/100")
        situation.settle()
        client.send(f.window_update(stream, 0))
        assert client.want_frame(object, where=lambda x: x.type in (f.RST_STREAM, f.GOAWAY)).error_code == \
            f.PROTOCOL_ERROR


def test_a_zero_increment_on_the_connection_is_refused(situation):
    """S5"""
    with situation.greeted() as client:
        client.send(f.window_update(0, 0))
        client.want_connection_error(f.PROTOCOL_ERROR)


def test_a_stream_window_beyond_its_largest_is_a_stream_error(situation):
    with situation.greeted({f.INITIAL_WINDOW_SIZE: 1}) as client:
        stream = client.start("/bytes/100")
        client.read_body(stream, 1)
        situation.settle()
        client.send(f.window_update(stream, f.LARGEST_WINDOW), f.window_update(stream, f.LARGEST_WINDOW))
        found = client.want_frame(object, where=lambda x: x.type in (f.RST_STREAM, f.GOAWAY))
        assert found.error_code == f.FLOW_CONTROL_ERROR


def test_a_connection_window_beyond_its_largest_is_refused(situation):
    with situation.greeted() as client:
        client.send(f.window_update(0, f.LARGEST_WINDOW))
        client.want_connection_error(f.FLOW_CONTROL_ERROR)


def test_settings_that_overflow_a_stream_window_are_refused(situation):
    """S3"""
    with situation.greeted({f.INITIAL_WINDOW_SIZE: 0}) as client:
        stream = client.start("/upload", method="POST", end=False)
        situation.settle()
        client.send(f.window_update(stream, f.LARGEST_WINDOW))
        client.want_alive()
        situation.settle()
        client.send(f.settings({f.INITIAL_WINDOW_SIZE: f.LARGEST_WINDOW}))
        client.want_connection_error(f.FLOW_CONTROL_ERROR)


def test_a_window_made_negative_by_settings_fills_up_again(situation):
    with situation.greeted({f.INITIAL_WINDOW_SIZE: 100}, windows=False) as client:
        stream = client.start("/bytes/200")
        client.read_body(stream, 100)
        situation.settle()
        client.send(f.settings({f.INITIAL_WINDOW_SIZE: 10}))  # -90
        client.want_settings_ack()
        situation.settle()
        client.send(f.window_update(stream, 90))  # 0
        assert not [x for x in client.want_alive() if isinstance(x, DataFrame)]
        situation.settle()
        client.send(f.window_update(stream, 1))
        assert len(client.read_body(stream, 1)) == 1
        client.send(f.window_update(stream, 99))
        client.read_body(stream, 99)


def test_larger_initial_windows_release_open_streams(situation):
    with situation.greeted({f.INITIAL_WINDOW_SIZE: 0}) as client:
        streams = [client.start("/bytes/50") for _ in range(3)]
        situation.settle()
        client.send(f.settings({f.INITIAL_WINDOW_SIZE: 50}))
        bodies = {}
        while sum(map(len, bodies.values())) < 150:
            found = client.want_frame(DataFrame)
            bodies[found.stream_id] = bodies.get(found.stream_id, b"") + found.data
        assert sorted(bodies) == streams


def test_initial_window_size_leaves_the_connection_window_alone(situation):
    with situation.greeted({f.INITIAL_WINDOW_SIZE: 1_000_000}, windows=False) as client:
        stream = client.start("/bytes/200000")
        assert len(client.read_body(stream, 65535)) == 65535
        situation.settle()
        assert not [x for x in client.want_alive() if isinstance(x, DataFrame)]


def test_more_data_than_the_server_allows_is_refused(situation):
    """The handler does not read, so the stream's window is never opened again."""
    with situation.greeted() as client:
        stream = client.start("/delay/60000", method="GET", end=False)
        window = client.server_settings.get(f.INITIAL_WINDOW_SIZE, 65535)
        for _ in range(window // 16384 + 3):
            client.send(f.data(stream, bytes(16384)))
        found = client.want_frame(object, where=lambda x: x.type in (f.RST_STREAM, f.GOAWAY))
        assert found.error_code == f.FLOW_CONTROL_ERROR


def test_streams_are_served_round_robin(situation):
    """A small answer does not wait for the large ones before it."""
    with situation.greeted(window=2**30) as client:
        client.windows = False
        client.send(f.settings({f.INITIAL_WINDOW_SIZE: 2**29}))
        client.want_settings_ack()
        large = [client.start("/bytes/256MiB") for _ in range(3)]
        small = client.start("/bytes/20000")
        before = {stream: 0 for stream in large}
        got = 0
        while got < 20000:
            found = client.want_frame(DataFrame)
            if found.stream_id == small:
                got += len(found.data)
            else:
                before[found.stream_id] += len(found.data)
        assert max(before.values()) < 2**28, "an answer was sent whole before the small one"

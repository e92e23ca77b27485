"""h2park stat --watch on a terminal, through tmux: what a person sees, every key, and how it ends."""

import os
import re
import signal
import subprocess

import pytest

from harness.fleet import Fleet
from harness.server import BINARY, Server
from harness.terminal import Terminal
from harness.wait import wait_until

COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-7]|38;|4[0-7]|48;|9[0-7])")


@pytest.fixture(scope="module")
def server():
    with Server("--threads", 1) as running:
        yield running


def watch(terminal, server, *flags):
    terminal.run(BINARY, "stat", "--watch", "100ms", f"unix:{server.stats_address}", *flags)
    terminal.want("per second", "the screen is there")


def row(screen, label):
    """A row of figures: what stands behind its label, as words."""
    found = re.search(rf"^ +{re.escape(label)}  +(.*)$", screen, re.M)
    assert found, f"no row {label!r}\n{screen}"
    return found[1].split()


def test_the_screen_shows_the_connections_by_depth(server):
    with Terminal(columns=110) as terminal, Fleet(server.address(), 40):
        watch(terminal, server)
        screen = terminal.want("parked 40", "the fleet is parked")
        assert "40 connections" in screen and "h2 40" in screen
        lines = screen.split("\n")
        assert lines[0].startswith(" h2park ") and "every 100ms" in lines[0] and f"pid {server.pid}" in lines[0]
        bar = next(line for line in lines if "▒▒▒" in line)
        assert bar.strip() == "▒" * 108
        assert lines[23] == " q quit   p pause   r reset"
        assert "MiB" in " ".join(row(screen, "memory (RSS)"))
        assert terminal.in_full_screen and not terminal.cursor_visible


def test_it_shows_rates_means_peaks_and_sparklines(server):
    with Terminal() as terminal, Fleet(server.address(), 5) as fleet:
        watch(terminal, server)
        fleet.ask_again(range(5))
        screen = terminal.want(lambda text: row(text, "requests")[2] not in ("0", "-"), "requests have a peak")
        assert re.search(r"by readable .*[▂▃▄▅▆▇█]", screen)
        terminal.want(lambda text: row(text, "requests")[0] == "0", "nothing is asked any more")


def test_p_holds_the_screen_and_p_lets_it_go_on(server):
    with Terminal() as terminal:
        watch(terminal, server)
        terminal.press("p")
        terminal.want("paused")
        held = row(terminal.want("p go on"), "tasks")
        before = terminal.screen()
        with Fleet(server.address(), 7):
            server.want_open(7)
            # What is held is drawn again with every reading; wait for a few.
            reads = server.stats()["uptime_s"] + 0.5
            wait_until(lambda: server.stats()["uptime_s"] > reads, "readings pass by")
            assert terminal.screen() == before and row(before, "tasks") == held
            terminal.press("p")
            terminal.want("7 connections")
            assert "paused" not in terminal.screen()


def test_r_forgets_peaks(server):
    with Terminal() as terminal, Fleet(server.address(), 3) as fleet:
        watch(terminal, server)
        fleet.ask_again(range(3))
        terminal.want(lambda text: row(text, "requests")[2] not in ("0", "-"), "requests have a peak")
        terminal.want(lambda text: row(text, "requests")[0] == "0", "nothing is asked any more")
        terminal.press("r")
        terminal.want(lambda text: row(text, "requests")[2] in ("0", "-"), "the peak is forgotten")


@pytest.mark.parametrize("size", [(120, 40), (40, 12), (20, 4), (5, 2), (1, 1)])
def test_it_follows_the_size_of_the_terminal(server, size):
    columns, rows = size
    with Terminal() as terminal:
        watch(terminal, server)
        terminal.resize(columns, rows)

        def fits(screen):
            lines = screen.rstrip("\n").split("\n")
            return len(lines) <= rows and (rows < 12 or lines[rows - 1:] and lines[rows - 1].startswith(" q quit"))
        terminal.want(fits, f"it fits {columns}x{rows}")
        if columns == 120:
            terminal.want("requests per second")
        terminal.resize(80, 24)
        terminal.want(lambda screen: "\n q quit" in screen and "thaws" in screen, "it is whole again")
        terminal.press("q")
        terminal.want_restored()


def test_no_color_is_obeyed(server):
    with Terminal(NO_COLOR="1") as plain, Terminal() as coloured:
        for terminal in (plain, coloured):
            watch(terminal, server)
            terminal.want("q quit")
        assert not COLOUR.search(plain.screen(escapes=True))
        assert COLOUR.search(coloured.screen(escapes=True))


def test_a_terminal_without_unicode_gets_ascii(server):
    with Terminal(LC_ALL="C") as terminal:
        watch(terminal, server)
        screen = terminal.want("q quit")
        assert screen.isascii()
        assert "# active" in screen


def test_a_server_that_goes_away_is_waited_for(tmp_path):
    flags = ("--stats", f"unix:{tmp_path}/stats.sock")
    with Terminal(columns=130) as terminal:
        with Server(*flags) as first:
            first.stats_address = f"{tmp_path}/stats.sock"
            watch(terminal, first)
        terminal.want("trying again: cannot read stats from", "it says that the server is away")
        assert terminal.lines()[1].startswith(" no answer for ")
        with Server(*flags) as second:
            terminal.want("the server was restarted", "it says that the server is back")
            terminal.want(f"pid {second.pid}")
            assert "no answer" not in terminal.screen()
            terminal.press("q")
            terminal.want_restored()


@pytest.mark.parametrize("key", ["q", "Q"])
def test_q_ends_it_with_0(server, key):
    with Terminal() as terminal:
        terminal.type(f"{BINARY} stat --watch unix:{server.stats_address}; echo code=$?")
        terminal.press("Enter")
        terminal.want("per second")
        terminal.press(key)
        terminal.want("code=0")
        terminal.want_restored()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back_first(server, number):
    with Terminal() as terminal:
        terminal.type(f"{BINARY} stat --watch unix:{server.stats_address}; echo code=$?")
        terminal.press("Enter")
        terminal.want("per second")
        subprocess.run(["kill", f"-{int(number)}", str(terminal.program)], check=True)
        # An interactive bash does not go on with the line after an interrupt.
        if number != signal.SIGINT:
            terminal.want(f"code={128 + number}")
        terminal.want_restored()


def test_control_c_gives_the_terminal_back(server):
    with Terminal() as terminal:
        watch(terminal, server)
        terminal.press("C-c")
        terminal.want_restored()


def test_it_ends_after_its_count(server):
    with Terminal() as terminal:
        terminal.type(f"{BINARY} stat -n 3 -w 50ms unix:{server.stats_address}; echo code=$?")
        terminal.press("Enter")
        terminal.want("code=0")
        terminal.want_restored()


def test_a_server_that_is_not_there_is_one_line_on_the_shells_screen(tmp_path):
    with Terminal(columns=160) as terminal:
        terminal.type(f"{BINARY} stat --watch unix:{tmp_path}/none.sock; echo code=$?")
        terminal.press("Enter")
        screen = terminal.want("code=1")
        assert f"h2park: cannot read stats from unix:{tmp_path}/none.sock: No such file or directory" in screen
        terminal.want_restored()


def test_a_server_that_hangs_does_not_hold_up_q(tmp_path, server):
    """It accepts and keeps silent: the reading is given up at once."""
    with Server("--stats", f"unix:{tmp_path}/s") as hanging, Terminal() as terminal:
        hanging.stats_address = f"{tmp_path}/s"
        watch(terminal, hanging)
        hanging.signal(signal.SIGSTOP)
        try:
            terminal.press("q")
            wait_until(lambda: not terminal.in_full_screen, "it has ended", timeout=3)
            terminal.want_restored()
        finally:
            hanging.signal(signal.SIGCONT)


def test_a_process_has_a_screen_too(server):
    with Terminal() as terminal:
        terminal.run(BINARY, "stat", "--pid", server.pid, "-w", "100ms")
        screen = terminal.want("memory (PSS)")
        assert f" {os.path.basename(BINARY)}   process {server.pid}" in screen
        assert row(screen, "threads")[0].isdigit()
        terminal.press("q")
        terminal.want_restored()


def test_a_process_that_ends_ends_the_screen():
    with Server() as watched, Terminal() as terminal:
        terminal.type(f"{BINARY} stat --pid {watched.pid} -w 50ms; echo code=$?")
        terminal.press("Enter")
        terminal.want("memory (PSS)")
        watched.stop()
        screen = terminal.want("code=1")
        assert f"h2park: process {watched.pid}: No such process" in screen
        terminal.want_restored()


def test_a_dumb_terminal_gets_lines(server):
    with Terminal(TERM="dumb", columns=250) as terminal:
        terminal.run(BINARY, "stat", "-n", "2", "-w", "50ms", f"unix:{server.stats_address}")
        screen = terminal.want("requests.total/s")
        assert not terminal.in_full_screen
        assert re.search(r"^20\d\d-\d\d-\d\dT", screen, re.M)


def test_fields_make_lines_of_it(server):
    with Terminal() as terminal:
        terminal.run(BINARY, "stat", "-n", "2", "-w", "50ms", "--fields", "tasks.live", f"unix:{server.stats_address}")
        terminal.want(lambda screen: re.search(r"^tasks\.live\n +\d+\n +\d+\n", screen, re.M), "a column")

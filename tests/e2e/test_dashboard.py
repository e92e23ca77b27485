"""The dashboard in Chromium: what it shows of a server, and how."""

import time

import pytest

from harness.browser import Browser
from harness.dashboard import DashboardServer
from harness.fleet import Fleet
from harness.h2 import Http2Client
from harness.wait import wait_until

LIVE = "document.body.dataset.state === 'live'"
# Colours of the canvas's pixels, by how many there are of each.
LOT_COLOURS = """(() => {
  const canvas = document.getElementById('lot');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const found = {};
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] !== 255) continue;
    const colour = '#' + [0, 1, 2].map((j) => data[i + j].toString(16).padStart(2, '0')).join('');
    found[colour] = (found[colour] || 0) + 1;
  }
  return found;
})()"""
COLOUR = "getComputedStyle(document.documentElement).getPropertyValue('--%s').trim()"
# What someone who hears the page is told, each time.
HEARD = """window.heard = [];
new MutationObserver(() => heard.push(document.getElementById('status').textContent))
  .observe(document.getElementById('status'), { childList: true, characterData: true, subtree: true })"""


@pytest.fixture(scope="module")
def browser():
    with Browser() as running:
        yield running


def want_shown(browser, **counts):
    wait_until(lambda: all(browser.text(f"#{depth}") == f"{n:,}" for depth, n in counts.items()),
               f"the page shows {counts}")


def pixels(browser, depth):
    return browser.evaluate(LOT_COLOURS).get(browser.evaluate(COLOUR % depth).lower(), 0)


def test_five_hundred_connections_come_freeze_and_one_wakes(browser):
    with DashboardServer("--threads", 2, "--freeze-after", "6s") as server:
        assert browser.open(server.dashboard, still=True) == 200
        browser.want(LIVE)
        assert browser.evaluate("!document.getElementById('empty').hidden")
        want_shown(browser, open=0, active=0, parked=0, frozen=0)
        with Fleet(server.address(), 500) as fleet:
            want_shown(browser, open=500, parked=500)
            assert browser.evaluate("document.getElementById('empty').hidden")
            # Still lit, having come just now; then they are as parked ones are.
            wait_until(lambda: pixels(browser, "active") == 0, "the lights are out")
            square = pixels(browser, "parked") / 500
            assert square > 50
            want_shown(browser, open=500, parked=0, frozen=500)
            wait_until(lambda: pixels(browser, "parked") == 0, "all squares are frozen ones")
            frozen_square = pixels(browser, "frozen") / 500
            assert 10 < frozen_square < square
            assert pixels(browser, "active") == 0

            fleet.ask_again([250])
            lit = wait_until(lambda: pixels(browser, "active"), "one lights up")
            assert lit == pytest.approx(square, rel=0.15), "one, not more"
            want_shown(browser, parked=1, frozen=499)
            wait_until(lambda: pixels(browser, "active") == 0, "and its light goes out")
            assert pixels(browser, "parked") == pytest.approx(square, rel=0.15)
            assert "499 frozen" in browser.evaluate("document.getElementById('lot').ariaLabel")
        want_shown(browser, open=0)
        wait_until(lambda: pixels(browser, "frozen") == 0, "the places are free again")
        assert browser.complaints == []


def test_a_light_fades_unless_less_motion_is_preferred(browser):
    with DashboardServer("--freeze-after", "never") as server, Http2Client(server.address()) as client:
        client.greet()
        for still in (False, True):
            browser.open(server.dashboard, still=still)
            want_shown(browser, parked=1)
            wait_until(lambda: pixels(browser, "active") == 0, "it is dark")
            browser.evaluate("window.frames_asked = 0; const ask = window.requestAnimationFrame;"
                             "window.requestAnimationFrame = (f) => { frames_asked += 1; return ask(f); }")
            client.want_alive()
            wait_until(lambda: pixels(browser, "active") > 0, "it lights up")
            wait_until(lambda: pixels(browser, "active") == 0, "its light goes out")
            assert (browser.evaluate("frames_asked") == 0) == still


def test_figures_and_graphs_follow_the_server(browser):
    with DashboardServer() as server, Http2Client(server.address()).greet() as client:
        browser.open(server.dashboard)
        browser.want(LIVE)
        client.start("/wait?ms=60000")
        wait_until(lambda: browser.text("#tiles div:nth-child(2) dd") == "1", "a stream is open")
        for _ in range(20):
            client.get("/hello")
        figure = "[...document.querySelectorAll('figure')].find((f) => f.textContent.includes('%s'))"
        requests, wakes, memory = (figure % title for title in ("requests per", "wakes per", "resident memory"))
        browser.want(f"parseFloat({requests}.querySelector('b').textContent) > 0")
        browser.want(f"/L.*L/.test({requests}.querySelector('path:not(.under)').getAttribute('d'))")
        assert browser.evaluate(f"{wakes}.querySelectorAll('.legend li').length") == 6
        assert browser.evaluate(f"{memory}.querySelector('svg').ariaLabel").startswith("resident memory: ")

        browser.click("#all summary")
        table = browser.want("document.getElementById('table').innerText")
        flat = {name for group in server.stats().values() if isinstance(group, dict) for name in group}
        for name in flat | {"uptime_s", "freeze_after_s"}:
            assert name.replace("_", " ") in table, name
        assert browser.complaints == []


def test_pointing_shows_what_was(browser):
    with DashboardServer() as server, Http2Client(server.address()).greet():
        browser.open(server.dashboard)
        want_shown(browser, open=1)
        browser.hover("#lot", 12, 12)
        browser.want("/^thread \\d+, place \\d+: (parked|frozen)$/.test(document.getElementById('hint').textContent)")
        browser.hover("#graphs svg", 5, 30)
        assert browser.text("#axis span:last-child").startswith("shown: ")
        browser.hover("h1", 2, 2)
        assert browser.text("#axis span:last-child") == "now"
        assert browser.text("#hint").startswith("Each square")


def test_a_lost_server_is_shown_and_found_again(browser):
    with DashboardServer() as server:
        browser.open(server.dashboard)
        browser.want(LIVE)
        browser.evaluate(HEARD)
        address = server.stats_address
        server.stop()
        browser.want("document.body.dataset.state === 'lost'")
        assert "lost" in browser.text("#status")
        time.sleep(2)  # several attempts
        assert len(browser.evaluate("heard")) == 1, "it is said once"
    with DashboardServer(stats="%s:%d" % address) as server, Fleet(server.address(), 3):
        browser.want(LIVE)
        want_shown(browser, open=3)
        assert browser.evaluate("heard").count("live") == 1
        assert browser.text("#facts").count(f"pid {server.pid}") == 1


@pytest.mark.parametrize("width, height", [(1280, 800), (1024, 680), (900, 500), (390, 844), (320, 568)])
@pytest.mark.parametrize("count", [5, 2000])
def test_everything_fits_on_the_screen(browser, width, height, count):
    with DashboardServer("--threads", 2) as server, Fleet(server.address(), count):
        browser.open(server.dashboard, width=width, height=height, phone=width < 600)
        want_shown(browser, open=count)
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider"
        outside = browser.evaluate("""[...document.querySelectorAll('main *')].filter((e) => {
            const box = e.getBoundingClientRect();
            return box.width && e.checkVisibility() && (box.right > innerWidth + 1 || box.left < -1);
        }).map((e) => e.outerHTML.slice(0, 80))""")
        assert outside == []
        cards = browser.evaluate("[...document.querySelectorAll('.card')].map((e) => e.scrollHeight - e.clientHeight)")
        assert max(cards) <= 1, "nothing runs out of its card"
        if height == 800:  # lot and graphs at one glance
            assert browser.evaluate("document.querySelector('.graphs').getBoundingClientRect().bottom <= innerHeight")
        square = pixels(browser, "parked") + pixels(browser, "active") + pixels(browser, "frozen")
        assert square >= count, "each has a pixel at least"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_and_squares_stand_out(browser, dark):
    """WCAG 2.2: 4.5 to 1 for text, 3 to 1 for graphics."""
    with DashboardServer() as server:
        browser.open(server.dashboard, dark=dark)

        def luminance(name):
            colour = browser.evaluate(COLOUR % name).lstrip("#")
            colour = "".join(c * 2 for c in colour) if len(colour) == 3 else colour
            parts = [int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4)]
            linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

        def contrast(one, other):
            high, low = sorted((luminance(one), luminance(other)), reverse=True)
            return (high + 0.05) / (low + 0.05)

        for text in ("ink", "muted", "good", "bad"):
            assert contrast(text, "card") >= 4.5 and contrast(text, "ground") >= 4.5, text
        for graphic in ("active", "parked", "frozen", *(f"series-{i}" for i in range(6))):
            assert contrast(graphic, "card") >= 3, graphic
        assert (luminance("card") < luminance("ink")) == dark


# ---- its parts

@pytest.fixture(scope="module")
def parts(browser):
    """Evaluates an expression with what the page's scripts export."""
    def evaluate(code):
        return browser.evaluate("(async () => { const { Places } = await import('/dashboard/places.js');"
                                "const format = await import('/dashboard/format.js');"
                                f"const {{ History }} = await import('/dashboard/history.js'); {code} }})()")
    with DashboardServer() as server:
        browser.open(server.dashboard)
        yield evaluate


@pytest.mark.parametrize("before, after, lit", [
    ("p", "P", True), ("f", "P", True), ("f", "F", True), (".", "P", True), (".", "F", True),
    ("p", "F", False),  # went on sleeping
    ("p", "p", False), ("f", "f", False), ("p", "f", False), ("p", "a", False), ("a", "P", False), (".", "p", False),
])
def test_whoever_was_awake_between_two_events_lights_up(parts, before, after, lit):
    assert parts("const lot = new Places(); lot.update(['a%s']); return lot.update(['a%s']).woke;" % (before, after)) \
        == ([1] if lit else [])


def test_connections_keep_their_places_while_others_come_and_go(parts):
    assert parts("""
        const lot = new Places();
        const names = () => lot.keys.map((key, place) => key < 0 ? '' : lot.nameAt(place));
        lot.update(['2p', 'p']);
        lot.update(['2p', '3p']);
        const full = names();
        lot.update(['.p', '3p']);
        const hole = names();
        lot.update(['.2p', '3p']);
        return [full, hole, names()];""") == [
        ["thread 0, place 0", "thread 0, place 1", "thread 1, place 0", "thread 1, place 1", "thread 1, place 2"],
        ["", "thread 0, place 1", "thread 1, place 0", "thread 1, place 1", "thread 1, place 2"],
        ["thread 0, place 2", "thread 0, place 1", "thread 1, place 0", "thread 1, place 1", "thread 1, place 2"]]


def test_a_lot_that_is_mostly_free_moves_together(parts):
    length, moved, names = parts("""
        const lot = new Places();
        lot.update(['1000f']);
        const { moved } = lot.update(['900.a98.f']);
        return [lot.length, moved, [lot.nameAt(0), lot.nameAt(1)]];""")
    assert (length, moved, names) == (2, True, ["thread 0, place 900", "thread 0, place 999"])


@pytest.mark.parametrize("code, text", [
    ("format.count(1234567)", "1,234,567"), ("format.count(null)", "–"),
    ("format.bytes(1023)", "1,023 B"), ("format.bytes(1536)", "1.5 KiB"), ("format.bytes(200 * 2 ** 20)", "200 MiB"),
    ("format.rate(0.25)", "0.3"), ("format.rate(1234.5)", "1,235"),
    ("format.duration(0.25)", "250ms"), ("format.duration(59.9)", "59s"), ("format.duration(3725)", "1h 2m"),
    ("[0.3, 1, 3, 11, 900, 1001].map((n) => format.roundUp(n, 10)).join()", "0.5,1,5,20,1000,2000"),
    ("[1000, 1500, 3 * 2 ** 20].map((n) => format.roundUp(n, 1024)).join()", "1000,2048,5242880"),
])
def test_numbers_are_written_as_people_read_them(parts, code, text):
    assert parts(f"return {code};") == text


def test_rates_stop_where_the_server_starts_again(parts):
    assert parts("""
        const at = (pid, uptime_s, total) => ({ pid, uptime_s, connections: {}, memory: {}, requests: { total },
                                                parking_events: { wakes: 0, wakes_by: {} } });
        const history = new History();
        for (const [pid, time, total] of [[1, 10, 100], [1, 12, 300], [1, 12, 300], [2, 1, 5], [2, 2, 15]]) {
          history.add(at(pid, time, total));
          if (time === 12) var rate = history.points.at(-1).requests, points = history.points.length;
        }
        return [rate, points, history.points.map((point) => point.requests)];""") == [100, 2, [None, 10]]


def test_a_page_from_elsewhere_cannot_watch(browser, tmp_path):
    """Neither does it read the events nor does it hold a stream."""
    page = tmp_path / "elsewhere.html"
    with DashboardServer() as server:
        page.write_text("<!doctype html><title>elsewhere</title>")
        browser.open(f"file://{page}")
        outcome = browser.evaluate(f"""(async () => {{
            const heard = await new Promise((done) => {{
                const source = new EventSource('{server.dashboard}live');
                source.onmessage = () => done('an event');
                source.onerror = () => done('nothing');
            }});
            const response = await fetch('{server.dashboard}live', {{ mode: 'no-cors' }});
            const late = new Promise((done) => setTimeout(done, 5000, 'a stream'));
            return [heard, await Promise.race([response.text(), late])];
        }})()""")
        assert outcome == ["nothing", ""]

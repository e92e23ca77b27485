"""screenshot_dashboard.py FILE: the dashboard of a server with a fleet that is not quite idle. tools/screenshot runs it."""

import math
import random
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from harness import frames  # noqa: E402
from harness.browser import Browser  # noqa: E402
from harness.dashboard import DashboardServer  # noqa: E402
from harness.fleet import Fleet  # noqa: E402

CONNECTIONS = 1400
SECONDS = 112
STREAMING = range(60)  # hold an event stream
LOADING = range(60, 72)  # read a large answer slowly


def ask(fleet, number, stream, path):
    fleet.sockets[number].sendall(frames.headers(stream, frames.get_block(path)))


def live(fleet, stop):
    """Requests that rise and fall, most of them from the same connections, until `stop` is set."""
    for number in STREAMING:
        ask(fleet, number, 3, "/events?interval=%ds" % (4 + number % 9))
    for number in LOADING:
        fleet.sockets[number].sendall(frames.window_update(0, 2**30))
        ask(fleet, number, 3, "/bytes/1GiB")
        fleet.sockets[number].sendall(frames.window_update(3, 2**30))
    streams = {}
    chance = random.Random(7)
    begun = time.monotonic()
    while not stop.is_set():
        age = time.monotonic() - begun
        for _ in range(round(5 + 4 * math.sin(age / 9) + chance.random())):
            regular = chance.random() < 0.85
            number = chance.randrange(72, 260) if regular else chance.randrange(72, CONNECTIONS)
            streams[number] = streams.get(number, 1) + 2
            ask(fleet, number, streams[number], "/hello")
            fleet.sockets[number].recv(65536)
        for number in LOADING:
            fleet.sockets[number].recv(16384)
        time.sleep(0.1)


def main(path):
    with DashboardServer("--threads", 2, "--freeze-after", "4s") as server, Browser() as browser:
        with Fleet(server.address(), CONNECTIONS) as fleet:
            server.wait_stats(lambda s: s["connections"]["frozen"] == CONNECTIONS, "all are frozen", 60)
            stop = threading.Event()
            clients = threading.Thread(target=live, args=(fleet, stop))
            clients.start()
            browser.open(server.dashboard, dark="--dark" in sys.argv)
            time.sleep(SECONDS)
            # Shortly after an event: those that have been awake are lit.
            browser.want("new Promise((done) => new MutationObserver(() => done(true)).observe("
                         "document.getElementById('facts'), { childList: true }))")
            browser.screenshot(path)
            stop.set()
            clients.join()
    print(f"{path}: {Path(path).stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main(sys.argv[1])

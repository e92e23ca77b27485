"""However many requests `h2park get` makes, it needs no more memory."""

import subprocess
import time

import pytest

from harness.get import CLEAN
from harness.server import BINARY, Server, is_sanitized

pytestmark = pytest.mark.skipif(is_sanitized(), reason="a sanitizer keeps what was freed")


@pytest.fixture(scope="module", name="site")
def site_():
    with Server("--threads", 1) as server:
        yield server.url()


def peak_kib(*arguments):
    """VmHWM as long as there is one. (What wait4() tells begins with the memory of this interpreter.)"""
    peak = 0
    with subprocess.Popen([BINARY, "get", *map(str, arguments)], stdout=subprocess.DEVNULL, env=CLEAN) as process:
        while process.poll() is None:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                sizes = [int(line.split()[1]) for line in status if line.startswith("VmHWM:")]
            peak = max([peak, *sizes])
            time.sleep(0.005)
    assert process.returncode == 0 and peak > 1000
    return peak


def test_memory_does_not_grow_with_the_number_of_requests(site):
    few, many = (peak_kib("-n", count, "-c", 4, "--read", "all", site + "/hello") for count in (20_000, 100_000))
    assert many <= few + 1024, f"{few} KiB, then {many} KiB"


@pytest.mark.long
def test_a_million_requests_need_no_more(site):
    few, many = (peak_kib("-n", count, "--output-format", "json", site + "/hello") for count in (20_000, 1_000_000))
    assert many <= few + 1024, f"{few} KiB, then {many} KiB"

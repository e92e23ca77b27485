"""Fixtures of the end-to-end tests. $H2PARK is the binary under test; $H2PARK_LONG=1 adds what takes long."""

import os
import tempfile

import pytest

from harness.server import BINARY, Server
from harness.situation import Situation
from harness.tls import make_certificate


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes minutes; run with H2PARK_LONG=1")
    if not os.access(BINARY, os.X_OK):
        raise pytest.UsageError("set H2PARK to the h2park binary")


def pytest_collection_modifyitems(items):
    if not os.environ.get("H2PARK_LONG"):
        skip = pytest.mark.skip(reason="takes long; run with H2PARK_LONG=1")
        for item in items:
            if "long" in item.keywords:
                item.add_marker(skip)


@pytest.fixture(params=["on", "off"], ids=["park-on", "park-off"])
def park(request):
    """The value of --park."""
    return request.param


@pytest.fixture(params=["on", "off"], ids=["park-on", "park-off"], scope="module")
def server(request):
    """One server for the file's tests, which leave it as they found it."""
    with Server("--park", request.param, "--threads", 2) as running:
        yield running


@pytest.fixture(params=["park-on", "park-off", "parked", "frozen"], scope="module")
def _situated_server(request):
    flags = ["--park", "off" if request.param == "park-off" else "on"]
    if request.param in ("parked", "frozen"):
        flags += ["--freeze-after", "0" if request.param == "frozen" else "never"]
    with Server(*flags, "--threads", 1) as running:
        yield request.param, running


@pytest.fixture
def situation(_situated_server):
    """A server with parking on, off, or on with the connection parked, or frozen, before the trigger."""
    name, running = _situated_server
    yield Situation(running, depth=name if name in ("parked", "frozen") else None)
    assert running.running, running.stderr


@pytest.fixture(scope="session")
def certificate():
    """(certificate, key): paths."""
    with tempfile.TemporaryDirectory(prefix="h2park-e2e-") as directory:
        yield make_certificate(directory)

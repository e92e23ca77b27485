"""Relay: a server made to be a network away."""

import os
import subprocess

BINARIES = os.environ.get("H2PARK_E2E_BIN", "")


class Relay:
    """Passes connections on to a port of this machine, every byte `delay_ms` later. Use it with `with`."""

    def __init__(self, delay_ms, port):
        self._process = subprocess.Popen([os.path.join(BINARIES, "delay_relay"), str(delay_ms), str(port)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self._process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

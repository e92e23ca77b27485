"""Server: an `h2park serve` of its own for a test."""

import os
import re
import signal
import subprocess
import tempfile
import threading

from harness.process import cpu_seconds, rss_bytes
from harness.stats import dormant, read_stats
from harness.wait import TIMEOUT, wait_until

BINARY = os.environ.get("H2PARK", "h2park")

LISTENING = re.compile(r"\blistening on (https?://\S+|unix:\S+)")
FINGERPRINT = re.compile(r"\b((?:[0-9A-F]{2}:){31}[0-9A-F]{2})\b")
SANITIZER = re.compile(r"Sanitizer|runtime error:")


def is_sanitized():
    """Sanitizers need many times the memory and the time: figures say nothing then."""
    with open(BINARY, "rb") as binary:
        return b"__asan_init" in binary.read()


class Server:
    """Starts on construction and waits until it listens. Use it with `with`.

    `flags`: of `serve`. Port 0 on loopback and statistics on a unix socket are added unless they say otherwise.
    """

    def __init__(self, *flags, env=None, prefix=(), preexec=None, pass_fds=(), access_log="off"):
        self._directory = tempfile.TemporaryDirectory(prefix="h2park-e2e-")
        self.directory = self._directory.name
        self.stderr = ""
        self.stdout = ""
        command = [*prefix, BINARY, "serve", *map(str, flags)]
        named = {flag.partition("=")[0] for flag in map(str, flags)}
        self._stats_flag = [after for flag, after in zip(flags, flags[1:]) if flag == "--stats"]
        if not named & {"--listen", "--tls-listen"} and not pass_fds:
            command += ["--listen", "127.0.0.1:0"]
        if access_log == "off" and "--access-log" not in named:
            command += ["--access-log", "off"]
        self.stats_address = os.path.join(self.directory, "stats.sock")
        if "--stats" not in named:
            command += ["--stats", "unix:" + self.stats_address]
        self.command = command
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})}, preexec_fn=preexec, pass_fds=pass_fds, errors="replace")
        self._readers = [self._read(self._process.stdout, "stdout"), self._read(self._process.stderr, "stderr")]
        self._wait_ready()

    # ---- life

    def _read(self, stream, name):
        def run():
            for line in stream:
                setattr(self, name, getattr(self, name) + line)
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def _wait_ready(self):
        def ready():
            if self._process.poll() is not None:
                for reader in self._readers:
                    reader.join(TIMEOUT)
                raise AssertionError(f"ended with {self._process.returncode}: {self.stderr}")
            return self.listening and ("stats on " in self.stderr or "off" in self._stats_flag)
        try:
            wait_until(ready, "the server listens")
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self):
        return self._process.pid

    @property
    def running(self):
        return self._process.poll() is None

    def signal(self, number):
        self._process.send_signal(number)

    def want_exit(self, code=0, timeout=TIMEOUT):
        """Waits for the end; its exit code is `code` and no sanitizer has complained."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the server still runs after {timeout} s\n{self.stderr}") from None
        for reader in self._readers:
            reader.join(TIMEOUT)
        assert not SANITIZER.search(self.stderr), self.stderr
        assert self._process.returncode == code, f"exit {self._process.returncode}, not {code}\n{self.stderr}"

    def stop(self, timeout=TIMEOUT):
        """Ends it gracefully. A test that has sent a signal waits with want_exit(): a second one would end it at
        once."""
        if self.running:
            self.signal(signal.SIGTERM)
        self.want_exit(0, timeout)

    def kill(self):
        if self.running:
            self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join(TIMEOUT)
        self._process.stdout.close()
        self._process.stderr.close()
        self._directory.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None and self.running:
                self.stop()
            assert not SANITIZER.search(self.stderr), self.stderr
            if kind is None:
                code = self._process.poll()
                assert code is not None and (code >= 0 or code in (-signal.SIGTERM, -signal.SIGINT)), self.stderr
        finally:
            self.kill()

    # ---- where it is

    @property
    def listening(self):
        """What it says it listens on, in order: "http://127.0.0.1:40123", "unix:/run/x.sock"."""
        return LISTENING.findall(self.stderr)

    def url(self, scheme="http", number=0):
        return [text for text in self.listening if text.startswith(scheme + "://")][number]

    def address(self, scheme="http", number=0):
        """("host", port)"""
        host, _, port = self.url(scheme, number).partition("://")[2].rpartition(":")
        return host.strip("[]"), int(port)

    @property
    def fingerprint(self):
        found = FINGERPRINT.search(self.stderr + self.stdout)
        return found and found.group(1)

    # ---- what it says of itself

    def stats(self):
        return read_stats(self.stats_address)

    def wait_stats(self, predicate, what, timeout=TIMEOUT):
        """Until the predicate is true of the statistics, which it returns."""
        latest = {}

        def holds():
            latest.update(self.stats())
            return predicate(latest)
        try:
            wait_until(holds, what, timeout, every=0.02)
        except AssertionError as failure:
            raise AssertionError(f"{failure}\n{latest}\n{self.stderr[-2000:]}") from None
        return latest

    def want_parked(self, count=None):
        """Every open connection is parked, or frozen meanwhile; `count` of them, if given."""
        return self.wait_stats(
            lambda s: dormant(s) == s["connections"]["open"] and s["tasks"]["serve"] == 0
            and dormant(s) >= 1 and count in (None, dormant(s)),
            f"{count or 'all'} connections are parked")

    def want_open(self, count):
        return self.wait_stats(lambda s: s["connections"]["open"] == count, f"{count} connections are open")

    def rss(self):
        return rss_bytes(self.pid)

    def cpu(self):
        return cpu_seconds(self.pid)

    def want_quiet(self, timeout=TIMEOUT):
        """CPU use is back to nothing: less than 2 % of half a second."""
        import time

        def quiet():
            before = self.cpu()
            time.sleep(0.5)
            return self.cpu() - before <= 0.01
        wait_until(quiet, "the server is quiet", timeout, every=0)

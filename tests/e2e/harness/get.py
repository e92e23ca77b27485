"""Runs `h2park get` and reads what it says."""

import contextlib
import json
import os
import shutil
import subprocess

from harness.server import BINARY, SANITIZER
from harness.wait import TIMEOUT

# Nothing of the machine's own: proxies, certificates, a terminal's size.
CLEAN = {name: value for name, value in os.environ.items()
         if not name.lower().endswith("_proxy") and not name.startswith("SSL_CERT")}


class Got:
    """What one run of `h2park get` left behind."""

    def __init__(self, done):
        self.code = done.returncode
        self.body = done.stdout
        self.errors = done.stderr.decode(errors="replace")
        assert not SANITIZER.search(self.errors), self.errors

    @property
    def text(self):
        return self.body.decode()

    @property
    def objects(self):
        """The NDJSON objects."""
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def records(self):
        return [each for each in self.objects if "summary" not in each]

    @property
    def summary(self):
        last = self.objects[-1]
        assert list(last) == ["summary"], last
        return last["summary"]


def get(*arguments, code=0, stdin=b"", env=None, timeout=TIMEOUT, **more):
    """Runs it to its end and expects that exit code (None: any)."""
    done = subprocess.run([BINARY, "get", *map(str, arguments)], input=stdin, capture_output=True, timeout=timeout,
                          env={**CLEAN, **(env or {})}, **more)
    got = Got(done)
    assert code is None or got.code == code, f"exit {got.code}: {got.errors}"
    return got


def get_json(*arguments, **more):
    return get("--output-format", "json", *arguments, **more)


@contextlib.contextmanager
def running(*arguments, **more):
    """A run under way; whatever becomes of the test it ends."""
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, "env": CLEAN, **more}
    with subprocess.Popen([BINARY, "get", *map(str, arguments)], **more) as process:
        try:
            yield process
        finally:
            process.kill()


CURL = shutil.which("curl")


def curl(*arguments, stdin=b"", env=None, timeout=TIMEOUT, **more):
    """The same with curl, without its progress meter and its own settings."""
    done = subprocess.run([CURL, "-q", "--no-progress-meter", *map(str, arguments)], input=stdin, capture_output=True,
                          timeout=timeout, env={**CLEAN, **(env or {})}, **more)
    return Got(done)


def same_as_curl(*arguments, **more):
    """Both end with the same exit code and the same standard output. Returns both."""
    ours, theirs = get(*arguments, code=None, **more), curl(*arguments, **more)
    said = "\n".join(f"{got.code} {got.body[:500]!r} {got.errors}" for got in (ours, theirs))
    assert (ours.code, ours.body) == (theirs.code, theirs.body), said
    return ours, theirs

"""Runs h2park to its end."""

import subprocess

from harness.server import BINARY, SANITIZER
from harness.wait import TIMEOUT


def h2park(*arguments, timeout=TIMEOUT, **more):
    """Exit code, standard output, standard error."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, **more)
    assert not SANITIZER.search(done.stderr), done.stderr
    return done.returncode, done.stdout, done.stderr


def want_failure(code, *arguments, naming=()):
    """It ends with that code and exactly one line that names the things; nothing on standard output."""
    status, output, errors = h2park(*arguments)
    assert status == code, f"exit {status}: {errors}"
    assert output == ""
    lines = errors.splitlines()
    assert len(lines) == 1 and errors.endswith("\n"), errors
    assert lines[0].startswith("h2park: "), lines[0]
    for name in naming:
        assert str(name) in lines[0], f"{name!r} is not named: {lines[0]}"
    return lines[0]

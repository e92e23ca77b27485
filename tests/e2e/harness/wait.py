"""Waiting for a condition, never for a time."""

import time

# Long enough for a loaded machine with two cores; a test that passes does not wait for it.
TIMEOUT = 15.0


def wait_until(predicate, what="the condition", timeout=TIMEOUT, every=0.01):
    """Returns the predicate's first true value."""
    deadline = time.monotonic() + timeout
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(every)

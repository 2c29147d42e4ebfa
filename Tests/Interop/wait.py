"""Waiting for conditions with a generous end."""

import sys
import time


def wait_for(what, condition, seconds=30):
    """Returns the first true value of the condition; ends the script when there is none in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    sys.exit(f"FAILED: {what} (not within {seconds} s)")


def check(what, actual, expected):
    if actual != expected:
        sys.exit(f"FAILED: {what}: {actual!r} instead of {expected!r}")

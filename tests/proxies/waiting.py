# SPDX-License-Identifier: MIT
"""Waiting for what other processes do."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(is_so: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, what
        time.sleep(0.02)


def wait_until_still(count: Callable[[], int], seconds: float = 0.3) -> int:
    """Waits until the count is above 0 and has not changed for so long, and returns it."""
    wait_until(lambda: count() > 0, "nothing has happened")
    counted, since = count(), time.monotonic()
    while time.monotonic() < since + seconds:
        time.sleep(0.02)
        if count() != counted:
            counted, since = count(), time.monotonic()
    return counted

# SPDX-License-Identifier: MIT
"""Waits that end with what they wait for, and limits of time that a busy machine keeps as well."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

#: As the kernel numbers the states of connections.
ESTABLISHED = "01"


def wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    """``seconds``: only ends a wait for what never comes about."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"it has not come about within {seconds} s"
        time.sleep(0.005)


def takes_less(seconds: float, run: Callable[[], object], attempts: int = 5) -> bool:
    """Whether one of some attempts takes less time. On a busy machine any one of them may take longer."""
    for _ in range(attempts):
        begin = time.monotonic()
        run()
        if time.monotonic() - begin < seconds:
            return True
    return False


def states_of_connections_to(port: int) -> list[str]:
    """Of TCP with IPv4 on this machine, seen from the side that connected."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [line[3] for line in lines if int(line[2].rpartition(":")[2], 16) == port]

# SPDX-License-Identifier: MIT
"""Waiting for a signal without keeping its handler."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable


def wait_for_signal(signals: Iterable[int]) -> int:
    """Handlers are put back afterwards. Main thread only."""
    wanted = tuple(signals) or (signal.SIGINT, signal.SIGTERM)
    came: list[int] = []
    arrived = threading.Event()

    def take(number: int, frame: object) -> None:
        came.append(number)
        arrived.set()

    before = {number: signal.signal(number, take) for number in wanted}
    try:
        while not arrived.wait(1.0):
            pass
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not set by Python
    return came[0]

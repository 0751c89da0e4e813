# SPDX-License-Identifier: MIT
"""Waiting for a signal without keeping its handler."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterable, Iterator


def wait_for_signal(signals: Iterable[int]) -> int:
    """Handlers are put back afterwards. Main thread only."""
    with expecting(tuple(signals) or (signal.SIGINT, signal.SIGTERM)) as wait:
        came = wait()
    assert came is not None
    return came


@contextlib.contextmanager
def expecting(signals: Iterable[int]) -> Iterator[Callable[..., int | None]]:
    """Gives ``wait(timeout=None)``: the first of the signals that has come since, or None after ``timeout`` seconds.
    Handlers are put back at the end. Main thread only."""
    came: list[int] = []
    arrived = threading.Event()

    def take(number: int, frame: object) -> None:
        came.append(number)
        arrived.set()

    def wait(timeout: float | None = None) -> int | None:
        if timeout is not None:
            arrived.wait(timeout)
        else:
            while not arrived.wait(1.0):
                pass
        return came[0] if came else None

    before = {number: signal.signal(number, take) for number in signals}
    try:
        yield wait
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not set by Python

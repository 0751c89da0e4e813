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
def expecting(
    signals: Iterable[int], at_another: Callable[[int], None] = lambda number: None
) -> Iterator[Callable[..., int | None]]:
    """Gives ``wait(timeout=None)``: the first of the signals that has come since, or None after ``timeout`` seconds.
    Those that come after it are told to ``at_another``. Handlers are put back at the end. Main thread only."""
    came: list[int] = []
    arrived = threading.Event()

    def take_first(number: int) -> None:
        came.append(number)
        arrived.set()

    def wait(timeout: float | None = None) -> int | None:
        if timeout is not None:
            arrived.wait(timeout)
        else:
            while not arrived.wait(1.0):
                pass
        return came[0] if came else None

    with handling(signals, take_first, at_another):
        yield wait


@contextlib.contextmanager
def handling(
    signals: Iterable[int], at_first: Callable[[int], None], at_another: Callable[[int], None]
) -> Iterator[None]:
    """Calls the one at the first of the signals, the other at those after it. Handlers are put back at the end. Main thread
    only."""
    has_come = False

    def take(number: int, frame: object) -> None:
        nonlocal has_come
        is_first, has_come = not has_come, True
        (at_first if is_first else at_another)(number)

    before = {number: signal.signal(number, take) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not set by Python

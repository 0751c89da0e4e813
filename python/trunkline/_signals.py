# SPDX-License-Identifier: MIT
"""Waiting for a signal without keeping its handler."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
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
    with handling(signals, came.append, at_another) as rung:
        poll = select.poll()
        poll.register(rung, select.POLLIN)

        def wait(timeout: float | None = None) -> int | None:
            end = None if timeout is None else time.monotonic() + timeout
            while not came:
                left = None if end is None else max(0.0, end - time.monotonic())
                if not poll.poll(None if left is None else left * 1000.0):
                    break
                if not came:
                    clear(rung)
            return came[0] if came else None

        yield wait


@contextlib.contextmanager
def handling(
    signals: Iterable[int], at_first: Callable[[int], None], at_another: Callable[[int], None]
) -> Iterator[int]:
    """Calls the one at the first of the signals, the other at those after it. Gives a descriptor that is readable once
    one has come: who waits by it misses none, also one that comes just before. Handlers are put back at the end. Main
    thread only."""
    has_come = False
    with _pipe() as (rung, bell):

        def take(number: int, frame: object) -> None:
            nonlocal has_come
            is_first, has_come = not has_come, True
            (at_first if is_first else at_another)(number)
            with contextlib.suppress(BlockingIOError):
                os.write(bell, b"\0")  # others may have set a descriptor of theirs since

        with _wakes(bell):
            before = {number: signal.signal(number, take) for number in signals}
            try:
                yield rung
            finally:
                for number, handler in before.items():
                    signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not set by Python


def clear(rung: int) -> None:
    """It is not readable until another signal comes."""
    with contextlib.suppress(BlockingIOError):
        while os.read(rung, 512):
            pass


@contextlib.contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    try:
        for end in ends:
            os.set_blocking(end, False)
        yield ends
    finally:
        for end in ends:
            os.close(end)


@contextlib.contextmanager
def _wakes(bell: int) -> Iterator[None]:
    """Signals are written to it as they arrive. A handler in Python alone would not do: it runs when the main thread
    gets to it, which may have begun to wait just before, or may hold a lock that the handler takes."""
    before = signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
    try:
        yield
    finally:
        last = signal.set_wakeup_fd(-1)
        with contextlib.suppress(ValueError, OSError):  # it has been closed
            signal.set_wakeup_fd(before if last == bell else last)

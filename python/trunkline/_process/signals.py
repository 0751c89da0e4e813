# SPDX-License-Identifier: MIT
"""Waiting for signals, with handlers that are restored afterwards."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator


def wait_for_signal(signals: Iterable[int]) -> int:
    """Waits for one of the signals (by default SIGINT and SIGTERM) and returns it. Main thread only."""
    with expecting(tuple(signals) or (signal.SIGINT, signal.SIGTERM)) as wait:
        arrived = wait()
    assert arrived is not None
    return arrived


@contextlib.contextmanager
def expecting(
    signals: Iterable[int], on_another: Callable[[int], None] = lambda number: None
) -> Iterator[Callable[..., int | None]]:
    """Yields ``wait(timeout=None)``, which returns the first signal that has arrived since, or None after ``timeout``
    seconds. Further signals call ``on_another``. The handlers are restored at the end. Main thread only."""
    arrived: list[int] = []
    with handling(signals, arrived.append, on_another) as wakeup:
        poll = select.poll()
        poll.register(wakeup, select.POLLIN)

        def wait(timeout: float | None = None) -> int | None:
            end = None if timeout is None else time.monotonic() + timeout
            while not arrived:
                left = None if end is None else max(0.0, end - time.monotonic())
                if not poll.poll(None if left is None else left * 1000.0):
                    break
                if not arrived:
                    clear(wakeup)
            return arrived[0] if arrived else None

        yield wait


@contextlib.contextmanager
def handling(
    signals: Iterable[int], on_first: Callable[[int], None], on_another: Callable[[int], None]
) -> Iterator[int]:
    """Calls ``on_first`` at the first of the signals and ``on_another`` at further ones.

    Yields a descriptor that becomes readable when a signal arrives, so a wait for it misses none, not even one that
    arrives just before the wait. The handlers are restored at the end. Main thread only.
    """
    has_arrived = False
    with _pipe() as (readable, writable):

        def take(number: int, frame: object) -> None:
            nonlocal has_arrived
            is_first, has_arrived = not has_arrived, True
            (on_first if is_first else on_another)(number)
            with contextlib.suppress(BlockingIOError):
                os.write(writable, b"\0")  # the application may have set another wakeup descriptor

        with _wakeup_by(writable):
            before = {number: signal.signal(number, take) for number in signals}
            try:
                yield readable
            finally:
                for number, handler in before.items():
                    signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: was not set by Python


def clear(wakeup: int) -> None:
    """Empties the descriptor, which is then not readable until another signal arrives."""
    with contextlib.suppress(BlockingIOError):
        while os.read(wakeup, 512):
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
def _wakeup_by(descriptor: int) -> Iterator[None]:
    """Has the interpreter write to the descriptor when a signal arrives. A handler in Python alone would not wake the
    main thread: it runs between two of its instructions, and the thread may have begun to wait just before."""
    before = signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)
    try:
        yield
    finally:
        last = signal.set_wakeup_fd(-1)
        with contextlib.suppress(ValueError, OSError):  # the earlier descriptor has been closed
            signal.set_wakeup_fd(before if last == descriptor else last)

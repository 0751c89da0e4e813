# SPDX-License-Identifier: MIT
"""Lasting calls: streams of built-in services, which go on until the caller or the server ends them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from . import _core
from ._ending import Ending
from ._errors import Cancelled, Unavailable, describe_error


class EndingCall:
    """A served stream whose reads and writes are given up when the server's end begins."""

    def __init__(self, call: _core.ServedCall, ending: Ending) -> None:
        self._call = call
        self._ending = ending

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)

    def begin_read(self, inbox: None, tag: None) -> _EndingOperation:
        return _EndingOperation(self._call.begin_read(inbox, tag), self._ending)

    def begin_write(self, message: Any, codec: str, inbox: None, tag: None) -> _EndingOperation:
        return _EndingOperation(self._call.begin_write(message, codec, inbox, tag), self._ending)


class _EndingOperation:
    def __init__(self, operation: _core.StreamOperation, ending: Ending) -> None:
        self._operation = operation
        self._ending = ending

    def wait(self) -> Any:
        with self._ending.telling(self._operation.cancel):
            return self._operation.wait()


class Workers:
    """So many threads work for a blocking server, beside those that lasting calls keep.

    A thread that such a call keeps is stood in for by another one. Once the call has ended, its thread rests until it is
    needed to stand in for others, so that never more than those first ones run handlers of other calls.
    """

    def __init__(self, core: _core.Server, ending: Ending) -> None:
        self._core = core
        self._ending = ending
        self._changed = threading.Condition()
        self._resting = 0
        self._called = 0
        self._is_over = False
        self.threads: list[threading.Thread] = []

    def start(self, target: Callable[[], None], name: str) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        self.threads.append(thread)

    def start_working(self, count: int) -> None:
        for number in range(count):
            self.start(self._core.work, f"trunkline-worker-{number}")

    def end(self) -> None:
        """After the server's ``stop``: those that rest leave."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def lasting(self, name: str, entry: Callable[..., Any]) -> Callable[[_core.ServedCall], None]:
        """What a worker runs for a lasting call; ``name``: of the method."""

        def run(call: _core.ServedCall) -> None:
            self._stand_in()
            try:
                entry(EndingCall(call, self._ending))
                call.set_ok()
            except BaseException as error:
                if isinstance(error, Cancelled) and self._ending.has_begun:
                    error = ended(name)
                call.set_error(describe_error(error, name))
            # Now, as this thread may rest for long.
            self._core.answer(call)
            self._core.flush()
            self._rest()

        return run

    def _stand_in(self) -> None:
        with self._changed:
            if self._resting > self._called:
                self._called += 1
                self._changed.notify()
                return
        self.start(self._core.work, f"trunkline-substitute-{len(self.threads)}")

    def _rest(self) -> None:
        with self._changed:
            self._resting += 1
            while not self._called and not self._is_over:
                self._changed.wait()
            self._resting -= 1
            self._called = max(0, self._called - 1)


def ended(method: str) -> Unavailable:
    return Unavailable(f"call {method}: the server is ending")

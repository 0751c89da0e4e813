# SPDX-License-Identifier: MIT
"""Workers: the threads of a running server for code that blocks, and long streams that occupy one of them each."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from .. import _core
from .._errors import Cancelled, describe_error
from .._process.thread_names import name_for_system
from .._server.shutdown_notifier import ShutdownNotifier, shutdown_error


class LongCall:
    """A served stream that lasts until its caller or the server ends it: the server's shutdown cancels its reads and
    writes."""

    def __init__(self, call: _core.ServedCall, notifier: ShutdownNotifier) -> None:
        self._call = call
        self._notifier = notifier

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)

    def begin_read(self, inbox: None, tag: None) -> _LongOperation:
        return _LongOperation(self._call.begin_read(inbox, tag), self._notifier)

    def begin_write(self, message: Any, codec: str, inbox: None, tag: None) -> _LongOperation:
        return _LongOperation(self._call.begin_write(message, codec, inbox, tag), self._notifier)


class _LongOperation:
    def __init__(self, operation: _core.StreamOperation, notifier: ShutdownNotifier) -> None:
        self._operation = operation
        self._notifier = notifier

    def wait(self) -> Any:
        with self._notifier.notifying(self._operation.cancel):
            return self._operation.wait()


class Workers:
    """The worker threads of a server, of which a fixed number run handlers at any time; long calls do not count.

    While a long call occupies a thread, a substitute works in its place. When the call ends, its thread is idle until
    another one needs a substitute. Long calls thus neither reduce nor increase the number of threads for other calls.
    """

    def __init__(self, core: _core.Server, notifier: ShutdownNotifier, exposes_text: bool) -> None:
        """``exposes_text``: callers get the text of exceptions."""
        self._core = core
        self._exposes_text = exposes_text
        self._notifier = notifier
        self._changed = threading.Condition()
        #: Idle threads, and how many of them have been woken as substitutes.
        self._idle = 0
        self._wanted = 0
        self._is_over = False
        self.threads: list[threading.Thread] = []

    def start(self, target: Callable[[], None], name: str) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        self.threads.append(thread)
        name_for_system(thread)

    def start_working(self, count: int) -> None:
        for number in range(count):
            self.start(self._core.work, f"trunkline-worker-{number}")

    def end(self) -> None:
        """Ends the idle threads. Call it after the core's ``stop``, which ends the others."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def long_entry(self, name: str, entry: Callable[..., Any]) -> Callable[[_core.ServedCall], None]:
        """What a worker runs for a long call of the method ``name``, whose handler runs in ``entry``."""

        def run(call: _core.ServedCall) -> None:
            self._start_substitute()
            try:
                entry(LongCall(call, self._notifier))
                call.set_ok()
            except BaseException as error:
                if isinstance(error, Cancelled) and self._notifier.has_begun:
                    error = shutdown_error(name)
                call.set_error(describe_error(error, name, self._exposes_text))
            # Not left to the end of the batch, because this thread may be idle for a long time.
            self._core.finish(call)
            self._core.flush()
            self._wait_until_wanted()

        return run

    def _start_substitute(self) -> None:
        with self._changed:
            if self._idle > self._wanted:
                self._wanted += 1
                self._changed.notify()
                return
        self.start(self._core.work, f"trunkline-substitute-{len(self.threads)}")

    def _wait_until_wanted(self) -> None:
        with self._changed:
            self._idle += 1
            while not self._wanted and not self._is_over:
                self._changed.wait()
            self._idle -= 1
            self._wanted = max(0, self._wanted - 1)

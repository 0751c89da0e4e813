# SPDX-License-Identifier: MIT
"""Workers: the threads of a running server for code that blocks, and long streams, each of which occupies one."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from .. import _core
from .._calls.reads import Reads
from .._errors import Cancelled, describe_error
from .._process.thread_names import name_for_system
from .._server.shutdown_notifier import ShutdownNotifier, shutdown_error

_log = logging.getLogger("trunkline.server")


class _ThisThread(threading.local):
    """The properties of a thread."""

    #: True for a thread of a server for code that blocks. The core gives the calls that are made on it the deadline of
    #: the call that it serves.
    inherits_deadlines = False


this_thread = _ThisThread()


class LongCall:
    """A served stream that lasts until its caller or the server ends it: the server's shutdown cancels its reads and
    writes."""

    def __init__(self, call: _core.ServedCall, notifier: ShutdownNotifier) -> None:
        self._call = call
        self._notifier = notifier

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)

    def begin_read(self, inbox: None, tag: None, reads: Reads | None = None) -> _LongOperation:
        operation = _LongOperation(self._call.begin_read(inbox, tag), self._notifier)
        if reads is not None:
            reads.untaken = operation  # type: ignore[assignment]
        return operation

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
    """The threads of a server: the keeper, and the workers, of which ``count`` run handlers at any time.

    Workers that wait for a client do not count. The keeper starts another one when a call finds all others busy; those
    that are too many end after a while. Built-in methods, such as health, have a worker in reserve.
    """

    def __init__(self, core: _core.Server, notifier: ShutdownNotifier, exposes_text: bool) -> None:
        """With ``exposes_text``, callers get the text of exceptions."""
        self._core = core
        self._exposes_text = exposes_text
        self._notifier = notifier
        self._numbers = itertools.count()
        self._is_refused = False
        #: A lock that is held while a thread is added, which cannot be joined before it has started.
        self._starting = threading.Lock()
        self.threads: set[threading.Thread] = set()
        #: The function that the last thread calls at its end, if there is one.
        self._at_end: list[Callable[[], None]] = []

    def start(self, count: int, max_stream_threads: int) -> None:
        """Starts the threads, after the core's ``start``. At most ``max_stream_threads`` streams run at a time; 0: any
        number, and those that wait count too."""
        self._core.open_lanes(count, max_stream_threads)
        self._start_thread(self._keep, "trunkline-keeper")
        for _ in range(count):
            self._start_worker(False)

    def join(self, timeout: float) -> None:
        """Waits up to ``timeout`` seconds for the threads, after the core's ``stop``, which ends them."""
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            with self._starting:
                thread = next(iter(list(self.threads)), None)
            if thread is None:
                return
            thread.join(left)

    def when_ended(self, function: Callable[[], None]) -> None:
        """Calls the function once all threads have ended, on the last one; at once if there is none. Call it after the
        core's ``stop``."""
        self._at_end = [function]
        self._end_if_last()

    def _end_if_last(self) -> None:
        if self.threads:
            return
        try:
            function = self._at_end.pop()
        except IndexError:
            return  # there is none, or another thread has taken it
        function()

    def _start_thread(self, target: Callable[..., None], name: str, *arguments: Any) -> None:
        def run() -> None:
            _core.keep_through_exit()
            try:
                target(*arguments)
            finally:
                self.threads.discard(threading.current_thread())
                self._end_if_last()

        thread = threading.Thread(target=run, name=name, daemon=True)
        with self._starting:
            self.threads.add(thread)
            try:
                thread.start()
            except BaseException:
                self.threads.discard(thread)
                raise
        name_for_system(thread)

    def _start_worker(self, is_reserve: bool) -> None:
        kind = "reserve" if is_reserve else "worker"
        self._start_thread(self._work, f"trunkline-{kind}-{next(self._numbers)}", is_reserve)

    def _work(self, is_reserve: bool) -> None:
        this_thread.inherits_deadlines = True
        self._core.work(is_reserve)

    def _keep(self) -> None:
        while (is_reserve := self._core.keep()) is not None:
            try:
                self._start_worker(is_reserve)
                self._is_refused = False
            except (RuntimeError, MemoryError) as error:
                self._core.report_refused(is_reserve)
                if not self._is_refused:
                    _log.warning("calls wait for a worker: the system refuses to start its thread: %s", error)
                self._is_refused = True

    def long_entry(self, name: str, entry: Callable[..., Any]) -> Callable[[_core.ServedCall], None]:
        """Returns what a worker runs for a long call of the method ``name``, whose handler runs in ``entry``."""

        def run(call: _core.ServedCall) -> None:
            try:
                entry(LongCall(call, self._notifier))
                call.set_ok()
            except BaseException as error:
                if isinstance(error, Cancelled) and self._notifier.has_begun:
                    error = shutdown_error(name)
                call.set_error(describe_error(error, name, self._exposes_text))
            # The call finishes at once, as it counts for the limit of its method.
            self._core.finish(call)
            self._core.flush()

        return run

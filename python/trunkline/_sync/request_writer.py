# SPDX-License-Identifier: MIT
"""RequestWriter: the thread that iterates over the requests of an exchange and writes them."""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any

from .. import _core
from .._calls.requests import close_requests
from .._errors import RpcError
from .._process.green_threads import check_real_threads

_log = logging.getLogger("trunkline")

#: Seconds to wait for the thread after the call has ended; its requests may never end.
_END_TIMEOUT = 0.1


class _End:
    """Becomes set once. A signal handler that raises while a thread waits leaves no lock behind that others need, as it
    may with threading.Event, whose methods are in Python."""

    def __init__(self) -> None:
        self._is_set = False
        self._awaited = threading.Lock()
        self._awaited.acquire()

    def set(self) -> None:
        self._is_set = True
        self._awaited.release()

    def wait(self, timeout: float) -> None:
        """Waits up to ``timeout`` seconds. If a handler raises after the lock was taken, nobody waits for it again."""
        if not self._is_set and self._awaited.acquire(timeout=timeout):
            self._awaited.release()


class RequestWriter:
    """Writes requests on a thread of its own. Their iterator lives on that thread: a generator is closed there, as soon
    as the call has ended or a request cannot be written."""

    def __init__(
        self,
        write: Callable[[Any], bool],
        close_writes: Callable[[], None],
        cancel: Callable[[], None],
        requests: Iterable[Any],
    ) -> None:
        """``write`` returns False once the call has ended. ``cancel`` is called when the requests raise."""
        self._write = write
        self._close_writes = close_writes
        self._cancel = cancel
        self._requests = requests
        self._lock = threading.Lock()
        self._has_begun = False
        self._has_ended = _End()
        #: What the requests have raised before ``leave`` or the end of ``end``. The caller takes it after that.
        self.failure: BaseException | None = None
        self._is_left = False
        self.is_started = False

    def start(self) -> None:
        """Starts the thread. If a signal handler raises meanwhile, it must be called again."""
        check_real_threads("exchange()")
        run = contextvars.copy_context().run
        threading.Thread(target=run, args=(self._run,), name="trunkline-writer", daemon=True).start()
        self.is_started = True

    def end(self) -> None:
        """Waits a little for the thread; what the requests raise from then on is logged. Call it after the call has
        ended, and again if a signal handler raises meanwhile."""
        self._has_ended.wait(_END_TIMEOUT)
        self.leave()

    def leave(self) -> None:
        """Has what the requests raise logged from now on."""
        with self._lock:
            self._is_left = True

    def _run(self) -> None:
        with self._lock:
            if self._has_begun:  # start() was interrupted and called again
                return
            self._has_begun = True
            requests, self._requests = self._requests, ()
        try:
            self._write_each(requests)
        finally:
            del requests
            self._has_ended.set()

    def _write_each(self, requests: Iterable[Any]) -> None:
        iterator: Any = None
        try:
            iterator = iter(requests)
            for request in iterator:
                if not self._write(request):
                    return
        except BaseException as error:
            if not _core.is_left_behind():
                self._fail(error)
            return
        finally:
            close_requests(iterator)
            del requests, iterator  # the traceback of a failure refers to this frame
        try:
            self._close_writes()
        except RpcError:
            pass  # a read reports the status

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            is_left = self._is_left
            if not is_left:
                self.failure = error
        if is_left:
            _log.error("the requests of an exchange that has ended: %s", type(error).__name__, exc_info=error)
        self._cancel()

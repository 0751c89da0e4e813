# SPDX-License-Identifier: MIT
"""RequestWriter: the thread that iterates over the requests of an exchange and writes them."""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable, Generator, Iterable
from typing import Any

from .._errors import RpcError

_log = logging.getLogger("trunkline")

#: Seconds to wait for the thread after the call has ended; its requests may never end.
_JOIN_TIMEOUT = 0.1


class RequestWriter:
    """Writes requests on a thread of its own, which starts at once. If the call ends first, a generator of requests is
    closed on that thread."""

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
        self._failure: BaseException | None = None
        self._is_left = False
        run = contextvars.copy_context().run
        self._thread = threading.Thread(target=run, args=(self._run,), name="trunkline-writer", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Raises what the requests have raised. Call it after the call has ended."""
        self._thread.join(_JOIN_TIMEOUT)
        with self._lock:
            failure, self._failure = self._failure, None
        if failure is None:
            return
        try:
            raise failure from None
        finally:
            del failure  # it would keep its own traceback alive

    def leave(self) -> None:
        """Has what the requests raise logged from now on."""
        with self._lock:
            self._is_left = True

    def _run(self) -> None:
        try:
            is_whole = all(self._write(request) for request in self._requests)
            if not is_whole and isinstance(self._requests, Generator):
                self._requests.close()
        except BaseException as error:
            self._fail(error)
            return
        finally:
            self._requests = ()
        if is_whole:
            try:
                self._close_writes()
            except RpcError:
                pass  # a read reports the status

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            is_left = self._is_left
            if not is_left:
                self._failure = error
        if is_left:
            _log.error("the requests of an exchange that has ended: %s", type(error).__name__, exc_info=error)
        self._cancel()

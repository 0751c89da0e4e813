# SPDX-License-Identifier: MIT
"""OngoingCall: a call of a blocking client from its begin to its end: its status, callbacks and future."""

from __future__ import annotations

import abc
import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from ._call import Call
from ._errors import FutureCancelledError, FutureTimeoutError, RpcError
from ._future import Future
from ._metadatum import Metadata
from ._outcome import Outcome, text_of
from ._status_code import StatusCode

_log = logging.getLogger(__name__)

CANCELLED = Outcome(
    StatusCode.CANCELLED,
    "Locally cancelled by application!",
    debug_error_string="Locally cancelled by application!",
)


class OngoingCall(RpcError, Call, Future, metaclass=abc.ABCMeta):
    """A call that may be under way. It is its own error, as in grpcio: what it raises is the call itself."""

    def __init__(self, deadline: float | None) -> None:
        """``deadline``: a point of ``time.monotonic()``; None without one."""
        super().__init__()
        self._deadline = deadline
        self._changed = threading.Condition()
        self._outcome: Outcome | None = None
        self._response: Any = None
        self._was_cancelled = False
        self._callbacks: list[Callable[[], Any]] = []

    # --- for subclasses ---

    @abc.abstractmethod
    def _cancel_on_wire(self) -> None:
        """Cancels the call in the core. Any thread."""

    def _notice_end(self) -> None:
        """From now on, the end of the call is noticed although nobody reads."""

    def _end(self, outcome: Outcome, response: Any = None) -> None:
        """The call has ended. The first one counts."""
        with self._changed:
            if self._outcome is not None:
                return
            self._outcome = outcome
            self._response = response
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for callback in callbacks:
            _run(callback)

    def _ended(self, timeout: float | None = None) -> Outcome:
        """Waits for the end. Raises FutureTimeoutError."""
        if self._outcome is None:
            self._notice_end()
            with self._changed:
                if not self._changed.wait_for(lambda: self._outcome is not None, timeout):
                    raise FutureTimeoutError
        assert self._outcome is not None
        return self._outcome

    # --- the call ---

    def is_active(self) -> bool:
        """See RpcContext."""
        if self._outcome is None:
            self._notice_end()
        return self._outcome is None

    def time_remaining(self) -> float | None:
        """See RpcContext."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def cancel(self) -> bool:
        """Cancels the call. True if it had not ended."""
        with self._changed:
            if self._outcome is not None:
                return False
            self._was_cancelled = True
        self._end(CANCELLED)
        self._cancel_on_wire()
        return True

    def add_callback(self, callback: Callable[[], Any]) -> bool:
        """See RpcContext."""
        self._notice_end()
        with self._changed:
            if self._outcome is not None:
                return False
            self._callbacks.append(callback)
        return True

    def initial_metadata(self) -> Metadata:
        """See Call."""
        return self._ended().initial_metadata

    def trailing_metadata(self) -> Metadata:
        """See Call."""
        return self._ended().trailing_metadata

    def code(self) -> StatusCode:
        """See Call."""
        return self._ended().code

    def details(self) -> str:
        """See Call."""
        return self._ended().details

    def debug_error_string(self) -> str:
        """The status with the server's address, for logs."""
        return self._ended().debug_error_string

    # --- the future ---

    def cancelled(self) -> bool:
        """See Future."""
        return self._was_cancelled

    def running(self) -> bool:
        """See Future."""
        return self.is_active()

    def done(self) -> bool:
        """See Future."""
        return not self.is_active()

    def result(self, timeout: float | None = None) -> Any:
        """See Future."""
        outcome = self._ended(timeout)
        if self._was_cancelled:
            raise FutureCancelledError
        if outcome.code is not StatusCode.OK:
            raise self
        return self._response

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """See Future."""
        outcome = self._ended(timeout)
        if self._was_cancelled:
            raise FutureCancelledError
        return None if outcome.code is StatusCode.OK else self

    def traceback(self, timeout: float | None = None) -> TracebackType | None:
        """See Future."""
        if self.exception(timeout) is None:
            return None
        try:
            raise self
        except RpcError as error:
            return error.__traceback__

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        """See Future."""
        if not self.add_callback(lambda: fn(self)):
            fn(self)

    def __repr__(self) -> str:
        return text_of(type(self).__name__, self._outcome)

    __str__ = __repr__


def _run(callback: Callable[[], Any]) -> None:
    try:
        callback()
    except Exception:
        _log.exception("a callback of a call has raised")

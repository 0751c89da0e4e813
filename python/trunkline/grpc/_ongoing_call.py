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

from .. import _core
from ._call import Call
from ._errors import FutureCancelledError, FutureTimeoutError, Rendezvous, RpcError
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


class OngoingCall(Rendezvous, Call, Future, metaclass=abc.ABCMeta):
    """A call that may be under way. It is its own error, as in grpcio: what it raises is the call itself."""

    def __init__(self, deadline: float | None) -> None:
        """``deadline`` is a point of ``time.monotonic()``; None without one."""
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
        """Cancels the call in the core. Any thread may call it."""

    def _notice_end(self) -> None:
        """Has the end of the call noticed from now on, although nobody reads."""

    def _end(self, outcome: Outcome, response: Any = None) -> None:
        """Ends the call. Only the first outcome counts."""
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
        """Waits for the end. Raises FutureTimeoutError, and SystemExit on a thread that the exit of the interpreter
        leaves behind, in the place of the call's error."""
        if self._outcome is None:
            self._notice_end()
            with self._changed:
                if not self._changed.wait_for(lambda: self._outcome is not None, timeout):
                    raise FutureTimeoutError
        assert self._outcome is not None
        if self._outcome.code is not StatusCode.OK and not self._was_cancelled:
            _core.end_if_left_behind()
        return self._outcome

    # --- the call ---

    def is_active(self) -> bool:
        """Implements ``RpcContext.is_active``."""
        if self._outcome is None:
            self._notice_end()
        return self._outcome is None

    def time_remaining(self) -> float | None:
        """Implements ``RpcContext.time_remaining``."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def cancel(self) -> bool:
        """Cancels the call. Returns True if it had not ended."""
        with self._changed:
            if self._outcome is not None:
                return False
            self._was_cancelled = True
        self._end(CANCELLED)
        self._cancel_on_wire()
        return True

    def add_callback(self, callback: Callable[[], Any]) -> bool:
        """Implements ``RpcContext.add_callback``."""
        self._notice_end()
        with self._changed:
            if self._outcome is not None:
                return False
            self._callbacks.append(callback)
        return True

    def initial_metadata(self) -> Metadata:
        """Implements ``Call.initial_metadata``."""
        return self._ended().initial_metadata

    def trailing_metadata(self) -> Metadata:
        """Implements ``Call.trailing_metadata``."""
        return self._ended().trailing_metadata

    def code(self) -> StatusCode:
        """Implements ``Call.code``."""
        return self._ended().code

    def details(self) -> str:
        """Implements ``Call.details``."""
        return self._ended().details

    def debug_error_string(self) -> str:
        """Returns the status with the server's address, for logs."""
        return self._ended().debug_error_string

    # --- the future ---

    def cancelled(self) -> bool:
        """Implements ``Future.cancelled``."""
        return self._was_cancelled

    def running(self) -> bool:
        """Implements ``Future.running``."""
        return self.is_active()

    def done(self) -> bool:
        """Implements ``Future.done``."""
        return not self.is_active()

    def result(self, timeout: float | None = None) -> Any:
        """Implements ``Future.result``."""
        outcome = self._ended(timeout)
        if self._was_cancelled:
            raise FutureCancelledError
        if outcome.code is not StatusCode.OK:
            raise self
        return self._response

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Implements ``Future.exception``."""
        outcome = self._ended(timeout)
        if self._was_cancelled:
            raise FutureCancelledError
        return None if outcome.code is StatusCode.OK else self

    def traceback(self, timeout: float | None = None) -> TracebackType | None:
        """Implements ``Future.traceback``."""
        if self.exception(timeout) is None:
            return None
        try:
            raise self
        except RpcError as error:
            return error.__traceback__

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        """Implements ``Future.add_done_callback``."""
        if not self.add_callback(lambda: fn(self)):
            fn(self)

    def __repr__(self) -> str:
        return text_of("_MultiThreadedRendezvous", self._outcome)  # the name of grpcio's class

    __str__ = __repr__


def _run(callback: Callable[[], Any]) -> None:
    try:
        callback()
    except Exception:
        _log.exception("a callback of a call has raised")

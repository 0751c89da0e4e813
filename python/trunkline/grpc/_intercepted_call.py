# SPDX-License-Identifier: MIT
"""The calls that interceptors of a blocking client return: with a response that is there, or with an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, NoReturn

from ._call import Call
from ._ended_call import EndedCall
from ._errors import RpcError
from ._future import Future
from ._outcome import Outcome
from ._status_code import StatusCode


class RespondedCall(EndedCall, Future):
    """A call that has ended with a response."""

    _shown_as = "_UnaryOutcome"

    def __init__(self, response: Any, call: Call | None) -> None:
        """``call`` is the one that was made; None if an interceptor has responded in its place."""
        super().__init__(Outcome(StatusCode.OK, ""))
        if isinstance(call, EndedCall):
            self._outcome = call._outcome
        elif call is not None:
            self._outcome = Outcome(
                call.code() or StatusCode.OK,
                call.details() or "",
                call.initial_metadata() or (),
                call.trailing_metadata() or (),
            )
        self._response = response

    def cancelled(self) -> bool:
        return False

    def running(self) -> bool:
        return False

    def done(self) -> bool:
        return True

    def result(self, timeout: float | None = None) -> Any:
        return self._response

    def exception(self, timeout: float | None = None) -> None:
        return None

    def traceback(self, timeout: float | None = None) -> None:
        return None

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        fn(self)


class RaisedCall(RpcError, EndedCall, Future):
    """A call that an exception has ended, which an interceptor or a serializer has raised."""

    _shown_as = "_FailureOutcome"

    def __init__(self, error: BaseException, traceback: TracebackType | None = None) -> None:
        """``traceback`` is not used, as the error has it."""
        RpcError.__init__(self)
        EndedCall.__init__(self, Outcome(StatusCode.INTERNAL, f"Exception raised while intercepting the RPC: {error}"))
        self._error = error

    def cancelled(self) -> bool:
        """Implements ``Future.cancelled``."""
        return False

    def running(self) -> bool:
        """Implements ``Future.running``."""
        return False

    def done(self) -> bool:
        """Implements ``Future.done``."""
        return True

    def result(self, timeout: float | None = None) -> NoReturn:
        """Implements ``Future.result``."""
        raise self._error

    def exception(self, timeout: float | None = None) -> BaseException:
        """Implements ``Future.exception``."""
        return self._error

    def traceback(self, timeout: float | None = None) -> TracebackType | None:
        """Implements ``Future.traceback``."""
        return self._error.__traceback__

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        """Implements ``Future.add_done_callback``."""
        fn(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> NoReturn:
        raise self._error

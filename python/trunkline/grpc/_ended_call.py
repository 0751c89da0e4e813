# SPDX-License-Identifier: MIT
"""EndedCall: a call that has ended with a response; FailedCall and FailedStream: the errors of those that have ended
without."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

from ._call import Call
from ._errors import Rendezvous, RpcError
from ._future import Future
from ._metadatum import Metadata
from ._outcome import Outcome, text_of
from ._status_code import StatusCode


class EndedCall(Call):
    """A call that has ended, with what is known of it."""

    #: The name of grpcio's class, for representations.
    _shown_as = "_MultiThreadedRendezvous"

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def initial_metadata(self) -> Metadata:
        return self._outcome.initial_metadata

    def trailing_metadata(self) -> Metadata:
        return self._outcome.trailing_metadata

    def code(self) -> StatusCode:
        return self._outcome.code

    def details(self) -> str:
        return self._outcome.details

    def debug_error_string(self) -> str:
        """Returns the status with the server's address, for logs."""
        return self._outcome.debug_error_string

    def is_active(self) -> bool:
        return False

    def time_remaining(self) -> float | None:
        return None

    def cancel(self) -> bool:
        return False

    def add_callback(self, callback: Callable[[], Any]) -> bool:
        return False

    def __repr__(self) -> str:
        return text_of(self._shown_as, self._outcome)

    def __str__(self) -> str:
        return repr(self)


class FailedCall(RpcError, EndedCall, Future):
    """The error of a call, which is also the call and its future."""

    _shown_as = "_InactiveRpcError"

    def __init__(self, outcome: Outcome) -> None:
        RpcError.__init__(self)
        EndedCall.__init__(self, outcome)

    def __repr__(self) -> str:
        return EndedCall.__repr__(self)

    def __str__(self) -> str:
        return EndedCall.__repr__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._outcome,)

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
        raise self

    def exception(self, timeout: float | None = None) -> BaseException:
        """Implements ``Future.exception``."""
        return self

    def traceback(self, timeout: float | None = None) -> TracebackType | None:
        """Implements ``Future.traceback``."""
        return self.__traceback__

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        """Implements ``Future.add_done_callback``."""
        fn(self)


class FailedStream(FailedCall, Rendezvous):
    """A failed call with a stream of responses, which raises its error when it is iterated over."""

    _shown_as = "_MultiThreadedRendezvous"

    def __iter__(self) -> FailedStream:
        return self

    def __next__(self) -> NoReturn:
        raise self

    next = __next__

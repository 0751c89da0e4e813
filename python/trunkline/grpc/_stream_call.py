# SPDX-License-Identifier: MIT
"""StreamCall: a streaming call of a blocking client."""

from __future__ import annotations

import contextlib
import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .. import _core
from .._calls.reads import Reads
from .._errors import RpcError as CoreError
from .._sync.futures import Dispatcher
from ._call_driver import CallDriver
from ._call_request import deserialized
from ._ended_call import FailedCall
from ._inbox_tag import InboxTag
from ._metadatum import Metadata, presented
from ._ongoing_call import OngoingCall
from ._outcome import Outcome, failed_outcome, ok_outcome
from ._request_feeder import feed
from ._status_code import StatusCode


class StreamCall(OngoingCall):
    """A call whose requests or responses are streams. Iterating over it yields the responses.

    Dropping the last reference cancels the call unless it has ended.
    """

    def __init__(
        self,
        stream: _core.ClientStream,
        deadline: float | None,
        deserialize: Callable[[bytes], Any] | None,
        start_dispatcher: Callable[[], Dispatcher],
    ) -> None:
        """``start_dispatcher`` returns the dispatcher of the channel."""
        super().__init__(deadline)
        self._stream = stream
        self._reads = Reads(stream.begin_read)
        self._deserialize = deserialize
        self._start_dispatcher = start_dispatcher
        self._reading = threading.Lock()
        self._awaiting_leading = threading.Lock()
        #: At most one: the last wait for the metadata before the first response, which has the call sent.
        self._answers: list[_core.StreamOperation] = []
        #: Who has the call sent; None if that is left to whoever waits for it.
        self._driver: CallDriver | None = None
        self._is_noticed = False

    def send_now(self, driver: CallDriver) -> None:
        """Has the call sent although no thread waits for it."""
        self._driver = driver
        driver.drive(self._begin_answer())

    def send(self, requests: Iterable[Any], serialized: Callable[[Any], bytes]) -> None:
        """Sends the requests, on a thread of its own. ``serialized`` returns the bytes of one, or raises FailedCall."""
        feed(self._stream, requests, serialized, _weak_failure(self))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        taken: _core.StreamOperation | None = None
        try:
            with self._reading:
                data = self._read()
                if data is not None:
                    response = self._decoded(data)
                    taken, self._reads.untaken = self._reads.untaken, None
                    return response
        except BaseException:
            # A signal handler may raise as the lock is released.
            if taken is not None and self._reads.untaken is None:
                self._reads.untaken = taken
            raise
        outcome = self._ended()
        if outcome.code is StatusCode.OK:
            raise StopIteration
        try:
            raise self
        finally:
            del self  # its traceback refers to this frame

    def next(self) -> Any:
        """Returns the next response."""
        return self.__next__()

    def _decoded(self, data: Any) -> Any:
        try:
            return deserialized(data, self._deserialize)
        except FailedCall as error:
            self._reads.untaken = None
            self._end(error._outcome)
            self._stream.cancel()
            try:
                raise self from error
            finally:
                del self  # its traceback refers to this frame

    def _read(self) -> Any:
        """Returns the bytes of the next response; None once the call has ended. The next read returns the same bytes
        unless the caller takes the read from ``self._reads``."""
        if self._was_cancelled:
            return None
        try:
            data = self._reads.peek_now()
        except CoreError as error:
            self._end(failed_outcome(error))
            return None
        if data is None:
            self._end(ok_outcome(self._stream.leading(), self._stream.trailing()))
        return data

    def initial_metadata(self) -> Metadata:
        """Returns the metadata that comes before the first message. Waits for it, for that message or for the end."""
        with self._awaiting_leading:
            if self._outcome is None:
                try:
                    self._begin_answer().wait()
                except CoreError as error:
                    self._end(failed_outcome(error))
                except BaseException:  # of a signal handler, which has ended the wait and leaves the call to its driver
                    for answer in self._answers:
                        answer.cancel()
                    if self._driver is not None:
                        with contextlib.suppress(CoreError):  # the call has ended
                            self._driver.drive(self._begin_answer())
                    raise
        return self._initial_metadata()

    def _begin_answer(self) -> _core.StreamOperation:
        """Returns the wait for the answer that is under way; begins one if there is none."""
        if self._answers and self._answers[0].is_done():
            self._answers.clear()
        if not self._answers:
            # The list has it before a signal handler can run, which a variable would get only afterwards.
            self._answers.extend(itertools.starmap(self._stream.begin_await_leading, ((None, None),)))
        return self._answers[0]

    def _initial_metadata(self) -> Metadata:
        outcome = self._outcome
        return presented(self._stream.leading()) if outcome is None else outcome.initial_metadata

    def only_response(self) -> Any:
        """Returns the response of a stream of requests. Waits for it; raises FailedCall unless the call ends with OK.

        It does not raise this call, whose traceback would refer to the requests as long as the call lives."""
        with self._reading:
            data = self._read()
            self._reads.untaken = None
            if data is not None:
                self._read()
        outcome = self._ended()
        if outcome.code is StatusCode.OK and data is None:
            outcome = self._outcome = Outcome(StatusCode.INTERNAL, "the server sent no response")
        if outcome.code is not StatusCode.OK:
            raise FailedCall(outcome)
        try:
            return deserialized(data, self._deserialize)
        except FailedCall as error:
            self._outcome = error._outcome
            raise

    def begin_only_response(self) -> None:
        """Ends the call, on the dispatcher's thread, with the one response of a stream of requests."""
        self._is_noticed = True
        self._deliver(self._stream.begin_read, self._take_response)

    def _deliver(
        self, begin: Callable[[_core.Inbox | None, Any], _core.StreamOperation], take: Callable[[Any], None]
    ) -> None:
        """Begins an operation. ``take`` gets its outcome on the dispatcher's thread; on this one if the channel is
        closed, which has ended the call."""
        try:
            dispatcher = self._start_dispatcher()
        except CoreError:
            return take(_outcome_now(begin(None, None)))
        tag = InboxTag(dispatcher, take)
        operation = begin(dispatcher.inbox, tag)
        if dispatcher.inbox.is_closed():  # since then, and it may deliver nothing any more
            tag.finish(_outcome_now(operation))

    def _take_response(self, outcome: Any) -> None:
        if isinstance(outcome, BaseException):
            return self._end(_outcome_of(outcome))

        def take_end(end: Any) -> None:
            if isinstance(end, BaseException):
                return self._end(_outcome_of(end))
            if outcome is None:
                return self._end(Outcome(StatusCode.INTERNAL, "the server sent no response"))
            try:
                response = deserialized(outcome, self._deserialize)
            except FailedCall as error:
                return self._end(error._outcome)
            self._end(ok_outcome(self._stream.leading(), self._stream.trailing()), response)

        self._deliver(self._stream.begin_finish, take_end)

    def _notice_end(self) -> None:
        with self._changed:
            if self._is_noticed or self._outcome is not None:
                return
            self._is_noticed = True
        self._deliver(self._stream.begin_finish, _weak_end(self))

    def _take_end(self, outcome: Any) -> None:
        if isinstance(outcome, BaseException):
            return self._end(_outcome_of(outcome))
        self._end(ok_outcome(self._stream.leading(), self._stream.trailing()))

    def _cancel_on_wire(self) -> None:
        self._stream.cancel()

    def _fail(self, outcome: Outcome) -> None:
        """Ends the call from this side."""
        self._end(outcome)
        self._stream.cancel()

    def __del__(self) -> None:
        if getattr(self, "_outcome", self) is None:
            self._stream.cancel()


def _outcome_now(operation: _core.StreamOperation) -> Any:
    """Waits for an operation. Returns what an inbox would deliver."""
    try:
        return operation.wait()
    except CoreError as error:
        return error


def _outcome_of(error: BaseException) -> Outcome:
    if isinstance(error, CoreError):
        return failed_outcome(error)
    return Outcome(StatusCode.INTERNAL, str(error), debug_error_string=repr(error))


def _weak_failure(call: StreamCall) -> Callable[[Outcome], None]:
    """Returns a function that ends the call, and does not keep it alive while its requests are sent."""
    reference = weakref.ref(call)

    def fail(outcome: Outcome) -> None:
        found = reference()
        if found is not None:
            found._fail(outcome)

    return fail


def _weak_end(call: StreamCall) -> Callable[[Any], None]:
    """Returns a function that keeps the call alive only while it has callbacks."""
    reference = weakref.ref(call)

    def take(outcome: Any) -> None:
        found = reference()
        if found is not None:
            found._take_end(outcome)

    return take

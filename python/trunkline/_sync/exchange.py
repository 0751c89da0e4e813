# SPDX-License-Identifier: MIT
"""Exchange: the responses of a stream whose requests are written on a thread of their own."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any, TypeVar

from .._calls.interception import call_now
from .._calls.thrown import raise_thrown
from .._errors import Cancelled, RpcError
from .request_writer import RequestWriter
from .stream_call import BlockingStreamCall

Response = TypeVar("Response", covariant=True)


class Exchange(Generator[Response, None, None]):
    """The responses of a stream, made by ``ClientStream.exchange``.

    It has the functions of a generator, but the exception of a signal handler does not end it: the next read returns
    the message. Closing it, or dropping the last reference, cancels the call unless it has ended.
    """

    def __init__(self, stream: object, call: BlockingStreamCall, requests: Iterable[Any]) -> None:
        """``stream`` is the ClientStream of ``call``, by which its channel finds it. The first read starts the thread
        that writes."""
        self._stream = stream
        self._call = call
        self._writer = RequestWriter(call.write_now_unless_ended, call.close_writes_now, call.cancel, requests)
        #: True once the call and the thread that writes have ended, or were given up.
        self._is_over = False
        #: True once an error of the call or of its requests has come: no message and no end follow it.
        self._has_failed = False
        #: True after the last response, or once it was closed.
        self._is_closed = False

    def __next__(self) -> Response:
        """Returns the next response. Once it has raised an error it raises errors only."""
        call = self._call
        try:
            if self._is_closed:
                raise StopIteration
            if not self._writer.is_started:
                self._writer.start()
            try:
                has_message, message = call.read_now()
            except RpcError:
                if not call.is_being_read:  # otherwise this second read was refused
                    self._has_failed = True
                    self._end()
                raise
            if not has_message:
                self._end()
            if self._has_failed or call.has_end_failed:
                raise Cancelled("read exchange: an error that was raised here has ended it")
            if has_message:
                return message  # type: ignore[no-any-return]
            self._is_closed = True
            raise StopIteration
        finally:
            del self  # a traceback refers to this frame, and is not to keep the call alive

    def _end(self) -> None:
        """Runs when the call has ended. Raises what the requests have raised, once. If a signal handler raises
        meanwhile, the next read runs it again."""
        if self._is_over:
            return
        call_now(self._call.leave)
        self._writer.end()
        # From here on nothing is called, so that no signal handler runs before the failure is raised.
        self._is_over = True
        failure = self._writer.failure
        if failure is None:
            return
        self._has_failed = True
        self._writer.failure = None
        try:
            raise failure from None
        finally:
            del failure, self  # its traceback refers to this frame

    def send(self, value: None) -> Response:
        """Returns the next response, as a generator does."""
        return self.__next__()

    def throw(self, kind: Any, value: Any = None, traceback: Any = None) -> Response:
        """Closes it, and raises the exception."""
        self.close()
        raise_thrown(kind, value, traceback)

    def close(self) -> None:
        """Cancels the call unless it has ended."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._writer.is_started and not self._is_over:
            self._is_over = True
            self._writer.leave()
            self._writer.failure = None
            call_now(self._call.leave)

    def __del__(self) -> None:
        if hasattr(self, "_is_closed"):
            self.close()

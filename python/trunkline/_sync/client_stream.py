# SPDX-License-Identifier: MIT
"""ClientStream: a streaming call, for code that blocks."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar

from .._calls.interception import call_now
from .._metadata import Metadata
from .exchange import Exchange
from .stream_call import BlockingStreamCall

Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)
Self = TypeVar("Self", bound="ClientStream[Any, Any]")


class ClientStream(Generic[Request, Response]):
    """A stream of requests to the server and a stream of responses from it.

    Iterating reads. Leaving a ``with`` block, or dropping the last reference, cancels the call unless it has ended. One
    thread may read while another one writes.

    The exception of a signal handler, such as KeyboardInterrupt, gives up the one operation that waits here; the call
    goes on. The next read returns the message that a read which was given up would have returned. A message whose write
    was given up has been sent, or is not sent at all. ``cancel`` ends the call.
    """

    def __init__(self, call: BlockingStreamCall) -> None:
        """Takes an open call. Streams are made by ``Channel.stream`` and ``Channel.server_stream``."""
        self._call = call

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        call_now(self._call.leave)

    def read(self) -> Response:
        """Returns the next message. Raises EOFError once the server has ended the call with ok, RpcError otherwise."""
        has_message, message = self._call.read_now()
        if not has_message:
            raise EOFError("the stream has ended")
        return message  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Response]:
        return self

    def __next__(self) -> Response:
        has_message, message = self._call.read_now()
        if not has_message:
            raise StopIteration
        return message  # type: ignore[no-any-return]

    def write(self, message: Request) -> None:
        """Sends a message. Waits until flow control leaves room for more."""
        self._call.write_now(message)

    def close_writes(self) -> None:
        """Tells the server that no more messages follow."""
        call_now(self._call.close_writes)

    def finish(self) -> None:
        """Waits for the status of the call and raises it unless it is ok. Unread messages can still be read."""
        call_now(self._call.finish)

    def exchange(self, requests: Iterable[Request]) -> Generator[Response, None, None]:
        """Writes ``requests`` on a thread of its own while it yields the responses.

        An exception of ``requests`` ends the call and is raised here. Once an error was raised here, reads raise errors
        only. Nothing interrupts ``requests``: if it is waiting when the responses end, its thread keeps waiting. A
        generator is closed on that thread once the call has ended. What it raises then is logged, since the call has
        its outcome.

        If a signal handler raises while a response is waited for, the call goes on, and so does the iterator. Closing
        or dropping the iterator cancels the call.
        """
        return Exchange(self, self._call, requests)

    def cancel(self) -> None:
        """Cancels the call: operations in progress raise Cancelled. Any thread may call it."""
        self._call.cancel()

    @property
    def leading_metadata(self) -> Metadata:
        """The metadata that the server sent before its first message; complete once a message or the end is read."""
        return self._call.leading_metadata()

    @property
    def trailing_metadata(self) -> Metadata:
        """The metadata that the server sent with the status; complete once the stream has ended."""
        return self._call.trailing_metadata()

# SPDX-License-Identifier: MIT
"""ClientStream: a streaming call, for code that blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar

from .. import _core
from .._calls.interception import run_now
from .._client.stream_call import StreamCall
from .._errors import RpcError
from .._metadata import Metadata
from .request_writer import RequestWriter

Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)
Self = TypeVar("Self", bound="ClientStream[Any, Any]")


class BlockingStreamCall(StreamCall):
    """A streaming call whose operations block the calling thread."""

    async def _wait(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> Any:
        operation = begin(*arguments, None, None)
        try:
            return operation.wait()
        except RpcError:
            raise
        except BaseException:  # KeyboardInterrupt, or what another signal handler raises
            self.is_cancelled = True
            raise

    def read_now(self) -> tuple[bool, Any]:
        """Does what ``read`` does, without coroutines, which would cost a microsecond per message."""
        stream = self._core_stream
        operation = stream.begin_read(None, None)
        try:
            data = operation.wait()
        except RpcError as error:
            run_now(self._fail(error))
            raise
        except BaseException:
            self.is_cancelled = True
            raise
        if data is not None:
            return True, self._coding.decode_as(stream.codec(), data)
        run_now(self._end())
        return False, None

    def write_now(self, message: Any) -> None:
        """Does what ``write`` does, without coroutines."""
        operation = self._core_stream.begin_write(self._coding.encoded(self.method, message), False, None, None)
        try:
            operation.wait()
        except RpcError as error:
            self._write_error = error
            raise
        except BaseException:
            self.is_cancelled = True
            raise

    def write_now_unless_ended(self, message: Any) -> bool:
        """Writes a message. Returns False if the server has ended the call, whose status says more than the failure."""
        try:
            self.write_now(message)
        except RpcError:
            return False
        return True


class ClientStream(Generic[Request, Response]):
    """A stream of requests to the server and a stream of responses from it.

    Iterating reads. Leaving a ``with`` block, or dropping the last reference, cancels the call unless it has ended. One
    thread may read while another one writes.
    """

    def __init__(self, call: BlockingStreamCall) -> None:
        """Takes an open call. Streams are made by ``Channel.stream`` and ``Channel.server_stream``."""
        self._call = call

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        run_now(self._call.leave())

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
        run_now(self._call.close_writes())

    def finish(self) -> None:
        """Waits for the status of the call and raises it unless it is ok. Unread messages can still be read."""
        run_now(self._call.finish())

    def exchange(self, requests: Iterable[Request]) -> Iterator[Response]:
        """Writes ``requests`` on a thread of its own while it yields the responses.

        An exception of ``requests`` ends the call and is raised here. Nothing interrupts ``requests``: if it is waiting
        when the responses end, its thread keeps waiting, and what it raises afterwards is logged.
        """
        call = self._call
        writer = RequestWriter(call.write_now_unless_ended, self.close_writes, call.cancel, requests)
        try:
            with self:
                yield from self
            writer.end()
        except RpcError:
            writer.end()
            raise
        finally:
            writer.leave()

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

# SPDX-License-Identifier: MIT
"""ClientStream: a streaming call, for code that blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar

from . import _core
from ._codecs import Coding
from ._errors import Cancelled, Internal, RpcError
from ._interceptors import StreamInterception, run_now
from ._metadata import Metadata
from ._writer import RequestWriter

Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)
Self = TypeVar("Self", bound="ClientStream[Any, Any]")


class ClientStream(Generic[Request, Response]):
    """Messages both ways. Iterating reads; leaving a ``with`` block, or letting go of it, gives the call up unless it
    has ended. One thread may read while another one writes.
    """

    def __init__(
        self, core: _core.ClientStream, coding: Coding, interception: StreamInterception | None = None
    ) -> None:
        self._core = core
        self._coding = coding
        self._interception = interception
        self._failed_write: RpcError | None = None
        self._is_given_up = False
        self._ended = False

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._ended:
            self.cancel()
            self._end(self._failed_write or Cancelled("the stream was given up"), is_known=True)

    def _begun(self, operation: _core.StreamOperation) -> None:
        """Of a write. How the call ended is for a read or ``finish`` to tell: it may have been answered already."""
        try:
            operation.wait()
        except RpcError as error:
            self._failed_write = error
            raise
        except BaseException:
            self._is_given_up = True  # by an interrupt
            raise

    def _wait(self, operation: _core.StreamOperation) -> Any:
        try:
            return operation.wait()
        except RpcError as error:
            self._ended = True
            if self._interception is not None:
                self._end(error)
            raise
        except BaseException:
            self._is_given_up = True  # by an interrupt
            raise

    def _end(self, error: RpcError | None, is_known: bool = False) -> None:
        """Tells interceptors, and raises what they make of it; ``is_known``: the error itself need not be raised."""
        if self._interception is None:
            return
        told = run_now(self._interception.end(error))
        if told is not None and not (is_known and told is error):
            raise told

    def _next(self) -> tuple[bool, Any]:
        """(True, message), or (False, None) at the end."""
        data = self._wait(self._core.begin_read(None, None))
        if data is not None:
            return True, self._coding.decode_as(self._core.codec(), data)
        self._ended = True
        self._end(None)
        return False, None

    def read(self) -> Response:
        """The next message; raises EOFError once the server has ended the call with ok, or RpcError."""
        has_one, message = self._next()
        if not has_one:
            raise EOFError("the stream has ended")
        return message  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Response]:
        return self

    def __next__(self) -> Response:
        has_one, message = self._next()
        if not has_one:
            raise StopIteration
        return message  # type: ignore[no-any-return]

    def write(self, message: Request) -> None:
        """Waits until there is room for more."""
        self._begun(self._core.begin_write(self._coding.encode(message), False, None, None))

    def close_writes(self) -> None:
        """Tells the server that nothing more will be written."""
        self._begun(self._core.begin_close_writes(None, None))

    def finish(self) -> None:
        """Waits for the call's status and raises it unless it is ok. Messages not read yet can still be read."""
        self._wait(self._core.begin_finish(None, None))
        self._ended = True
        self._end(None)

    def exchange(self, requests: Iterable[Request]) -> Iterator[Response]:
        """Writes ``requests`` from a thread of its own while it yields what is read. What ``requests`` raises ends the
        call and comes through.

        So ``requests`` runs on another thread than the loop over the answers. Nothing can interrupt it there: if it
        waits for something when the answers have ended, its thread goes on waiting; what it raises then is logged.
        """
        writer = RequestWriter(self._write_unless_over, self.close_writes, self._core.cancel, requests)
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
        """Gives the call up; what waits on it ends with Cancelled."""
        self._is_given_up = True
        self._core.cancel()

    def _cut_off(self) -> bool:
        """When its channel is left: True if it was open."""
        if self._ended or self._is_given_up:
            return False
        self.cancel()
        return True

    @property
    def leading_metadata(self) -> Metadata:
        """What the server sent before its first message: complete once a message or the end has been read."""
        return Metadata._of(self._core.leading())

    @property
    def trailing_metadata(self) -> Metadata:
        """What it sent with the status: complete once the stream has ended."""
        return Metadata._of(self._core.trailing())

    def _write_unless_over(self, message: Any) -> bool:
        """False if the server has ended the call meanwhile; its status says more than the failed write."""
        try:
            self.write(message)
        except RpcError:
            return False
        return True

    def _only_response(self) -> Any:
        try:
            self.close_writes()
        except RpcError:
            pass  # the status follows
        data = self._wait(self._core.begin_read(None, None))
        self.finish()
        if data is None:
            raise Internal("finish stream: the server sent no response")
        return self._coding.decode_as(self._core.codec(), data)

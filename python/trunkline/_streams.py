# SPDX-License-Identifier: MIT
"""ClientStream: a streaming call, for code that blocks."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, TypeVar

from . import _core
from ._calls import Coding
from ._errors import Internal, RpcError
from ._metadata import Metadata

Self = TypeVar("Self", bound="ClientStream")


class ClientStream:
    """Messages both ways. Iterating reads; leaving a ``with`` block, or letting go of it, gives the call up unless it
    has ended. One thread may read while another one writes.
    """

    def __init__(self, core: _core.ClientStream, coding: Coding) -> None:
        self._core = core
        self._coding = coding
        self._ended = False

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._ended:
            self._core.cancel()

    def read(self) -> Any:
        """The next message; raises EOFError once the server has ended the call with ok, or RpcError."""
        data = self._core.begin_read(None, None).wait()
        if data is None:
            self._ended = True
            raise EOFError("the stream has ended")
        return self._coding.decode(data)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        data = self._core.begin_read(None, None).wait()
        if data is None:
            self._ended = True
            raise StopIteration
        return self._coding.decode(data)

    def write(self, message: Any) -> None:
        """Waits until there is room for more."""
        self._core.begin_write(self._coding.encode(message), False, None, None).wait()

    def close_writes(self) -> None:
        """Tells the server that nothing more will be written."""
        self._core.begin_close_writes(None, None).wait()

    def finish(self) -> None:
        """Waits for the call's status and raises it unless it is ok. Messages not read yet can still be read."""
        self._core.begin_finish(None, None).wait()
        self._ended = True

    def exchange(self, requests: Iterable[Any]) -> Iterator[Any]:
        """Writes ``requests`` from a thread of its own while it yields what is read. What ``requests`` raises ends the
        call and comes through."""
        failure: list[BaseException] = []

        def write() -> None:
            try:
                if all(self._write_unless_over(request) for request in requests):
                    self.close_writes()
            except RpcError:
                pass  # the reader is told
            except BaseException as error:
                failure.append(error)
                self._core.cancel()

        writer = threading.Thread(target=write, name="trunkline-writer", daemon=True)
        writer.start()
        try:
            with self:
                yield from self
        except RpcError:
            if failure:
                raise failure[0] from None
            raise

    def cancel(self) -> None:
        """Gives the call up; what waits on it ends with Cancelled."""
        self._core.cancel()

    @property
    def leading_metadata(self) -> Metadata:
        """What the server sent before its first message: complete once a message or the end has been read."""
        return Metadata(self._core.leading())

    @property
    def trailing_metadata(self) -> Metadata:
        """What it sent with the status: complete once the stream has ended."""
        return Metadata(self._core.trailing())

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
        data = self._core.begin_read(None, None).wait()
        self.finish()
        if data is None:
            raise Internal("finish stream: the server sent no response")
        return self._coding.decode(data)

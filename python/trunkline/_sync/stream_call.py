# SPDX-License-Identifier: MIT
"""BlockingStreamCall: a streaming call of a client, for code that blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._calls.interception import call_now
from .._calls.operations import Operations
from .._client.stream_call import StreamCall
from .._errors import RpcError


class BlockingStreamCall(StreamCall):
    """A streaming call whose operations block the calling thread."""

    _operations: Operations

    def _begin(self) -> None:
        super()._begin()
        self._operations = Operations()

    async def _wait(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> Any:
        return self._operations.wait(begin, *arguments)

    async def _read(self) -> Any:
        return self._reads.read_now()

    def read_now(self) -> tuple[bool, Any]:
        """Does what ``read`` does, without coroutines, which would cost a microsecond per message. If a signal handler
        raises meanwhile, the next read returns the message."""
        reads = self._reads
        if reads.is_reading:
            reads.check_idle()  # what it raises is not the status of the call
        try:
            data = reads.peek_now()
        except RpcError as error:
            call_now(lambda: self._fail(error))
            raise
        if data is None:
            call_now(self._end)
            return False, None
        codec = self._core_stream.codec()
        try:
            message = self._coding.decode_as(codec, data)
        except Exception as error:
            if self._is_decodable(codec, data):
                # A signal handler has raised, perhaps in a decoder, for which it was an error of the message.
                raise error.__cause__ or error from None
            reads.untaken = None
            raise
        reads.untaken = None
        return True, message

    def _is_decodable(self, codec: str, data: Any) -> bool:
        try:
            self._coding.decode_as(codec, data)
        except Exception:
            return False
        return True

    def write_now(self, message: Any) -> None:
        """Does what ``write`` does, without coroutines. If a signal handler raises meanwhile, the write is given up: a
        message that waits for room is not sent, and another one may be written."""
        data = self._coding.encoded(self.method, message)
        try:
            self._core_stream.write(data, False)
        except RpcError as error:
            self._note_write_error(error)
            raise

    def write_now_unless_ended(self, message: Any) -> bool:
        """Writes a message. Returns False if the server has ended the call, whose status says more than the failure."""
        try:
            self.write_now(message)
        except RpcError:
            return False
        return True

    def close_writes_now(self) -> None:
        """Does what ``close_writes_unless_ended`` does."""
        call_now(self.close_writes_unless_ended)

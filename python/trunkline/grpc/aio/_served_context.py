# SPDX-License-Identifier: MIT
"""ServedContext: the call that a coroutine serves, as its ServicerContext."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, NoReturn

from ... import _core
from ..._calls.reads import Reads
from ..._errors import RpcError as CoreError
from ...aio._loop_inbox import outcome_of
from .._call import Status
from .._call_request import over_limit
from .._errors import RpcError
from .._served_context import ServedContext as BlockingContext
from .._server_interface import RpcMethodHandler
from .._status_code import StatusCode
from ._errors import EOF, InternalError, UsageError
from ._plain_context import PlainContext
from ._server_interface import ServicerContext

_log = logging.getLogger(__name__)


class UndecodableRequestError(Exception):
    """A request that its deserializer has refused."""


class OversizedResponseError(Exception):
    """A response that is longer than the server may send."""


class ServedContext(ServicerContext[Any, Any]):
    """The call that a coroutine serves. Its status and metadata are kept by the context for code that blocks."""

    def __init__(
        self, call: _core.ServedCall, inbox: _core.Inbox, handler: RpcMethodHandler | None, send_limit: int | None
    ) -> None:
        """``send_limit`` is the bytes of the longest response; None for any number."""
        self._call = call
        self._send_limit = send_limit
        self._inbox = inbox
        self._reads: Reads | None = None
        self.handler = handler
        self._kept = BlockingContext(call, None, lambda _: None)  # nothing cancels it
        self._plain = PlainContext(self._kept)
        self._callbacks: list[Callable[[Any], None]] = []
        self._has_ended = False
        self.was_cancelled = False

    # --- messages ---

    def _check_open(self) -> None:
        """Raises UsageError once the call has ended, and AbortError after ``abort``."""
        if self._has_ended and not self._plain.has_aborted:
            raise UsageError("RPC already finished.")
        self._plain.check_open()

    async def read_raw(self) -> Any:
        """Returns the bytes of the next request; None after the last one. Raises UsageError if the call has ended,
        AbortError after ``abort``, and RpcError if the client has cancelled the call."""
        self._check_open()
        if self._reads is None:
            self._reads = Reads(self._call.begin_read)
        try:
            data = await self._reads.read(asyncio.get_running_loop(), self._inbox)
        except CoreError as error:
            raise RpcError(error.message) from None
        return data if data is None or type(data) is bytes else bytes(data)

    def decoded(self, data: bytes) -> Any:
        """Returns the request. Raises UndecodableRequestError."""
        deserialize = None if self.handler is None else self.handler.request_deserializer
        if deserialize is None:
            return data
        try:
            return deserialize(data)
        except Exception as error:
            _log.exception("Exception deserializing request!")
            self.fail(StatusCode.INTERNAL, "Exception deserializing request!")
            raise UndecodableRequestError from error

    def encoded(self, response: Any) -> bytes:
        """Returns the bytes of a response. Raises what its serializer raises, and OversizedResponseError."""
        serialize = None if self.handler is None else self.handler.response_serializer
        data = response if serialize is None else serialize(response)
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a response is {type(data).__name__}, not bytes")
        if self._send_limit is not None and len(data) > self._send_limit:
            text = over_limit(len(data), self._send_limit)
            self.fail(StatusCode.RESOURCE_EXHAUSTED, f"SERVER: {text}")
            raise OversizedResponseError(text)
        return data if type(data) is bytes else bytes(data)

    async def read(self) -> Any:
        data = await self.read_raw()
        return EOF if data is None else self.decoded(data)

    async def write(self, message: Any) -> None:
        self._check_open()
        await self.write_raw(self.encoded(message))

    async def write_raw(self, data: bytes) -> None:
        """Sends the bytes of a response of a stream."""
        self._kept._sent_initial = True
        try:
            await outcome_of(self._call.begin_write, data, self._call.codec() or "protobuf", inbox=self._inbox)
        except CoreError as error:
            raise InternalError(error.message) from None
        self._kept.restore_compression()

    # --- the status ---

    async def send_initial_metadata(self, initial_metadata: Any) -> None:
        self._plain.send_initial_metadata(initial_metadata)

    async def abort(self, code: StatusCode, details: str = "", trailing_metadata: Any = ()) -> NoReturn:
        self._plain.abort(code, details, trailing_metadata)

    async def abort_with_status(self, status: Status) -> NoReturn:
        self._plain.abort_with_status(status)

    def set_trailing_metadata(self, trailing_metadata: Any) -> None:
        """Sets the metadata. Raises TypeError for what is no metadata."""
        self._plain.set_trailing_metadata(trailing_metadata)

    def trailing_metadata(self) -> Any:
        return self._plain.trailing_metadata()

    def set_code(self, code: StatusCode) -> None:
        self._plain.set_code(code)

    def set_details(self, details: str) -> None:
        self._plain.set_details(details)

    def code(self) -> Any:
        return self._plain.code()

    def details(self) -> Any:
        return self._plain.details()

    def set_compression(self, compression: Any) -> None:
        self._plain.set_compression(compression)

    def disable_next_message_compression(self) -> None:
        self._plain.disable_next_message_compression()

    # --- the client ---

    def invocation_metadata(self) -> Any:
        return self._kept.invocation_metadata()

    def peer(self) -> str:
        return self._kept.peer()

    def peer_identities(self) -> Any:
        return self._kept.peer_identities()

    def peer_identity_key(self) -> str | None:
        return self._kept.peer_identity_key()

    def auth_context(self) -> Any:
        return self._kept.auth_context()

    def time_remaining(self) -> float | None:
        return self._plain.time_remaining()

    # --- the end ---

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        self._callbacks.append(callback)

    def cancelled(self) -> bool:
        return self.was_cancelled or (not self._has_ended and self._call.is_cancelled())

    def done(self) -> bool:
        return self._has_ended or self._plain.has_aborted

    # --- for the server ---

    def has_status(self) -> bool:
        """Returns whether a status other than OK is set."""
        return self._kept.code() not in (None, StatusCode.OK)

    def fail(self, code: StatusCode, details: str) -> None:
        """Sets the status."""
        self._kept.fail(code, details)

    def fail_for(self, error: BaseException) -> None:
        """Sets the status for what a handler has raised, unless it has set one."""
        _log.error("Unexpected [%s] raised by a handler", type(error).__name__, exc_info=error)
        if not self.has_status():
            self.fail(StatusCode.UNKNOWN, f"Unexpected {type(error)}: {error}")

    def finish(self) -> bool:
        """Hands the status and the trailing metadata to the core. Returns True if the status is OK."""
        return self._kept.finish()

    def run_callbacks(self) -> None:
        """Runs the callbacks, after the call has ended."""
        self._has_ended = True
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            try:
                callback(self)
            except Exception:
                _log.exception("a callback of a call has raised")

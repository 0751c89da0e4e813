# SPDX-License-Identifier: MIT
"""The calls for what client interceptors return in place of one: a response, or an iterator of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator
from typing import Any

from .._status_code import StatusCode
from ._call_interfaces import Call, StreamStreamCall, StreamUnaryCall, UnaryStreamCall, UnaryUnaryCall
from ._errors import EOF
from ._metadata import Metadata


class _Delegating(Call):
    """Passes every question on to the call that the interceptors have made. If they have made none, it has ended with
    OK."""

    def __init__(self, call: Call | None) -> None:
        self._call = call

    def cancel(self) -> bool:
        return self._call is not None and self._call.cancel()

    def cancelled(self) -> bool:
        return self._call is not None and self._call.cancelled()

    def done(self) -> bool:
        return self._call is None or self._call.done()

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        if self._call is None:
            callback(self)
        else:
            self._call.add_done_callback(lambda _: callback(self))

    def time_remaining(self) -> float | None:
        return None if self._call is None else self._call.time_remaining()

    async def initial_metadata(self) -> Metadata | None:
        return None if self._call is None else await self._call.initial_metadata()

    async def trailing_metadata(self) -> Metadata | None:
        return None if self._call is None else await self._call.trailing_metadata()

    async def code(self) -> StatusCode:
        return StatusCode.OK if self._call is None else await self._call.code()

    async def details(self) -> str:
        return "" if self._call is None else await self._call.details()

    async def debug_error_string(self) -> str | None:
        """Returns the status with the server's address, for logs; None if interceptors have made no call."""
        ask = getattr(self._call, "debug_error_string", None)
        return None if ask is None else str(await ask())

    async def wait_for_connection(self) -> None:
        if self._call is not None:
            await self._call.wait_for_connection()


class RespondedCall(_Delegating, UnaryUnaryCall[Any, Any], StreamUnaryCall[Any, Any]):
    """The call of a response. It has ended with OK, whatever calls the interceptors have made."""

    def __init__(self, response: Any) -> None:
        super().__init__(None)
        self._response = response

    def __await__(self) -> Generator[Any, None, Any]:
        if False:
            yield  # an iterator, as the protocol of await wants it
        return self._response

    async def write(self, request: Any) -> None:
        raise NotImplementedError

    async def done_writing(self) -> None:
        raise NotImplementedError


class IteratedCall(_Delegating, UnaryStreamCall[Any, Any], StreamStreamCall[Any, Any]):
    """The call of an iterator of responses, and the call from which they may come."""

    def __init__(self, call: Call | None, responses: Any) -> None:
        super().__init__(call)
        self._responses: AsyncIterator[Any] = responses.__aiter__()

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._responses

    async def read(self) -> Any:
        return await anext(self._responses, EOF)

    async def write(self, request: Any) -> None:
        raise NotImplementedError

    async def done_writing(self) -> None:
        raise NotImplementedError

# SPDX-License-Identifier: MIT
"""StreamCalls: what a channel for asyncio has for streams."""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import AsyncIterable, AsyncIterator
from typing import TYPE_CHECKING, Any, overload, TypeVar

from .._caller import Caller
from .._deadline import effective_timeout
from .._errors import DeadlineExceeded
from .._interceptors import Interception
from .._options import StreamOptions
from ._loop import LoopInboxes, each
from ._many import Requests
from ._streams import ClientStream

if TYPE_CHECKING:
    from typing_extensions import Unpack

Request = TypeVar("Request")
Response = TypeVar("Response")


class StreamCalls(Caller):
    """As of :class:`trunkline.Channel`, with coroutines."""

    #: To be given up when the channel's block is left.
    _streams: weakref.WeakSet[ClientStream[Any, Any]]
    _inboxes: LoopInboxes

    @overload
    def stream(
        self, method: str, request: type[Request], response: type[Response], **options: Unpack[StreamOptions]
    ) -> ClientStream[Request, Response]: ...
    @overload
    def stream(
        self, method: str, request: Any, response: type[Response], **options: Unpack[StreamOptions]
    ) -> ClientStream[Any, Response]: ...
    @overload
    def stream(
        self, method: str, *, response: type[Response], **options: Unpack[StreamOptions]
    ) -> ClientStream[Any, Response]: ...
    @overload
    def stream(
        self, method: str, request: type[Request], response: Any = ..., **options: Unpack[StreamOptions]
    ) -> ClientStream[Request, Any]: ...
    @overload
    def stream(
        self, method: str, request: Any = ..., response: Any = ..., **options: Unpack[StreamOptions]
    ) -> ClientStream[Any, Any]: ...
    def stream(
        self, method: str, request: Any = Any, response: Any = None, **options: Unpack[StreamOptions]
    ) -> ClientStream[Any, Any]:
        """A stream of messages of type ``request`` out and ``response`` in; begins at once, with interceptors at its
        first operation."""
        return self._open(method, "bidirectional", None, request, response, **options)

    @overload
    def server_stream(
        self, method: str, request: Any, response: type[Response], **options: Unpack[StreamOptions]
    ) -> ClientStream[Any, Response]: ...
    @overload
    def server_stream(
        self, method: str, *, response: type[Response], **options: Unpack[StreamOptions]
    ) -> ClientStream[Any, Response]: ...
    @overload
    def server_stream(
        self, method: str, request: Any = ..., response: Any = ..., **options: Unpack[StreamOptions]
    ) -> ClientStream[Any, Any]: ...
    def server_stream(
        self, method: str, request: Any = None, response: Any = None, **options: Unpack[StreamOptions]
    ) -> ClientStream[Any, Any]:
        """One request, many responses: ``async for`` over what it returns."""
        return self._open(method, "server_stream", request, Any, response, **options)

    @overload
    async def client_stream(
        self,
        method: str,
        requests: Requests,
        response: type[Response],
        *,
        request: Any = ...,
        **options: Unpack[StreamOptions],
    ) -> Response: ...
    @overload
    async def client_stream(
        self, method: str, requests: Requests, response: Any = ..., *, request: Any = ..., **options: Unpack[StreamOptions]
    ) -> Any: ...
    async def client_stream(
        self,
        method: str,
        requests: Requests,
        response: Any = None,
        *,
        request: Any = Any,
        **options: Unpack[StreamOptions],
    ) -> Any:
        """Many requests, one response. ``request`` names their type if there may be none; with it the call begins before
        the first one is there. ``requests`` runs in a task of its own, which is cancelled if the call ends first."""
        source = each(requests)
        is_stated = request is not Any
        if not is_stated:
            begin = time.monotonic()
            timeout = effective_timeout(options.get("timeout"), self._default_timeout)
            timeout = self._default_timeout if timeout is None else timeout
            first = await _next_within(source, timeout if isinstance(requests, AsyncIterable) else None)
            if first is not _NOTHING:
                request, source = type(first), _chained(first, source)
            if timeout is not None:
                options["timeout"] = max(0.0, timeout - (time.monotonic() - begin))
        stream = self._open(method, "client_stream", None, request, response, is_stated=is_stated, **options)
        async with stream._writing(source):
            return await stream._only_response()

    def _open(
        self,
        method: str,
        kind: str,
        only_request: Any,
        request: Any,
        response: Any,
        *,
        is_stated: bool = True,
        **options: Unpack[StreamOptions],
    ) -> ClientStream[Any, Any]:
        call, open_stream = self._stream_call(
            method, kind, only_request, request, response, is_stated=is_stated, **options
        )
        interception = Interception(self._interceptors, call) if self._interceptors else None
        stream: ClientStream[Any, Any] = ClientStream(self._inboxes, open_stream, interception)
        self._streams.add(stream)
        return stream


_NOTHING: Any = object()


async def _next_within(source: AsyncIterator[Any], timeout: float | None) -> Any:
    """The first request, or _NOTHING, waited for no longer than the call might take."""
    if timeout is None:
        return await anext(source, _NOTHING)
    end = time.monotonic() + timeout
    try:
        return await asyncio.wait_for(anext(source, _NOTHING), timeout)
    except asyncio.TimeoutError:
        if time.monotonic() < end:  # the source's own
            raise
        raise DeadlineExceeded("call: its first request did not come in time") from None


async def _chained(first: Any, rest: AsyncIterator[Any]) -> AsyncIterator[Any]:
    yield first
    async for message in rest:
        yield message

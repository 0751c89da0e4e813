# SPDX-License-Identifier: MIT
"""StreamCalls: what a channel for asyncio has for streams."""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import AsyncIterable, AsyncIterator
from typing import TYPE_CHECKING, Any, overload, TypeVar

from .. import _core
from .._calls import settings_of
from .._codecs import Codecs, Coding
from .._deadline import effective_timeout
from .._errors import DeadlineExceeded
from .._interceptors import Interception, OutgoingCall
from .._metadata import MetadataLike
from .._options import StreamOptions
from ._loop import LoopInboxes, each
from ._many import Requests
from ._streams import ClientStream

if TYPE_CHECKING:
    from typing_extensions import Unpack

Response = TypeVar("Response")


class StreamCalls:
    """As of :class:`trunkline.Channel`, with coroutines."""

    _core: _core.Channel
    _codecs: Codecs
    _interceptors: tuple[Any, ...]
    _default_timeout: float | None
    #: To be given up when the channel's block is left.
    _streams: weakref.WeakSet[ClientStream]
    _inboxes: LoopInboxes

    def stream(
        self,
        method: str,
        request: Any = Any,
        response: type[Response] | Any = None,
        **options: Unpack[StreamOptions],
    ) -> ClientStream:
        """A stream of messages of type ``request`` out and ``response`` in; begins at once, with interceptors at its
        first operation."""
        return self._open(method, "bidirectional", None, request, response, **options)

    def _open(
        self,
        method: str,
        kind: str,
        only_request: Any,
        request: Any,
        response: Any,
        timeout: float | None = None,
        metadata: MetadataLike = None,
        wait_for_ready: bool = False,
        compressor: str | None = None,
        codec: str | None = None,
    ) -> ClientStream:
        """``request``: the type of what is streamed; of no use if the only request is there."""
        call = OutgoingCall(method, kind, only_request, timeout, metadata, None)

        def begin() -> tuple[_core.ClientStream, Coding]:
            is_only = call.kind == "server_stream"
            coding = self._codecs.coding(type(call.request) if is_only else request, response, codec)
            settings = settings_of(self._default_timeout, call.timeout, call.metadata, wait_for_ready, False, compressor)
            data = coding.encode(call.request) if is_only else None
            return self._core.open_stream(call.method, coding.codec, settings, data), coding

        interception = Interception(self._interceptors, call) if self._interceptors else None
        stream = ClientStream(self._inboxes, begin, interception)
        self._streams.add(stream)
        return stream

    def server_stream(
        self,
        method: str,
        request: Any = None,
        response: type[Response] | Any = None,
        **options: Unpack[StreamOptions],
    ) -> ClientStream:
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
        response: type[Response] | Any = None,
        *,
        request: Any = Any,
        **options: Unpack[StreamOptions],
    ) -> Any:
        """Many requests, one response. ``request`` names their type if there may be none; with it the call begins before
        the first one is there. ``requests`` runs in a task of its own, which is cancelled if the call ends first."""
        source = each(requests)
        if request is Any:
            begin = time.monotonic()
            timeout = effective_timeout(options.get("timeout"), self._default_timeout)
            timeout = self._default_timeout if timeout is None else timeout
            first = await _next_within(source, timeout if isinstance(requests, AsyncIterable) else None)
            if first is not _NOTHING:
                request, source = type(first), _chained(first, source)
            if timeout is not None:
                options["timeout"] = max(0.0, timeout - (time.monotonic() - begin))
        stream = self._open(method, "client_stream", None, request, response, **options)
        async with stream._writing(source):
            return await stream._only_response()


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

# SPDX-License-Identifier: MIT
"""StreamCalls: what a channel for asyncio has for streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload, TypeVar

from .. import _core
from .._calls import settings_of
from .._codecs import Codecs, Coding
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

        if not self._interceptors:
            return ClientStream(self._inboxes, begin)
        return ClientStream(self._inboxes, begin, Interception(self._interceptors, call))

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
        """Many requests, one response. ``request`` names their type if there may be none."""
        stream: ClientStream | None = None

        def open_for(message: Any) -> ClientStream:
            kind = type(message) if request is Any else request
            return self._open(method, "client_stream", None, kind, response, **options)

        try:
            async for message in each(requests):
                if stream is None:
                    stream = open_for(message)
                if not await stream._write_unless_over(message):
                    break
            if stream is None:
                stream = open_for(None)
            return await stream._only_response()
        finally:
            if stream is not None:
                await stream._let_go()

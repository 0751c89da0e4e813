# SPDX-License-Identifier: MIT
"""StreamCalls: what a channel for asyncio has for streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload, TypeVar

from .._caller import Caller
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
        """Many requests, one response. ``request`` names their type if there may be none."""
        stream: ClientStream[Any, Any] | None = None

        def open_for(message: Any) -> ClientStream[Any, Any]:
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

    def _open(
        self, method: str, kind: str, only_request: Any, request: Any, response: Any, **options: Unpack[StreamOptions]
    ) -> ClientStream[Any, Any]:
        call, open_stream = self._stream_call(method, kind, only_request, request, response, **options)
        return ClientStream(self._inboxes, open_stream, Interception(self._interceptors, call) if self._interceptors else None)

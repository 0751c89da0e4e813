# SPDX-License-Identifier: MIT
"""UnaryMethod, ClientStreamMethod, ServerStreamMethod, BidirectionalMethod: for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from .._calls import Reply
from .._client_method import ClientMethod
from .._deadline import inherited
from .._method_definition import MethodDefinition
from .._options import CallOptions, StreamOptions
from ._streams import ClientStream

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._channel import Channel

Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)


class _AsyncMethod(ClientMethod, Generic[Request, Response]):
    __slots__ = ()
    _channel_name = "trunkline.aio.Channel"

    if TYPE_CHECKING:

        def __init__(
            self, channel: Channel, definition: MethodDefinition[Request, Response], **options: Unpack[CallOptions]
        ) -> None: ...

    def _each_checked(self, requests: Any) -> Any:
        """An iterable of the same kind."""
        return self._checked_async(requests) if isinstance(requests, AsyncIterable) else map(self._checked, requests)

    async def _checked_async(self, requests: AsyncIterable[Any]) -> AsyncIterator[Any]:
        async for request in requests:
            yield self._checked(request)


class UnaryMethod(_AsyncMethod[Request, Response]):
    """As :class:`trunkline.UnaryMethod`, with coroutines; made of an ``aio.Channel``."""

    __slots__ = ()
    _kind = "unary"

    def __call__(
        self, request: Request, *, reply: Reply | None = None, **options: Unpack[CallOptions]
    ) -> Coroutine[Any, Any, Response]:
        """As ``aio.Channel.call``, to be awaited; TypeError for a request of another class."""
        if type(request) is not self._request:
            self._checked(request)
        response: Coroutine[Any, Any, Response]
        if options or reply is not None or self._is_intercepted or (self._inherits and inherited() is not None):
            response = self._call(self._name, request, self._response, reply=reply, **self._with(options))
        else:
            response = self._send(self._name, request, self._response, self._settings, self._codec, None)
        return response

    def submit(
        self, request: Request, *, reply: Reply | None = None, **options: Unpack[CallOptions]
    ) -> asyncio.Task[Response]:
        """As ``aio.Channel.submit``: begins a call in a task of its own."""
        message, merged = self._checked(request), self._with(options)
        begun: asyncio.Task[Response] = self._channel.submit(self._name, message, self._response, reply=reply, **merged)
        return begun

    @overload
    def map(
        self,
        requests: Iterable[Request] | AsyncIterable[Request],
        *,
        window: int = ...,
        return_exceptions: Literal[False] = ...,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[Response, None]: ...
    @overload
    def map(
        self,
        requests: Iterable[Request] | AsyncIterable[Request],
        *,
        window: int = ...,
        return_exceptions: bool,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[Any, None]: ...
    def map(
        self,
        requests: Iterable[Request] | AsyncIterable[Request],
        *,
        window: int = 512,
        return_exceptions: bool = False,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[Any, None]:
        """As ``aio.Channel.map``: the responses in order, up to ``window`` calls at once."""
        many: AsyncGenerator[Any, None] = self._channel.map(
            self._name,
            self._each_checked(requests),
            self._response,
            window=window,
            return_exceptions=return_exceptions,
            **self._with(options),
        )
        return many

    @overload
    def as_completed(
        self,
        requests: Iterable[Request] | AsyncIterable[Request],
        *,
        window: int = ...,
        return_exceptions: Literal[False] = ...,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[tuple[int, Response], None]: ...
    @overload
    def as_completed(
        self,
        requests: Iterable[Request] | AsyncIterable[Request],
        *,
        window: int = ...,
        return_exceptions: bool,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[tuple[int, Any], None]: ...
    def as_completed(
        self,
        requests: Iterable[Request] | AsyncIterable[Request],
        *,
        window: int = 512,
        return_exceptions: bool = False,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[tuple[int, Any], None]:
        """As ``aio.Channel.as_completed``: (index of the request, response) in the order in which the calls end."""
        many: AsyncGenerator[tuple[int, Any], None] = self._channel.as_completed(
            self._name,
            self._each_checked(requests),
            self._response,
            window=window,
            return_exceptions=return_exceptions,
            **self._with(options),
        )
        return many

    def oneway(self, request: Request, **options: Unpack[StreamOptions]) -> Coroutine[Any, Any, None]:
        """As ``aio.Channel.call_oneway``: nothing is answered, not even errors; never repeated."""
        return self._channel.call_oneway(  # type: ignore[no-any-return]
            self._name, self._checked(request), **self._streamed(options)
        )


class ClientStreamMethod(_AsyncMethod[Request, Response]):
    """As :class:`trunkline.ClientStreamMethod`; made of an ``aio.Channel``."""

    __slots__ = ()
    _kind = "client_stream"

    def __call__(
        self, requests: Iterable[Request] | AsyncIterable[Request], **options: Unpack[StreamOptions]
    ) -> Coroutine[Any, Any, Response]:
        """As ``aio.Channel.client_stream``: ``requests`` runs in a task of its own; the response is awaited."""
        return self._channel.client_stream(  # type: ignore[no-any-return]
            self._name, requests, self._response, request=self._request, **self._with(options)
        )


class ServerStreamMethod(_AsyncMethod[Request, Response]):
    """As :class:`trunkline.ServerStreamMethod`; made of an ``aio.Channel``."""

    __slots__ = ()
    _kind = "server_stream"

    def __call__(self, request: Request, **options: Unpack[StreamOptions]) -> ClientStream[Any, Response]:
        """As ``aio.Channel.server_stream``: ``async for`` over what it returns."""
        return self._channel.server_stream(  # type: ignore[no-any-return]
            self._name, self._checked(request), self._response, **self._with(options)
        )


class BidirectionalMethod(_AsyncMethod[Request, Response]):
    """As :class:`trunkline.BidirectionalMethod`; made of an ``aio.Channel``."""

    __slots__ = ()
    _kind = "bidirectional"

    @overload
    def __call__(self, requests: None = ..., **options: Unpack[StreamOptions]) -> ClientStream[Request, Response]: ...
    @overload
    def __call__(
        self, requests: Iterable[Request] | AsyncIterable[Request], **options: Unpack[StreamOptions]
    ) -> AsyncIterator[Response]: ...
    def __call__(
        self, requests: Iterable[Request] | AsyncIterable[Request] | None = None, **options: Unpack[StreamOptions]
    ) -> Any:
        """As ``aio.Channel.stream``, a stream to write to and to read; given ``requests``, the responses, as of its
        ``exchange``."""
        stream = self._channel.stream(self._name, self._request, self._response, **self._with(options))
        return stream if requests is None else stream.exchange(requests)


CLIENT_METHODS: dict[str, type[ClientMethod]] = {
    each._kind: each for each in (UnaryMethod, ClientStreamMethod, ServerStreamMethod, BidirectionalMethod)
}

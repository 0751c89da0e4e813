# SPDX-License-Identifier: MIT
"""UnaryMethod, ClientStreamMethod, ServerStreamMethod, BidirectionalMethod: methods of an ``aio.Channel``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, overload

from .._client.client_method import ClientMethod
from .._client.options import CallOptions, StreamOptions
from .._client.response_info import ResponseInfo
from .._methods.definition import MethodDefinition
from ._client_stream import ClientStream
from ._request_source import close_async_requests

if TYPE_CHECKING:
    from typing_extensions import Unpack


Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)


class AsyncChannel(Protocol):
    """Distinguishes an ``aio.Channel`` from a ``trunkline.Channel``, whose function is not a coroutine, for type
    checkers."""

    def wait_for_ready(self, timeout: float) -> Coroutine[Any, Any, None]: ...


class _AsyncMethod(ClientMethod, Generic[Request, Response]):
    __slots__ = ()
    _channel_name = "trunkline.aio.Channel"

    if TYPE_CHECKING:

        def __init__(
            self, channel: AsyncChannel, definition: MethodDefinition[Request, Response], **options: Unpack[CallOptions]
        ) -> None: ...

    def _each_checked(self, requests: Any) -> Any:
        """Returns the requests, checked one by one, as an iterable of the same kind."""
        if self._required is not None and isinstance(requests, AsyncIterable):
            return self._checked_async(aiter(requests))
        return super()._each_checked(requests)

    async def _checked_async(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        try:
            async for request in requests:
                yield self._checked(request)
        finally:
            await close_async_requests(requests)


class UnaryMethod(_AsyncMethod[Request, Response]):
    """A :class:`trunkline.UnaryMethod` with coroutines, for an ``aio.Channel``."""

    __slots__ = ()
    _kind = "unary"

    def __call__(
        self, request: Request, *, response_info: ResponseInfo | None = None, **options: Unpack[CallOptions]
    ) -> Coroutine[Any, Any, Response]:
        """Returns a coroutine that returns the response, as ``aio.Channel.call`` does. Raises TypeError for a request
        of another class."""
        return self._call_unary(request, response_info, options)  # type: ignore[no-any-return]

    def submit(
        self, request: Request, *, response_info: ResponseInfo | None = None, **options: Unpack[CallOptions]
    ) -> asyncio.Task[Response]:
        """Begins a call in a task of its own, as ``aio.Channel.submit`` does."""
        return self._submit(request, response_info, options)  # type: ignore[no-any-return]

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
        """Yields the responses in order, with up to ``window`` calls at once, as ``aio.Channel.map`` does."""
        many = self._call_many(self._channel.map, requests, window, return_exceptions, options)
        return many  # type: ignore[no-any-return]

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
        """Yields (index of the request, response) as the calls end, which is what ``aio.Channel.as_completed`` does."""
        many = self._call_many(self._channel.as_completed, requests, window, return_exceptions, options)
        return many  # type: ignore[no-any-return]

    def oneway(self, request: Request, **options: Unpack[StreamOptions]) -> Coroutine[Any, Any, None]:
        """Sends a request without a response, as ``aio.Channel.call_oneway`` does. It is never retried."""
        return self._call_oneway(request, options)  # type: ignore[no-any-return]


class ClientStreamMethod(_AsyncMethod[Request, Response]):
    """A :class:`trunkline.ClientStreamMethod` for an ``aio.Channel``."""

    __slots__ = ()
    _kind = "client_stream"

    def __call__(
        self,
        requests: Iterable[Request] | AsyncIterable[Request],
        *,
        response_info: ResponseInfo | None = None,
        **options: Unpack[StreamOptions],
    ) -> Coroutine[Any, Any, Response]:
        """Runs ``requests`` in a task, as ``aio.Channel.client_stream`` does; awaiting returns the response."""
        return self._stream_requests(requests, response_info, options)  # type: ignore[no-any-return]


class ServerStreamMethod(_AsyncMethod[Request, Response]):
    """A :class:`trunkline.ServerStreamMethod` for an ``aio.Channel``."""

    __slots__ = ()
    _kind = "server_stream"

    def __call__(self, request: Request, **options: Unpack[StreamOptions]) -> ClientStream[Any, Response]:
        """Returns a stream, as ``aio.Channel.server_stream`` does; ``async for`` over it yields the responses."""
        return self._stream_responses(request, options)  # type: ignore[no-any-return]


class BidirectionalMethod(_AsyncMethod[Request, Response]):
    """A :class:`trunkline.BidirectionalMethod` for an ``aio.Channel``."""

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
        """Returns a stream to write to and to read from, as ``aio.Channel.stream`` does. With ``requests`` it returns
        the iterator of responses of its ``exchange``."""
        return self._stream_both(requests, options)


CLIENT_METHODS: dict[str, type[ClientMethod]] = {
    each._kind: each for each in (UnaryMethod, ClientStreamMethod, ServerStreamMethod, BidirectionalMethod)
}

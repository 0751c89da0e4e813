# SPDX-License-Identifier: MIT
"""UnaryMethod, ClientStreamMethod, ServerStreamMethod, BidirectionalMethod: methods of a ``trunkline.Channel``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, overload

from .._client.client_method import ClientMethod
from .._client.options import CallOptions, StreamOptions
from .._client.response_info import ResponseInfo
from .._methods.definition import MethodDefinition
from .client_stream import ClientStream
from .futures import CallFuture

if TYPE_CHECKING:
    from typing_extensions import Unpack


Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)


class BlockingChannel(Protocol):
    """Distinguishes a ``trunkline.Channel`` from an ``aio.Channel``, whose function is a coroutine, for type
    checkers."""

    def wait_for_ready(self, timeout: float) -> None: ...


class _BlockingMethod(ClientMethod, Generic[Request, Response]):
    __slots__ = ()
    _channel_name = "trunkline.Channel"

    if TYPE_CHECKING:

        def __init__(
            self,
            channel: BlockingChannel,
            definition: MethodDefinition[Request, Response],
            **options: Unpack[CallOptions],
        ) -> None: ...


class UnaryMethod(_BlockingMethod[Request, Response]):
    """A method with one request and one response: ``UnaryMethod(channel, definition, **options)``.

    The options are for every call; each call may override them. The ``idempotent`` of the definition is the default of
    that option.
    """

    __slots__ = ()
    _kind = "unary"

    def __call__(
        self, request: Request, *, response_info: ResponseInfo | None = None, **options: Unpack[CallOptions]
    ) -> Response:
        """Waits for the response and returns it, as ``Channel.call`` does. Raises RpcError, and TypeError for a request
        of another class."""
        return self._call_unary(request, response_info, options)  # type: ignore[no-any-return]

    def submit(
        self, request: Request, *, response_info: ResponseInfo | None = None, **options: Unpack[CallOptions]
    ) -> CallFuture[Response]:
        """Begins a call and returns its future, as ``Channel.submit`` does."""
        return self._submit(request, response_info, options)  # type: ignore[no-any-return]

    @overload
    def map(
        self,
        requests: Iterable[Request],
        *,
        window: int = ...,
        return_exceptions: Literal[False] = ...,
        **options: Unpack[CallOptions],
    ) -> Iterator[Response]: ...
    @overload
    def map(
        self, requests: Iterable[Request], *, window: int = ..., return_exceptions: bool, **options: Unpack[CallOptions]
    ) -> Iterator[Any]: ...
    def map(
        self,
        requests: Iterable[Request],
        *,
        window: int = 512,
        return_exceptions: bool = False,
        **options: Unpack[CallOptions],
    ) -> Iterator[Any]:
        """Yields the responses in order, with up to ``window`` calls at once, as ``Channel.map`` does."""
        many = self._call_many(self._channel.map, requests, window, return_exceptions, options)
        return many  # type: ignore[no-any-return]

    @overload
    def as_completed(
        self,
        requests: Iterable[Request],
        *,
        window: int = ...,
        return_exceptions: Literal[False] = ...,
        **options: Unpack[CallOptions],
    ) -> Iterator[tuple[int, Response]]: ...
    @overload
    def as_completed(
        self, requests: Iterable[Request], *, window: int = ..., return_exceptions: bool, **options: Unpack[CallOptions]
    ) -> Iterator[tuple[int, Any]]: ...
    def as_completed(
        self,
        requests: Iterable[Request],
        *,
        window: int = 512,
        return_exceptions: bool = False,
        **options: Unpack[CallOptions],
    ) -> Iterator[tuple[int, Any]]:
        """Yields (index of the request, response) as the calls end, which is what ``Channel.as_completed`` does."""
        many = self._call_many(self._channel.as_completed, requests, window, return_exceptions, options)
        return many  # type: ignore[no-any-return]

    def oneway(self, request: Request, **options: Unpack[StreamOptions]) -> None:
        """Sends a request without a response, as ``Channel.call_oneway`` does. It is never retried."""
        self._call_oneway(request, options)


class ClientStreamMethod(_BlockingMethod[Request, Response]):
    """A method with many requests and one response. It is made like a ``UnaryMethod``."""

    __slots__ = ()
    _kind = "client_stream"

    def __call__(
        self,
        requests: Iterable[Request],
        *,
        response_info: ResponseInfo | None = None,
        **options: Unpack[StreamOptions],
    ) -> Response:
        """Sends ``requests``, an iterable that runs on the calling thread, and returns the response, as
        ``Channel.client_stream`` does."""
        return self._stream_requests(requests, response_info, options)  # type: ignore[no-any-return]


class ServerStreamMethod(_BlockingMethod[Request, Response]):
    """A method with one request and many responses. It is made like a ``UnaryMethod``."""

    __slots__ = ()
    _kind = "server_stream"

    def __call__(self, request: Request, **options: Unpack[StreamOptions]) -> ClientStream[Any, Response]:
        """Returns a stream that yields the responses when it is iterated over, as ``Channel.server_stream`` does."""
        return self._stream_responses(request, options)  # type: ignore[no-any-return]


class BidirectionalMethod(_BlockingMethod[Request, Response]):
    """A method with many requests and many responses. It is made like a ``UnaryMethod``."""

    __slots__ = ()
    _kind = "bidirectional"

    @overload
    def __call__(self, requests: None = ..., **options: Unpack[StreamOptions]) -> ClientStream[Request, Response]: ...
    @overload
    def __call__(self, requests: Iterable[Request], **options: Unpack[StreamOptions]) -> Iterator[Response]: ...
    def __call__(self, requests: Iterable[Request] | None = None, **options: Unpack[StreamOptions]) -> Any:
        """Returns a stream to write to and to read from, as ``Channel.stream`` does. With ``requests`` it returns the
        iterator of responses of its ``exchange``."""
        return self._stream_both(requests, options)


CLIENT_METHODS: dict[str, type[ClientMethod]] = {
    each._kind: each for each in (UnaryMethod, ClientStreamMethod, ServerStreamMethod, BidirectionalMethod)
}

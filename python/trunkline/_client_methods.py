# SPDX-License-Identifier: MIT
"""UnaryMethod, ClientStreamMethod, ServerStreamMethod, BidirectionalMethod: for code that blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from ._calls import Reply
from ._client_method import ClientMethod
from ._deadline import inherited
from ._futures import CallFuture
from ._method_definition import MethodDefinition
from ._options import CallOptions, StreamOptions
from ._streams import ClientStream

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._channel import Channel

Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)


class _BlockingMethod(ClientMethod, Generic[Request, Response]):
    __slots__ = ()
    _channel_name = "trunkline.Channel"

    if TYPE_CHECKING:

        def __init__(
            self, channel: Channel, definition: MethodDefinition[Request, Response], **options: Unpack[CallOptions]
        ) -> None: ...


class UnaryMethod(_BlockingMethod[Request, Response]):
    """One request, one response. Made of a ``Channel``, a ``MethodDefinition``, and options of every call, which those
    that a call is given replace; a definition's ``idempotent`` is that option's default."""

    __slots__ = ()
    _kind = "unary"

    def __call__(self, request: Request, *, reply: Reply | None = None, **options: Unpack[CallOptions]) -> Response:
        """As ``Channel.call``: waits for the response. Raises RpcError, TypeError for a request of another class."""
        if type(request) is not self._request:
            self._checked(request)
        response: Response
        if options or reply is not None or self._is_intercepted or (self._inherits and inherited() is not None):
            response = self._call(self._name, request, self._response, reply=reply, **self._with(options))
        else:
            response = self._send(self._name, request, self._response, self._settings, self._codec, None)
        return response

    def submit(
        self, request: Request, *, reply: Reply | None = None, **options: Unpack[CallOptions]
    ) -> CallFuture[Response]:
        """As ``Channel.submit``: begins a call and returns its future."""
        message, merged = self._checked(request), self._with(options)
        begun: CallFuture[Response] = self._channel.submit(self._name, message, self._response, reply=reply, **merged)
        return begun

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
        """As ``Channel.map``: the responses in order, up to ``window`` calls at once."""
        many: Iterator[Any] = self._channel.map(
            self._name,
            map(self._checked, requests),
            self._response,
            window=window,
            return_exceptions=return_exceptions,
            **self._with(options),
        )
        return many

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
        """As ``Channel.as_completed``: (index of the request, response) in the order in which the calls end."""
        many: Iterator[tuple[int, Any]] = self._channel.as_completed(
            self._name,
            map(self._checked, requests),
            self._response,
            window=window,
            return_exceptions=return_exceptions,
            **self._with(options),
        )
        return many

    def oneway(self, request: Request, **options: Unpack[StreamOptions]) -> None:
        """As ``Channel.call_oneway``: nothing is answered, not even errors; never repeated."""
        self._channel.call_oneway(self._name, self._checked(request), **self._streamed(options))


class ClientStreamMethod(_BlockingMethod[Request, Response]):
    """Many requests, one response. Made as a ``UnaryMethod``."""

    __slots__ = ()
    _kind = "client_stream"

    def __call__(self, requests: Iterable[Request], **options: Unpack[StreamOptions]) -> Response:
        """As ``Channel.client_stream``: sends ``requests``, which run on the calling thread, and gives the response."""
        return self._channel.client_stream(  # type: ignore[no-any-return]
            self._name, requests, self._response, request=self._request, **self._with(options)
        )


class ServerStreamMethod(_BlockingMethod[Request, Response]):
    """One request, many responses. Made as a ``UnaryMethod``."""

    __slots__ = ()
    _kind = "server_stream"

    def __call__(self, request: Request, **options: Unpack[StreamOptions]) -> ClientStream[Any, Response]:
        """As ``Channel.server_stream``: iterate over what it returns."""
        return self._channel.server_stream(  # type: ignore[no-any-return]
            self._name, self._checked(request), self._response, **self._with(options)
        )


class BidirectionalMethod(_BlockingMethod[Request, Response]):
    """Many requests, many responses. Made as a ``UnaryMethod``."""

    __slots__ = ()
    _kind = "bidirectional"

    @overload
    def __call__(self, requests: None = ..., **options: Unpack[StreamOptions]) -> ClientStream[Request, Response]: ...
    @overload
    def __call__(self, requests: Iterable[Request], **options: Unpack[StreamOptions]) -> Iterator[Response]: ...
    def __call__(self, requests: Iterable[Request] | None = None, **options: Unpack[StreamOptions]) -> Any:
        """As ``Channel.stream``, a stream to write to and to read; given ``requests``, the responses, as of its
        ``exchange``."""
        stream = self._channel.stream(self._name, self._request, self._response, **self._with(options))
        return stream if requests is None else stream.exchange(requests)


CLIENT_METHODS: dict[str, type[ClientMethod]] = {
    each._kind: each for each in (UnaryMethod, ClientStreamMethod, ServerStreamMethod, BidirectionalMethod)
}

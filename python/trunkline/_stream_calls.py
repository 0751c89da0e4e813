# SPDX-License-Identifier: MIT
"""StreamCalls: what a channel for code that blocks has for streams."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload, TypeVar

from . import _core
from ._caller import Caller
from ._interceptors import Interception, StreamInterception, run_now
from ._options import StreamOptions
from ._streams import ClientStream

if TYPE_CHECKING:
    from typing_extensions import Unpack

Request = TypeVar("Request")
Response = TypeVar("Response")

_NOTHING: Any = object()


class StreamCalls(Caller):
    """Streams of a channel's: messages both ways, or many one way."""

    #: To be given up when the channel's block is left.
    _streams: weakref.WeakSet[ClientStream[Any, Any]]

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
        """A stream of messages of type ``request`` out and ``response`` in; begins at once."""
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
        """One request, many responses: iterate over what it returns."""
        return self._open(method, "server_stream", request, Any, response, **options)

    @overload
    def client_stream(
        self,
        method: str,
        requests: Iterable[Any],
        response: type[Response],
        *,
        request: Any = ...,
        **options: Unpack[StreamOptions],
    ) -> Response: ...
    @overload
    def client_stream(
        self, method: str, requests: Iterable[Any], response: Any = ..., *, request: Any = ..., **options: Unpack[StreamOptions]
    ) -> Any: ...
    def client_stream(
        self,
        method: str,
        requests: Iterable[Any],
        response: Any = None,
        *,
        request: Any = Any,
        **options: Unpack[StreamOptions],
    ) -> Any:
        """Many requests, one response. ``request`` names their type if there may be none.

        ``requests`` runs on the calling thread: while it waits, neither a timeout nor an early answer is heard of.
        """
        iterator = iter(requests)
        first = next(iterator, _NOTHING)
        kind = type(first) if request is Any and first is not _NOTHING else request
        stream = self._open(method, "client_stream", None, kind, response, is_stated=request is not Any, **options)
        with stream:
            if first is not _NOTHING and stream._write_unless_over(first):
                for message in iterator:
                    if not stream._write_unless_over(message):
                        break
            return stream._only_response()

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
        interception = Interception(self._interceptors, call)
        if not run_now(interception.begin()):
            interception.result()
            raise RuntimeError(f"stream {call.method}: an interceptor has set a response; streams have none")
        try:
            core, coding = open_stream()
        except BaseException as error:
            run_now(interception.end(None, error))
            interception.result()
            raise
        stream: ClientStream[Any, Any] = ClientStream(
            core, coding, StreamInterception(interception) if self._interceptors else None
        )
        self._streams.add(stream)
        return stream

# SPDX-License-Identifier: MIT
"""StreamCalls: what a channel for code that blocks has for streams."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload, TypeVar

from . import _core
from ._calls import settings_of
from ._codecs import Codecs
from ._interceptors import Interception, OutgoingCall, StreamInterception, run_now
from ._metadata import MetadataLike
from ._options import StreamOptions
from ._streams import ClientStream

if TYPE_CHECKING:
    from typing_extensions import Unpack

Response = TypeVar("Response")

_NOTHING: Any = object()


class StreamCalls:
    """Streams of a channel's: messages both ways, or many one way."""

    _core: _core.Channel
    _codecs: Codecs
    _interceptors: tuple[Any, ...]
    _default_timeout: float | None
    #: To be given up when the channel's block is left.
    _streams: weakref.WeakSet[ClientStream]

    def stream(
        self,
        method: str,
        request: Any = Any,
        response: type[Response] | Any = None,
        **options: Unpack[StreamOptions],
    ) -> ClientStream:
        """A stream of messages of type ``request`` out and ``response`` in; begins at once."""
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
        interception = Interception(self._interceptors, call)
        if not run_now(interception.begin()):
            interception.result()
            raise RuntimeError(f"stream {call.method}: an interceptor has set a response; streams have none")
        try:
            is_only = call.kind == "server_stream"
            coding = self._codecs.coding(type(call.request) if is_only else request, response, codec)
            settings = settings_of(self._default_timeout, call.timeout, call.metadata, wait_for_ready, False, compressor)
            data = coding.encode(call.request) if is_only else None
            core = self._core.open_stream(call.method, coding.codec, settings, data)
        except BaseException as error:
            run_now(interception.end(None, error))
            interception.result()
            raise
        stream = ClientStream(core, coding, StreamInterception(interception) if self._interceptors else None)
        self._streams.add(stream)
        return stream

    def server_stream(
        self,
        method: str,
        request: Any = None,
        response: type[Response] | Any = None,
        **options: Unpack[StreamOptions],
    ) -> ClientStream:
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
        response: type[Response] | Any = None,
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
        stream = self._open(method, "client_stream", None, kind, response, **options)
        with stream:
            if first is not _NOTHING and stream._write_unless_over(first):
                for message in iterator:
                    if not stream._write_unless_over(message):
                        break
            return stream._only_response()

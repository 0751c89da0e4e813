# SPDX-License-Identifier: MIT
"""Channel: the client side, for code that blocks."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from .. import _core
from .._calls.deadline import checked_timeout, inherits_deadline
from .._calls.interception import Interception, call_now, send_through
from .._calls.requests import close_requests
from .._client.call_settings import checked_window, codec_and_settings, settings_of
from .._client.channel_base import ChannelBase
from .._client.options import CallOptions, ChannelOptions, StreamOptions
from .._client.outgoing_call import OutgoingCall
from .._client.response_info import ResponseInfo, checked_response_info
from .._client.state_watch import ChannelState
from .._errors import DeadlineExceeded, RpcError
from .._metadata import MetadataLike, pairs_of
from .._process.exit import forget, time_left, track_channel
from . import futures
from .call_map import MappedCalls, calls_as_completed, futures_as_completed, map_calls, map_futures
from .client_methods import CLIENT_METHODS
from .client_stream import ClientStream
from .futures import CallFuture, Dispatcher
from .responses import Responses
from .stream_call import BlockingStreamCall

if TYPE_CHECKING:
    from typing_extensions import Unpack

_log = logging.getLogger("trunkline")

Request = TypeVar("Request")
Response = TypeVar("Response")
Self = TypeVar("Self", bound="Channel")

#: Stands for a request that is not there, as None may be one.
_NOTHING: Any = object()


class Channel(ChannelBase):
    """Calls to one endpoint: ``tcp://host:port``, ``tls://host:port``, ``unix:///path``, ``unix:@name``;
    ``grpc://host:port``, ``grpcs://host:port``, ``grpc+unix:///path`` for gRPC servers; ``http://host``,
    ``https://host``, ``http+unix:///path`` for Connect servers; ``grpc-web://host:port``, ``grpc-webs://host:port``
    for gRPC-Web servers; ``ws://host:port``, ``wss://host:port`` over WebSocket. Or to several servers: a list
    (``tcp://a:4000,b:4000``), ``dns:///name:port``, ``file:///path``, or a name that one of the ``resolvers`` finds.

    Any thread may use it. Connections are made when calls need them, and again after they are lost. Options are those
    of :class:`ChannelOptions`; times are in seconds.

    Leaving a ``with`` block cancels the streams that are still open, waits up to 5 seconds for other calls, and closes
    the channel; what was cut off is logged. An exception that leaves the block closes the channel at once.
    """

    _client_methods = CLIENT_METHODS

    def __init__(self, endpoint: str, **options: Unpack[ChannelOptions]) -> None:
        super().__init__(endpoint, options, allows_async=False)
        self._dispatcher: Dispatcher | None = None
        self._process = os.getpid()
        #: The streams that are cancelled when the channel's block is left.
        self._streams: weakref.WeakSet[ClientStream[Any, Any]] = weakref.WeakSet()
        self._closer = 0
        self._closed = threading.Event()
        track_channel(self)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            return self._leave()
        # The exception that leaves the block is raised, not an error about the calls that were cut off.
        with contextlib.suppress(RpcError):
            self.close(0.0)

    def _leave(self) -> None:
        if self._process == os.getpid():
            self._warn_of_streams(sum(stream._call.cut_off() for stream in list(self._streams)))
        try:
            self.close()
        except DeadlineExceeded as error:
            _log.warning("leaving channel %s: %s", self._shown_endpoint, error.message)

    def wait_for_ready(self, timeout: float) -> None:
        """Connects if necessary and waits for a connection. Raises DeadlineExceeded, with the last error of connecting,
        after ``timeout`` seconds."""
        self._core.wait_for_ready(checked_timeout(timeout))

    def on_state_change(self, callback: Callable[[ChannelState], object]) -> Callable[[], None]:
        """Calls ``callback(state)`` with each new ``state`` from now on, in order; ``closed`` is the last one. Returns
        a function that ends this.

        The callback runs on the thread on which the futures of ``submit`` complete, which this starts: it also notices
        changes while nobody calls. It must not block for long, since the futures wait for it, and it may begin calls
        with ``submit``. By the time it runs, ``Channel.state`` may have changed again. What it raises is logged. The
        channel holds the callback until it is closed.
        """
        return self._watch_states(callback, (self._dispatcher or self._start_dispatcher()).inbox)

    def close(self, timeout: float = 5.0) -> None:
        """Waits for the calls and streams in progress and closes the channel; further calls fail.

        Cancels what is left after ``timeout`` seconds, and then raises DeadlineExceeded with the number of calls that
        were cut off. A second ``close`` waits for the first one.
        """
        checked_timeout(timeout)
        forget(self)
        if self._process != os.getpid():
            return  # a forked child has none of the parent's threads and locks
        if not self._is_first_to_close():
            return
        try:
            self._core.close(timeout)
        finally:
            with futures.dispatcher_lock:
                dispatcher, self._dispatcher = self._dispatcher, None
            if dispatcher is not None:
                dispatcher.stop()
            self._closed.set()

    def _is_first_to_close(self) -> bool:
        """Returns False after the first ``close`` has ended, or if that one waits for this thread."""
        with futures.dispatcher_lock:
            closer, dispatcher = self._closer, self._dispatcher
            self._closer = closer or threading.get_ident()
        if closer not in (0, threading.get_ident()) and not (dispatcher is not None and dispatcher.is_this_thread()):
            self._closed.wait(time_left())
        return closer == 0

    def _close_at_exit(self) -> None:
        # The first of these cuts short what another thread may wait for in close().
        for close in (self._core.close, self.close):
            with contextlib.suppress(Exception):
                close(0.0)

    # --- one call ---

    @overload
    def call(
        self,
        method: str,
        request: Any,
        response: type[Response],
        *,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[CallOptions],
    ) -> Response: ...
    @overload
    def call(
        self,
        method: str,
        request: Any = ...,
        response: Any = ...,
        *,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[CallOptions],
    ) -> Any: ...
    def call(
        self,
        method: str,
        request: Any = None,
        response: Any = None,
        *,
        timeout: float | None = None,
        metadata: MetadataLike = None,
        wait_for_ready: bool = False,
        idempotent: bool = False,
        compressor: str | None = None,
        codec: str | None = None,
        routing_key: str | None = None,
        response_info: ResponseInfo | None = None,
    ) -> Any:
        """Sends one request and returns the response. Raises RpcError.

        ``response``: the type of the response; None returns whatever the message holds. ``response_info``: an object to
        be filled in with metadata and peer.

        The type of the request selects the codec of both messages. If the response has a type with another codec,
        both travel as MessagePack for bytes and types of MessagePack, or as JSON if either is a protobuf message;
        ``response`` has to be given then.

        KeyboardInterrupt, and what other signal handlers raise, cancels the call on the wire.
        """
        if not self._interceptors:
            settings = settings_of(
                self._default_timeout, timeout, metadata, wait_for_ready, idempotent, compressor, routing_key
            )
            return self._call(method, request, response, settings, codec, response_info)
        call = OutgoingCall(method, "unary", request, timeout, metadata, response_info)
        send = self._sender(self._call, call, response, wait_for_ready, idempotent, compressor, routing_key, codec)
        return send_through(self._interceptors, call, send)

    def _call(
        self,
        method: str,
        request: Any,
        response: Any,
        settings: _core.CallSettings | None,
        codec: str | None,
        response_info: ResponseInfo | None,
    ) -> Any:
        coding = self._codecs.coding(type(request), response, codec)
        data = coding.encoded(method, request)
        if response_info is None:
            return coding.decode(self._core.call(method, data, coding.codec, settings, coding.expects))
        checked_response_info(response_info)
        call = self._core.begin(method, data, coding.codec, settings, coding.expects, None, None)
        try:
            return coding.decode(call.wait())
        finally:
            response_info._take(call)

    def call_oneway(
        self,
        method: str,
        request: Any = None,
        *,
        timeout: float | None = None,
        metadata: MetadataLike = None,
        wait_for_ready: bool = False,
        compressor: str | None = None,
        codec: str | None = None,
        routing_key: str | None = None,
    ) -> None:
        """Sends a request without a response. Returns once a connection has taken it: errors of the server are not
        reported."""
        call = OutgoingCall(method, "one_way", request, timeout, metadata, None)
        send = self._sender(self._call_oneway, call, type(None), wait_for_ready, False, compressor, routing_key, codec)
        send_through(self._interceptors, call, send)

    def _call_oneway(
        self,
        method: str,
        request: Any,
        response: Any,
        settings: _core.CallSettings | None,
        codec: str | None,
        response_info: ResponseInfo,
    ) -> None:
        coding = self._codecs.coding(type(request), response, codec)
        data = coding.encoded(method, request)
        # The dispatcher's thread writes what is still unsent as this returns.
        if self._dispatcher is None:
            self._start_dispatcher()
        self._core.call(method, data, coding.codec, settings, _core.Expects.nothing)

    # --- many calls ---

    @overload
    def submit(
        self,
        method: str,
        request: Any,
        response: type[Response],
        *,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[CallOptions],
    ) -> CallFuture[Response]: ...
    @overload
    def submit(
        self,
        method: str,
        request: Any = ...,
        response: Any = ...,
        *,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[CallOptions],
    ) -> CallFuture[Any]: ...
    def submit(
        self,
        method: str,
        request: Any = None,
        response: Any = None,
        *,
        timeout: float | None = None,
        metadata: MetadataLike = None,
        wait_for_ready: bool = False,
        idempotent: bool = False,
        compressor: str | None = None,
        codec: str | None = None,
        routing_key: str | None = None,
        response_info: ResponseInfo | None = None,
    ) -> CallFuture[Any]:
        """Begins a call and returns its future, which completes on a thread of the channel."""
        future: CallFuture[Any] = CallFuture()
        if not self._interceptors:
            settings = settings_of(
                self._default_timeout, timeout, metadata, wait_for_ready, idempotent, compressor, routing_key
            )
            self._begin(future, method, request, response, settings, codec, response_info)
            return future
        call = OutgoingCall(method, "unary", request, timeout, metadata, response_info)
        begin = partial(self._begin, future)
        send = self._sender(begin, call, response, wait_for_ready, idempotent, compressor, routing_key, codec)
        future._begin_with(Interception(self._interceptors, call), send)
        return future

    def _begin(
        self,
        future: CallFuture[Any],
        method: str,
        request: Any,
        response: Any,
        settings: _core.CallSettings | None,
        codec: str | None,
        response_info: ResponseInfo | None,
    ) -> None:
        if response_info is not None:
            checked_response_info(response_info)
        coding = self._codecs.coding(type(request), response, codec)
        data = coding.encoded(method, request)
        future._dispatcher = dispatcher = self._dispatcher or self._start_dispatcher()
        with future._begin_lock:
            future._decode = coding.decode
            future._response_info = response_info
            dispatcher.pending.add(future)
            try:
                call = self._core.begin(
                    method, data, coding.codec, settings, coding.expects, dispatcher.inbox, future
                )
            except BaseException:
                dispatcher.pending.discard(future)
                raise
            future._call = call
        if future.cancelled():  # before it had this call to cancel
            call.cancel()

    def _start_dispatcher(self) -> Dispatcher:
        with futures.dispatcher_lock:
            if self._dispatcher is None:
                self._dispatcher = Dispatcher(self._core.make_inbox(False))
            return self._dispatcher

    @overload
    def map(
        self,
        method: str,
        requests: Iterable[Any],
        response: type[Response],
        *,
        window: int = ...,
        return_exceptions: Literal[False] = ...,
        **options: Unpack[CallOptions],
    ) -> Iterator[Response]: ...
    @overload
    def map(
        self,
        method: str,
        requests: Iterable[Any],
        response: Any = ...,
        *,
        window: int = ...,
        return_exceptions: bool = ...,
        **options: Unpack[CallOptions],
    ) -> Iterator[Any]: ...
    def map(
        self,
        method: str,
        requests: Iterable[Any],
        response: type[Response] | Any = None,
        *,
        window: int = 512,
        return_exceptions: bool = False,
        **options: Unpack[CallOptions],
    ) -> Iterator[Any]:
        """Makes a call for each request, up to ``window`` of them at once, and yields the responses in the order of the
        requests.

        A failed call raises its error at its turn, which ends the iterator, or with ``return_exceptions`` yields it.
        Closing or dropping the iterator cancels the calls in progress. So does an exception of ``requests``, of
        encoding a request, or of a signal handler: whoever reads on then gets Cancelled. A generator of requests is
        closed with the iterator; what it raises then is logged.

        ``requests`` runs on the calling thread. While it waits, no response is yielded, so it must not wait for one.
        """
        size = checked_window(window)
        if self._interceptors or inherits_deadline(options):
            submitting = self._submitting(method, response, options)
            return Responses(map_futures(submitting, requests, size, return_exceptions))
        codec, settings = codec_and_settings(self._default_timeout, **options)
        lists = map_calls(self._core, self._codecs, method, requests, response, codec, size, settings)
        return MappedCalls(lists, return_exceptions)

    @overload
    def as_completed(
        self,
        method: str,
        requests: Iterable[Any],
        response: type[Response],
        *,
        window: int = ...,
        return_exceptions: Literal[False] = ...,
        **options: Unpack[CallOptions],
    ) -> Iterator[tuple[int, Response]]: ...
    @overload
    def as_completed(
        self,
        method: str,
        requests: Iterable[Any],
        response: Any = ...,
        *,
        window: int = ...,
        return_exceptions: bool = ...,
        **options: Unpack[CallOptions],
    ) -> Iterator[tuple[int, Any]]: ...
    def as_completed(
        self,
        method: str,
        requests: Iterable[Any],
        response: type[Response] | Any = None,
        *,
        window: int = 512,
        return_exceptions: bool = False,
        **options: Unpack[CallOptions],
    ) -> Iterator[tuple[int, Any]]:
        """Makes calls as ``map`` does, and yields (index of the request, response) in the order in which they end."""
        size = checked_window(window)
        if self._interceptors or inherits_deadline(options):
            submitting = self._submitting(method, response, options)
            return Responses(futures_as_completed(submitting, requests, size, return_exceptions))
        codec, settings = codec_and_settings(self._default_timeout, **options)
        return Responses(
            calls_as_completed(
                self._core, self._codecs, method, requests, response, codec, size, return_exceptions, settings
            )
        )

    def _submitting(self, method: str, response: Any, options: CallOptions) -> Callable[[Any], CallFuture[Any]]:
        """Returns a function that begins one of many calls, each with the time left of an inherited deadline."""
        return partial(
            self.submit, method, response=response, **{**options, "metadata": pairs_of(options.get("metadata"))}
        )

    # --- streams ---

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
        """Opens a bidirectional stream of messages of type ``request`` to the server and ``response`` from it."""
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
        """Sends one request; iterating over the stream that it returns yields the responses."""
        return self._open(method, "server_stream", request, Any, response, **options)

    @overload
    def client_stream(
        self,
        method: str,
        requests: Iterable[Any],
        response: type[Response],
        *,
        request: Any = ...,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[StreamOptions],
    ) -> Response: ...
    @overload
    def client_stream(
        self,
        method: str,
        requests: Iterable[Any],
        response: Any = ...,
        *,
        request: Any = ...,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[StreamOptions],
    ) -> Any: ...
    def client_stream(
        self,
        method: str,
        requests: Iterable[Any],
        response: Any = None,
        *,
        request: Any = Any,
        response_info: ResponseInfo | None = None,
        **options: Unpack[StreamOptions],
    ) -> Any:
        """Sends many requests and returns the one response. ``request``: their type; needed if there may be no request.
        ``response_info``: as in ``call``.

        ``requests`` runs on the calling thread. While it waits, neither a timeout nor an early end of the call is
        noticed. If the call ends first, a generator is closed. What it raises then is logged, since the call has its
        outcome.
        """
        iterator: Any = None
        try:
            iterator = iter(requests)
            del requests
            first = next(iterator, _NOTHING)
            kind = type(first) if request is Any and first is not _NOTHING else request
            stream = self._open(
                method,
                "client_stream",
                None,
                kind,
                response,
                is_stated=request is not Any,
                response_info=response_info,
                **options,
            )
            with stream:
                call = stream._call
                if first is not _NOTHING and call.write_now_unless_ended(first):
                    for message in iterator:
                        if not call.write_now_unless_ended(message):
                            break
                call.close_writes_now()
                return call_now(call.only_response)
        finally:
            close_requests(iterator)
            iterator = first = message = None  # the traceback of an error refers to this frame

    def _open(
        self, method: str, kind: str, only_request: Any, request: Any, response: Any, **options: Any
    ) -> ClientStream[Any, Any]:
        call = BlockingStreamCall(*self._stream(method, kind, only_request, request, response, **options))
        call_now(call.open)
        stream: ClientStream[Any, Any] = ClientStream(call)
        self._streams.add(stream)
        return stream

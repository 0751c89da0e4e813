# SPDX-License-Identifier: MIT
"""Channel: the client's side, for code that blocks."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload, TypeVar

from . import _core, _futures
from ._calls import Reply, checked_reply, checked_timeout, checked_window, codec_and_settings, settings_of
from ._client_methods import CLIENT_METHODS
from ._deadline import inherits_anew
from ._errors import DeadlineExceeded, RpcError
from ._futures import CallFuture, Dispatcher
from ._interceptors import Interception, OutgoingCall, send_through
from ._lifetime import forget, track_channel, warn_of_streams
from ._many import calls_as_completed, futures_as_completed, map_calls, map_futures
from ._metadata import MetadataLike, pairs_of
from ._options import CallOptions, ChannelOptions
from ._stream_calls import StreamCalls

if TYPE_CHECKING:
    from typing_extensions import Unpack

_log = logging.getLogger("trunkline")

Response = TypeVar("Response")
Self = TypeVar("Self", bound="Channel")


class Channel(StreamCalls):
    """Calls to one endpoint: ``tcp://host:port``, ``tls://host:port``, ``unix:///path``, ``unix:@name``.

    Leaving a ``with`` block gives streams up that are still open, lets other calls end for up to 5 seconds, and closes it;
    what was cut off is logged. An exception that leaves the block closes it at once.
    Any thread may use it. Connections are made when calls need them, and again after they are lost. Options are those
    of :class:`ChannelOptions`; times are seconds.
    """

    _client_methods = CLIENT_METHODS

    def __init__(self, endpoint: str, **options: Unpack[ChannelOptions]) -> None:
        super().__init__(endpoint, options, may_wait=False)
        self._dispatcher: Dispatcher | None = None
        self._process = os.getpid()
        self._streams = weakref.WeakSet()
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
        # What leaves the block is told, not which calls it has cut off.
        with contextlib.suppress(RpcError):
            self.close(0.0)

    def _leave(self) -> None:
        if self._process == os.getpid():
            warn_of_streams(self._endpoint, sum(stream._cut_off() for stream in list(self._streams)))
        try:
            self.close()
        except DeadlineExceeded as error:
            _log.warning("leaving channel %s: %s", self._endpoint, error.message)

    def wait_for_ready(self, timeout: float) -> None:
        """Connects if need be; DeadlineExceeded, with the last error of connecting, after ``timeout`` seconds."""
        self._core.wait_for_ready(checked_timeout(timeout))

    def close(self, timeout: float = 5.0) -> None:
        """Lets calls and streams under way end, cancels what is left after ``timeout`` seconds, and then raises
        DeadlineExceeded with how many were cut off. Further calls fail. A second close waits for the first."""
        checked_timeout(timeout)
        forget(self)
        if self._process != os.getpid():
            return  # the parent's, whose threads and locks are not here
        if not self._is_first_to_close():
            return
        try:
            self._core.close(timeout)
        finally:
            with _futures.starting:
                dispatcher, self._dispatcher = self._dispatcher, None
            if dispatcher is not None:
                dispatcher.stop()
            self._closed.set()

    def _is_first_to_close(self) -> bool:
        """Else waits for the first one, unless that is waiting for this thread."""
        with _futures.starting:
            closer, dispatcher = self._closer, self._dispatcher
            self._closer = closer or threading.get_ident()
        if closer not in (0, threading.get_ident()) and not (dispatcher is not None and dispatcher.is_this_thread()):
            self._closed.wait()
        return closer == 0

    def _close_at_exit(self) -> None:
        try:
            self.close(0.0)
        except Exception:
            pass

    # --- one call ---

    @overload
    def call(
        self, method: str, request: Any, response: type[Response], *, reply: Reply | None = ..., **options: Unpack[CallOptions]
    ) -> Response: ...
    @overload
    def call(
        self, method: str, request: Any = ..., response: Any = ..., *, reply: Reply | None = ..., **options: Unpack[CallOptions]
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
        reply: Reply | None = None,
    ) -> Any:
        """One request, one response of type ``response`` (None: whatever it holds). Raises RpcError.

        The request's type says in which codec both travel. If the response has another one, bytes and what MessagePack
        holds travel as MessagePack, a protobuf message beside either as JSON; so ``response`` has to be named then.

        KeyboardInterrupt, and what other signal handlers raise, cancels the call on the wire.
        """
        if not self._interceptors:
            settings = settings_of(self._default_timeout, timeout, metadata, wait_for_ready, idempotent, compressor)
            return self._call(method, request, response, settings, codec, reply)
        call = OutgoingCall(method, "unary", request, timeout, metadata, reply)

        def send() -> Any:
            settings = settings_of(self._default_timeout, call.timeout, call.metadata, wait_for_ready, idempotent, compressor)
            return self._call(method, call.request, response, settings, codec, call.reply)

        return send_through(self._interceptors, call, send)

    def _call(
        self,
        method: str,
        request: Any,
        response: Any,
        settings: _core.CallSettings | None,
        codec: str | None,
        reply: Reply | None,
    ) -> Any:
        coding = self._codecs.coding(type(request), response, codec)
        data = coding.encode(request)
        if reply is None:
            return coding.decode(self._core.call(method, data, coding.codec, settings, False))
        checked_reply(reply)
        call = self._core.begin(method, data, coding.codec, settings, False, None, None)
        try:
            return coding.decode(call.wait())
        finally:
            reply._take(call)

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
    ) -> None:
        """Nothing is answered, not even errors: returning says that it was given to a connection."""
        call = OutgoingCall(method, "one_way", request, timeout, metadata, None)

        def send() -> None:
            coding = self._codecs.coding(type(call.request), type(None), codec)
            settings = settings_of(self._default_timeout, call.timeout, call.metadata, wait_for_ready, False, compressor)
            data = coding.encode(call.request)
            # Nobody waits for what is still to be written.
            if self._dispatcher is None:
                self._start_dispatcher()
            self._core.call(method, data, coding.codec, settings, True)

        send_through(self._interceptors, call, send)

    # --- many calls ---

    @overload
    def submit(
        self, method: str, request: Any, response: type[Response], *, reply: Reply | None = ..., **options: Unpack[CallOptions]
    ) -> CallFuture[Response]: ...
    @overload
    def submit(
        self, method: str, request: Any = ..., response: Any = ..., *, reply: Reply | None = ..., **options: Unpack[CallOptions]
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
        reply: Reply | None = None,
    ) -> CallFuture[Any]:
        """Begins a call and returns its future, which completes on a thread of the channel's."""
        future: CallFuture[Any] = CallFuture()
        if not self._interceptors:
            settings = settings_of(self._default_timeout, timeout, metadata, wait_for_ready, idempotent, compressor)
            self._begin(future, method, request, response, settings, codec, reply)
            return future
        call = OutgoingCall(method, "unary", request, timeout, metadata, reply)

        def send() -> None:
            settings = settings_of(self._default_timeout, call.timeout, call.metadata, wait_for_ready, idempotent, compressor)
            self._begin(future, method, call.request, response, settings, codec, call.reply)

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
        reply: Reply | None,
    ) -> None:
        if reply is not None:
            checked_reply(reply)
        coding = self._codecs.coding(type(request), response, codec)
        data = coding.encode(request)
        future._dispatcher = dispatcher = self._dispatcher or self._start_dispatcher()
        with future._beginning:
            future._decode = coding.decode
            future._reply = reply
            dispatcher.pending.add(future)
            try:
                call = self._core.begin(method, data, coding.codec, settings, False, dispatcher.inbox, future)
            except BaseException:
                dispatcher.pending.discard(future)
                raise
            future._call = call
        if future.cancelled():  # meanwhile, before it had this call to cancel
            call.cancel()

    def _start_dispatcher(self) -> Dispatcher:
        with _futures.starting:
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
        """Calls with every request, up to ``window`` at once, and yields the responses in order.

        A call that fails raises there, or with ``return_exceptions`` yields its error. Letting go of the iterator
        cancels what is still under way, as does an exception of ``requests``, which comes through. ``requests`` runs on the
        calling thread: while it waits, no answer is told; one that waits for an answer waits for ever.
        """
        size = checked_window(window)
        if self._interceptors or inherits_anew(options):
            return map_futures(self._submitting(method, response, options), requests, size, return_exceptions)
        codec, settings = codec_and_settings(self._default_timeout, **options)
        return map_calls(self._core, self._codecs, method, requests, response, codec, size, return_exceptions, settings)

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
        """Like ``map``, in the order in which the calls end: yields (index of the request, response)."""
        size = checked_window(window)
        if self._interceptors or inherits_anew(options):
            return futures_as_completed(self._submitting(method, response, options), requests, size, return_exceptions)
        codec, settings = codec_and_settings(self._default_timeout, **options)
        return calls_as_completed(
            self._core, self._codecs, method, requests, response, codec, size, return_exceptions, settings
        )

    def _submitting(self, method: str, response: Any, options: CallOptions) -> Callable[[Any], CallFuture[Any]]:
        """Begins one call of many, each with what is left of an inherited deadline."""
        return partial(self.submit, method, response=response, **{**options, "metadata": pairs_of(options.get("metadata"))})

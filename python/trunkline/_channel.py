# SPDX-License-Identifier: MIT
"""Channel: the client's side, for code that blocks."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload, TypeVar

from . import _core
from ._bind import bind
from ._calls import Reply, checked_timeout, checked_window, settings_of
from ._codecs import Codecs
from ._errors import RpcError
from ._futures import CallFuture, Dispatcher
from ._interceptors import Interception, OutgoingCall, StreamInterception, checked_interceptors, run_now, send_through
from ._lifetime import forget, track_channel
from ._many import calls_as_completed, futures_as_completed, map_calls, map_futures
from ._metadata import MetadataLike
from ._options import CallOptions, ChannelOptions, StreamOptions, core_options
from ._streams import ClientStream

if TYPE_CHECKING:
    from typing_extensions import Unpack

Response = TypeVar("Response")
Service = TypeVar("Service")
Self = TypeVar("Self", bound="Channel")


class Channel:
    """Calls to one endpoint: ``tcp://host:port``, ``tls://host:port``, ``unix:///path``, ``unix:@name``.

    Any thread may use it. Connections are made when calls need them, and again after they are lost. Options are those
    of :class:`ChannelOptions`; times are seconds.
    """

    def __init__(self, endpoint: str, **options: Unpack[ChannelOptions]) -> None:
        self._endpoint = endpoint
        self._codecs = Codecs(options.get("codecs", ()))
        self._interceptors = checked_interceptors(options.get("interceptors", ()), may_wait=False)
        self._core = _core.Channel(endpoint, core_options(options))
        self._dispatcher: Dispatcher | None = None
        self._lock = threading.Lock()
        track_channel(self)

    @property
    def endpoint(self) -> str:
        return self._endpoint

    @property
    def state(self) -> str:
        """idle, connecting, ready, failing or closed."""
        return self._core.state()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            return self.close()
        # What leaves the block is told, not which calls it has cut off.
        with contextlib.suppress(RpcError):
            self.close(0.0)

    def wait_for_ready(self, timeout: float) -> None:
        """Connects if need be; DeadlineExceeded, with the last error of connecting, after ``timeout`` seconds."""
        self._core.wait_for_ready(timeout)

    def close(self, timeout: float = 5.0) -> None:
        """Lets calls under way end, cancels what is left after ``timeout`` seconds. Further calls fail."""
        checked_timeout(timeout)
        forget(self)
        try:
            self._core.close(timeout)
        finally:
            with self._lock:
                dispatcher, self._dispatcher = self._dispatcher, None
            if dispatcher is not None:
                dispatcher.stop()

    def _close_at_exit(self) -> None:
        try:
            self.close(0.0)
        except Exception:
            pass

    def bind(self, service: type[Service], name: str | None = None, **options: Unpack[CallOptions]) -> Service:
        """A typed client of a class of type-hinted methods: its functions call.

        ``name``: as in ``Server.add_service``. ``options`` are those of all its calls, e.g. ``timeout=1.0``; they may be
        given to each of its functions, too, for which type checkers do not know them. Bidirectional methods take an iterable of requests and give the
        responses, or take nothing and give a ClientStream.
        """
        return bind(self, service, name, options)  # type: ignore[no-any-return]

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
        compressor: str = "",
        codec: str | None = None,
        reply: Reply | None = None,
    ) -> Any:
        """One request, one response of type ``response`` (None: whatever it holds). Raises RpcError.

        The request's type says in which codec both travel. If the response has another one, bytes and what MessagePack
        holds travel as MessagePack, a protobuf message beside either as JSON; so ``response`` has to be named then.

        KeyboardInterrupt, and what other signal handlers raise, cancels the call on the wire.
        """
        if not self._interceptors:
            settings = settings_of(timeout, metadata, wait_for_ready, idempotent, compressor)
            return self._call(method, request, response, settings, codec, reply)
        call = OutgoingCall(method, "unary", request, timeout, metadata, reply)

        def send() -> Any:
            settings = settings_of(call.timeout, call.metadata, wait_for_ready, idempotent, compressor)
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
        compressor: str = "",
        codec: str | None = None,
    ) -> None:
        """Nothing is answered, not even errors: returning says that it was given to a connection."""
        call = OutgoingCall(method, "one_way", request, timeout, metadata, None)

        def send() -> None:
            coding = self._codecs.coding(type(call.request), type(None), codec)
            settings = settings_of(call.timeout, call.metadata, wait_for_ready, False, compressor)
            data = coding.encode(call.request)
            # Nobody waits for what is still to be written.
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
        compressor: str = "",
        codec: str | None = None,
        reply: Reply | None = None,
    ) -> CallFuture[Any]:
        """Begins a call and returns its future, which completes on a thread of the channel's."""
        future: CallFuture[Any] = CallFuture()
        if not self._interceptors:
            settings = settings_of(timeout, metadata, wait_for_ready, idempotent, compressor)
            self._begin(future, method, request, response, settings, codec, reply)
            return future
        call = OutgoingCall(method, "unary", request, timeout, metadata, reply)

        def send() -> None:
            settings = settings_of(call.timeout, call.metadata, wait_for_ready, idempotent, compressor)
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
        coding = self._codecs.coding(type(request), response, codec)
        data = coding.encode(request)
        future._dispatcher = dispatcher = self._start_dispatcher()
        with future._beginning:
            future._decode = coding.decode
            future._reply = reply
            future._call = call = self._core.begin(method, data, coding.codec, settings, False, dispatcher.inbox, future)
        if future.cancelled():  # meanwhile, before it had this call to cancel
            call.cancel()

    def _start_dispatcher(self) -> Dispatcher:
        with self._lock:
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
        timeout: float | None = None,
        metadata: MetadataLike = None,
        wait_for_ready: bool = False,
        idempotent: bool = False,
        compressor: str = "",
        codec: str | None = None,
    ) -> Iterator[Any]:
        """Calls with every request, up to ``window`` at once, and yields the responses in order.

        A call that fails raises there, or with ``return_exceptions`` yields its error. Letting go of the iterator
        cancels what is still under way, as does an exception of ``requests``, which comes through.
        """
        size = checked_window(window)
        if self._interceptors:
            options: dict[str, Any] = dict(timeout=timeout, metadata=metadata, wait_for_ready=wait_for_ready, idempotent=idempotent)
            submit = partial(self.submit, method, response=response, compressor=compressor, codec=codec, **options)
            return map_futures(submit, requests, size, return_exceptions)
        settings = settings_of(timeout, metadata, wait_for_ready, idempotent, compressor)
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
        timeout: float | None = None,
        metadata: MetadataLike = None,
        wait_for_ready: bool = False,
        idempotent: bool = False,
        compressor: str = "",
        codec: str | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Like ``map``, in the order in which the calls end: yields (index of the request, response)."""
        size = checked_window(window)
        if self._interceptors:
            options: dict[str, Any] = dict(timeout=timeout, metadata=metadata, wait_for_ready=wait_for_ready, idempotent=idempotent)
            submit = partial(self.submit, method, response=response, compressor=compressor, codec=codec, **options)
            return futures_as_completed(submit, requests, size, return_exceptions)
        settings = settings_of(timeout, metadata, wait_for_ready, idempotent, compressor)
        return calls_as_completed(
            self._core, self._codecs, method, requests, response, codec, size, return_exceptions, settings
        )

    # --- streams ---

    def stream(
        self,
        method: str,
        request: Any = Any,
        response: type[Response] | Any = None,
        *,
        timeout: float | None = None,
        metadata: MetadataLike = None,
        wait_for_ready: bool = False,
        compressor: str = "",
        codec: str | None = None,
    ) -> ClientStream:
        """A stream of messages of type ``request`` out and ``response`` in; begins at once."""
        call = OutgoingCall(method, "bidirectional", None, timeout, metadata, None)
        return self._open(call, request, response, wait_for_ready, compressor, codec)

    def _open(
        self, call: OutgoingCall, request: Any, response: Any, wait_for_ready: bool, compressor: str, codec: str | None
    ) -> ClientStream:
        """``request``: the type of what is streamed; of no use if the only request is there."""
        interception = Interception(self._interceptors, call)
        if not run_now(interception.begin()):
            interception.result()
            raise RuntimeError(f"stream {call.method}: an interceptor has set a response; streams have none")
        try:
            is_only = call.kind == "server_stream"
            coding = self._codecs.coding(type(call.request) if is_only else request, response, codec)
            settings = settings_of(call.timeout, call.metadata, wait_for_ready, False, compressor)
            data = coding.encode(call.request) if is_only else None
            core = self._core.open_stream(call.method, coding.codec, settings, data)
        except BaseException as error:
            run_now(interception.end(None, error))
            interception.result()
            raise
        return ClientStream(core, coding, StreamInterception(interception) if self._interceptors else None)

    def server_stream(
        self,
        method: str,
        request: Any = None,
        response: type[Response] | Any = None,
        *,
        timeout: float | None = None,
        metadata: MetadataLike = None,
        wait_for_ready: bool = False,
        compressor: str = "",
        codec: str | None = None,
    ) -> ClientStream:
        """One request, many responses: iterate over what it returns."""
        call = OutgoingCall(method, "server_stream", request, timeout, metadata, None)
        return self._open(call, Any, response, wait_for_ready, compressor, codec)

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
        timeout: float | None = None,
        metadata: MetadataLike = None,
        wait_for_ready: bool = False,
        compressor: str = "",
        codec: str | None = None,
    ) -> Any:
        """Many requests, one response. ``request`` names their type if there may be none."""
        iterator = iter(requests)
        first = next(iterator, _core)
        kind = type(first) if request is Any and first is not _core else request
        call = OutgoingCall(method, "client_stream", None, timeout, metadata, None)
        stream = self._open(call, kind, response, wait_for_ready, compressor, codec)
        with stream:
            if first is not _core and stream._write_unless_over(first):
                for message in iterator:
                    if not stream._write_unless_over(message):
                        break
            return stream._only_response()

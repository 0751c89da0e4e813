# SPDX-License-Identifier: MIT
"""Channel: the client's side, for code that blocks."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload, TypeVar

from . import _core
from ._bind import bind
from ._calls import Reply, checked_timeout, checked_window, coding_of, settings_of
from ._futures import CallFuture, Dispatcher
from ._lifetime import forget, track
from ._many import calls_as_completed, map_calls
from ._metadata import MetadataLike
from ._options import ChannelOptions
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
        self._core = _core.Channel(endpoint, dict(options))
        self._dispatcher: Dispatcher | None = None
        self._lock = threading.Lock()
        track(self)

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
        self.close(0.0 if error is not None else 5.0)

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

    def bind(self, service: type[Service], name: str | None = None) -> Service:
        """A typed client of a class of type-hinted methods: its functions call, with the options of ``call``.

        ``name``: as in ``Server.add_service``. Bidirectional methods take an iterable of requests and give the
        responses, or take nothing and give a ClientStream.
        """
        return bind(self, service, name)  # type: ignore[no-any-return]

    # --- one call ---

    @overload
    def call(
        self,
        method: str,
        request: Any,
        response: type[Response],
        *,
        timeout: float | None = ...,
        metadata: MetadataLike = ...,
        wait_for_ready: bool = ...,
        idempotent: bool = ...,
        compressor: str = ...,
        codec: str | None = ...,
        reply: Reply | None = ...,
    ) -> Response: ...
    @overload
    def call(
        self,
        method: str,
        request: Any = ...,
        response: Any = ...,
        *,
        timeout: float | None = ...,
        metadata: MetadataLike = ...,
        wait_for_ready: bool = ...,
        idempotent: bool = ...,
        compressor: str = ...,
        codec: str | None = ...,
        reply: Reply | None = ...,
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

        KeyboardInterrupt, and what other signal handlers raise, cancels the call on the wire.
        """
        coding = coding_of(type(request), response, codec)
        settings = settings_of(timeout, metadata, wait_for_ready, idempotent, compressor)
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
        coding = coding_of(type(request), type(None), codec)
        settings = settings_of(timeout, metadata, wait_for_ready, False, compressor)
        data = coding.encode(request)
        # Nobody waits for what is still to be written.
        self._start_dispatcher()
        self._core.call(method, data, coding.codec, settings, True)

    # --- many calls ---

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
    ) -> CallFuture:
        """Begins a call and returns its future, which completes on a thread of the channel's."""
        coding = coding_of(type(request), response, codec)
        settings = settings_of(timeout, metadata, wait_for_ready, idempotent, compressor)
        data = coding.encode(request)
        future = CallFuture()
        future._decode = coding.decode
        future._reply = reply
        future._dispatcher = dispatcher = self._start_dispatcher()
        future._call = self._core.begin(method, data, coding.codec, settings, False, dispatcher.inbox, future)
        return future

    def _start_dispatcher(self) -> Dispatcher:
        with self._lock:
            if self._dispatcher is None:
                self._dispatcher = Dispatcher(self._core.make_inbox(False))
            return self._dispatcher

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
        settings = settings_of(timeout, metadata, wait_for_ready, idempotent, compressor)
        size = checked_window(window)
        return map_calls(self._core, method, requests, response, codec, size, return_exceptions, settings)

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
        settings = settings_of(timeout, metadata, wait_for_ready, idempotent, compressor)
        size = checked_window(window)
        return calls_as_completed(self._core, method, requests, response, codec, size, return_exceptions, settings)

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
        coding = coding_of(request, response, codec)
        settings = settings_of(timeout, metadata, wait_for_ready, False, compressor)
        return ClientStream(self._core.open_stream(method, coding.codec, settings, None), coding)

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
        coding = coding_of(type(request), response, codec)
        settings = settings_of(timeout, metadata, wait_for_ready, False, compressor)
        return ClientStream(self._core.open_stream(method, coding.codec, settings, coding.encode(request)), coding)

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
        stream = self.stream(
            method,
            kind,
            response,
            timeout=timeout,
            metadata=metadata,
            wait_for_ready=wait_for_ready,
            compressor=compressor,
            codec=codec,
        )
        with stream:
            if first is not _core and stream._write_unless_over(first):
                for message in iterator:
                    if not stream._write_unless_over(message):
                        break
            return stream._only_response()

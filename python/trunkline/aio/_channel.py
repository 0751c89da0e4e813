# SPDX-License-Identifier: MIT
"""Channel: the client's side, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Iterable
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload, TypeVar, Union

from .. import _core, _threads
from .._bind import bind
from .._calls import Reply, checked_timeout, checked_window, settings_of
from .._codecs import Codecs, Coding
from .._errors import DeadlineExceeded, RpcError
from .._interceptors import Interception, OutgoingCall, checked_interceptors, send_through_async
from .._lifetime import forget, track_channel
from .._metadata import MetadataLike
from .._options import ChannelOptions, core_options
from ._loop import LoopInboxes, each, in_a_thread, wait_for
from ._streams import ClientStream

if TYPE_CHECKING:
    from typing_extensions import Unpack

Response = TypeVar("Response")
Service = TypeVar("Service")
Self = TypeVar("Self", bound="Channel")
Requests = Union[Iterable[Any], AsyncIterable[Any]]


class Channel:
    """As :class:`trunkline.Channel`, with coroutines. Any number of event loops may use it, each on its thread."""

    def __init__(self, endpoint: str, **options: Unpack[ChannelOptions]) -> None:
        self._endpoint = endpoint
        self._codecs = Codecs(options.get("codecs", ()))
        self._interceptors = checked_interceptors(options.get("interceptors", ()), may_wait=True)
        self._core = core = _core.Channel(endpoint, core_options(options))
        core.start_thread()
        self._inboxes = LoopInboxes(lambda: core.make_inbox(True))
        self._process = os.getpid()
        self._closing: Future[None] | None = None
        track_channel(self)

    @property
    def endpoint(self) -> str:
        return self._endpoint

    @property
    def state(self) -> str:
        """idle, connecting, ready, failing or closed."""
        return self._core.state()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            return await self.close()
        # What leaves the block is told, not which calls it has cut off.
        with contextlib.suppress(RpcError):
            await self.close(0.0)

    def __del__(self) -> None:
        inboxes = getattr(self, "_inboxes", None)
        if inboxes is not None:
            inboxes.close()

    async def wait_for_ready(self, timeout: float) -> None:
        """Connects if need be; DeadlineExceeded, with the last error of connecting, after ``timeout`` seconds."""
        checked_timeout(timeout)
        given_up = threading.Event()
        try:
            await in_a_thread(self._wait_for_ready, timeout, given_up)
        finally:
            given_up.set()

    def _wait_for_ready(self, timeout: float, given_up: threading.Event) -> None:
        """In pieces, so that the thread ends soon after its task."""
        deadline = time.monotonic() + timeout
        while True:
            left = max(0.0, deadline - time.monotonic())
            try:
                return self._core.wait_for_ready(min(left, 0.2))
            except DeadlineExceeded:
                if left <= 0.2 or given_up.is_set():
                    raise

    async def close(self, timeout: float = 5.0) -> None:
        """Lets calls under way end, cancels what is left after ``timeout`` seconds. Further calls fail.

        It goes on if the task that waits for it is cancelled; a second close waits for the first.
        """
        checked_timeout(timeout)
        if self._process != os.getpid():
            return forget(self)
        if self._closing is None:
            forget(self)
            self._closing = _threads.begin(self._close, timeout)
        elif self._closing.done():
            return  # what it had to tell has been told
        await asyncio.wrap_future(self._closing)

    def _close(self, timeout: float) -> None:
        try:
            self._core.close(timeout)
        finally:
            self._inboxes.close()

    def _close_at_exit(self) -> None:
        try:
            self._close(0.0)
        except RpcError:
            pass  # calls were cut off

    def bind(self, service: type[Service], name: str | None = None) -> Service:
        """A typed client of a class of type-hinted methods: its functions call, with the options of ``call``.

        ``name``: as in ``Server.add_service``. Bidirectional methods take an iterable of requests, sync or async, and
        give the responses, or take nothing and give a ClientStream.
        """
        return bind(self, service, name)  # type: ignore[no-any-return]

    # --- one call ---

    @overload
    async def call(
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
    async def call(
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
    async def call(
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

        Cancelling the task cancels the call on the wire.
        """
        if not self._interceptors:
            settings = settings_of(timeout, metadata, wait_for_ready, idempotent, compressor)
            return await self._call(method, request, response, settings, codec, reply)
        call = OutgoingCall(method, "unary", request, timeout, metadata, reply)

        async def send() -> Any:
            settings = settings_of(call.timeout, call.metadata, wait_for_ready, idempotent, compressor)
            return await self._call(method, call.request, response, settings, codec, call.reply)

        return await send_through_async(self._interceptors, call, send)

    async def _call(
        self,
        method: str,
        request: Any,
        response: Any,
        settings: _core.CallSettings | None,
        codec: str | None,
        reply: Reply | None,
    ) -> Any:
        coding = self._codecs.coding(type(request), response, codec)
        loop, inbox = self._inboxes.of_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        call = self._core.begin(method, coding.encode(request), coding.codec, settings, False, inbox, future)
        try:
            return coding.decode(await future)
        except asyncio.CancelledError:
            call.cancel()
            raise
        finally:
            if reply is not None:
                reply._take(call)

    async def call_oneway(
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

        async def send() -> None:
            coding = self._codecs.coding(type(call.request), type(None), codec)
            settings = settings_of(call.timeout, call.metadata, wait_for_ready, False, compressor)
            data = coding.encode(call.request)
            loop, inbox = self._inboxes.of_running_loop()
            future: asyncio.Future[Any] = loop.create_future()
            await wait_for(self._core.begin(method, data, coding.codec, settings, True, inbox, future), future)

        await send_through_async(self._interceptors, call, send)

    # --- many calls ---

    async def map(
        self,
        method: str,
        requests: Requests,
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
    ) -> AsyncGenerator[Any, None]:
        """Calls with every request, up to ``window`` at once, and yields the responses in order.

        ``requests`` may be an async iterable. A call that fails raises there, or with ``return_exceptions`` yields its
        error. Closing the iterator cancels what is still under way.
        """
        checked_window(window)
        settings = settings_of(timeout, metadata, wait_for_ready, idempotent, compressor)
        loop, inbox = self._inboxes.of_running_loop()
        under_way: deque[tuple[_core.ClientCall | None, asyncio.Future[Any], Any]] = deque()
        options: dict[str, Any] = dict(timeout=timeout, metadata=metadata, wait_for_ready=wait_for_ready)
        options.update(idempotent=idempotent, compressor=compressor, codec=codec)

        def begin(request: Any) -> None:
            if self._interceptors:
                task = asyncio.ensure_future(self.call(method, request, response, **options))
                under_way.append((None, task, _same))
                return
            coding = self._codecs.coding(type(request), response, codec)
            future: asyncio.Future[Any] = loop.create_future()
            data = coding.encode(request)
            call = self._core.begin(method, data, coding.codec, settings, False, inbox, future)
            under_way.append((call, future, coding.decode))

        async def first() -> Any:
            _, future, decode = under_way[0]
            try:
                result = decode(await future)
            except Exception as error:
                if not return_exceptions:
                    raise
                result = error
            under_way.popleft()
            return result

        try:
            if isinstance(requests, AsyncIterable):
                async for request in requests:
                    begin(request)
                    while under_way and (len(under_way) >= window or under_way[0][1].done()):
                        yield await first()
            else:
                for request in requests:
                    begin(request)
                    while under_way and (len(under_way) >= window or under_way[0][1].done()):
                        yield await first()
            while under_way:
                yield await first()
        finally:
            for call, future, _ in under_way:
                if call is not None:
                    call.cancel()  # also if its future was cancelled with the task that awaited it
                if not future.done():
                    future.cancel()
                elif not future.cancelled():
                    future.exception()  # seen

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
        """A stream of messages of type ``request`` out and ``response`` in; begins at once, with interceptors at its
        first operation."""
        call = OutgoingCall(method, "bidirectional", None, timeout, metadata, None)
        return self._open(call, request, response, wait_for_ready, compressor, codec)

    def _open(
        self, call: OutgoingCall, request: Any, response: Any, wait_for_ready: bool, compressor: str, codec: str | None
    ) -> ClientStream:
        """``request``: the type of what is streamed; of no use if the only request is there."""

        def begin() -> tuple[_core.ClientStream, Coding]:
            is_only = call.kind == "server_stream"
            coding = self._codecs.coding(type(call.request) if is_only else request, response, codec)
            settings = settings_of(call.timeout, call.metadata, wait_for_ready, False, compressor)
            data = coding.encode(call.request) if is_only else None
            return self._core.open_stream(call.method, coding.codec, settings, data), coding

        if not self._interceptors:
            return ClientStream(self._inboxes, begin)
        return ClientStream(self._inboxes, begin, Interception(self._interceptors, call))

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
        """One request, many responses: ``async for`` over what it returns."""
        call = OutgoingCall(method, "server_stream", request, timeout, metadata, None)
        return self._open(call, Any, response, wait_for_ready, compressor, codec)

    async def client_stream(
        self,
        method: str,
        requests: Requests,
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
        stream: ClientStream | None = None

        def open_for(message: Any) -> ClientStream:
            kind = type(message) if request is Any else request
            call = OutgoingCall(method, "client_stream", None, timeout, metadata, None)
            return self._open(call, kind, response, wait_for_ready, compressor, codec)

        try:
            async for message in each(requests):
                if stream is None:
                    stream = open_for(message)
                if not await stream._write_unless_over(message):
                    break
            if stream is None:
                stream = open_for(None)
            return await stream._only_response()
        finally:
            if stream is not None:
                await stream._let_go()


def _same(response: Any) -> Any:
    return response

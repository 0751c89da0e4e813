# SPDX-License-Identifier: MIT
"""Channel: the client side, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
import time
import weakref
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from .. import _core
from .._calls.deadline import checked_timeout, effective_timeout, inherits_deadline
from .._calls.interception import send_through_async
from .._calls.reads import give_up_future
from .._client.bound_service import check_interface
from .._client.call_settings import checked_window, codec_and_settings, settings_of
from .._client.channel_base import ChannelBase
from .._client.options import CallOptions, ChannelOptions, StreamOptions
from .._client.outgoing_call import OutgoingCall
from .._client.response_info import ResponseInfo, checked_response_info
from .._client.state_watch import ChannelState
from .._errors import DeadlineExceeded, RpcError
from .._metadata import MetadataLike, pairs_of
from .._process.exit import forget, track_channel
from .._process.threads import begin_in_thread
from ._call_in_flight import CallInFlight
from ._client_methods import CLIENT_METHODS
from ._client_stream import ClientStream
from ._completed_calls import CompletedCalls
from ._loop_inbox import LoopInboxes, in_a_thread, outcome_of, running_loop
from ._many_calls import Begin
from ._mapped_calls import MappedCalls
from ._request_task import Requests
from ._request_writer import RequestWriter
from ._stream_call import AsyncStreamCall

if TYPE_CHECKING:
    from typing_extensions import Unpack

_log = logging.getLogger("trunkline")

Request = TypeVar("Request")
Response = TypeVar("Response")
Service = TypeVar("Service")
Interface = TypeVar("Interface")
Self = TypeVar("Self", bound="Channel")


class Channel(ChannelBase):
    """A :class:`trunkline.Channel` with coroutines. Any number of event loops may use it, each on its own thread."""

    _client_methods = CLIENT_METHODS

    def __init__(self, endpoint: str, **options: Unpack[ChannelOptions]) -> None:
        super().__init__(endpoint, options, allows_async=True)
        core = self._core
        core.start_thread()
        self._inboxes = LoopInboxes(lambda: core.make_inbox(True))
        self._submitted: set[asyncio.Task[Any]] = set()
        self._process = os.getpid()
        #: The streams that are cancelled when the channel's block is left.
        self._streams: weakref.WeakSet[ClientStream[Any, Any]] = weakref.WeakSet()
        self._closing: Future[None] | None = None
        track_channel(self)

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            return await self._leave()
        # The exception that leaves the block is raised, not an error about the calls that were cut off.
        with contextlib.suppress(RpcError):
            await self.close(0.0)

    async def _leave(self) -> None:
        if self._process == os.getpid():
            self._warn_of_streams(sum(stream._call.cut_off() for stream in list(self._streams)))
        try:
            await self.close()
        except DeadlineExceeded as error:
            _log.warning("leaving channel %s: %s", self._shown_endpoint, error.message)

    def __del__(self) -> None:
        inboxes = getattr(self, "_inboxes", None)
        if inboxes is not None:
            inboxes.close()

    async def wait_for_ready(self, timeout: float) -> None:
        """Connects if necessary and waits for a connection. Raises DeadlineExceeded, with the last error of connecting,
        after ``timeout`` seconds."""
        checked_timeout(timeout)
        is_cancelled = threading.Event()
        try:
            await in_a_thread(self._wait_for_ready, timeout, is_cancelled)
        finally:
            is_cancelled.set()

    def _wait_for_ready(self, timeout: float, is_cancelled: threading.Event) -> None:
        """Waits in short steps, so that the thread ends soon after its task is cancelled."""
        deadline = time.monotonic() + timeout
        while True:
            left = max(0.0, deadline - time.monotonic())
            try:
                return self._core.wait_for_ready(min(left, 0.2))
            except DeadlineExceeded:
                if left <= 0.2 or is_cancelled.is_set():
                    raise

    def on_state_change(self, callback: Callable[[ChannelState], object]) -> Callable[[], None]:
        """Calls ``callback(state)`` with each new ``state`` from now on, in order; ``closed`` is the last one. Returns
        a function that ends this.

        The callback is a plain function and runs on the event loop that runs now. It must not block, and may create
        tasks. By the time it runs, ``Channel.state`` may have changed again. What it raises is logged. The channel
        holds the callback until it is closed.
        """
        return self._watch_states(callback, self._inboxes.of_running_loop()[1])

    async def close(self, timeout: float = 5.0) -> None:
        """Waits for the calls and streams in progress and closes the channel; further calls fail.

        Cancels what is left after ``timeout`` seconds, and then raises DeadlineExceeded with the number of calls that
        were cut off. The channel is closed even if the waiting task is cancelled. A second ``close`` waits for the
        first one.
        """
        checked_timeout(timeout)
        if self._process != os.getpid():
            return forget(self)
        if running_loop() is None:  # the coroutine is destroyed, and can wait for nothing
            forget(self)
            return self._close_at_exit()
        if self._closing is None:
            forget(self)
            self._closing = begin_in_thread(self._close, timeout)
        elif self._closing.done():
            return  # the first close has raised its error
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

    # --- typed clients ---

    @overload
    def bind(self, service: type[Service], name: str | None = ..., **options: Unpack[CallOptions]) -> Service: ...
    @overload
    def bind(
        self,
        service: type[Any],
        name: str | None = ...,
        *,
        interface: Callable[..., Interface],
        **options: Unpack[CallOptions],
    ) -> Interface: ...
    def bind(
        self,
        service: type[Any],
        name: str | None = None,
        *,
        interface: Callable[..., Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Binds a service as ``trunkline.Channel.bind`` does, with coroutines. The class may have plain functions too.

        ``interface``: for a class of plain functions, what type checkers take the result for: a class or protocol that
        declares the same functions with ``async def``, or with ``AsyncIterator`` in place of ``Iterator``. TypeError if
        the service does not have all of its functions.
        """
        client: Any = super().bind(service, name, **options)
        if interface is not None:
            check_interface(client, service, interface)
        return client

    # --- one call ---

    @overload
    async def call(
        self,
        method: str,
        request: Any,
        response: type[Response],
        *,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[CallOptions],
    ) -> Response: ...
    @overload
    async def call(
        self,
        method: str,
        request: Any = ...,
        response: Any = ...,
        *,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[CallOptions],
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
        compressor: str | None = None,
        codec: str | None = None,
        routing_key: str | None = None,
        response_info: ResponseInfo | None = None,
    ) -> Any:
        """Sends one request and returns the response; see ``trunkline.Channel.call``. Raises RpcError.

        Cancelling the task cancels the call on the wire.
        """
        if not self._interceptors:
            settings = settings_of(
                self._default_timeout, timeout, metadata, wait_for_ready, idempotent, compressor, routing_key
            )
            return await self._call(method, request, response, settings, codec, response_info)
        call = OutgoingCall(method, "unary", request, timeout, metadata, response_info)
        send = self._sender(self._call, call, response, wait_for_ready, idempotent, compressor, routing_key, codec)
        return await send_through_async(self._interceptors, call, send)

    async def _call(
        self,
        method: str,
        request: Any,
        response: Any,
        settings: _core.CallSettings | None,
        codec: str | None,
        response_info: ResponseInfo | None,
    ) -> Any:
        if response_info is not None:
            checked_response_info(response_info)
        coding = self._codecs.coding(type(request), response, codec)
        loop, inbox = self._inboxes.of_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        data = coding.encoded(method, request)
        call = self._core.begin(method, data, coding.codec, settings, coding.expects, inbox, future)
        try:
            return coding.decode(await future)
        except (asyncio.CancelledError, GeneratorExit):
            call.cancel()
            give_up_future(future)
            raise
        finally:
            del future  # it holds the error of the call, whose traceback refers to this frame
            if response_info is not None:
                response_info._take(call)

    async def call_oneway(
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
        await send_through_async(self._interceptors, call, send)

    async def _call_oneway(
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
        _, inbox = self._inboxes.of_running_loop()
        begin = self._core.begin
        await outcome_of(begin, method, data, coding.codec, settings, _core.Expects.nothing, inbox=inbox)

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
    ) -> asyncio.Task[Response]: ...
    @overload
    def submit(
        self,
        method: str,
        request: Any = ...,
        response: Any = ...,
        *,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[CallOptions],
    ) -> asyncio.Task[Any]: ...
    def submit(
        self,
        method: str,
        request: Any = None,
        response: type[Response] | Any = None,
        *,
        response_info: ResponseInfo | None = None,
        **options: Unpack[CallOptions],
    ) -> asyncio.Task[Any]:
        """Begins a call in a task of its own and returns the task. Cancelling it cancels the call on the wire."""
        task = asyncio.get_running_loop().create_task(
            self.call(method, request, response, response_info=response_info, **options)
        )
        self._submitted.add(task)  # loops hold their tasks weakly
        task.add_done_callback(self._submitted.discard)
        return task

    @overload
    def map(
        self,
        method: str,
        requests: Requests,
        response: type[Response],
        *,
        window: int = ...,
        return_exceptions: Literal[False] = ...,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[Response, None]: ...
    @overload
    def map(
        self,
        method: str,
        requests: Requests,
        response: Any = ...,
        *,
        window: int = ...,
        return_exceptions: bool = ...,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[Any, None]: ...
    def map(
        self,
        method: str,
        requests: Requests,
        response: type[Response] | Any = None,
        *,
        window: int = 512,
        return_exceptions: bool = False,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[Any, None]:
        """Makes a call for each request, up to ``window`` of them at once, and yields the responses in the order of the
        requests.

        A failed call raises its error at its turn, which ends the iterator, or with ``return_exceptions`` yields it.
        Closing or dropping the iterator cancels the calls in progress. So does an exception of ``requests`` or of
        encoding a request: whoever reads on then gets Cancelled. Cancelling a task that waits for a response gives up
        that read only: the next one returns it.

        ``requests`` may be an async iterable, which runs in a task of its own, so it may wait, even for a response. A
        generator is closed with the iterator; what it raises then is logged.
        """
        begin = self._beginner(method, response, **options)
        return MappedCalls(begin, requests, checked_window(window), return_exceptions)

    @overload
    def as_completed(
        self,
        method: str,
        requests: Requests,
        response: type[Response],
        *,
        window: int = ...,
        return_exceptions: Literal[False] = ...,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[tuple[int, Response], None]: ...
    @overload
    def as_completed(
        self,
        method: str,
        requests: Requests,
        response: Any = ...,
        *,
        window: int = ...,
        return_exceptions: bool = ...,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[tuple[int, Any], None]: ...
    def as_completed(
        self,
        method: str,
        requests: Requests,
        response: type[Response] | Any = None,
        *,
        window: int = 512,
        return_exceptions: bool = False,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[tuple[int, Any], None]:
        """Makes calls as ``map`` does, and yields (index of the request, response) in the order in which they end."""
        begin = self._beginner(method, response, **options)
        return CompletedCalls(begin, requests, checked_window(window), return_exceptions)

    def _beginner(self, method: str, response: Any, **options: Unpack[CallOptions]) -> Begin:
        """Returns a function that begins one of many calls."""
        if self._interceptors or inherits_deadline(options):
            options["metadata"] = pairs_of(options.get("metadata"))
            return lambda request: CallInFlight(None, self.submit(method, request, response, **options), _same)
        codec, settings = codec_and_settings(self._default_timeout, **options)

        found: tuple[asyncio.AbstractEventLoop, _core.Inbox] | None = None

        def begin(request: Any) -> CallInFlight:
            nonlocal found
            if found is None:
                found = self._inboxes.of_running_loop()
            loop, inbox = found
            coding = self._codecs.coding(type(request), response, codec)
            future: asyncio.Future[Any] = loop.create_future()
            data = coding.encoded(method, request)
            call = self._core.begin(method, data, coding.codec, settings, coding.expects, inbox, future)
            return CallInFlight(call, future, coding.decode)

        return begin

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
        """Opens a bidirectional stream of messages of type ``request`` to the server and ``response`` from it. On a
        channel with interceptors its first operation opens it."""
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
        """Sends one request; ``async for`` over the stream that it returns yields the responses."""
        return self._open(method, "server_stream", request, Any, response, **options)

    @overload
    async def client_stream(
        self,
        method: str,
        requests: Requests,
        response: type[Response],
        *,
        request: Any = ...,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[StreamOptions],
    ) -> Response: ...
    @overload
    async def client_stream(
        self,
        method: str,
        requests: Requests,
        response: Any = ...,
        *,
        request: Any = ...,
        response_info: ResponseInfo | None = ...,
        **options: Unpack[StreamOptions],
    ) -> Any: ...
    async def client_stream(
        self,
        method: str,
        requests: Requests,
        response: Any = None,
        *,
        request: Any = Any,
        response_info: ResponseInfo | None = None,
        **options: Unpack[StreamOptions],
    ) -> Any:
        """Sends many requests and returns the one response.

        ``requests`` runs in a task of its own, in which a generator is also closed if the call ends first. The call
        waits a tenth of a second for that; ``finally`` blocks that take longer go on in their task. What they raise is
        logged, since the call has its outcome.

        ``request``: their type; needed if there may be no request. If it is given, the call begins before the first
        request is there. ``response_info``: as in ``call``.
        """
        is_stated = request is not Any
        writer = None if is_stated else RequestWriter(requests)
        try:
            if writer is not None:
                begin = time.monotonic()
                timeout = effective_timeout(options.get("timeout"), self._default_timeout)
                timeout = self._default_timeout if timeout is None else timeout
                request = await writer.first_type(timeout)
                if timeout is not None:
                    options["timeout"] = max(0.0, timeout - (time.monotonic() - begin))
            stream = self._open(
                method,
                "client_stream",
                None,
                request,
                response,
                is_stated=is_stated,
                response_info=response_info,
                **options,
            )
        except GeneratorExit:
            if writer is not None:
                writer.stop()
            raise
        except BaseException:
            if writer is not None:
                await writer.end()
            raise
        if writer is None:
            writer = RequestWriter(requests, stream._call)
        else:
            writer.write_to(stream._call)
        del requests  # the traceback of an error refers to this frame
        return await stream._response_to(writer)

    def _open(
        self, method: str, kind: str, only_request: Any, request: Any, response: Any, **options: Any
    ) -> ClientStream[Any, Any]:
        parts = self._stream(method, kind, only_request, request, response, **options)
        stream: ClientStream[Any, Any] = ClientStream(AsyncStreamCall(*parts, self._inboxes))
        self._streams.add(stream)
        return stream


def _same(response: Any) -> Any:
    return response

# SPDX-License-Identifier: MIT
"""Channel: the client's side, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
import time
import weakref
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload, TypeVar

from .. import _core, _threads
from .._calls import Reply, checked_reply, checked_timeout, checked_window, codec_and_settings, settings_of
from .._deadline import inherits_anew
from .._errors import DeadlineExceeded, RpcError
from .._interceptors import OutgoingCall, send_through_async
from .._lifetime import forget, track_channel, warn_of_streams
from .._metadata import MetadataLike, pairs_of
from .._options import CallOptions, ChannelOptions
from ._client_methods import CLIENT_METHODS
from ._loop import LoopInboxes, in_a_thread, wait_for
from ._many import Begin, CallUnderWay, Requests, calls_as_completed, map_calls
from ._stream_calls import StreamCalls

if TYPE_CHECKING:
    from typing_extensions import Unpack

_log = logging.getLogger("trunkline")

Response = TypeVar("Response")
Self = TypeVar("Self", bound="Channel")


class Channel(StreamCalls):
    """As :class:`trunkline.Channel`, with coroutines. Any number of event loops may use it, each on its thread."""

    _client_methods = CLIENT_METHODS

    def __init__(self, endpoint: str, **options: Unpack[ChannelOptions]) -> None:
        super().__init__(endpoint, options, may_wait=True)
        core = self._core
        core.start_thread()
        self._inboxes = LoopInboxes(lambda: core.make_inbox(True))
        self._submitted: set[asyncio.Task[Any]] = set()
        self._process = os.getpid()
        self._streams = weakref.WeakSet()
        self._closing: Future[None] | None = None
        track_channel(self)

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            return await self._leave()
        # What leaves the block is told, not which calls it has cut off.
        with contextlib.suppress(RpcError):
            await self.close(0.0)

    async def _leave(self) -> None:
        if self._process == os.getpid():
            warn_of_streams(self._endpoint, sum(stream._cut_off() for stream in list(self._streams)))
        try:
            await self.close()
        except DeadlineExceeded as error:
            _log.warning("leaving channel %s: %s", self._endpoint, error.message)

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
        """Lets calls and streams under way end, cancels what is left after ``timeout`` seconds, and then raises
        DeadlineExceeded with how many were cut off. Further calls fail.

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

    # --- one call ---

    @overload
    async def call(
        self, method: str, request: Any, response: type[Response], *, reply: Reply | None = ..., **options: Unpack[CallOptions]
    ) -> Response: ...
    @overload
    async def call(
        self, method: str, request: Any = ..., response: Any = ..., *, reply: Reply | None = ..., **options: Unpack[CallOptions]
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
        reply: Reply | None = None,
    ) -> Any:
        """One request, one response of type ``response`` (None: whatever it holds). Raises RpcError.

        Cancelling the task cancels the call on the wire.
        """
        if not self._interceptors:
            settings = settings_of(self._default_timeout, timeout, metadata, wait_for_ready, idempotent, compressor)
            return await self._call(method, request, response, settings, codec, reply)
        call = OutgoingCall(method, "unary", request, timeout, metadata, reply)

        async def send() -> Any:
            settings = settings_of(self._default_timeout, call.timeout, call.metadata, wait_for_ready, idempotent, compressor)
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
        if reply is not None:
            checked_reply(reply)
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
        compressor: str | None = None,
        codec: str | None = None,
    ) -> None:
        """Nothing is answered, not even errors: returning says that it was given to a connection."""
        call = OutgoingCall(method, "one_way", request, timeout, metadata, None)

        async def send() -> None:
            coding = self._codecs.coding(type(call.request), type(None), codec)
            settings = settings_of(self._default_timeout, call.timeout, call.metadata, wait_for_ready, False, compressor)
            data = coding.encode(call.request)
            loop, inbox = self._inboxes.of_running_loop()
            future: asyncio.Future[Any] = loop.create_future()
            await wait_for(self._core.begin(method, data, coding.codec, settings, True, inbox, future), future)

        await send_through_async(self._interceptors, call, send)

    # --- many calls ---

    @overload
    def submit(
        self, method: str, request: Any, response: type[Response], *, reply: Reply | None = ..., **options: Unpack[CallOptions]
    ) -> asyncio.Task[Response]: ...
    @overload
    def submit(
        self, method: str, request: Any = ..., response: Any = ..., *, reply: Reply | None = ..., **options: Unpack[CallOptions]
    ) -> asyncio.Task[Any]: ...
    def submit(
        self,
        method: str,
        request: Any = None,
        response: type[Response] | Any = None,
        *,
        reply: Reply | None = None,
        **options: Unpack[CallOptions],
    ) -> asyncio.Task[Any]:
        """Begins a call in a task of its own, and returns that; cancelling it cancels the call on the wire."""
        task = asyncio.get_running_loop().create_task(self.call(method, request, response, reply=reply, **options))
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
        """Calls with every request, up to ``window`` at once, and yields the responses in order.

        A call that fails raises there, or with ``return_exceptions`` yields its error. Closing the iterator cancels what
        is still under way. ``requests`` may be an async iterable, which runs in a task of its own: it may wait, also for
        an answer.
        """
        begin = self._beginning(method, response, **options)
        return map_calls(begin, requests, checked_window(window), return_exceptions)

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
        """Like ``map``, in the order in which the calls end: yields (index of the request, response)."""
        begin = self._beginning(method, response, **options)
        return calls_as_completed(begin, requests, checked_window(window), return_exceptions)

    def _beginning(self, method: str, response: Any, **options: Unpack[CallOptions]) -> Begin:
        """Begins one call of many."""
        if self._interceptors or inherits_anew(options):
            options["metadata"] = pairs_of(options.get("metadata"))
            return lambda request: CallUnderWay(None, self.submit(method, request, response, **options), _same)
        codec, settings = codec_and_settings(self._default_timeout, **options)

        found: tuple[asyncio.AbstractEventLoop, _core.Inbox] | None = None

        def begin(request: Any) -> CallUnderWay:
            nonlocal found
            if found is None:
                found = self._inboxes.of_running_loop()
            loop, inbox = found
            coding = self._codecs.coding(type(request), response, codec)
            future: asyncio.Future[Any] = loop.create_future()
            data = coding.encode(request)
            call = self._core.begin(method, data, coding.codec, settings, False, inbox, future)
            return CallUnderWay(call, future, coding.decode)

        return begin


def _same(response: Any) -> Any:
    return response

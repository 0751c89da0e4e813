# SPDX-License-Identifier: MIT
"""Fake: a server with scripted responses, which records its calls."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .. import aio
from .._client.options import ChannelOptions
from .._client.outgoing_call import OutgoingCall
from .._errors import Internal, RpcError, Unavailable, Unimplemented
from .._metadata import Metadata
from .._methods.definition import Kind
from .._methods.service_class import methods_of
from .._server.context import Context
from .._server.options import ServerOptions
from .._sync.channel import Channel
from ._fake_response import NOTHING, FakeResponse, Fault, Pause, each_part
from ._hosting import ahosted, hosted

if TYPE_CHECKING:
    from typing_extensions import Unpack

Self = TypeVar("Self", bound="Fake")


@dataclasses.dataclass
class ReceivedCall:
    """A call that a fake has received."""

    method: str
    kind: Kind
    #: The request message; for a stream, the list of requests read so far.
    request: Any
    metadata: Metadata
    #: Seconds until the deadline when the call arrived; None without a deadline.
    timeout: float | None
    peer: str


class _Script:
    """The responses of a method, and how many of them were used."""

    def __init__(self, method: str, kind: Kind, request: Any, response: Any) -> None:
        self.method = method
        self.kind: Kind = kind
        self.request = request
        self.response = response
        self.responses: list[FakeResponse] = []
        self.used = 0

    def next(self) -> FakeResponse | None:
        if self.used < len(self.responses):
            self.used += 1
        return self.responses[self.used - 1] if self.used else None


class Fake:
    """A server with scripted responses, which records its calls::

        fake = trunkline.testing.Fake()
        fake.on("Users/get", {"name": "Ann"}, trunkline.Unavailable("busy"))
        with fake.serve() as channel:
            ...
        assert fake.requests("Users/get") == [1, 1]

    ``services``: classes of type-hinted methods, whose kinds and message types are then known;
    ``channel.bind(service)`` is their client. ``strict``: leaving a ``serve`` block calls ``check``. Other options are
    those of :class:`trunkline.ServerOptions`. Any thread and event loop may use it.
    """

    def __init__(self, *services: type[Any], strict: bool = True, **options: Unpack[ServerOptions]) -> None:
        self._server = aio.Server(**options)
        self._strict = strict
        self._lock = threading.Lock()
        self._scripts: dict[str, _Script] = {}
        self._calls: list[ReceivedCall] = []
        self._failures: list[str] = []
        self._waiting: set[asyncio.Future[None]] = set()
        for service in services:
            for method in methods_of(service):
                signature = method.signature
                request = signature.request if signature.takes_request else Any
                self._add(_Script(method.name, cast(Kind, signature.kind.name), request, signature.response))

    def on(
        self: Self,
        method: str,
        *responses: Any,
        kind: Kind | None = None,
        request: Any = NOTHING,
        response: Any = NOTHING,
    ) -> Self:
        """Appends responses to the script of a method. They are used in order, the last one repeatedly; see
        :class:`FakeResponse`. Returns the fake.

        ``kind`` and the message types ``request`` and ``response`` belong to the first use of a method without a known
        service; by default it is unary and takes any message. ValueError for other ones later.
        """
        if not responses:
            raise ValueError(f"fake {method}: no response is given")
        script = self._scripts.get(method)
        if script is None:
            types = [Any if each is NOTHING else each for each in (request, response)]
            script = _Script(method, kind or "unary", types[0], types[1])
            self._add(script)
        elif kind not in (None, script.kind) or request is not NOTHING or response is not NOTHING:
            raise ValueError(f"fake {method}: its kind ({script.kind}) and types are known already")
        with self._lock:
            script.responses.extend(map(FakeResponse.of, responses))
        return self

    def calls(self, method: str | None = None) -> list[ReceivedCall]:
        """Returns the calls received so far, of one method or of all."""
        with self._lock:
            if method is not None and method not in self._scripts:
                raise LookupError(self._unexpected(method))
            return [call for call in self._calls if method in (None, call.method)]

    def requests(self, method: str) -> list[Any]:
        """Returns the requests of the calls received so far; a list for each call with a stream of requests."""
        return [call.request for call in self.calls(method)]

    def check(self) -> None:
        """Raises AssertionError if a channel of the fake called a method without a script, a request was not the
        expected one, or a response was not used."""
        with self._lock:
            problems = list(self._failures)
            for script in self._scripts.values():
                if unused := script.responses[script.used :]:
                    problems.append(f"{script.method}: {len(unused)} responses were not used: {unused}")
        if problems:
            raise AssertionError("fake: " + "\n".join(problems))

    @contextlib.contextmanager
    def serve(self, **channel_options: Unpack[ChannelOptions]) -> Iterator[Channel]:
        """Serves the fake in this process and yields a channel to it."""
        with contextlib.ExitStack() as stack:
            running = stack.enter_context(hosted(self._server))
            channel = stack.enter_context(Channel(running.endpoint, **self._watched(channel_options)))
            stack.callback(self._release)
            yield channel
        if self._strict:
            self.check()

    @contextlib.asynccontextmanager
    async def aserve(self, **channel_options: Unpack[ChannelOptions]) -> AsyncIterator[aio.Channel]:
        """Serves the fake as ``serve`` does, for asyncio, on the running event loop."""
        async with contextlib.AsyncExitStack() as stack:
            running = await stack.enter_async_context(ahosted(self._server))
            channel = await stack.enter_async_context(aio.Channel(running.endpoint, **self._watched(channel_options)))
            stack.callback(self._release)
            yield channel
        if self._strict:
            self.check()

    # --- serving ---

    def _watched(self, options: ChannelOptions) -> ChannelOptions:
        def refuse_unknown(call: OutgoingCall) -> Iterator[None]:
            with self._lock:
                if call.method not in self._scripts:
                    text = self._unexpected(call.method)
                    self._failures.append(text)
                    raise Unimplemented(f"fake: {text}")
            yield

        return {**options, "interceptors": [*options.get("interceptors", ()), refuse_unknown]}

    def _unexpected(self, method: str) -> str:
        return f"{method} is not scripted, but {', '.join(sorted(self._scripts)) or 'nothing'}"

    def _release(self) -> None:
        """Ends stalled calls, before the channel waits for them."""
        with self._lock:
            waiting = list(self._waiting)
        for future in waiting:
            future.get_loop().call_soon_threadsafe(_resolve, future)

    def _add(self, script: _Script) -> None:
        handler = _handler_of(script, self._play)
        self._server.add(script.method, handler)
        with self._lock:
            self._scripts[script.method] = script

    # --- one call ---

    async def _play(self, script: _Script, request: Any, context: Context) -> AsyncIterator[Any]:
        """Records a call and yields the messages of its response."""
        streams_in = script.kind in ("client_stream", "bidirectional")
        call = ReceivedCall(
            script.method,
            script.kind,
            [] if streams_in else request,
            context.metadata,
            context.time_left(),
            context.peer,
        )
        with self._lock:
            self._calls.append(call)
            response = script.next()
        if response is None:
            raise self._failed(script, "it was called, but has no response")
        if streams_in:
            request = _recorded(request, call.request)
        needs_all = response.expects is not NOTHING or script.kind == "client_stream"
        if streams_in and needs_all and not any(map(callable, response.parts)):
            request = [one async for one in request]
        parts = each_part(response, request, script.kind in ("server_stream", "bidirectional"))
        try:
            async for part in parts:
                if isinstance(part, BaseException):
                    raise part
                if isinstance(part, FakeResponse):
                    self._begin(script, part, call, context)
                elif isinstance(part, Pause):
                    await self._wait(part.seconds)
                elif isinstance(part, Fault):
                    if part is Fault.DISCONNECT:
                        context.disconnect()
                    await self._wait(None)
                else:
                    yield part
        except AssertionError as error:
            raise self._failed(script, str(error) or "an assertion has failed") from error

    def _begin(self, script: _Script, response: FakeResponse, call: ReceivedCall, context: Context) -> None:
        if response.expects is not NOTHING and response.expects != call.request:
            raise self._failed(script, f"its request is {call.request!r}, expected was {response.expects!r}")
        for name, value in response.leading_metadata:
            context.add_leading_metadata(name, value)
        for name, value in response.trailing_metadata:
            context.add_trailing_metadata(name, value)

    def _failed(self, script: _Script, text: str) -> RpcError:
        with self._lock:
            self._failures.append(f"{script.method}: {text}")
        return Internal(f"fake {script.method}: {text}")

    async def _wait(self, seconds: float | None) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with self._lock:
            self._waiting.add(future)
        try:
            await asyncio.wait_for(future, seconds)
        except asyncio.TimeoutError:
            return
        finally:
            with self._lock:
                self._waiting.discard(future)
        raise Unavailable("the fake is no longer served")


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


async def _recorded(requests: AsyncIterator[Any], into: list[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        into.append(request)
        yield request


Play = Callable[[_Script, Any, Context], AsyncIterator[Any]]


def _handler_of(script: _Script, play: Play) -> Callable[..., Any]:
    """Returns a handler with the kind and types of the script."""

    async def respond(message: Any, context: Context) -> Any:
        messages = [one async for one in play(script, message, context)]
        if len(messages) != 1:
            raise Internal(f"fake {script.method}: its response has {len(messages)} messages, but it is {script.kind}")
        return messages[0]

    async def respond_many(message: Any, context: Context) -> Any:
        async for one in play(script, message, context):
            yield one

    streams_in = script.kind in ("client_stream", "bidirectional")
    streams_out = script.kind in ("server_stream", "bidirectional")
    handler: Any = respond_many if streams_out else respond
    handler.__annotations__ = {
        "message": AsyncIterator[script.request] if streams_in else script.request,  # type: ignore[name-defined]
        "context": Context,
        "return": AsyncIterator[script.response] if streams_out else script.response,  # type: ignore[name-defined]
    }
    return handler  # type: ignore[no-any-return]

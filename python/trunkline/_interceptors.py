# SPDX-License-Identifier: MIT
"""Interceptors: generators around calls, on either side, blocking or not; and how they are run."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from typing import Any, TypeVar, Union

from . import _core
from ._calls import Reply
from ._context import Context
from ._metadata import MetadataLike, Value, pairs_of

Result = TypeVar("Result")

_unset: Any = object()


class InterceptedCall:
    """What interceptors of either side see of a call."""

    __slots__ = ("_kind", "_method", "_response")

    def __init__(self, method: str, kind: str) -> None:
        self._method = method
        self._kind = kind
        self._response: Any = _unset

    @property
    def method(self) -> str:
        """The name under which it is served; another one would be another call."""
        return self._method

    @property
    def kind(self) -> str:
        """``unary``, ``client_stream``, ``server_stream``, ``bidirectional`` or ``one_way``."""
        return self._kind

    @property
    def response(self) -> Any:
        """The message, once there is one; None before, and for streams. Setting it answers the call with that: after
        the ``yield`` instead of what came, before it without sending the call or running the handler."""
        return None if self._response is _unset else self._response

    @response.setter
    def response(self, message: Any) -> None:
        self._response = message


class OutgoingCall(InterceptedCall):
    """A call of a channel's, as its interceptors see it. What they change counts from the next ``yield`` on."""

    __slots__ = ("metadata", "reply", "request", "timeout")

    def __init__(
        self, method: str, kind: str, request: Any, timeout: float | None, metadata: MetadataLike, reply: Reply | None
    ) -> None:
        super().__init__(method, kind)
        #: The message; None for streams of requests.
        self.request = request
        #: Seconds, or None.
        self.timeout = timeout
        #: What is sent, as pairs.
        self.metadata: list[tuple[str, Value]] = pairs_of(metadata)
        #: Filled in at the end of calls that are no streams: metadata of the server's, and who it was.
        self.reply = Reply() if reply is None else reply

    def set_metadata(self, name: str, value: Value) -> None:
        """Replaces what is sent under this name."""
        self.metadata[:] = [pair for pair in self.metadata if pair[0] != name]
        self.metadata.append((name, value))


class IncomingCall(InterceptedCall):
    """A call that a server serves, as its interceptors see it."""

    __slots__ = ("_decode", "_request", "context")

    def __init__(self, method: str, kind: str, call: _core.ServedCall, decode: Callable[[], Any] | None) -> None:
        super().__init__(method, kind)
        #: As handlers have it: metadata, deadline, peer, ``abort``.
        self.context = Context(call)
        self._decode = decode
        self._request: Any = _unset

    @property
    def request(self) -> Any:
        """The message, decoded when first asked for, which may raise InvalidArgument; None for streams. May be set."""
        if self._request is _unset:
            self._request = None if self._decode is None else self._decode()
        return self._request

    @request.setter
    def request(self, message: Any) -> None:
        self._request = message


#: A generator function, or for asyncio also an async one. What is before its ``yield`` runs before the call is sent or
#: its handler runs; the ``yield`` gives the response, or raises what the call ended with.
ClientInterceptor = Callable[[OutgoingCall], Union[Iterator[None], AsyncIterator[None]]]
ServerInterceptor = Callable[[IncomingCall], Union[Iterator[None], AsyncIterator[None]]]


def checked_interceptors(interceptors: Iterable[Callable[..., Any]], *, may_wait: bool) -> tuple[Any, ...]:
    """Raises TypeError for what cannot be one; ``may_wait``: async generators can."""
    result = tuple(interceptors)
    for each in result:
        function = each if inspect.isroutine(each) else getattr(each, "__call__", None)
        name = getattr(each, "__qualname__", repr(each))
        if function is None or inspect.iscoroutinefunction(function):
            raise TypeError(f"interceptor {name}: is no generator function")
        if not may_wait and inspect.isasyncgenfunction(function):
            raise TypeError(f"interceptor {name}: an async generator needs trunkline.aio")
    return result


class Interception:
    """The interceptors of one call, the first outermost.

    ``begin`` and ``end`` say whether the call is to be sent (again); if not, ``error`` and the call's response are how
    it ends.
    """

    __slots__ = ("_interceptors", "_running", "call", "error")

    def __init__(self, interceptors: tuple[Any, ...], call: InterceptedCall) -> None:
        self._interceptors = interceptors
        self._running: list[Any] = []
        self.call = call
        self.error: BaseException | None = None

    async def begin(self) -> bool:
        self.error = None
        self.call._response = _unset
        while len(self._running) < len(self._interceptors):
            interceptor = self._interceptors[len(self._running)]
            running = interceptor(self.call)
            try:
                if await _goes_on(running, None, None):
                    self._running.append(running)
                    continue
                if self.call._response is _unset:
                    name = getattr(interceptor, "__qualname__", repr(interceptor))
                    raise RuntimeError(f"interceptor {name}: it ended without a yield and has set no response")
            except BaseException as error:
                self.error = error
            return await self._unwind()
        return True

    async def end(self, response: Any, error: BaseException | None) -> bool:
        """How the call ended; ``response`` counts without an error."""
        self.error = error
        self.call._response = _unset if error is not None else response
        return await self._unwind()

    async def _unwind(self) -> bool:
        while self._running:
            try:
                if await _goes_on(self._running[-1], self.call.response, self.error):
                    return await self.begin()
                # One that caught the error has to say what there is instead.
                if self.error is not None and self.call._response is not _unset:
                    self.error = None
            except BaseException as error:
                self.error = error
                self.call._response = _unset
            self._running.pop()
        return False

    def result(self) -> Any:
        """The response as interceptors have left it, or raises the error."""
        error, self.error = self.error, None
        if error is None:
            return self.call.response
        try:
            raise error
        finally:
            del error  # which would keep its own traceback alive


async def _goes_on(running: Any, response: Any, error: BaseException | None) -> bool:
    """Resumes a generator of either kind: True at a yield, False at its end."""
    try:
        if hasattr(running, "asend"):
            await (running.asend(response) if error is None else running.athrow(error))
        elif error is None:
            running.send(response)
        else:
            running.throw(error)
    except (StopIteration, StopAsyncIteration):
        return False
    return True


def run_now(steps: Coroutine[Any, Any, Result]) -> Result:
    """Of interceptors that do not wait."""
    try:
        steps.send(None)
    except StopIteration as ended:
        return ended.value  # type: ignore[no-any-return]
    steps.close()
    raise RuntimeError("an interceptor waits; that needs trunkline.aio")


def send_through(interceptors: tuple[Any, ...], call: InterceptedCall, send: Callable[[], Any]) -> Any:
    """The response of a call, sent by ``send`` as often as the interceptors ask for it."""
    interception = Interception(interceptors, call)
    going = run_now(interception.begin())
    while going:
        response, error = None, None
        try:
            response = send()
        except BaseException as raised:
            error = raised
        going = run_now(interception.end(response, error))
    return interception.result()


async def send_through_async(
    interceptors: tuple[Any, ...], call: InterceptedCall, send: Callable[[], Coroutine[Any, Any, Any]]
) -> Any:
    """The same with coroutines."""
    interception = Interception(interceptors, call)
    going = await interception.begin()
    while going:
        response, error = None, None
        try:
            response = await send()
        except BaseException as raised:
            error = raised
        going = await interception.end(response, error)
    return interception.result()


class StreamInterception:
    """Interceptors around a stream, from before it is opened to its end, which is told once."""

    __slots__ = ("_interception",)

    def __init__(self, interception: Interception) -> None:
        self._interception: Interception | None = interception

    async def end(self, error: BaseException | None) -> BaseException | None:
        """What is to be raised instead of ``error``."""
        interception, self._interception = self._interception, None
        if interception is None:
            return error
        if await interception.end(None, error):
            return RuntimeError(f"stream {interception.call.method}: an interceptor yields again; streams are sent once")
        return interception.error

# SPDX-License-Identifier: MIT
"""Interception: the interceptors of one call, which are generators, and how they run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")

_WAITS = "an interceptor waits; that needs trunkline.aio"

#: Stands for a message that is not there, as None may be a message.
UNSET: Any = object()


class InterceptedCall:
    """A call as the interceptors of either side see it."""

    __slots__ = ("_kind", "_method", "_response")

    def __init__(self, method: str, kind: str) -> None:
        self._method = method
        self._kind = kind
        self._response: Any = UNSET

    @property
    def method(self) -> str:
        """The full name of the method. Cannot be changed."""
        return self._method

    @property
    def kind(self) -> str:
        """The kind of call: ``unary``, ``client_stream``, ``server_stream``, ``bidirectional`` or ``one_way``."""
        return self._kind

    @property
    def response(self) -> Any:
        """The response message after the ``yield``; None before it, and for streams.

        Setting it after the ``yield`` replaces the response. Setting it before ends the call with that response: an
        interceptor that returns without a ``yield`` then neither sends the call nor runs the handler.
        """
        return None if self._response is UNSET else self._response

    @response.setter
    def response(self, message: Any) -> None:
        self._response = message


def checked_interceptors(interceptors: Iterable[Callable[..., Any]], *, allows_async: bool) -> tuple[Any, ...]:
    """Returns the interceptors as a tuple. Raises TypeError for what is no generator function. With ``allows_async``,
    async generator functions are accepted too."""
    result = tuple(interceptors)
    for each in result:
        function = _function_of(each)
        name = getattr(each, "__qualname__", repr(each))
        is_async = inspect.isasyncgenfunction(function)
        if not is_async and not inspect.isgeneratorfunction(function):
            raise TypeError(f"interceptor {name}: it has no yield; an interceptor is a generator function")
        if is_async and not allows_async:
            raise TypeError(f"interceptor {name}: an async generator needs trunkline.aio")
    return result


def _function_of(interceptor: Any) -> Any:
    """Returns the function with the code of an interceptor: within partials, decorators that name it, or the object's
    ``__call__``."""
    while isinstance(interceptor, functools.partial):
        interceptor = interceptor.func
    if not inspect.isroutine(interceptor):
        interceptor = getattr(interceptor, "__call__", interceptor)
    return inspect.unwrap(interceptor)


class Interception:
    """The interceptors of one call, the first one outermost.

    ``begin`` and ``end`` return whether the call is to be sent. False: the call is over, with ``error``, or else with
    the response of ``call``.
    """

    __slots__ = ("_interceptors", "_running", "call", "error")

    def __init__(self, interceptors: tuple[Any, ...], call: InterceptedCall) -> None:
        self._interceptors = interceptors
        self._running: list[Any] = []
        self.call = call
        self.error: BaseException | None = None

    async def begin(self) -> bool:
        """Runs each interceptor up to its ``yield``."""
        self.error = None
        self.call._response = UNSET
        while len(self._running) < len(self._interceptors):
            interceptor = self._interceptors[len(self._running)]
            running = interceptor(self.call)
            try:
                if await _resume(running, None, None):
                    self._running.append(running)
                    continue
                if self.call._response is UNSET:
                    name = getattr(interceptor, "__qualname__", repr(interceptor))
                    raise RuntimeError(f"interceptor {name}: it ended without a yield and has set no response")
            except BaseException as error:
                self.error = _raised_by_interceptor(error)
            return await self._unwind()
        return True

    async def end(self, response: Any, error: BaseException | None) -> bool:
        """Runs the interceptors to their end, from the innermost out. The call ended with ``error``, or else with
        ``response``. Returns True if one of them yields again, which sends the call again."""
        self.error = error
        self.call._response = UNSET if error is not None else response
        return await self._unwind()

    async def _unwind(self) -> bool:
        while self._running:
            try:
                if await _resume(self._running[-1], self.call.response, self.error):
                    return await self.begin()
                # An interceptor that catches the error must set a response instead.
                if self.error is not None and self.call._response is not UNSET:
                    self.error = None
            except BaseException as error:
                self.error = _raised_by_interceptor(error)
                self.call._response = UNSET
            self._running.pop()
        return False

    def result(self) -> Any:
        """Returns the response that the interceptors have left, or raises the error."""
        error, self.error = self.error, None
        if error is None:
            return self.call.response
        try:
            raise error
        finally:
            del error  # it would keep its own traceback alive


def _raised_by_interceptor(error: BaseException) -> BaseException:
    """Returns the error, without the frames of this module in its traceback: they refer to the interception, which holds
    the error."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return error.with_traceback(traceback)


async def _resume(running: Any, response: Any, error: BaseException | None) -> bool:
    """Resumes a generator of either kind. Returns True at a ``yield``, False at its end."""
    try:
        if hasattr(running, "asend"):
            await (running.asend(response) if error is None else running.athrow(error))
        elif error is None:
            running.send(response)
        else:
            running.throw(error)
    except (StopIteration, StopAsyncIteration):
        return False
    finally:
        del error  # its traceback refers to this frame
    return True


def call_now(begin: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Runs the coroutine that ``begin``, a function or method of Python, returns, as ``run_now`` does. A signal handler
    that raises in between leaves no coroutine behind that was never awaited."""
    steps = begin()
    try:
        steps.send(None)
    except StopIteration as ended:
        return ended.value  # type: ignore[no-any-return]
    finally:
        steps.close()
    raise RuntimeError(_WAITS)


def run_now(steps: Coroutine[Any, Any, Result]) -> Result:
    """Runs a coroutine that never suspends, in code that blocks. Raises RuntimeError if it suspends."""
    try:
        steps.send(None)
    except StopIteration as ended:
        return ended.value  # type: ignore[no-any-return]
    steps.close()
    raise RuntimeError(_WAITS)


def send_through(interceptors: tuple[Any, ...], call: InterceptedCall, send: Callable[[], Any]) -> Any:
    """Returns the response of a call. ``send`` sends it, as often as the interceptors ask for that."""
    interception = Interception(interceptors, call)
    is_to_be_sent = run_now(interception.begin())
    while is_to_be_sent:
        response, error = None, None
        try:
            response = send()
        except BaseException as raised:
            error = raised
        is_to_be_sent = run_now(interception.end(response, error))
        response = error = None  # the traceback of the error refers to this frame
    return interception.result()


async def send_through_async(
    interceptors: tuple[Any, ...], call: InterceptedCall, send: Callable[[], Coroutine[Any, Any, Any]]
) -> Any:
    """Sends a call as ``send_through`` does, for asyncio."""
    interception = Interception(interceptors, call)
    is_to_be_sent = await interception.begin()
    while is_to_be_sent:
        response, error = None, None
        try:
            response = await send()
        except BaseException as raised:
            error = raised
        is_to_be_sent = await interception.end(response, error)
        response = error = None  # the traceback of the error refers to this frame
    return interception.result()

# SPDX-License-Identifier: MIT
"""MethodServer: runs the handler of one method on the event loop, for each of its calls."""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from ... import _core
from .._method_handler import CallDetails, MethodHandler, behavior_of
from .._method_server import CallRoutes, EndEarly
from .._method_server import MethodServer as BlockingMethodServer
from .._metadatum import received_of
from .._server_interface import RpcMethodHandler
from .._status_code import StatusCode
from ._errors import AbortError
from ._plain_context import PlainContext
from ._served_context import OversizedResponseError, ServedContext, UndecodableRequestError

_log = logging.getLogger(__name__)


class CallHost(NamedTuple):
    """The parts of a running server that its calls need."""

    inbox: _core.Inbox
    #: Runs a blocking function for a call. It takes (call, function, arguments).
    run_blocking: Callable[..., Awaitable[Any]]
    end_early: EndEarly


class MethodServer:
    """Runs the handler of one method, through the server's interceptors, for each of its calls. Coroutines and async
    generators run on the event loop, plain functions and generators on threads."""

    def __init__(self, name: str | None, handler: RpcMethodHandler | None, routes: CallRoutes) -> None:
        """``name`` is as ``/package.Service/Method``. Without name and handler it serves unregistered methods."""
        self._name = name
        self._handler = handler
        self._routes = routes
        self._is_stream = handler is None or bool(handler.request_streaming or handler.response_streaming)

    async def _handler_of(self, call: _core.ServedCall) -> RpcMethodHandler | None:
        table, interceptors = self._routes.table, self._routes.interceptors
        if self._handler is not None and not interceptors:
            return self._handler

        async def through(remaining: Sequence[Any], details: Any) -> RpcMethodHandler | None:
            if not remaining:
                return self._handler if details.method == self._name else table.find(details)

            async def continuation(changed: Any) -> RpcMethodHandler | None:
                return await through(remaining[1:], changed)

            found: RpcMethodHandler | None = await remaining[0].intercept_service(continuation, details)
            return found

        return await through(interceptors, CallDetails(self._name or f"/{call.method()}", received_of(call)))

    async def serve(self, data: Any, codec: str, call: _core.ServedCall, host: CallHost) -> None:
        """Serves a call. ``data`` is its request, unless it is a stream. Gives the call its response or status."""
        context = ServedContext(call, host.inbox, None, self._routes.send_limit)
        try:
            handler = await self._handler_of(call)
            if handler is None:
                context.fail(StatusCode.UNIMPLEMENTED, "Method not found!")
            elif not _is_async(behavior_of(handler)):
                return await self._serve_blocking(handler, data, codec, call, host)
            else:
                context.handler = handler
                response = await self._run(handler, data, context)
                if context.finish() and not self._is_stream:
                    call.set_response(b"" if response is None else response)
                return
        except asyncio.CancelledError:
            if not call.is_cancelled() and not _core.is_left_behind():
                text = "handler of %s was cancelled, although its call was not: it ends with CANCELLED"
                _log.warning(text, call.method())
            context.was_cancelled = True
            context.fail(StatusCode.CANCELLED, "the call was cancelled")
            context.finish()
            raise
        except (AbortError, UndecodableRequestError, OversizedResponseError):
            pass
        except Exception as error:
            context.fail_for(error)
        finally:
            context.run_callbacks()
        context.finish()

    async def _serve_blocking(
        self, handler: RpcMethodHandler, data: Any, codec: str, call: _core.ServedCall, host: CallHost
    ) -> None:
        server = BlockingMethodServer(self._name, _with_plain_context(handler), self._routes._replace(interceptors=()))
        if self._is_stream:
            await host.run_blocking(call, server.serve_stream, host.end_early, call)
        else:
            call.set_response(await host.run_blocking(call, server.serve_unary, host.end_early, data, codec, call))

    async def _run(self, handler: RpcMethodHandler, data: Any, context: ServedContext) -> bytes | None:
        """Runs the handler. Returns the bytes of the response of a call without streams."""
        argument = await self._argument(handler, data, context)
        result = behavior_of(handler)(argument, context)
        if handler.response_streaming:
            if hasattr(result, "__aiter__"):
                await self._write_all(result, context)
            else:
                await result  # it writes by itself
            return None
        response = await result
        if context.has_status():
            return None
        try:
            encoded = context.encoded(response)
        except OversizedResponseError:
            return None
        except Exception:
            context.fail(StatusCode.INTERNAL, "Failed to serialize response!")
            return None
        if self._is_stream:
            await context.write_raw(encoded)
            return None
        return encoded

    async def _argument(self, handler: RpcMethodHandler, data: Any, context: ServedContext) -> Any:
        if self._is_stream and handler.request_streaming:
            return _Requests(context)
        if self._is_stream:
            data = await context.read_raw()
        request = context.decoded(b"" if data is None else data if type(data) is bytes else bytes(data))
        return _one(request) if handler.request_streaming else request

    async def _write_all(self, responses: Any, context: ServedContext) -> None:
        try:
            async for response in responses:
                await context.write(response)
        finally:
            close = getattr(responses, "aclose", None)
            if close is not None:
                await close()


class _Requests:
    """The requests of a stream. No generator: an exception, such as that of a cancelled read, would end it."""

    def __init__(self, context: ServedContext) -> None:
        self._context = context

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        data = await self._context.read_raw()
        if data is None:
            raise StopAsyncIteration
        return self._context.decoded(data)


def _with_plain_context(handler: RpcMethodHandler) -> RpcMethodHandler:
    """Returns a handler that does the same, and whose function is given the context of asyncio."""
    behavior = behavior_of(handler)
    kind = "stream" if handler.request_streaming else "unary"
    kind += "_stream" if handler.response_streaming else "_unary"
    run: dict[str, Any] = {kind: lambda argument, context: behavior(argument, PlainContext(context))}
    return MethodHandler(
        bool(handler.request_streaming),
        bool(handler.response_streaming),
        handler.request_deserializer,
        handler.response_serializer,
        **run,
    )


async def _one(request: Any) -> AsyncIterator[Any]:
    yield request


def _is_async(behavior: Callable[..., Any]) -> bool:
    """Returns whether it is a coroutine function or an async generator function, or an object or partial of one."""
    while isinstance(behavior, functools.partial):
        behavior = behavior.func
    if not inspect.isroutine(behavior):
        behavior = getattr(behavior, "__call__", behavior)
    return inspect.iscoroutinefunction(behavior) or inspect.isasyncgenfunction(behavior)

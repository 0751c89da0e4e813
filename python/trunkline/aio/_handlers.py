# SPDX-License-Identifier: MIT
"""Entries of an aio.Server: what its event loop runs for one call, from decoding the request to the status."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, NamedTuple

from .. import _core
from .._calls.deadline import inherit_deadline
from .._calls.interception import UNSET, send_through_async
from .._calls.reads import Reads
from .._errors import StatusCode, describe_error
from .._messages.builtin_codecs import decode_errors
from .._messages.codec_table import CodecTable
from .._server.handlers import incoming_call, once, responses_of, stream_function
from .._server.method import Method, MethodCoders
from ._loop_inbox import outcome_of

_log = logging.getLogger("trunkline.server")

#: Called with (request bytes or None, codec, call, seconds until the deadline or None). Finishes the call in every
#: case.
Entry = Callable[[Any, str, _core.ServedCall, "float | None"], Coroutine[Any, Any, None]]


class EntryHost(NamedTuple):
    """The parts of a running server that its entries need."""

    codecs: CodecTable
    interceptors: tuple[Any, ...]
    inbox: _core.Inbox
    #: Runs a plain function. It is called with (call, plain function, its arguments).
    run_blocking: Callable[..., Awaitable[Any]]
    #: If it is true, callers get the text of exceptions.
    exposes_text: bool
    #: Called once the call has its response or status. The plain function of a cancelled call may still run.
    finished: Callable[[_core.ServedCall], None]


def entry_of(method: Method, host: EntryHost) -> Entry:
    """Returns what the event loop runs for one call of the method."""
    coders = MethodCoders(method, host.codecs)
    if method.signature.kind == _core.MethodKind.unary:
        if host.interceptors:
            return _intercepted_unary_entry(method, coders, host)
        if method.signature.is_async:
            return _unary_entry(method, coders, host)
        return _blocking_entry(method, coders, host)
    return _stream_entry(method, coders, host)


def _set_error(call: _core.ServedCall, method: Method, error: BaseException, exposes_text: bool) -> None:
    if isinstance(error, asyncio.CancelledError):
        text = f"handler of {method.name} was cancelled"
        if not call.is_cancelled() and not _core.is_left_behind():
            _log.warning("%s, although its call was not: the call ends with cancelled", text)
        call.set_error((int(StatusCode.CANCELLED), text, (), ()))
    else:
        try:
            call.set_error(describe_error(error, method.name, exposes_text))
        except Exception:
            _log.exception("handler of %s raised an error that cannot be described", method.name)
            text = f"handler of {method.name} raised an error that cannot be described"
            call.set_error((int(StatusCode.INTERNAL), text, (), ()))
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        raise error  # for the event loop; errors of pool threads are converted before, see _process.threads


def _unary_entry(method: Method, coders: MethodCoders, host: EntryHost) -> Entry:
    handler = method.handler
    finished = host.finished
    errors = decode_errors()
    plain = method.signature.takes_request and not method.signature.takes_context

    async def run(data: bytes, codec: str, call: _core.ServedCall, left: float | None) -> None:
        deadline = inherit_deadline(left)
        try:
            decode, encode, _ = coders[codec]
            try:
                request = decode(data)
            except errors as error:
                raise method.undecodable(codec, error) from None
            result = await (handler(request) if plain else handler(*method.arguments(request, call)))
            try:
                response = encode(result)
            except Exception as error:
                coders.fail(result, codec, error)
            call.set_response(response)
        except BaseException as error:
            _set_error(call, method, error, host.exposes_text)
        finally:
            if deadline is not None:
                deadline.end()
            finished(call)

    return run


def _entry(
    method: Method, host: EntryHost, serve: Callable[[Any, str, _core.ServedCall], Coroutine[Any, Any, None]]
) -> Entry:
    """Returns an entry around ``serve``. The entry of unary coroutines, the most frequent one, repeats it inline for
    speed."""

    async def run(data: Any, codec: str, call: _core.ServedCall, left: float | None) -> None:
        deadline = inherit_deadline(left)
        try:
            await serve(data, codec, call)
        except BaseException as error:
            _set_error(call, method, error, host.exposes_text)
        finally:
            if deadline is not None:
                deadline.end()
            host.finished(call)

    return run


def _is_awaitable(result: Any) -> bool:
    """Returns whether a plain function has returned a coroutine, such as that of an ``async def`` that it wraps."""
    return hasattr(type(result), "__await__")


def _blocking_entry(method: Method, coders: MethodCoders, host: EntryHost) -> Entry:
    handler = method.handler

    def work(data: bytes, codec: str, call: _core.ServedCall) -> Any:
        request = coders.decode(data, codec)
        result = handler(*method.arguments(request, call))
        return result if _is_awaitable(result) else coders.encode(result, codec)

    async def serve(data: bytes, codec: str, call: _core.ServedCall) -> None:
        result = await host.run_blocking(call, work, data, codec, call)
        call.set_response(coders.encode(await result, codec) if _is_awaitable(result) else result)

    return _entry(method, host, serve)


def _intercepted_unary_entry(method: Method, coders: MethodCoders, host: EntryHost) -> Entry:
    """Returns the entry of a method with interceptors, which run on the event loop, even around plain functions."""
    handler = method.handler
    is_async = method.signature.is_async

    async def serve(data: bytes, codec: str, call: _core.ServedCall) -> None:
        incoming = incoming_call(method, coders, call, data, codec)

        async def run_handler() -> Any:
            arguments = method.arguments(incoming.request, call)
            if is_async:
                return await handler(*arguments)
            result = await host.run_blocking(call, handler, *arguments)
            return await result if _is_awaitable(result) else result

        response = await send_through_async(host.interceptors, incoming, once(run_handler))
        call.set_response(coders.encode(response, codec))

    return _entry(method, host, serve)


class _Requests:
    """The requests of a stream. No generator: an exception, such as that of a cancelled read, would end it."""

    __slots__ = ("_call", "_coders", "_inbox", "_is_closed", "_reads")

    def __init__(self, call: _core.ServedCall, coders: MethodCoders, inbox: _core.Inbox) -> None:
        self._call = call
        self._coders = coders
        self._inbox = inbox
        self._reads = Reads(call.begin_read)
        self._is_closed = False

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        data = None if self._is_closed else await self._reads.read(asyncio.get_running_loop(), self._inbox)
        if data is None:
            raise StopAsyncIteration
        return self._coders.decode(data, self._call.codec())

    async def aclose(self) -> None:
        self._is_closed = True


ServeStream = Callable[[_core.ServedCall], Coroutine[Any, Any, None]]


def _blocking_stream_function(method: Method, coders: MethodCoders, host: EntryHost) -> ServeStream:
    blocking = stream_function(method, coders)

    async def serve(call: _core.ServedCall) -> None:
        await host.run_blocking(call, blocking, call)

    return serve


def _async_stream_function(method: Method, coders: MethodCoders, host: EntryHost) -> ServeStream:
    handler = method.handler
    inbox = host.inbox
    kind = method.signature.kind

    async def write(call: _core.ServedCall, message: Any) -> None:
        data, codec = coders.encode_as(message, call.codec())
        await outcome_of(call.begin_write, data, codec, inbox=inbox)

    async def serve(call: _core.ServedCall) -> None:
        request: Any = _Requests(call, coders, inbox)
        if kind == _core.MethodKind.server_stream:
            requests = request
            request = await anext(requests, UNSET)
            if request is UNSET:
                request = coders.decode(b"", "")
            elif await anext(requests, UNSET) is not UNSET:
                raise method.several_requests()
        result = handler(*method.arguments(request, call))
        if kind == _core.MethodKind.client_stream:
            return await write(call, await result if _is_awaitable(result) else result)
        if not hasattr(result, "__aiter__") and _is_awaitable(result):
            result = await result
        responses = responses_of(method, result, aiter)
        try:
            async for response in responses:
                await write(call, response)
        finally:
            close = getattr(responses, "aclose", None)
            if close is not None:
                await close()

    return serve


def _stream_entry(method: Method, coders: MethodCoders, host: EntryHost) -> Entry:
    serve = (_async_stream_function if method.signature.is_async else _blocking_stream_function)(method, coders, host)

    async def serve_through(_: Any, codec: str, call: _core.ServedCall) -> None:
        if host.interceptors:
            incoming = incoming_call(method, None, call)
            await send_through_async(host.interceptors, incoming, once(partial(serve, call)))
        else:
            await serve(call)
        call.set_ok()

    return _entry(method, host, serve_through)

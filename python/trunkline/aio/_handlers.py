# SPDX-License-Identifier: MIT
"""What an event loop runs for one call: the handler between decoding and encoding, its errors as the call's status."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any

from .. import _core
from .._deadline import inherit_deadline
from .._errors import StatusCode, describe_error
from .._messages import decode_errors
from .._metadata import Metadata
from .._methods import Coders, Method, worker_entry

#: (request bytes or None, codec, call, seconds left or None); answers the call in every case, and then tells so.
Entry = Callable[[Any, str, _core.ServedCall, "float | None"], Coroutine[Any, Any, None]]
RunBlocking = Callable[..., Awaitable[Any]]
Answered = Callable[[_core.ServedCall], None]


def entry_of(method: Method, inbox: _core.Inbox, run_blocking: RunBlocking, answered: Answered) -> Entry:
    if not method.signature.is_async:
        return _blocking_entry(method, run_blocking, answered)
    coders = Coders(method)
    if method.signature.kind == _core.MethodKind.unary:
        return _unary_entry(method, coders, answered)
    return _stream_entry(method, coders, inbox, answered)


def _set_error(call: _core.ServedCall, method: Method, error: BaseException) -> None:
    if isinstance(error, asyncio.CancelledError):
        text = f"handler of {method.name} was cancelled"
        call.set_error((int(StatusCode.CANCELLED), text, (), Metadata()))
    else:
        call.set_error(describe_error(error, method.name))
    if not isinstance(error, (Exception, asyncio.CancelledError)):
        raise error  # KeyboardInterrupt and its kind are the loop's


def _unary_entry(method: Method, coders: Coders, answered: Answered) -> Entry:
    handler = method.handler
    errors = decode_errors()
    plain = method.signature.takes_request and not method.signature.takes_context

    async def run(data: bytes, codec: str, call: _core.ServedCall, left: float | None) -> None:
        try:
            if left is not None:
                inherit_deadline(left)
            decode, encode, _ = coders[codec]
            try:
                request = decode(data)
            except errors as error:
                raise method.undecodable(codec, error) from None
            result = await (handler(request) if plain else handler(*method.arguments(request, call)))
            call.set_response(encode(result))
        except BaseException as error:
            _set_error(call, method, error)
        finally:
            answered(call)

    return run


def _blocking_entry(method: Method, run_blocking: RunBlocking, answered: Answered) -> Entry:
    entry = worker_entry(method)
    is_unary = method.signature.kind == _core.MethodKind.unary

    async def run(data: bytes | None, codec: str, call: _core.ServedCall, left: float | None) -> None:
        try:
            if is_unary:
                call.set_response(await run_blocking(entry, data, codec, call))
            else:
                await run_blocking(entry, call)
                call.set_ok()
        except BaseException as error:
            _set_error(call, method, error)
        finally:
            answered(call)

    return run


async def _operation(begin: Callable[..., _core.StreamOperation], inbox: _core.Inbox, *arguments: Any) -> Any:
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    operation = begin(*arguments, inbox, future)
    try:
        return await future
    except asyncio.CancelledError:
        operation.cancel()
        raise


async def _requests(call: _core.ServedCall, coders: Coders, inbox: _core.Inbox) -> AsyncIterator[Any]:
    while True:
        data = await _operation(call.begin_read, inbox)
        if data is None:
            return
        yield coders.decode(data, call.codec())


def _stream_entry(method: Method, coders: Coders, inbox: _core.Inbox, answered: Answered) -> Entry:
    handler = method.handler
    kind = method.signature.kind

    async def write(call: _core.ServedCall, message: Any) -> None:
        _, encode, codec = coders[call.codec()]
        await _operation(call.begin_write, inbox, encode(message), codec)

    async def serve(call: _core.ServedCall) -> None:
        request: Any = _requests(call, coders, inbox)
        if kind == _core.MethodKind.server_stream:
            request = await anext(request, None)
        result = handler(*method.arguments(request, call))
        if kind == _core.MethodKind.client_stream:
            await write(call, await result)
            return
        if not hasattr(result, "__aiter__"):
            result = await result
        responses = aiter(result)
        try:
            async for response in responses:
                await write(call, response)
        finally:
            close = getattr(responses, "aclose", None)
            if close is not None:
                await close()

    async def run(_: Any, codec: str, call: _core.ServedCall, left: float | None) -> None:
        try:
            if left is not None:
                inherit_deadline(left)
            await serve(call)
            call.set_ok()
        except BaseException as error:
            _set_error(call, method, error)
        finally:
            answered(call)

    return run

# SPDX-License-Identifier: MIT
"""Entries of plain functions: what a worker thread, or the pool of an event loop, runs for one call."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from .. import _core
from .._calls.interception import UNSET, send_through
from .._calls.reads import Reads
from .._messages.builtin_codecs import decode_errors
from .._messages.codec_table import CodecTable
from .incoming_call import IncomingCall
from .method import Method, MethodCoders


class Requests:
    """The requests of a stream; blocks while it waits for one. No generator: an exception, such as that of a request
    that cannot be decoded, would end it."""

    __slots__ = ("_call", "_coders", "_is_closed", "_reads")

    def __init__(self, call: _core.ServedCall, coders: MethodCoders) -> None:
        self._call = call
        self._coders = coders
        self._reads = Reads(call.begin_read)
        self._is_closed = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        data = None if self._is_closed else self._reads.read_now()
        if data is None:
            raise StopIteration
        return self._coders.decode(data, self._call.codec())

    def close(self) -> None:
        self._is_closed = True


def worker_entry(method: Method, codecs: CodecTable, interceptors: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """Returns what a worker thread runs for one call of a plain function, within ``in_an_empty_context``."""
    coders = MethodCoders(method, codecs)
    if method.signature.kind == _core.MethodKind.unary and not interceptors:
        return _unary_entry(method, coders)
    if method.signature.kind == _core.MethodKind.unary:
        return _intercepted_unary(method, coders, interceptors)
    serve = stream_function(method, coders)
    return _intercepted_stream(method, serve, interceptors) if interceptors else serve


def in_an_empty_context(entry: Callable[..., Any], kind: _core.MethodKind) -> Callable[..., Any]:
    """Returns an entry that runs all of a call, from its interceptors and decoders to its encoders and callbacks, in
    one context without variables. The next call on that thread sees nothing that this one sets. ``kind`` is that of the
    method."""
    make_context = contextvars.Context().copy

    def run_unary(data: Any, codec: str, call: _core.ServedCall) -> Any:
        return make_context().run(entry, data, codec, call)

    def run_stream(call: _core.ServedCall) -> Any:
        return make_context().run(entry, call)

    return run_unary if kind == _core.MethodKind.unary else run_stream


def incoming_call(
    method: Method, coders: MethodCoders | None, call: _core.ServedCall, data: bytes | None = None, codec: str = ""
) -> IncomingCall:
    """Returns the call as its interceptors see it. ``coders`` are those of a unary method; None for streams."""
    decode = None if coders is None or data is None else partial(coders.decode, data, codec)
    return IncomingCall(method.name, method.signature.kind.name, call, decode)


def _intercepted_unary(method: Method, coders: MethodCoders, interceptors: tuple[Any, ...]) -> Callable[..., Any]:
    handler = method.handler

    def run(data: bytes, codec: str, call: _core.ServedCall) -> Any:
        incoming = incoming_call(method, coders, call, data, codec)

        def serve() -> Any:
            return handler(*method.arguments(incoming.request, call))

        return coders.encode(send_through(interceptors, incoming, once(serve)), codec)

    return run


def _intercepted_stream(
    method: Method, serve: Callable[[_core.ServedCall], None], interceptors: tuple[Any, ...]
) -> Callable[..., Any]:
    def run(call: _core.ServedCall) -> None:
        send_through(interceptors, incoming_call(method, None, call), once(partial(serve, call)))

    return run


def once(serve: Callable[[], Any]) -> Callable[[], Any]:
    """Returns ``serve`` as a function that raises RuntimeError when an interceptor asks to run the handler again."""
    has_run = False

    def run() -> Any:
        nonlocal has_run
        if has_run:
            raise RuntimeError("an interceptor yields again; a server's handlers run once")
        has_run = True
        return serve()

    return run


def _unary_entry(method: Method, coders: MethodCoders) -> Callable[..., Any]:
    handler = method.handler
    errors = decode_errors()

    def plain(data: bytes, codec: str, call: None) -> Any:
        decode, encode, _ = coders[codec]
        try:
            request = decode(data)
        except errors as error:
            raise method.undecodable(codec, error) from None
        result = handler(request)
        try:
            return encode(result)
        except Exception as error:
            coders.fail(result, codec, error)

    def any_form(data: bytes, codec: str, call: _core.ServedCall) -> Any:
        request = coders.decode(data, codec)
        return coders.encode(handler(*method.arguments(request, call)), codec)

    return plain if method.signature.takes_request and not method.signature.takes_context else any_form


def responses_of(method: Method, result: Any, begin: Callable[[Any], Any] = iter) -> Any:
    """Returns the iterator of the responses that a handler has returned. ``begin`` is ``iter`` or ``aiter``."""
    try:
        return begin(result)
    except TypeError as error:
        raise TypeError(f"handler of {method.name}: its result is not a stream of responses: {error}") from error


def stream_function(method: Method, coders: MethodCoders) -> Callable[[_core.ServedCall], None]:
    """Returns a function that serves a stream with a plain function and blocks until the stream ends."""
    kind = method.signature.kind
    handler = method.handler

    def write(call: _core.ServedCall, message: Any) -> None:
        data, codec = coders.encode_as(message, call.codec())
        call.begin_write(data, codec, None, None).wait()

    def run(call: _core.ServedCall) -> None:
        requests = Requests(call, coders)
        request: Any = requests
        if kind == _core.MethodKind.server_stream:
            request = next(requests, UNSET)
            if request is UNSET:
                request = coders.decode(b"", "")
            elif next(requests, UNSET) is not UNSET:
                raise method.several_requests()
        result = handler(*method.arguments(request, call))
        if kind == _core.MethodKind.client_stream:
            return write(call, result)
        responses = responses_of(method, result)
        try:
            for response in responses:
                write(call, response)
        finally:
            close = getattr(responses, "close", None)
            if close is not None:
                close()

    return run

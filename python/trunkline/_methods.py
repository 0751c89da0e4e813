# SPDX-License-Identifier: MIT
"""Registered methods: a handler with its signature, as the entries that workers and event loops run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextvars import copy_context
from functools import partial
from typing import Any

from . import _core
from ._codecs import Codecs
from ._context import Context
from ._errors import InvalidArgument
from ._interceptors import IncomingCall, send_through
from ._messages import Decode, Encode, decode_error_text, decode_errors, is_buffer, type_name
from ._method_definition import MethodDefinition
from ._signature import Signature, defined_signature, signature_of


@dataclasses.dataclass(frozen=True)
class Method:
    """One registered method."""

    name: str
    handler: Callable[..., Any]
    signature: Signature
    idempotent: bool = False
    max_concurrent_calls: int = 0
    #: Its handlers know their running server (``current_server``). Its streams last until the caller or the server ends
    #: them: on a blocking server each has a thread of its own.
    is_built_in: bool = False

    @classmethod
    def of(cls, name: str, handler: Callable[..., Any], **options: Any) -> Method:
        if not isinstance(name, str) or not name:
            raise TypeError(f"a method's name is a text, not {name!r}")
        return cls(name, handler, signature_of(handler), **options)

    @classmethod
    def defined(cls, definition: MethodDefinition[Any, Any], handler: Callable[..., Any]) -> Method:
        return cls(definition.name, handler, defined_signature(handler, definition), definition.idempotent)

    def arguments(self, request: Any, call: _core.ServedCall) -> tuple[Any, ...]:
        """What the handler is called with."""
        signature = self.signature
        if signature.takes_request:
            return (request, Context(call)) if signature.takes_context else (request,)
        return (Context(call),) if signature.takes_context else ()

    def check(self, codecs: Codecs) -> None:
        """Raises TypeError for type hints of which no message can be made."""
        kinds = [self.signature.request] if self.signature.takes_request else []
        if self.signature.response is not None:
            kinds.append(self.signature.response)
        for kind in kinds:
            if not is_buffer(kind):
                codecs.decoder(kind, codecs.name_for(kind, None))

    def undecodable(self, codec: str, error: BaseException) -> InvalidArgument:
        kind = type_name(self.signature.request)
        return InvalidArgument(f"call {self.name}: the {codec} request does not decode as {kind}: {decode_error_text(error)}")

    def add_to(self, server: _core.Server, codecs: Codecs, entry: Callable[..., Any], *, needs_call: bool) -> None:
        """``needs_call``: also where the handler itself has no need of it."""
        signature = self.signature
        server.add(
            self.name,
            signature.kind,
            entry,
            needs_call or signature.takes_context or signature.kind != _core.MethodKind.unary,
            type_name(signature.request) if signature.takes_request else "",
            type_name(signature.response),
            codecs.name_for(signature.response, None),
            self.idempotent,
            self.max_concurrent_calls,
        )


def _nothing(data: bytes) -> None:
    return None


class Coders:
    """A method's decoders and encoders by codec, made when first used."""

    def __init__(self, method: Method, codecs: Codecs) -> None:
        self._method = method
        self._codecs = codecs
        self._by_codec: dict[str, tuple[Decode, Encode, str]] = {}

    def __getitem__(self, codec: str) -> tuple[Decode, Encode, str]:
        """Raises InvalidArgument for a codec in which the method's messages do not travel."""
        found = self._by_codec.get(codec)
        if found is None:
            signature, codecs = self._method.signature, self._codecs
            # Before the first message of a stream there is none: then it is what the answers usually have.
            name = codec or codecs.name_for(signature.response, None)
            found = self._by_codec[codec] = (self._decoder(codec), self._encoder(name), name)
        return found

    def _decoder(self, codec: str) -> Decode:
        kind = self._method.signature.request
        if not self._method.signature.takes_request:
            return _nothing
        try:
            return self._codecs.decoder(kind, codec or self._codecs.name_for(kind, None))
        except TypeError as error:
            raise self._method.undecodable(codec, error) from None

    def _encoder(self, codec: str) -> Encode:
        kind = self._method.signature.response
        if kind is None and not self._codecs.has_nothing(codec):
            return _encode_none
        if not self._codecs.carries(codec, kind):
            raise InvalidArgument(
                f"call {self._method.name}: it answers {type_name(kind)}, which does not travel as {codec!r}; "
                "name the type of the response, or another codec"
            )
        return self._codecs.checked_encoder(codec, kind)

    def decode(self, data: bytes, codec: str) -> Any:
        """Raises InvalidArgument for what is no message of the method's."""
        try:
            return self[codec][0](data)
        except decode_errors() as error:
            raise self._method.undecodable(codec, error) from None


def _encode_none(result: Any) -> bytes:
    """A handler without a result answers with an empty message."""
    return b""


def requests_of(call: _core.ServedCall, coders: Coders) -> Iterator[Any]:
    """The messages that the caller streams, one at a time; blocks."""
    while True:
        data = call.begin_read(None, None).wait()
        if data is None:
            return
        yield coders.decode(data, call.codec())


def worker_entry(method: Method, codecs: Codecs, interceptors: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """What a worker runs for one call of a plain function."""
    if method.signature.is_async:
        raise TypeError(f"method {method.name}: an async handler needs trunkline.aio.Server")
    coders = Coders(method, codecs)
    if method.signature.kind == _core.MethodKind.unary and not interceptors:
        return _unary_entry(method, coders)
    if method.signature.kind == _core.MethodKind.unary:
        return _in_a_context(_intercepted_unary(method, coders, interceptors))
    serve = stream_function(method, coders)
    return _in_a_context(_intercepted_stream(method, serve, interceptors) if interceptors else serve)


def _in_a_context(run: Callable[..., Any]) -> Callable[..., Any]:
    """Each call has context variables of its own: nothing of what one sets is seen by the next on that worker."""

    def run_in_context(*arguments: Any) -> Any:
        return copy_context().run(run, *arguments)

    return run_in_context


def incoming_call(
    method: Method, coders: Coders | None, call: _core.ServedCall, data: bytes | None = None, codec: str = ""
) -> IncomingCall:
    """As interceptors see it; with the coders of a unary method."""
    decode = None if coders is None or data is None else partial(coders.decode, data, codec)
    return IncomingCall(method.name, method.signature.kind.name, call, decode)


def _intercepted_unary(method: Method, coders: Coders, interceptors: tuple[Any, ...]) -> Callable[..., Any]:
    handler = method.handler

    def run(data: bytes, codec: str, call: _core.ServedCall) -> Any:
        incoming = incoming_call(method, coders, call, data, codec)

        def serve() -> Any:
            return handler(*method.arguments(incoming.request, call))

        return coders[codec][1](send_through(interceptors, incoming, once(serve)))

    return run


def _intercepted_stream(
    method: Method, serve: Callable[[_core.ServedCall], None], interceptors: tuple[Any, ...]
) -> Callable[..., Any]:
    def run(call: _core.ServedCall) -> None:
        send_through(interceptors, incoming_call(method, None, call), once(partial(serve, call)))

    return run


def once(serve: Callable[[], Any]) -> Callable[[], Any]:
    """A handler runs once, whatever interceptors ask for."""
    has_run = False

    def run() -> Any:
        nonlocal has_run
        if has_run:
            raise RuntimeError("an interceptor yields again; a server's handlers run once")
        has_run = True
        return serve()

    return run


def _unary_entry(method: Method, coders: Coders) -> Callable[..., Any]:
    handler = method.handler
    errors = decode_errors()

    def plain(data: bytes, codec: str, call: None) -> Any:
        decode, encode, _ = coders[codec]
        try:
            request = decode(data)
        except errors as error:
            raise method.undecodable(codec, error) from None
        return encode(copy_context().run(handler, request))

    def any_form(data: bytes, codec: str, call: _core.ServedCall) -> Any:
        request = coders.decode(data, codec)
        return coders[codec][1](copy_context().run(handler, *method.arguments(request, call)))

    return plain if method.signature.takes_request and not method.signature.takes_context else any_form


def responses_of(method: Method, result: Any, begin: Callable[[Any], Any] = iter) -> Any:
    """The iterator of what a handler has returned; ``begin``: iter or aiter."""
    try:
        return begin(result)
    except TypeError as error:
        raise TypeError(f"handler of {method.name}: it has returned no stream of its responses: {error}") from error


def stream_function(method: Method, coders: Coders) -> Callable[[_core.ServedCall], None]:
    """Serves a stream with a plain function; blocks."""
    kind = method.signature.kind
    handler = method.handler

    def write(call: _core.ServedCall, message: Any) -> None:
        _, encode, codec = coders[call.codec()]
        call.begin_write(encode(message), codec, None, None).wait()

    def run(call: _core.ServedCall) -> None:
        requests = requests_of(call, coders)
        request: Any = requests
        if kind == _core.MethodKind.server_stream:
            request = next(requests, None)
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

# SPDX-License-Identifier: MIT
"""Registered methods: a handler with its signature, as the entries that workers and event loops run."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

from . import _core
from ._context import Context
from ._errors import InvalidArgument
from ._messages import Decode, Encode, codec_of, decode_errors, decoder, encoder, type_name
from ._signature import Signature, signature_of


@dataclasses.dataclass(frozen=True)
class Method:
    """One registered method."""

    name: str
    handler: Callable[..., Any]
    signature: Signature
    idempotent: bool = False
    max_concurrent_calls: int = 0

    @classmethod
    def of(cls, name: str, handler: Callable[..., Any], **options: Any) -> Method:
        if not isinstance(name, str) or not name:
            raise TypeError(f"a method's name is a text, not {name!r}")
        return cls(name, handler, signature_of(handler), **options)

    def arguments(self, request: Any, call: _core.ServedCall) -> tuple[Any, ...]:
        """What the handler is called with."""
        signature = self.signature
        if signature.takes_request:
            return (request, Context(call)) if signature.takes_context else (request,)
        return (Context(call),) if signature.takes_context else ()

    def decoder_of(self, codec: str) -> Decode:
        return decoder(self.signature.request, codec) if self.signature.takes_request else _nothing

    def undecodable(self, codec: str, error: BaseException) -> InvalidArgument:
        kind = type_name(self.signature.request)
        return InvalidArgument(f"call {self.name}: the {codec} request does not decode as {kind}: {error}")

    def add_to(self, server: _core.Server, entry: Callable[..., Any]) -> None:
        signature = self.signature
        server.add(
            self.name,
            signature.kind,
            entry,
            signature.takes_context or signature.kind != _core.MethodKind.unary,
            type_name(signature.request) if signature.takes_request else "",
            type_name(signature.response),
            self.idempotent,
            self.max_concurrent_calls,
        )


def _nothing(data: bytes) -> None:
    return None


class Coders:
    """A method's decoders and encoders by codec, made when first used."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._by_codec: dict[str, tuple[Decode, Encode, str]] = {}

    def __getitem__(self, codec: str) -> tuple[Decode, Encode, str]:
        found = self._by_codec.get(codec)
        if found is None:
            signature = self._method.signature
            # Before the first message of a stream there is none: then it is what the answers usually have.
            name = codec or codec_of(signature.response, None)
            encode = encoder(name)
            if signature.response is None:
                encode = functools.partial(_encode_none, encode, name)
            found = self._by_codec[codec] = (self._method.decoder_of(name), encode, name)
        return found


    def decode(self, data: bytes, codec: str) -> Any:
        """Raises InvalidArgument for what is no message of the method's."""
        try:
            return self[codec][0](data)
        except decode_errors() as error:
            raise self._method.undecodable(codec, error) from None


def _encode_none(encode: Encode, codec: str, result: Any) -> Any:
    """A handler without a result answers with an empty message; nil where the codec has one."""
    return encode(result) if codec in ("json", "msgpack") else b""


def requests_of(call: _core.ServedCall, coders: Coders) -> Iterator[Any]:
    """The messages that the caller streams, one at a time; blocks."""
    while True:
        data = call.begin_read(None, None).wait()
        if data is None:
            return
        yield coders.decode(data, call.codec())


def worker_entry(method: Method) -> Callable[..., Any]:
    """What a worker runs for one call of a plain function."""
    if method.signature.is_async:
        raise TypeError(f"method {method.name}: an async handler needs trunkline.aio.Server")
    coders = Coders(method)
    if method.signature.kind == _core.MethodKind.unary:
        return _unary_entry(method, coders)
    return _stream_entry(method, coders)


def _unary_entry(method: Method, coders: Coders) -> Callable[..., Any]:
    handler = method.handler
    errors = decode_errors()

    def plain(data: bytes, codec: str, call: None) -> Any:
        decode, encode, _ = coders[codec]
        try:
            request = decode(data)
        except errors as error:
            raise method.undecodable(codec, error) from None
        return encode(handler(request))

    def any_form(data: bytes, codec: str, call: _core.ServedCall) -> Any:
        request = coders.decode(data, codec)
        return coders[codec][1](handler(*method.arguments(request, call)))

    return plain if method.signature.takes_request and not method.signature.takes_context else any_form


def _stream_entry(method: Method, coders: Coders) -> Callable[..., Any]:
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
        responses = iter(result)
        try:
            for response in responses:
                write(call, response)
        finally:
            close = getattr(responses, "close", None)
            if close is not None:
                close()

    return run

# SPDX-License-Identifier: MIT
"""Method: a registered handler with its signature; MethodCoders: its decoders and encoders."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from .. import _core
from .._errors import InvalidArgument, Unimplemented
from .._messages.builtin_codecs import Decode, Encode, decode_error_text, decode_errors
from .._messages.codec_table import CodecTable
from .._messages.encode_errors import encode_error
from .._messages.types import is_buffer, type_name
from .._methods.definition import MethodDefinition
from .._methods.signature import Signature, defined_signature, signature_of
from .context import Context


@dataclasses.dataclass(frozen=True)
class Method:
    """One registered method."""

    name: str
    handler: Callable[..., Any]
    signature: Signature
    idempotent: bool = False
    max_concurrent_calls: int = 0
    #: A method of a built-in service. Its handlers find their running server in ``current_server``. Its streams last
    #: until the caller or the server ends them; on a server of plain functions each occupies a thread of its own. Its
    #: calls are served while all ``threads`` of such a server are busy.
    is_built_in: bool = False
    #: It serves requests of HTTP; its name is their method, a space and their path.
    is_route: bool = False
    #: It changes nothing, so HTTP calls it by GET. It is idempotent as well.
    no_side_effects: bool = False
    #: Only clients of private endpoints reach it.
    is_private: bool = False

    def __post_init__(self) -> None:
        if self.no_side_effects:
            object.__setattr__(self, "idempotent", True)

    @classmethod
    def of(cls, name: str, handler: Callable[..., Any], **options: Any) -> Method:
        if not isinstance(name, str) or not name:
            raise TypeError(f"the name of a method is a non-empty str, not {name!r}")
        return cls(name, handler, signature_of(handler), **options)

    @classmethod
    def defined(cls, definition: MethodDefinition[Any, Any], handler: Callable[..., Any]) -> Method:
        return cls(
            definition.name,
            handler,
            defined_signature(handler, definition),
            definition.idempotent,
            no_side_effects=definition.no_side_effects,
        )

    def arguments(self, request: Any, call: _core.ServedCall) -> tuple[Any, ...]:
        """Returns the arguments of the handler."""
        signature = self.signature
        if signature.takes_request:
            return (request, Context(call)) if signature.takes_context else (request,)
        return (Context(call),) if signature.takes_context else ()

    def check(self, codecs: CodecTable, *, allows_async: bool) -> None:
        """Raises TypeError for an ``async`` handler unless ``allows_async``, and for type hints without a codec."""
        if self.signature.is_async and not allows_async:
            raise TypeError(f"method {self.name}: an async handler needs trunkline.aio.Server")
        request, response = self.signature.request, self.signature.response
        if self.signature.takes_request and not is_buffer(request):
            try:
                codecs.check_decodable(request)
            except TypeError as error:
                raise TypeError(f"method {self.name}: its request cannot be received: {error}") from error
        if response is not None and not is_buffer(response):
            codecs.decoder(response, codecs.name_for(response, None))

    def undecodable(self, codec: str, error: BaseException) -> InvalidArgument:
        if not self.signature.takes_request:
            return InvalidArgument(f"call {self.name}: {decode_error_text(error)}")
        kind = type_name(self.signature.request)
        return InvalidArgument(
            f"call {self.name}: the {codec} request does not decode as {kind}: {decode_error_text(error)}"
        )

    def missing_request(self, _: Any = None) -> NoReturn:
        """Refuses a call without a request."""
        raise Unimplemented(
            f"call {self.name}: the call has no message, the method needs a request of type "
            f"{type_name(self.signature.request)}"
        )

    def several_requests(self) -> Unimplemented:
        """Returns the error of a call that sends a further request to a server stream, which would be lost."""
        return Unimplemented(
            f"call {self.name}: the method is {self.signature.kind.name}, and was called with a stream of requests, as "
            "a client_stream or bidirectional method is"
        )

    def add_to(self, server: _core.Server, codecs: CodecTable, entry: Callable[..., Any], *, needs_call: bool) -> None:
        """Registers the method with the core. ``needs_call``: ``entry`` gets the call even if the handler takes no
        context."""
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
            self.is_route,
            self.no_side_effects,
            self.is_private,
            self.is_built_in,
        )


#: Returns a true value for a message that stands for no request.
_IsNothing = Callable[[Any], Any]


def _never(_: Any) -> bool:
    return False


#: Tests whether bytes stand for no request in a codec that encodes None. Both None and the empty map do, since tools
#: that follow the method's description send an empty map for ``google.protobuf.Empty``.
_NOTHING: dict[str, _IsNothing] = {
    "msgpack": (b"\xc0", b"\x80").__contains__,
    "json": re.compile(rb"[ \t\r\n]*(?:null|\{[ \t\r\n]*\})[ \t\r\n]*").fullmatch,
}


def _nothing(is_nothing: _IsNothing, data: Any) -> None:
    """Decodes the request of a method without parameters."""
    if data and not is_nothing(data):
        raise ValueError(f"the method takes no request, the call has one of {len(data)} bytes")


def _decode_or_default(is_nothing: _IsNothing, decode: Decode, default: Any, data: Any) -> Any:
    """Decodes the request of a method with a default. Bytes that may stand for no request are one if they decode."""
    if not data:
        return default
    if not is_nothing(data):
        return decode(data)
    try:
        return decode(data)
    except decode_errors():
        return default


class MethodCoders:
    """The decoders and encoders of a method by codec, made at their first use."""

    def __init__(self, method: Method, codecs: CodecTable) -> None:
        self._method = method
        self._codecs = codecs
        self._by_codec: dict[str, tuple[Decode, Encode, str]] = {}

    def __getitem__(self, codec: str) -> tuple[Decode, Encode, str]:
        """Returns (decode, encode, name of the codec). Raises InvalidArgument for a codec that cannot carry the
        method's messages."""
        found = self._by_codec.get(codec)
        if found is None:
            signature, codecs = self._method.signature, self._codecs
            # Before the first message of a stream the codec is not known; the responses then have their default codec.
            name = codec or codecs.name_for(signature.response, None)
            found = self._by_codec[codec] = (self._decoder(codec), self._encoder(name), name)
        return found

    def _decoder(self, codec: str) -> Decode:
        signature = self._method.signature
        kind = signature.request
        is_nothing = _never if self._codecs.is_own(codec) else _NOTHING.get(codec, _never)
        if not signature.takes_request:
            return partial(_nothing, is_nothing)
        if not codec and not signature.has_default and kind is not Any and not is_buffer(kind):
            return self._method.missing_request
        try:
            decode = self._codecs.decoder(kind, codec or self._codecs.name_for(kind, None))
        except TypeError as error:
            raise self._method.undecodable(codec, error) from None
        # Without a codec there is no message. In protobuf and in bytes, an empty message is a request.
        if not signature.has_default or not (codec == "" or self._codecs.encodes_none(codec)):
            return decode
        return partial(_decode_or_default, is_nothing, decode, signature.default_request)

    def _encoder(self, codec: str) -> Encode:
        kind = self._method.signature.response
        if kind is None and not self._codecs.encodes_none(codec):
            return _encode_none
        if not self._codecs.carries(codec, kind):
            raise InvalidArgument(
                f"call {self._method.name}: its response {type_name(kind)} cannot be encoded as {codec!r}; "
                "name the type of the response, or another codec"
            )
        return self._codecs.checked_encoder(codec, kind)

    def encode(self, result: Any, codec: str) -> Any:
        """Returns the bytes of a response. Raises TypeError or ValueError, which names the field, for what cannot be
        encoded."""
        return self.encode_as(result, codec)[0]

    def encode_as(self, result: Any, codec: str) -> tuple[Any, str]:
        """Returns (bytes of a response, name of the codec)."""
        _, encode, name = self[codec]
        try:
            return encode(result), name
        except Exception as error:
            self.fail(result, codec, error)

    def fail(self, result: Any, codec: str, error: Exception) -> NoReturn:
        """Raises the error for a response that the encoder has refused with ``error``."""
        name = self[codec][2]
        if self._codecs.is_own(name):
            raise error
        described = encode_error(self._method.name, "response", name, result, error)
        raise described from (None if described is error else error)

    def decode(self, data: bytes, codec: str) -> Any:
        """Returns the request message. Raises InvalidArgument for bytes that do not decode."""
        try:
            return self[codec][0](data)
        except decode_errors() as error:
            raise self._method.undecodable(codec, error) from None


def _encode_none(result: Any) -> bytes:
    """Encodes the response of a handler without a result, which is an empty message."""
    return b""

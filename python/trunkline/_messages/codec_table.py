# SPDX-License-Identifier: MIT
"""CodecTable: the codecs of one channel or server, built-in ones included; MessageCoding: how one call uses them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

from .. import _core
from .._errors import Internal
from . import builtin_codecs
from .builtin_codecs import CODECS, Decode, Encode
from .codec import Codec
from .encode_errors import encode_error
from .inspection import undecodable_part
from .types import ALWAYS_DECODE, is_protobuf, type_name


class MessageCoding(NamedTuple):
    """The way in which the requests of one call are encoded and its responses are decoded."""

    codec: str
    encode: Callable[[Any], Any]
    decode: Decode
    #: Returns the decoder for a response with another codec, which is possible if the request had no message.
    decoder: Callable[[str], Decode]
    #: True if the server has to send a response.
    expects: _core.Expects
    #: True for a codec of the application, whose errors are raised as they are.
    is_own: bool = False

    def encoded(self, method: str, request: Any) -> Any:
        """Returns the bytes of a request for ``method``. Raises TypeError or ValueError, which names the field, for
        what cannot be encoded."""
        try:
            return self.encode(request)
        except Exception as error:
            self.fail(method, request, error)

    def fail(self, method: str, request: Any, error: Exception) -> NoReturn:
        """Raises the error for a request that ``encode`` has refused with ``error``."""
        described = error if self.is_own else encode_error(method, "request", self.codec, request, error)
        raise described from (None if described is error else error)

    def decode_as(self, codec: str, data: bytes) -> Any:
        """Returns the response message. ``codec`` is that of the response; empty if it has none."""
        return self.decode(data) if codec in (self.codec, "") else self.decoder(codec)(data)


class CodecTable:
    """The codecs with which a channel or server encodes and decodes: those of the application, then the built-in
    ones."""

    def __init__(self, codecs: Iterable[Codec] = ()) -> None:
        self._own = {codec.name: codec for codec in codecs}
        self._codings: dict[tuple[Any, Any, str | None], MessageCoding] = {}

    def name_for(self, kind: Any, codec: str | None) -> str:
        """Returns the name of the codec for messages of a type. ``codec`` is an explicit choice, or None. Raises
        TypeError for a codec that does not support the type, ValueError for an unknown one."""
        if codec is None:
            for own in self._own.values():
                if own.supports(kind):
                    return own.name
        elif codec in self._own:
            if not self._own[codec].supports(kind):
                raise TypeError(f"codec {codec!r} does not support {type_name(kind)}")
            return codec
        elif codec not in CODECS:
            raise ValueError(f"codec {codec!r} is not one of {', '.join([*CODECS, *self._own])}")
        return builtin_codecs.codec_of(kind, codec)

    def encoder(self, codec: str, kind: Any) -> Encode:
        """Returns the function from messages of type ``kind`` to buffers."""
        own = self._own.get(codec)
        return builtin_codecs.encoder(codec, kind) if own is None else own.encode

    def checked_encoder(self, codec: str, kind: Any) -> Encode:
        """Returns an ``encoder`` that raises TypeError for a message of another type. A codec of the application checks
        that itself."""
        own = self._own.get(codec)
        return builtin_codecs.checked_encoder(codec, kind) if own is None else own.encode

    def carries(self, codec: str, kind: Any) -> bool:
        """Returns whether responses of the type can be encoded in the codec."""
        own = self._own.get(codec)
        if own is None:
            return builtin_codecs.carries(codec, kind)
        return kind is Any or kind is None or own.supports(kind)

    def decoder(self, kind: Any, codec: str) -> Decode:
        """Returns the function from bytes to messages of a type; ``Any`` for whatever the bytes hold. The function
        raises what the codec raises. TypeError for a type that the codec does not support."""
        own = self._own.get(codec)
        if own is not None and kind not in (Any, type(None)) and not own.supports(kind):
            raise TypeError(f"codec {codec!r} does not support {type_name(kind)}")
        return builtin_codecs.decoder(kind, codec) if own is None else functools.partial(_decode, own, kind)

    def check_decodable(self, kind: Any) -> None:
        """Raises TypeError for a type whose messages no codec decodes, or never whole."""
        name = self.name_for(kind, None)
        self.decoder(kind, name)
        part = undecodable_part(kind) if name in ("json", "msgpack") and name not in self._own else None
        if part is not None:
            raise TypeError(f"no codec decodes {type_name(part)}, which is in the type {type_name(kind)}")

    def coding(self, request_type: Any, response: Any, codec: str | None) -> MessageCoding:
        """Returns the coding of a call. ``response`` is the type of the response; None for whatever it holds."""
        key = (request_type, response, codec)
        try:
            found = self._codings.get(key)
        except TypeError:  # the type is not hashable
            return self._make_coding(request_type, response, codec)
        if found is None:
            if len(self._codings) > 4096:
                self._codings.clear()
            found = self._codings[key] = self._make_coding(request_type, response, codec)
        return found

    def stream_coding(self, request_type: Any, response: Any, codec: str | None, *, is_stated: bool) -> MessageCoding:
        """Returns the coding of a stream, which checks the type of each request, as built-in codecs would encode any.

        If the type is not stated but taken from the first request, requests of other types may follow, except for
        protobuf.
        """
        coding = self.coding(request_type, response, codec)
        if request_type is type(None) or coding.codec in self._own:
            return coding
        if not is_stated and not is_protobuf(request_type):
            return coding
        return coding._replace(encode=self.checked_encoder(coding.codec, request_type))

    def _make_coding(self, request_type: Any, response: Any, codec: str | None) -> MessageCoding:
        is_empty = request_type is type(None)
        name = self.name_for(response if is_empty and response is not None else request_type, codec)
        if codec is None and not is_empty and name not in self._own and response is not None:
            if self.name_for(response, None) not in self._own:
                name = builtin_codecs.codec_of_both(request_type, response)
        encode = _encode_nothing if is_empty and not self.encodes_none(name) else self.encoder(name, request_type)
        decoder = functools.partial(self._response_decoder, response)
        return MessageCoding(name, encode, decoder(name), decoder, _expected(response), name in self._own)

    def _response_decoder(self, response: Any, codec: str) -> Decode:
        if response is type(None):
            return _decode_nothing
        is_own = codec in self._own
        if response is None and codec == "protobuf" and not is_own:
            raise TypeError("the response is a protobuf message: give its class, e.g. call(method, request, Response)")
        kind = Any if response is None else response
        decode = self.decoder(kind, codec)
        if kind in ALWAYS_DECODE and codec == "bytes" and not is_own:
            return decode
        return functools.partial(_decode_response, decode, kind, codec)

    def is_own(self, codec: str) -> bool:
        """Returns whether it is a codec of the application."""
        return codec in self._own

    def encodes_none(self, codec: str) -> bool:
        """Returns whether the codec encodes None in a form of its own; otherwise None is an empty message."""
        own = self._own.get(codec)
        return codec in ("json", "msgpack") if own is None else own.supports(type(None))


def _expected(response: Any) -> _core.Expects:
    if response is None or response is Any or response is type(None):
        return _core.Expects.response_or_none
    return _core.Expects.response


def _decode(codec: Codec, kind: Any, data: Any) -> Any:
    return codec.decode(builtin_codecs.as_bytes(data), kind)


def _decode_response(decode: Decode, kind: Any, codec: str, data: bytes) -> Any:
    if not data and kind is Any and codec in ("json", "msgpack"):
        return None  # no message: the method has no result
    try:
        return decode(data)
    except Exception as error:
        text = builtin_codecs.decode_error_text(error)
        raise Internal(f"the {codec} response does not decode as {type_name(kind)}: {text}") from error


def _encode_nothing(message: Any) -> bytes:
    return b""


def _decode_nothing(data: bytes) -> None:
    return None

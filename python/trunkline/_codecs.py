# SPDX-License-Identifier: MIT
"""Codec: a message format of the application's; Codecs: those of one channel or server, with the built-in ones."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from . import _messages
from ._errors import Internal
from ._messages import CODECS, Decode, Encode


class Codec(abc.ABC):
    """A message format of one's own, for ``Channel(codecs=[...])`` and ``Server(codecs=[...])``.

    Both sides know it by its name. It is used for the types it supports, before the built-in codecs are asked. Its
    functions are called from any thread, several at once.
    """

    #: On the wire: 1 to 64 of ``a-z0-9._-``. The name of a built-in codec replaces that one.
    name: str

    @abc.abstractmethod
    def supports(self, kind: Any) -> bool:
        """Whether messages of this type, a class or another type hint, travel in this format."""

    @abc.abstractmethod
    def encode(self, message: Any) -> bytes:
        """The message as bytes, or another object with a buffer. What it raises is raised where the call is made, and
        is an error of the handler on a server."""

    @abc.abstractmethod
    def decode(self, data: bytes, kind: Any) -> Any:
        """The message of type ``kind``; ``typing.Any`` if the receiver has named none.

        Raises ValueError for what is no such message: on a server, InvalidArgument for the caller.
        """


class Coding(NamedTuple):
    """How one call's messages become bytes, and its answer a message."""

    codec: str
    encode: Callable[[Any], Any]
    decode: Decode
    #: For an answer that comes in another codec, as it may if there was no request.
    decoder: Callable[[str], Decode]

    def decode_as(self, codec: str, data: bytes) -> Any:
        """``codec``: of the answer; empty if it has none."""
        return self.decode(data) if codec in (self.codec, "") else self.decoder(codec)(data)


class Codecs:
    """What a channel or a server can encode and decode."""

    def __init__(self, codecs: Iterable[Codec] = ()) -> None:
        self._own = {codec.name: codec for codec in codecs}
        self._codings: dict[tuple[Any, Any, str | None], Coding] = {}

    def name_for(self, kind: Any, codec: str | None) -> str:
        """The codec for messages of a type; ``codec`` is what the user has asked for, if anything."""
        if codec is None:
            for own in self._own.values():
                if own.supports(kind):
                    return own.name
        elif codec in self._own:
            if not self._own[codec].supports(kind):
                raise TypeError(f"codec {codec!r} does not support {_messages.type_name(kind)}")
            return codec
        elif codec not in CODECS:
            raise ValueError(f"codec {codec!r} is none of {', '.join([*CODECS, *self._own])}")
        return _messages.codec_of(kind, codec)

    def encoder(self, codec: str, kind: Any) -> Encode:
        """Messages of type ``kind`` to a bytes-like object."""
        own = self._own.get(codec)
        return _messages.encoder(codec, kind) if own is None else own.encode

    def checked_encoder(self, codec: str, kind: Any) -> Encode:
        """The same; raises TypeError for a message of another type, or leaves that to a codec of the application's."""
        own = self._own.get(codec)
        return _messages.checked_encoder(codec, kind) if own is None else own.encode

    def carries(self, codec: str, kind: Any) -> bool:
        """Whether answers of the type can be encoded in the codec."""
        own = self._own.get(codec)
        if own is None:
            return _messages.carries(codec, kind)
        return kind is Any or kind is None or own.supports(kind)

    def decoder(self, kind: Any, codec: str) -> Decode:
        """Bytes to messages of a type; ``Any``: whatever it holds. Raises what the codec does, and TypeError for a
        type that it does not have."""
        own = self._own.get(codec)
        if own is not None and kind not in (Any, type(None)) and not own.supports(kind):
            raise TypeError(f"codec {codec!r} does not support {_messages.type_name(kind)}")
        return _messages.decoder(kind, codec) if own is None else functools.partial(_decode, own, kind)

    def coding(self, request_type: Any, response: Any, codec: str | None) -> Coding:
        """``response``: the type of the answer, or None for whatever it holds."""
        key = (request_type, response, codec)
        try:
            found = self._codings.get(key)
        except TypeError:  # a type that cannot be hashed
            return self._make_coding(request_type, response, codec)
        if found is None:
            if len(self._codings) > 4096:
                self._codings.clear()
            found = self._codings[key] = self._make_coding(request_type, response, codec)
        return found

    def stream_coding(self, request_type: Any, response: Any, codec: str | None, *, is_stated: bool) -> Coding:
        """The same where each request is still to be looked at: the built-in codecs would encode one of any type. If the
        type is not stated, but that of the first request, others may follow, unless it is protobuf's."""
        coding = self.coding(request_type, response, codec)
        if request_type is type(None) or coding.codec in self._own:
            return coding
        if not is_stated and not _messages.is_protobuf(request_type):
            return coding
        return coding._replace(encode=self.checked_encoder(coding.codec, request_type))

    def _make_coding(self, request_type: Any, response: Any, codec: str | None) -> Coding:
        is_empty = request_type is type(None)
        name = self.name_for(response if is_empty and response is not None else request_type, codec)
        if codec is None and not is_empty and name not in self._own and response is not None:
            if self.name_for(response, None) not in self._own:
                name = _messages.codec_of_both(request_type, response)
        encode = _encode_nothing if is_empty and not self.has_nothing(name) else self.encoder(name, request_type)
        decoder = functools.partial(self._response_decoder, response)
        return Coding(name, encode, decoder(name), decoder)

    def _response_decoder(self, response: Any, codec: str) -> Decode:
        if response is type(None):
            return _decode_nothing
        is_own = codec in self._own
        if response is None and codec == "protobuf" and not is_own:
            raise TypeError("the response is a protobuf message: give its class, e.g. call(method, request, Response)")
        kind = Any if response is None else response
        decode = self.decoder(kind, codec)
        if kind in _messages.NEVER_WRONG and codec == "bytes" and not is_own:
            return decode
        return functools.partial(_decode_response, decode, kind, codec)

    def has_nothing(self, codec: str) -> bool:
        """Whether the codec has a form of its own for None; else it is an empty message."""
        own = self._own.get(codec)
        return codec in ("json", "msgpack") if own is None else own.supports(type(None))


def _decode(codec: Codec, kind: Any, data: Any) -> Any:
    return codec.decode(_messages.as_bytes(data), kind)


def _decode_response(decode: Decode, kind: Any, codec: str, data: bytes) -> Any:
    if not data and kind is Any and codec in ("json", "msgpack"):
        return None  # no message at all: the method has no result
    try:
        return decode(data)
    except Exception as error:
        text = _messages.decode_error_text(error)
        raise Internal(f"the {codec} response does not decode as {_messages.type_name(kind)}: {text}") from error


def _encode_nothing(message: Any) -> bytes:
    return b""


def _decode_nothing(data: bytes) -> None:
    return None

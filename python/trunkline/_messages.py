# SPDX-License-Identifier: MIT
"""Messages as bytes and back: protobuf messages, raw bytes, and what msgspec knows by type hints."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import msgspec

Encode = Callable[[Any], Any]
Decode = Callable[[bytes], Any]

CODECS = ("protobuf", "json", "msgpack", "bytes")
#: For everything that is neither protobuf nor bytes, unless a call or a method says otherwise.
DEFAULT_CODEC = "msgpack"

_BUFFERS = (bytes, bytearray, memoryview)


def is_protobuf(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "DESCRIPTOR") and hasattr(kind, "FromString")


def codec_of(kind: Any, codec: str | None) -> str:
    """The codec for messages of a type; ``codec`` is what the user has asked for, if anything."""
    if is_protobuf(kind):
        usual = "protobuf"
    elif isinstance(kind, type) and (issubclass(kind, _BUFFERS) or kind.__module__.split(".")[0] == "numpy"):
        usual = "bytes"
    else:
        usual = codec or DEFAULT_CODEC
    if codec is not None and codec not in CODECS:
        raise ValueError(f"codec {codec!r} is none of {', '.join(CODECS)}")
    if codec is not None and codec != usual:
        raise TypeError(f"codec {codec!r} does not fit {type_name(kind)}, which travels as {usual!r}")
    return usual


def type_name(kind: Any) -> str:
    """How a type is told to those who list methods."""
    if is_protobuf(kind):
        return str(kind.DESCRIPTOR.full_name)
    if kind is None or kind is type(None):
        return ""
    return getattr(kind, "__name__", None) or str(kind)


def _simplify(value: Any) -> Any:
    """msgspec asks for what it does not know."""
    if hasattr(value, "model_dump"):  # pydantic
        return value.model_dump()
    if is_protobuf(type(value)):
        from google.protobuf import json_format

        return msgspec.Raw(json_format.MessageToJson(value, indent=None).encode())
    raise NotImplementedError(f"cannot encode {type(value).__name__}")


def _build(kind: Any, value: Any) -> Any:
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    raise NotImplementedError(f"cannot decode {type_name(kind)}")


_encoders: dict[str, Encode] = {
    "json": msgspec.json.Encoder(enc_hook=_simplify).encode,
    "msgpack": msgspec.msgpack.Encoder(enc_hook=_simplify).encode,
}


def _same(message: Any) -> Any:
    return message


def _serialize(message: Any) -> Any:
    return message.SerializeToString()


def encoder(codec: str) -> Encode:
    """Messages of the codec to a bytes-like object."""
    if codec == "protobuf":
        return _serialize
    return _encoders.get(codec, _same)


@functools.lru_cache(maxsize=4096)
def _cached_decoder(kind: Any, codec: str) -> Decode:
    return _make_decoder(kind, codec)


def _make_decoder(kind: Any, codec: str) -> Decode:
    if codec == "bytes":
        if kind is memoryview or kind is bytearray:
            return kind
        return _same
    if codec == "protobuf":
        if not is_protobuf(kind):
            if kind in (Any, bytes):
                return _same
            raise TypeError(f"a protobuf message cannot be decoded as {type_name(kind)}; give its message class")
        return kind.FromString  # type: ignore[no-any-return]
    if is_protobuf(kind):
        if codec == "json":
            from google.protobuf import json_format

            return lambda data: json_format.Parse(data, kind())
        raise TypeError(f"{type_name(kind)} cannot be decoded from {codec}")
    if codec == "json":
        return msgspec.json.Decoder(kind, dec_hook=_build).decode
    return msgspec.msgpack.Decoder(kind, dec_hook=_build).decode


def decoder(kind: Any, codec: str) -> Decode:
    """Bytes of the codec to messages of a type; ``Any``: whatever it holds. Raises what the type's own decoder does."""
    try:
        return _cached_decoder(kind, codec)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        return _make_decoder(kind, codec)


def decode_errors() -> tuple[type[BaseException], ...]:
    """What decoders raise for bytes that are no message of their type."""
    return _decode_errors()


@functools.lru_cache(maxsize=1)
def _decode_errors() -> tuple[type[BaseException], ...]:
    errors: list[type[BaseException]] = [msgspec.MsgspecError, ValueError]
    try:
        from google.protobuf.message import DecodeError

        errors.append(DecodeError)
    except ImportError:
        pass
    return tuple(errors)

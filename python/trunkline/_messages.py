# SPDX-License-Identifier: MIT
"""Messages as bytes and back: protobuf messages, raw bytes, and what msgspec knows by type hints."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable
from typing import Any

import msgspec

Encode = Callable[[Any], Any]
Decode = Callable[[bytes], Any]

CODECS = ("protobuf", "json", "msgpack", "bytes")
#: For everything that is neither protobuf nor bytes, unless a call or a method says otherwise.
DEFAULT_CODEC = "msgpack"

_BUFFERS = (bytes, bytearray, memoryview)
#: Hints that say nothing of what a message is.
_UNTYPED = (Any, object)
_Nothing = type(None)
#: What messages of a type may travel in beside their usual codec, if a call asks for that or its other messages need it.
_ALSO = {"protobuf": ("json",), "bytes": ("msgpack",), "msgpack": ("json",)}


def is_protobuf(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "DESCRIPTOR") and hasattr(kind, "FromString")


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def is_buffer(kind: Any) -> bool:
    """``bytes`` and the like, arrays of numpy, and unions with one of them."""
    if _is_union(kind):
        return any(is_buffer(each) for each in typing.get_args(kind))
    kind = typing.get_origin(kind) or kind
    return isinstance(kind, type) and (issubclass(kind, _BUFFERS) or str(kind.__module__).split(".")[0] == "numpy")


def _usual_codec(kind: Any) -> str:
    if is_protobuf(kind):
        return "protobuf"
    # Of a union any member may come, which MessagePack can tell from bytes.
    return "bytes" if is_buffer(kind) and not _is_union(kind) else DEFAULT_CODEC


def codec_of(kind: Any, codec: str | None) -> str:
    """The codec for messages of a type; ``codec`` is what the user has asked for, if anything."""
    usual = _usual_codec(kind)
    if codec is None or codec == usual:
        return usual
    if codec not in CODECS:
        raise ValueError(f"codec {codec!r} is none of {', '.join(CODECS)}")
    if kind not in (*_UNTYPED, None, _Nothing) and codec not in _ALSO[usual]:
        raise TypeError(f"codec {codec!r} does not fit {type_name(kind)}, which travels as {usual!r}")
    return codec


def codec_of_both(request: Any, response: Any) -> str:
    """Where a call has messages of two types; those without a codec in common travel in one that can hold both."""
    one, other = _usual_codec(request), _usual_codec(response)
    if one == other or response in (*_UNTYPED, None, _Nothing):
        return one
    return "json" if "protobuf" in (one, other) else "msgpack"


def carries(codec: str, kind: Any) -> bool:
    """Whether a message of the type can be encoded in the built-in codec."""
    if kind in (*_UNTYPED, None, _Nothing) or codec == "json":
        return True
    if codec == "bytes":
        return is_buffer(kind)
    return is_protobuf(kind) == (codec == "protobuf")


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
    if is_buffer(type(value)):
        return bytes(value)
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


def _nothing(data: bytes) -> None:
    if data:
        raise ValueError(f"there are {len(data)} bytes where no message is expected")


def _parse_json(kind: Any, data: bytes) -> Any:
    from google.protobuf import json_format

    try:
        return json_format.Parse(data, kind())
    except json_format.Error as error:
        raise ValueError(str(error)) from None


def _make_decoder(kind: Any, codec: str) -> Decode:
    if codec in ("bytes", "protobuf"):
        return _make_plain_decoder(kind, codec)
    if is_protobuf(kind):
        if codec == "json":
            return functools.partial(_parse_json, kind)
        raise TypeError(f"{type_name(kind)} cannot be decoded from {codec}")
    if is_buffer(kind) and not _is_union(kind) and kind not in _BUFFERS:
        kind = bytes  # arrays are made of them by the handler
    if codec == "json":
        return msgspec.json.Decoder(kind, dec_hook=_build).decode
    return msgspec.msgpack.Decoder(kind, dec_hook=_build).decode


def _make_plain_decoder(kind: Any, codec: str) -> Decode:
    if kind is _Nothing:
        return _nothing
    if kind in _UNTYPED or kind is bytes:
        return _same
    if codec == "protobuf":
        if is_protobuf(kind):
            return kind.FromString  # type: ignore[no-any-return]
        raise TypeError(f"a protobuf message cannot be decoded as {type_name(kind)}; give its message class")
    if kind is memoryview or kind is bytearray:
        return kind
    if is_buffer(kind):
        return _same
    raise TypeError(f"bytes cannot be decoded as {type_name(kind)}; it travels as {_usual_codec(kind)!r}")


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
    # RecursionError: what is nested too deep.
    errors: list[type[BaseException]] = [msgspec.MsgspecError, ValueError, RecursionError]
    try:
        from google.protobuf.message import DecodeError

        errors.append(DecodeError)
    except ImportError:
        pass
    return tuple(errors)

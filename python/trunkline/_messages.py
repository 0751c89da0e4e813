# SPDX-License-Identifier: MIT
"""Messages as bytes and back: protobuf messages, raw bytes, and what msgspec knows by type hints."""

from __future__ import annotations

import base64
import functools
import re
import types
import typing
from collections.abc import Callable
from typing import Any

import msgspec

Encode = Callable[[Any], Any]
#: Of ``bytes``, or for the codec ``bytes`` of another read-only buffer where they are many.
Decode = Callable[[Any], Any]

CODECS = ("protobuf", "json", "msgpack", "bytes")
#: For everything that is neither protobuf nor bytes, unless a call or a method says otherwise.
DEFAULT_CODEC = "msgpack"

_BUFFERS = (bytes, bytearray, memoryview)
#: Hints that say nothing of what a message is.
_UNTYPED = (Any, object)
#: What any bytes at all are.
NEVER_WRONG = (*_UNTYPED, *_BUFFERS)
_Nothing = type(None)
#: What messages of a type may travel in beside their usual codec, if a call asks for that or its other messages need it.
_ALSO = {"protobuf": ("json",), "bytes": ("msgpack",), "msgpack": ("json",)}


def unaliased(kind: Any) -> Any:
    """What an alias of a ``type`` statement stands for, such as numpy's ``NDArray[...]``."""
    value = getattr(typing.get_origin(kind) or kind, "__value__", None)
    if value is None or isinstance(kind, type):
        return kind
    arguments = typing.get_args(kind)
    return unaliased(value[arguments] if arguments else value)


def is_protobuf(kind: Any) -> bool:
    kind = unaliased(kind)
    return isinstance(kind, type) and hasattr(kind, "DESCRIPTOR") and hasattr(kind, "FromString")


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def is_buffer(kind: Any) -> bool:
    """``bytes`` and the like, arrays of numpy, and unions with one of them."""
    kind = unaliased(kind)
    if _is_union(kind):
        return any(is_buffer(each) for each in typing.get_args(kind))
    kind = typing.get_origin(kind) or kind
    return isinstance(kind, type) and (issubclass(kind, _BUFFERS) or is_array(kind))


def is_array(kind: Any) -> bool:
    """``numpy.ndarray``, without importing it; also ``numpy.typing.NDArray[...]``."""
    kind = unaliased(kind)
    kind = typing.get_origin(kind) or kind
    return isinstance(kind, type) and any(
        each.__module__ == "numpy" and each.__name__ == "ndarray" for each in kind.__mro__
    )


def _dtype_of(kind: Any, default: Any = "uint8") -> Any:
    """Of the elements of an array, as its type hint says; ``default`` where it says nothing."""
    import numpy

    for each in typing.get_args(unaliased(kind)):
        if typing.get_origin(each) is numpy.dtype:
            scalar = typing.get_args(each)[0]
            if isinstance(scalar, type) and scalar is not numpy.generic:
                return numpy.dtype(scalar)
    return None if default is None else numpy.dtype(default)


def as_bytes(data: Any) -> bytes:
    return data if type(data) is bytes else bytes(data)


def _as_array(dtype: Any, data: Any) -> Any:
    import numpy

    return numpy.frombuffer(data, dtype)


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


def _simplify_for(mode: str) -> Callable[[Any], Any]:
    """What msgspec asks for what it does not know. ``mode``: of pydantic, ``python`` or ``json``."""

    def simplify(value: Any) -> Any:
        if hasattr(value, "model_dump"):  # pydantic
            return value.model_dump(mode=mode, by_alias=True, round_trip=True)
        if is_protobuf(type(value)):
            from google.protobuf import json_format

            return json_format.MessageToDict(value)
        if is_array(type(value)):
            return bytes(value)
        package = type(value).__module__.partition(".")[0]
        if package == "numpy":  # its numbers
            return value.item()
        if package in ("pydantic", "pydantic_core"):  # its addresses
            return str(value)
        raise NotImplementedError(f"cannot encode {type(value).__name__}")

    return simplify


def _build(kind: Any, value: Any) -> Any:
    if is_array(kind):
        # In JSON bytes are base64, which msgspec decodes for types of its own.
        return _as_array(_dtype_of(kind), base64.b64decode(value, validate=True) if isinstance(value, str) else value)
    try:
        if hasattr(kind, "model_validate"):
            return kind.model_validate(value)
        if is_protobuf(kind):
            from google.protobuf import json_format

            return json_format.ParseDict(value, kind())
    except decode_errors() as error:
        raise ValueError(decode_error_text(error)) from None  # msgspec tells its text
    raise NotImplementedError(f"cannot decode {type_name(kind)}")


_encoders: dict[str, Encode] = {
    "json": msgspec.json.Encoder(enc_hook=_simplify_for("json")).encode,
    "msgpack": msgspec.msgpack.Encoder(enc_hook=_simplify_for("python")).encode,
}


def _same(message: Any) -> Any:
    return message


def _serialize(message: Any) -> Any:
    return message.SerializeToString()


def encoder(codec: str, kind: Any) -> Encode:
    """Messages of type ``kind`` to a bytes-like object."""
    kind = unaliased(kind)
    if codec == "protobuf":
        return kind.SerializeToString if is_protobuf(kind) else _serialize
    return _encoders.get(codec, _same)


def checked_encoder(codec: str, kind: Any) -> Encode:
    """The same; raises TypeError for a message of another type."""
    if is_array(kind) and codec not in ("json", "msgpack"):
        return functools.partial(_same_array, _dtype_of(kind, None))
    accepted = _accepted(kind)
    encode = encoder(codec, kind)
    return encode if accepted is None else functools.partial(_encode_checked, encode, accepted)


def _same_array(dtype: Any, message: Any) -> Any:
    if not is_array(type(message)):
        raise TypeError(f"the message is of type {type(message).__name__}, not ndarray")
    if dtype is not None and message.dtype != dtype:
        raise TypeError(f"the message is an array of {message.dtype}, not of {dtype}")
    return message


def _accepted(kind: Any) -> tuple[type[Any], ...] | None:
    """Whose instances are messages of the type; None if that is not for isinstance to say."""
    kind = unaliased(kind)
    if typing.get_origin(kind) is typing.Annotated:
        return _accepted(typing.get_args(kind)[0])
    if _is_union(kind):
        return None
    kind = typing.get_origin(kind) or kind
    if not isinstance(kind, type) or kind in _UNTYPED or is_buffer(kind):
        return None
    if typing.is_typeddict(kind) or getattr(kind, "_is_protocol", False) or kind.__module__ == "collections.abc":
        return None
    return (float, int) if kind is float else (kind,)


def _encode_checked(encode: Encode, accepted: tuple[type[Any], ...], message: Any) -> Any:
    if not isinstance(message, accepted) and type(message).__module__ != "numpy":
        raise TypeError(f"the message is of type {type(message).__name__}, not {accepted[0].__name__}")
    return encode(message)


@functools.lru_cache(maxsize=4096)
def _cached_decoder(kind: Any, codec: str) -> Decode:
    return _make_decoder(kind, codec)


def _nothing(data: bytes) -> None:
    if data:
        raise ValueError(f"there are {len(data)} bytes where no message is expected")


def _parse_json(kind: Any, data: bytes) -> Any:
    from google.protobuf import json_format

    return json_format.Parse(data, kind())


def _make_decoder(kind: Any, codec: str) -> Decode:
    kind = unaliased(kind)
    if codec in ("bytes", "protobuf"):
        return _make_plain_decoder(kind, codec)
    if is_protobuf(kind):
        if codec == "json":
            return functools.partial(_parse_json, kind)
        raise TypeError(f"{type_name(kind)} cannot be decoded from {codec}")
    if codec == "json":
        return msgspec.json.Decoder(kind, dec_hook=_build).decode
    return msgspec.msgpack.Decoder(kind, dec_hook=_build).decode


def _make_plain_decoder(kind: Any, codec: str) -> Decode:
    if kind is _Nothing:
        return _nothing
    if kind in _UNTYPED or kind is bytes:
        return _same if codec == "protobuf" else as_bytes
    if codec == "protobuf":
        if is_protobuf(kind):
            return kind.FromString  # type: ignore[no-any-return]
        raise TypeError(f"a protobuf message cannot be decoded as {type_name(kind)}; give its message class")
    if kind is memoryview or kind is bytearray:
        return kind
    if is_array(kind):
        return functools.partial(_as_array, _dtype_of(kind))
    if is_buffer(kind):
        return as_bytes
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
        from google.protobuf import json_format, message

        errors += [message.DecodeError, json_format.Error]
    except ImportError:
        pass
    return tuple(errors)


_quoted_value = re.compile(r"(Invalid (?:enum )?value) .*?(?= - at |$)", re.DOTALL)
_json_field = re.compile(r"(?:Failed to parse|Failed to load) (?:JSON|\w+ field|[\w.]+)")


def decode_error_text(error: BaseException) -> str:
    """What is wrong, without what the message holds."""
    errors: Any = getattr(error, "errors", None)
    if errors is not None and type(error).__module__.startswith("pydantic"):
        told = errors(include_input=False, include_url=False, include_context=False)
        return "; ".join(f"{'.'.join(map(str, each['loc'])) or 'the message'}: {each['type']}" for each in told)
    if isinstance(error, msgspec.MsgspecError):
        return _quoted_value.sub(r"\1", str(error))
    if type(error).__module__.startswith("google."):
        found = _json_field.match(str(error))
        return found.group() if found is not None else type(error).__name__
    return str(error)

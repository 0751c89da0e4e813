# SPDX-License-Identifier: MIT
"""The built-in codecs: protobuf messages, raw bytes, and what msgspec encodes by type hints."""

from __future__ import annotations

import functools
import re
import typing
from collections.abc import Callable
from typing import Any

import msgspec

from .arrays import array_of, checked_array, plain_array, typed_array
from .collisions import collision_check
from .defaults import Complete, completer
from .inspection import may_have_floats
from .non_finite import has_non_finite
from .types import UNTYPED, NoneType, bare, is_array, is_buffer, is_protobuf, is_union, type_name, unaliased
from .validation import (
    adapter_of,
    built_model,
    dumped_model,
    has_pydantic_dataclass,
    pydantic_decoder,
    sends_computed_fields,
)

Encode = Callable[[Any], Any]
#: Takes ``bytes``; with the codec ``bytes`` also another read-only buffer, for long messages.
Decode = Callable[[Any], Any]

CODECS = ("protobuf", "json", "msgpack", "bytes")
#: The codec of types that are neither protobuf nor bytes, unless a call or method names another one.
DEFAULT_CODEC = "msgpack"
#: Codecs that messages with this default codec can use too, if a call names them or its other message needs them.
_ALTERNATIVES = {"protobuf": ("json",), "bytes": ("msgpack",), "msgpack": ("json",)}


def as_bytes(data: Any) -> bytes:
    return data if type(data) is bytes else bytes(data)


def _default_codec(kind: Any) -> str:
    if is_protobuf(kind):
        return "protobuf"
    # MessagePack can tell the members of a union apart, bytes included, and has the element type and shape of an array.
    return "bytes" if is_buffer(kind) and not is_union(kind) and not is_array(kind) else DEFAULT_CODEC


def codec_of(kind: Any, codec: str | None) -> str:
    """Returns the codec for messages of a type. ``codec`` is an explicit choice, or None."""
    default = _default_codec(kind)
    if codec is None or codec == default:
        return default
    if codec not in CODECS:
        raise ValueError(f"codec {codec!r} is not one of {', '.join(CODECS)}")
    is_plain_array = codec == "bytes" and is_array(kind)
    if kind not in (*UNTYPED, None, NoneType) and codec not in _ALTERNATIVES[default] and not is_plain_array:
        raise TypeError(f"codec {codec!r} cannot carry {type_name(kind)}, whose codec is {default!r}")
    return codec


def codec_of_both(request: Any, response: Any) -> str:
    """Returns the codec of a call with messages of two types. Types with different default codecs share one that can
    hold both."""
    one, other = _default_codec(request), _default_codec(response)
    if one == other or response in (*UNTYPED, None, NoneType):
        return one
    return "json" if "protobuf" in (one, other) else "msgpack"


def carries(codec: str, kind: Any) -> bool:
    """Returns whether a message of the type can be encoded in the built-in codec."""
    if kind in (*UNTYPED, None, NoneType) or codec == "json":
        return True
    if codec == "bytes":
        return is_buffer(kind)
    return is_protobuf(kind) == (codec == "protobuf")


def _simplify_for(mode: str) -> Callable[[Any], Any]:
    """Returns msgspec's ``enc_hook``, for unknown objects. ``mode`` is that of pydantic: ``python`` or ``json``."""

    def simplify(value: Any) -> Any:
        if hasattr(value, "model_dump"):  # pydantic
            return dumped_model(value, mode)
        if is_protobuf(type(value)):
            from google.protobuf import json_format

            return json_format.MessageToDict(value)
        if is_array(type(value)):
            return typed_array(value)
        package = type(value).__module__.partition(".")[0]
        if package == "numpy":  # a scalar
            return value.item()
        if package in ("pydantic", "pydantic_core"):  # such as its URLs
            return str(value)
        raise NotImplementedError(f"cannot encode {type(value).__name__}")

    return simplify


def _build(kind: Any, value: Any) -> Any:
    """Serves as the ``dec_hook`` of msgspec, for types that it does not know."""
    if kind is object:  # ``object`` is decoded as Any is.
        return value
    if is_array(kind):
        return array_of(kind, value)
    try:
        if hasattr(kind, "model_validate"):
            return built_model(kind, value)
        if is_protobuf(kind):
            return _parse_dict(kind, value)
    except decode_errors() as error:
        raise ValueError(decode_error_text(error)) from None  # msgspec shows its text
    raise NotImplementedError(f"cannot decode {type_name(kind)}")


def _parse_dict(kind: Any, value: Any) -> Any:
    from google.protobuf import json_format

    try:
        return json_format.ParseDict(value, kind())
    except (AttributeError, KeyError, TypeError):  # for values of another kind, as a number instead of an Any
        raise ValueError(f"the value is no {type_name(kind)}") from None


_to_json = msgspec.json.Encoder(enc_hook=_simplify_for("json")).encode
_to_msgpack = msgspec.msgpack.Encoder(enc_hook=_simplify_for("python")).encode


def _encode_json(message: Any) -> bytes:
    data = _to_json(message)
    # msgspec writes null for NaN and infinity.
    if data.find(b"null") >= 0 and has_non_finite(message, _to_msgpack):
        raise ValueError("NaN and infinity have no form in JSON; msgpack carries them")
    return data


_encoders: dict[str, Encode] = {"json": _encode_json, "msgpack": _to_msgpack}


def _same(message: Any) -> Any:
    return message


def _serialize(message: Any) -> Any:
    return message.SerializeToString()


def encoder(codec: str, kind: Any) -> Encode:
    """Returns the function from messages of type ``kind`` to buffers."""
    kind = bare(kind)
    if codec == "protobuf":
        return kind.SerializeToString if is_protobuf(kind) else _serialize
    encode = _encoders.get(codec)
    if encode is None:
        return _same
    if has_pydantic_dataclass(kind):
        return _encoder_of_dataclasses(encode, codec, kind)
    return _to_json if codec == "json" and not may_have_floats(kind) else encode


def _encoder_of_dataclasses(encode: Encode, codec: str, kind: Any) -> Encode:
    """Returns ``encode`` for a type with pydantic's dataclasses, in the names and forms that pydantic decodes."""
    try:
        adapter = adapter_of(kind)
    except TypeError:
        return encode
    mode = "json" if codec == "json" else "python"

    def encode_dumped(message: Any) -> Any:
        is_stored = not sends_computed_fields(adapter)
        return encode(adapter.dump_python(message, mode=mode, by_alias=True, round_trip=is_stored))

    return encode_dumped


def checked_encoder(codec: str, kind: Any) -> Encode:
    """Returns an ``encoder`` that raises TypeError for a message of another type."""
    if is_array(kind):
        return functools.partial(_encode_array, encoder(codec, kind), kind)
    accepted = _accepted(kind)
    encode = encoder(codec, kind)
    return encode if accepted is None else functools.partial(_encode_checked, encode, accepted)


def _encode_array(encode: Encode, kind: Any, message: Any) -> Any:
    return encode(checked_array(kind, message))


def _accepted(kind: Any) -> tuple[type[Any], ...] | None:
    """Returns the classes whose instances are messages of the type; None if isinstance cannot decide."""
    kind = bare(kind)
    if is_union(kind):
        return None
    kind = typing.get_origin(kind) or kind
    if not isinstance(kind, type) or kind in UNTYPED or is_buffer(kind):
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
        raise ValueError(f"expected no message, got {len(data)} bytes")


def _parse_json(kind: Any, data: bytes) -> Any:
    from google.protobuf import json_format

    return json_format.Parse(data, kind())


def _make_decoder(kind: Any, codec: str) -> Decode:
    kind = unaliased(kind)
    if codec in ("bytes", "protobuf"):
        return _make_plain_decoder(bare(kind), codec)
    if is_protobuf(kind):
        kind = bare(kind)
        if codec == "json":
            return functools.partial(_parse_json, kind)
        raise TypeError(f"{type_name(kind)} cannot be decoded from {codec}")
    decode = _make_typed_decoder(kind, codec)
    check = collision_check(kind, codec)
    return decode if check is None else functools.partial(_decode_checked, decode, check)


def _decode_checked(decode: Decode, check: Callable[[Any], None], data: bytes) -> Any:
    check(data)
    return decode(data)


def _make_typed_decoder(kind: Any, codec: str) -> Decode:
    validate = pydantic_decoder(kind, codec)
    if validate is not None:
        return validate
    made: Any = msgspec.json.Decoder if codec == "json" else msgspec.msgpack.Decoder
    decode: Decode = made(kind, dec_hook=_build).decode
    complete = completer(kind)
    return decode if complete is None else functools.partial(_decode_whole, decode, complete)


def _decode_whole(decode: Decode, complete: Complete, data: bytes) -> Any:
    message = decode(data)
    complete(message)
    return message


def _make_plain_decoder(kind: Any, codec: str) -> Decode:
    if kind is NoneType:
        return _nothing
    if kind in UNTYPED or kind is bytes:
        return _same if codec == "protobuf" else as_bytes
    if codec == "protobuf":
        if is_protobuf(kind):
            return kind.FromString  # type: ignore[no-any-return]
        raise TypeError(f"a protobuf message cannot be decoded as {type_name(kind)}; give its message class")
    if kind is memoryview or kind is bytearray:
        return kind
    if is_array(kind):
        return functools.partial(plain_array, kind)
    if is_buffer(kind):
        return as_bytes
    raise TypeError(f"bytes cannot be decoded as {type_name(kind)}, whose codec is {_default_codec(kind)!r}")


def decoder(kind: Any, codec: str) -> Decode:
    """Returns the function from bytes to messages of a type; ``Any`` for whatever they hold. The function raises what
    the type's own decoder raises."""
    try:
        return _cached_decoder(kind, codec)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        return _make_decoder(kind, codec)


def decode_errors() -> tuple[type[BaseException], ...]:
    """Returns the exceptions that decoders raise for bytes that are not a message of their type."""
    return _decode_errors()


@functools.lru_cache(maxsize=1)
def _decode_errors() -> tuple[type[BaseException], ...]:
    # RecursionError is raised for a message nested too deeply.
    errors: list[type[BaseException]] = [msgspec.MsgspecError, ValueError, RecursionError]
    try:
        from google.protobuf import json_format, message

        errors += [message.DecodeError, json_format.Error]
    except ImportError:
        pass
    return tuple(errors)


_TRUNCATED = "the message is empty or ends too early"
_quoted_value = re.compile(r"(Invalid (?:enum )?value) .*?(?= - at |$)", re.DOTALL)
_quoted_tag = re.compile(r"Input tag '.*?'(?= found using )", re.DOTALL)
_json_field = re.compile(r"Failed to parse (\w+) field: ")
_json_unknown = re.compile(r'has no field named "([^"]{1,64})"')


def _text_of(found: Any) -> str:
    """Returns pydantic's text of one error. pydantic would quote the tag of a union that is not known."""
    text = str(found["msg"])
    return _quoted_tag.sub("Input tag", text) if found["type"] == "union_tag_invalid" else text


def decode_error_text(error: BaseException) -> str:
    """Describes the error without the contents of the message."""
    errors: Any = getattr(error, "errors", None)
    if errors is not None and type(error).__module__.startswith("pydantic"):
        found = errors(include_input=False, include_url=False, include_context=False)
        if found[0]["type"] == "json_invalid" and "EOF while parsing" in found[0]["msg"]:
            return _TRUNCATED
        return "; ".join(f"{'.'.join(map(str, each['loc'])) or 'the message'}: {_text_of(each)}" for each in found)
    if isinstance(error, msgspec.MsgspecError):
        if str(error) == "Input data was truncated":
            return _TRUNCATED
        return _quoted_value.sub(r"\1", str(error))
    if type(error).__module__.startswith("google."):
        return _protobuf_error_text(error)
    return str(error)


def _protobuf_error_text(error: BaseException) -> str:
    """Names the field of an error of protobuf's, whose texts quote its value."""
    text = str(error)
    path: list[str] = []
    at = 0
    while (field := _json_field.match(text, at)) is not None:
        path.append(field[1])
        at = field.end()
    if (unknown := _json_unknown.search(text, at)) is not None:
        name = unknown[1] if unknown[1].isprintable() else ascii(unknown[1])
        return f"unknown field {'.'.join([*path, name])}"
    if path:
        return f"field {'.'.join(path)}: its value does not match its type"
    return "not valid JSON" if text.startswith("Failed to load JSON") else type(error).__name__

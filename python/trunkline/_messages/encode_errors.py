# SPDX-License-Identifier: MIT
"""Errors of messages that cannot be encoded: which method, which codec, and which field."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .builtin_codecs import encoder
from .validation import is_model

#: Fields below this depth are not looked for.
_MAX_DEPTH = 32


def encode_error(method: str, role: str, codec: str, message: Any, error: Exception) -> Exception:
    """Returns the error to raise from ``error``, which encoding ``message`` has raised. ``role`` is ``request`` or
    ``response``, and ``codec`` a built-in one.

    A TypeError or ValueError names the method and the field, such as ``$.items[0].price``. An ``error`` of another kind
    is returned itself.
    """
    kind: type[Exception]
    if isinstance(error, (TypeError, NotImplementedError)):
        kind = TypeError
    elif isinstance(error, (ValueError, OverflowError, RecursionError)):
        kind = ValueError
    else:
        return error
    # Only these codecs encode parts of a message by themselves.
    text = str(error)
    if codec in ("json", "msgpack"):
        field, value, cause = _innermost(encoder(codec, object), message, error)
        text = f"its field {field} ({type(value).__name__}): {cause}" if field else str(cause)
    return kind(f"call {method}: the {role} does not encode as {codec}: {text}")


def _innermost(encode: Callable[[Any], Any], message: Any, error: Exception) -> tuple[str, Any, Exception]:
    """Returns (path, value, error) of the innermost part that does not encode by itself. The message has no path."""
    path = ""
    for _ in range(_MAX_DEPTH):
        for step, part in _parts(message):
            try:
                encode(part)
            except Exception as found:
                path, message, error = f"{path or '$'}{step}", part, found
                break
        else:
            break
    return path, message, error


def _parts(message: Any) -> Iterator[tuple[str, Any]]:
    """Yields the fields or items of a message, with their steps in a path."""
    if isinstance(message, Mapping):
        yield from ((f".{key}" if isinstance(key, str) else f"[{key!r}]", value) for key, value in message.items())
    elif isinstance(message, (list, tuple)):
        yield from ((f"[{index}]", item) for index, item in enumerate(message))
    elif isinstance(message, (set, frozenset)):
        yield from (("[...]", item) for item in message)
    else:
        yield from ((f".{name}", getattr(message, name)) for name in _fields(type(message)) if hasattr(message, name))


def _fields(kind: type[Any]) -> tuple[str, ...]:
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    if is_model(kind):
        return tuple(getattr(kind, "model_fields"))
    names: Any = getattr(kind, "__struct_fields__", None) or [
        each.name for each in getattr(kind, "__attrs_attrs__", ())
    ]
    return tuple(names)

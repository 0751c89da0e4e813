# SPDX-License-Identifier: MIT
"""Says what a class or type hint means for the messages of a method."""

from __future__ import annotations

import types
import typing
from typing import Any

_BUFFERS = (bytes, bytearray, memoryview)
#: Hints that do not restrict the message.
UNTYPED = (Any, object)
#: Types that every sequence of bytes decodes to.
ALWAYS_DECODE = (*UNTYPED, *_BUFFERS)
NoneType = type(None)


def unaliased(kind: Any) -> Any:
    """Returns the type that an alias of a ``type`` statement stands for, such as numpy's ``NDArray[...]``."""
    value = getattr(typing.get_origin(kind) or kind, "__value__", None)
    if value is None or isinstance(kind, type):
        return kind
    arguments = typing.get_args(kind)
    return unaliased(value[arguments] if arguments else value)


def bare(kind: Any) -> Any:
    """Returns the type without alias and without the metadata of ``Annotated``."""
    kind = unaliased(kind)
    while typing.get_origin(kind) is typing.Annotated:
        kind = unaliased(typing.get_args(kind)[0])
    return kind


def is_protobuf(kind: Any) -> bool:
    kind = bare(kind)
    return isinstance(kind, type) and hasattr(kind, "DESCRIPTOR") and hasattr(kind, "FromString")


def is_union(kind: Any) -> bool:
    return typing.get_origin(bare(kind)) in (typing.Union, types.UnionType)


def is_buffer(kind: Any) -> bool:
    """Returns whether it is ``bytes`` or another buffer, an array of numpy, or a union with one of these."""
    kind = bare(kind)
    if is_union(kind):
        return any(is_buffer(each) for each in typing.get_args(kind))
    kind = typing.get_origin(kind) or kind
    return isinstance(kind, type) and (issubclass(kind, _BUFFERS) or is_array(kind))


def is_array(kind: Any) -> bool:
    """Returns whether it is ``numpy.ndarray`` or ``numpy.typing.NDArray[...]``. Does not import numpy."""
    kind = bare(kind)
    kind = typing.get_origin(kind) or kind
    return isinstance(kind, type) and any(
        each.__module__ == "numpy" and each.__name__ == "ndarray" for each in kind.__mro__
    )


def dtype_of(kind: Any, default: Any = "uint8") -> Any:
    """Returns the dtype in the hint of an array; ``default`` if it has none."""
    import numpy

    for each in typing.get_args(bare(kind)):
        if typing.get_origin(each) is numpy.dtype:
            scalar = typing.get_args(each)[0]
            if isinstance(scalar, type) and scalar is not numpy.generic:
                return numpy.dtype(scalar)
    return None if default is None else numpy.dtype(default)


def type_name(kind: Any) -> str:
    """Returns the name of a message type in lists of methods and in errors; empty for no message."""
    kind = bare(kind)
    if is_protobuf(kind):
        return str(kind.DESCRIPTOR.full_name)
    if kind is None or kind is type(None):
        return ""
    return getattr(kind, "__name__", None) or str(kind)

# SPDX-License-Identifier: MIT
"""Arrays of numpy as messages: with their element type and shape in MessagePack and JSON, or as plain bytes."""

from __future__ import annotations

import base64
import dataclasses
import math
from typing import Any

from .types import dtype_of, is_array


@dataclasses.dataclass
class TypedArray:
    """An array with its element type and shape, as it is in MessagePack and JSON. In JSON the data are base64."""

    #: NumPy's name of the element type, with its byte order, such as ``<f4``.
    dtype: str
    shape: list[int]
    #: The elements; the last index varies fastest.
    data: bytes


def typed_array(array: Any) -> dict[str, Any]:
    """Returns the fields of a ``TypedArray``. Raises TypeError for elements that are no plain values."""
    if array.dtype.hasobject or array.dtype.names is not None or array.dtype.subdtype is not None:
        raise TypeError(f"cannot encode an array of {array.dtype}")
    return {"dtype": array.dtype.str, "shape": list(array.shape), "data": array.tobytes()}


def plain_array(kind: Any, data: Any) -> Any:
    """Returns a read-only array with one dimension over bytes. Its elements are those of the hint, or uint8."""
    import numpy

    return numpy.frombuffer(data, dtype_of(kind))


def array_of(kind: Any, value: Any) -> Any:
    """Returns the array of a decoded message, read-only. ``value`` is what ``typed_array`` returns, or bytes; bytes in
    base64 are a str. Raises ValueError if it is neither, or if its elements are not those of the hint ``kind``."""
    if not isinstance(value, dict):
        return plain_array(kind, _bytes_of(value))
    import numpy

    try:
        name, shape, data = value["dtype"], value["shape"], _bytes_of(value["data"])
    except KeyError as error:
        raise ValueError(f"an array needs the field {error.args[0]!r}") from None
    dtype = _dtype_named(name)
    _check_dtype(dtype, kind)
    if not isinstance(shape, list) or not all(type(each) is int and each >= 0 for each in shape):
        raise ValueError("the shape of an array is a list of integers, 0 or more")
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"an array of shape {shape} and {dtype} has {len(data)} bytes")
    array = numpy.frombuffer(data, dtype).reshape(shape)
    if not dtype.isnative:
        array = array.astype(dtype.newbyteorder("="))
        array.flags.writeable = False
    return array


def checked_array(kind: Any, message: Any) -> Any:
    """Returns the message. Raises TypeError unless it is an array with the elements of the hint ``kind``."""
    if not is_array(type(message)):
        raise TypeError(f"the message is of type {type(message).__name__}, not ndarray")
    dtype = dtype_of(kind, None)
    if dtype is not None and message.dtype != dtype:
        raise TypeError(f"the message is an array of {message.dtype}, not of {dtype}")
    return message


def _bytes_of(value: Any) -> Any:
    return base64.b64decode(value, validate=True) if isinstance(value, str) else value


def _dtype_named(name: Any) -> Any:
    import numpy

    try:
        dtype = numpy.dtype(name) if isinstance(name, str) else None
    except (TypeError, ValueError, SyntaxError):
        dtype = None
    if dtype is None or dtype.hasobject or dtype.names is not None or dtype.subdtype is not None or not dtype.itemsize:
        raise ValueError("the dtype of an array is not the name of an element type of numpy")
    return dtype


def _check_dtype(dtype: Any, kind: Any) -> None:
    wanted = dtype_of(kind, None)
    if wanted is not None and dtype.newbyteorder("=") != wanted.newbyteorder("="):
        raise ValueError(f"expected an array of {wanted}, got one of {dtype.newbyteorder('=')}")

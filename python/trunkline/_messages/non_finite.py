# SPDX-License-Identifier: MIT
"""Finds NaN and infinity in messages, for which JSON has no form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec

#: The first bytes of a MessagePack double of 64 bits whose exponent is that of NaN and infinity, with either sign.
_POSITIVE, _NEGATIVE = b"\xcb\x7f", b"\xcb\xff"

_unpack = msgspec.msgpack.Decoder().decode


def has_non_finite(message: Any, to_msgpack: Callable[[Any], bytes]) -> bool:
    """Returns whether a float in the message is NaN or infinite. A search in its MessagePack is many times faster than
    one in its objects, which only follows if it finds something."""
    try:
        data = to_msgpack(message)
    except OverflowError:  # integers of more than 64 bits
        return _is_non_finite_within(msgspec.to_builtins(message, enc_hook=_nothing))
    return (data.find(_POSITIVE) >= 0 or data.find(_NEGATIVE) >= 0) and _is_non_finite_within(_unpack(data))


def _nothing(_: Any) -> None:
    return None


def _is_non_finite_within(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(_is_non_finite_within(each) for each in value.values())
    return isinstance(value, list) and any(_is_non_finite_within(each) for each in value)

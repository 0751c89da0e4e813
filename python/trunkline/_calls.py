# SPDX-License-Identifier: MIT
"""What blocking and asynchronous channels share: call settings, encoding of requests, decoding of responses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from . import _core
from ._deadline import inherited_timeout
from ._messages import Decode, codec_of, decoder, encoder
from ._metadata import Metadata, MetadataLike, encode_metadata


class Reply:
    """What may be learnt of a call beside its response; given to a call as ``reply=``, and filled in at its end."""

    __slots__ = ("leading_metadata", "peer", "trailing_metadata")

    def __init__(self) -> None:
        self.leading_metadata = Metadata()
        self.trailing_metadata = Metadata()
        self.peer = ""

    def _take(self, call: _core.ClientCall) -> None:
        if not call.is_done():
            return
        self.leading_metadata = Metadata(call.leading())
        self.trailing_metadata = Metadata(call.trailing())
        self.peer = call.peer()


class Coding(NamedTuple):
    """How one call's messages become bytes, and its answer a message."""

    codec: str
    encode: Callable[[Any], Any]
    decode: Decode


def settings_of(
    timeout: float | None, metadata: MetadataLike, wait_for_ready: bool, idempotent: bool, compressor: str
) -> _core.CallSettings | None:
    """None if nothing is said."""
    timeout = inherited_timeout(timeout)
    if timeout is None and metadata is None and not wait_for_ready and not idempotent and not compressor:
        return None
    return _core.CallSettings(timeout, encode_metadata(metadata), wait_for_ready, idempotent, compressor)


_by_types: dict[tuple[Any, Any, str | None], Coding] = {}


def coding_of(request_type: Any, response: Any, codec: str | None) -> Coding:
    """``response``: the type of the answer, or None for whatever it holds."""
    key = (request_type, response, codec)
    try:
        found = _by_types.get(key)
    except TypeError:  # a type that cannot be hashed
        return _make_coding(request_type, response, codec)
    if found is None:
        if len(_by_types) > 4096:
            _by_types.clear()
        found = _by_types[key] = _make_coding(request_type, response, codec)
    return found


def _make_coding(request_type: Any, response: Any, codec: str | None) -> Coding:
    name = codec_of(response if request_type is type(None) and response is not None else request_type, codec)
    encode = _encode_nothing if request_type is type(None) and name in ("protobuf", "bytes") else encoder(name)
    if response is type(None):
        return Coding(name, encode, _decode_nothing)
    if response is None and name == "protobuf":
        return Coding(name, encode, _untyped)
    return Coding(name, encode, decoder(Any if response is None else response, name))


def _encode_nothing(message: Any) -> bytes:
    return b""


def _decode_nothing(data: bytes) -> None:
    return None


def _untyped(data: bytes) -> Any:
    raise TypeError("the response is a protobuf message: give its class, e.g. call(method, request, Response)")


def checked_window(window: int) -> int:
    if window < 1:
        raise ValueError(f"window: {window} is less than 1")
    return window


def checked_timeout(timeout: float) -> float:
    if not math.isfinite(timeout) or timeout < 0:
        raise ValueError(f"timeout: {timeout} is not a finite number of seconds, 0 or more")
    return timeout

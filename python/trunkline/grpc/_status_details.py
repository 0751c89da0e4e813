# SPDX-License-Identifier: MIT
"""Trailing metadata of applications that the core has as details of a status: ``grpc-status-details-bin``, a
``google.rpc.Status``, and ``grpc-retry-pushback-ms``, the time after which the server wants the call again."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_log = logging.getLogger(__name__)

#: The name under which applications find and set the details of a status.
DETAILS_KEY = "grpc-status-details-bin"
#: The name under which handlers tell clients when to retry, in milliseconds, and the detail that has the core say so.
_PUSHBACK_KEY = "grpc-retry-pushback-ms"
_RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"


def encode_status(code: int, message: str, details: Iterable[Any]) -> bytes:
    """Returns the status as bytes. ``details`` are objects with ``type_url`` and ``value``."""
    result = bytearray()
    if code:
        result += b"\x08" + _varint(code)
    if message:
        result += b"\x12" + _sized(message.encode("utf-8", "replace"))
    for detail in details:
        packed = b"\x0a" + _sized(detail.type_url.encode()) + b"\x12" + _sized(bytes(detail.value))
        result += b"\x1a" + _sized(packed)
    return bytes(result)


def decode_details(status: bytes) -> list[tuple[str, bytes]]:
    """Returns the details of a ``google.rpc.Status``, as pairs of a type's URL and a value. Raises ValueError for other
    bytes."""
    details = []
    for number, packed in _fields(status):
        if number == 3 and isinstance(packed, bytes):
            fields = dict(_fields(packed))
            type_url, value = fields.get(1, b""), fields.get(2, b"")
            if not isinstance(type_url, bytes) or not isinstance(value, bytes):
                raise ValueError("a detail is not a google.protobuf.Any")
            details.append((type_url.decode(), value))
    return details


def split_trailing(
    metadata: Sequence[tuple[str, bytes]],
) -> tuple[list[tuple[str, bytes]], list[tuple[str, bytes]]]:
    """Returns the trailing metadata without what the core has as details of the status, and these details. Bytes that
    are no ``google.rpc.Status`` are left out with a warning, as the core does not send them."""
    kept, details = [], []
    pause = None
    for name, value in metadata:
        if name == DETAILS_KEY:
            try:
                details += decode_details(value)
            except ValueError as error:
                _log.warning("the trailing metadata %s is no google.rpc.Status and is not sent: %s", name, error)
        elif name == _PUSHBACK_KEY and value.isdigit():
            pause = int(value)
        else:
            kept.append((name, value))
    if pause is not None and all(type_url != _RETRY_INFO for type_url, _ in details):
        details.append((_RETRY_INFO, _retry_info(pause)))
    return kept, details


def _retry_info(pause: int) -> bytes:
    """Returns the ``google.rpc.RetryInfo`` of a pause in milliseconds."""
    seconds, rest = divmod(pause, 1000)
    return b"\x0a" + _sized(b"\x08" + _varint(seconds) + b"\x10" + _varint(rest * 1_000_000))


def _varint(value: int) -> bytes:
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def _sized(data: bytes) -> bytes:
    return _varint(len(data)) + data


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Returns the value and the position after it."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number does not end")


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        kind = key & 7
        if kind == 0:
            value: int | bytes
            value, at = _read_varint(data, at)
        elif kind in (1, 2, 5):
            size = 8 if kind == 1 else 4
            if kind == 2:
                size, at = _read_varint(data, at)
            if at + size > len(data):
                raise ValueError("a field is longer than its message")
            value = data[at : at + size]
            at += size
        else:
            raise ValueError(f"a field has the wire type {kind}")
        yield key >> 3, value

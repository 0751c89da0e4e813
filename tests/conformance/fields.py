# SPDX-License-Identifier: MIT
"""Metadata, errors and messages of Trunkline as the conformance service describes them."""

from __future__ import annotations

import base64
from collections.abc import Iterable

from connectrpc.conformance.v1.service_pb2 import Error, Header
from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message

import trunkline


def headers_of(metadata: Iterable[tuple[str, bytes]]) -> list[Header]:
    """A header for each name; values of names that end in ``-bin`` are base64 there."""
    headers: dict[str, Header] = {}
    for name, value in metadata:
        text = base64.b64encode(value).rstrip(b"=") if name.endswith("-bin") else value
        headers.setdefault(name, Header(name=name)).value.append(text.decode("latin-1"))
    return list(headers.values())


def metadata_of(headers: Iterable[Header]) -> list[tuple[str, bytes]]:
    """The opposite."""
    return [(header.name.lower(), value_of(header.name.lower(), text)) for header in headers for text in header.value]


def value_of(name: str, text: str) -> bytes:
    """The bytes that a header's text stands for."""
    if name.endswith("-bin"):
        return base64.b64decode(text + "=" * (-len(text) % 4))
    return text.encode()


def any_of(message: Message) -> Any:
    packed = Any()
    packed.Pack(message)
    return packed


def error_of(error: Error, more: Iterable[Message] = ()) -> trunkline.RpcError:
    """The error that a response definition asks for, with more details."""
    return trunkline.RpcError(error.message, code=trunkline.StatusCode(error.code), details=[*error.details, *more])

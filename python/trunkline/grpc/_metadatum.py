# SPDX-License-Identifier: MIT
"""Metadatum: a name and a value of a call's metadata; conversions between them and what the core takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Union

from .. import _core


class Metadatum(NamedTuple):
    """A name and its value, which is bytes if the name ends in ``-bin``."""

    key: str
    value: Union[str, bytes]

    def __repr__(self) -> str:
        return f"_Metadatum(key={self.key!r}, value={self.value!r})"  # the name of grpcio's class


Metadata = tuple[Metadatum, ...]


def presented(pairs: Iterable[tuple[str, bytes]]) -> Metadata:
    """Returns metadata that the core has received as the application gets it."""
    return tuple(
        Metadatum(name, value if name.endswith("-bin") else value.decode("utf-8", "surrogateescape"))
        for name, value in pairs
    )


def received_of(call: _core.ServedCall) -> Metadata:
    """Returns what a client has sent, its ``user-agent`` last, which is no metadata for the core."""
    metadata, user_agent = presented(call.metadata()), call.user_agent()
    return (*metadata, Metadatum("user-agent", user_agent)) if user_agent else metadata


class InvalidMetadataError(ValueError):
    """The name or the value of metadata cannot be sent."""


#: Match the names that gRPC sends, and the values of names that do not end in ``-bin``.
_is_name = re.compile(rb"[a-z0-9_.-]{1,255}").fullmatch
_is_printable = re.compile(rb"[\x20-\x7e]*").fullmatch

#: The names of headers that gRPC itself sends in the place of the application's.
_OWN_NAMES = {
    b"content-type", b"te", b"user-agent", b"grpc-timeout", b"grpc-encoding", b"grpc-accept-encoding"
}  # fmt: skip


def encoded(metadata: Any) -> Sequence[tuple[str, bytes]]:
    """Returns metadata of the application as the core takes it. Raises InvalidMetadataError for names and values that
    gRPC does not send, and otherwise what grpcio raises: TypeError for names and values of other types, and TypeError
    or ValueError for what is not pairs."""
    if not metadata:
        return ()
    pairs = ((_text_bytes(name), value) for name, value in metadata)
    checked = [(name, _checked_value(name, value)) for name, value in pairs]
    return [(name.decode(), value) for name, value in checked if name not in _OWN_NAMES]


def _text_bytes(text: Any) -> bytes:
    if isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode("utf-8", "surrogateescape")
    raise TypeError(f"Expected str, not {type(text)}")


def _checked_value(name: bytes, value: Any) -> bytes:
    if _is_name(name) is None:
        raise InvalidMetadataError(f"metadata was invalid: the name {name!r}")
    if name.endswith(b"-bin"):
        if not isinstance(value, bytes):
            raise TypeError(f'Binary metadata key="{name.decode()}" expected bytes, got {type(value)}')
        return value
    data = b"" if value is None else _text_bytes(value)
    if _is_printable(data) is None:
        raise InvalidMetadataError(f"metadata was invalid: the value {value!r} of {name!r}")
    return data

# SPDX-License-Identifier: MIT
"""Metadata: the named values that travel beside a call's messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Union

Value = Union[str, bytes]
#: What is accepted wherever metadata is given: a mapping, or pairs where a name may come more than once.
MetadataLike = Union[Mapping[str, Value], Iterable[tuple[str, Value]], None]


class Metadata(tuple[tuple[str, bytes], ...]):
    """Pairs of name and value, in order, names repeated if need be.

    Iterating gives the pairs with values as ``bytes``; ``get`` and ``[name]`` give the first value of that name, as
    ``str`` unless the name ends in ``-bin``.
    """

    __slots__ = ()

    def get(self, name: str, default: Value | None = None) -> Value | None:
        for key, value in self:
            if key == name:
                return _presented(key, value)
        return default

    def get_all(self, name: str) -> list[Value]:
        return [_presented(key, value) for key, value in self if key == name]

    def __getitem__(self, name: str) -> Value:  # type: ignore[override]
        value = self.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        return any(key == name for key, _ in self)


def _presented(name: str, value: bytes) -> Value:
    return value if name.endswith("-bin") else value.decode("utf-8", "surrogateescape")


def pairs_of(metadata: MetadataLike) -> list[tuple[str, Value]]:
    """Of a mapping or pairs, in order."""
    if metadata is None:
        return []
    pairs: Any = metadata.items() if isinstance(metadata, Mapping) else metadata
    return list(pairs)


def encode_metadata(metadata: MetadataLike) -> list[tuple[str, bytes]] | None:
    """As the core takes it; None if there is none."""
    if not metadata:
        return None
    return [(_checked_name(name), _encoded(name, value)) for name, value in pairs_of(metadata)]


_is_name = re.compile(r"[a-z0-9._-]{1,255}").fullmatch


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"metadata: a name is a str, not {type(name).__name__}")
    if _is_name(name) is None:
        raise ValueError(f"metadata: the name {name!r} is not 1 to 255 of a-z, 0-9, '-', '_' and '.'")
    return name


def _encoded(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise TypeError(f"metadata {name!r}: a value is str or bytes, not {type(value).__name__}")

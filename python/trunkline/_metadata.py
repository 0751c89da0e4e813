# SPDX-License-Identifier: MIT
"""Metadata: named values that a call carries in addition to its messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, Union, overload

Value = Union[str, bytes]
Default = TypeVar("Default")
#: Metadata as callers pass it: a mapping, or pairs of a name and a value, in which a name may occur more than once.
MetadataLike = Union[Mapping[str, Value], Iterable[tuple[str, Value]], None]


class Metadata:
    """Named values in order; a name may occur more than once. Immutable.

    Names are tokens of HTTP: 1 to 255 letters, digits and characters of ``!#$%&'*+-.^_`|~``. Upper and lower case are
    the same; names are stored and sent in lower case.

    ``metadata[name]`` and ``get`` return the first value of a name, ``get_all`` returns all of them, and ``name in
    metadata`` is true if there is one. Values are ``str``, or ``bytes`` if the name ends in ``-bin``.

    Iterating yields every pair of a name and its value as ``bytes``, and ``len`` is the number of pairs. So metadata
    that was received can be sent again as it is.
    """

    __slots__ = ("_pairs",)

    _pairs: tuple[tuple[str, bytes], ...]

    def __init__(self, metadata: MetadataLike = None) -> None:
        self._pairs = tuple(encode_metadata(metadata) or ())

    @classmethod
    def _of(cls, pairs: Iterable[tuple[str, bytes]]) -> Metadata:
        """Makes metadata from pairs of the core, which are valid."""
        made = cls.__new__(cls)
        made._pairs = tuple(pairs)
        return made

    @overload
    def get(self, name: str) -> Value | None: ...
    @overload
    def get(self, name: str, default: Default) -> Value | Default: ...
    def get(self, name: str, default: Any = None) -> Any:
        """Returns the first value of the name, or ``default``."""
        wanted = name.lower()
        for key, value in self._pairs:
            if key == wanted:
                return _presented(key, value)
        return default

    def get_all(self, name: str) -> list[Value]:
        """Returns the values of the name, in order. The list is empty if there is none."""
        wanted = name.lower()
        return [_presented(key, value) for key, value in self._pairs if key == wanted]

    def names(self) -> list[str]:
        """Returns each name once, in the order of their first values."""
        return list(dict(self._pairs))

    def __getitem__(self, name: str) -> Value:
        """Returns the first value of the name. Raises KeyError if there is none."""
        value = self.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and any(key == name.lower() for key, _ in self._pairs)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __eq__(self, other: object) -> bool:
        return self._pairs == other._pairs if isinstance(other, Metadata) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._pairs)

    def __repr__(self) -> str:
        return f"Metadata({list(self._pairs)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Metadata._of, (self._pairs,)


def _presented(name: str, value: bytes) -> Value:
    return value if name.endswith("-bin") else value.decode("utf-8", "surrogateescape")


def pairs_of(metadata: MetadataLike, subject: str = "metadata") -> list[tuple[str, Value]]:
    """Returns the pairs of a mapping or an iterable of pairs, in order. Raises TypeError for another object; its text
    begins with ``subject``."""
    if metadata is None:
        return []
    pairs: Any = metadata.items() if isinstance(metadata, Mapping) else metadata
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        raise TypeError(f"{subject} is {type(metadata).__name__}, not a mapping or pairs of a name and a value")
    return [_checked_pair(pair, subject) for pair in pairs]


def _checked_pair(pair: Any, subject: str) -> tuple[str, Value]:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(f"{subject}: {pair!r} is not a pair of a name and a value")
    return pair[0], pair[1]


def encode_metadata(metadata: MetadataLike) -> list[tuple[str, bytes]] | None:
    """Returns the metadata as the core takes it; None if it is empty."""
    if not metadata:
        return None
    return [(_checked_name(name), _encoded(name, value)) for name, value in pairs_of(metadata)]


# The pattern is a token of HTTP (RFC 9110, section 5.6.2).
_is_name = re.compile(r"[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,255}").fullmatch


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"metadata: the name {name!r} is not a str")
    if _is_name(name) is None:
        raise ValueError(
            f"metadata: the name {name!r} is not 1 to 255 letters, digits or characters of !#$%&'*+-.^_`|~"
        )
    return name.lower()


def _encoded(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise TypeError(f"metadata {name!r}: its value is {type(value).__name__}, not str or bytes")

# SPDX-License-Identifier: MIT
"""Metadata: the metadata of a call, for asyncio."""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterable, Iterator, KeysView, ValuesView
from typing import Any, TypeVar, Union

Value = Union[str, bytes]
Self = TypeVar("Self", bound="Metadata")


class Metadata(Collection[tuple[str, Value]]):
    """Names with their values, in order. ``metadata[name]`` is the first value of a name; iterating yields every pair
    of a name and a value."""

    def __init__(self, *pairs: tuple[str, Value]) -> None:
        self._values: dict[str, list[Value]] = {}
        for name, value in pairs:
            self.add(name, value)

    @classmethod
    def from_tuple(cls: type[Self], raw_metadata: Iterable[tuple[str, Value]] | None) -> Self:
        """Makes metadata of pairs of a name and a value."""
        return cls(*(raw_metadata or ()))

    def add(self, key: str, value: Value) -> None:
        """Adds a value to those of the name."""
        self._values.setdefault(key, []).append(value)

    def __len__(self) -> int:
        return sum(map(len, self._values.values()))

    def __getitem__(self, key: str) -> Value:
        found = self._values[key]
        if not found:
            raise KeyError(key)
        return found[0]

    def __setitem__(self, key: str, value: Value) -> None:
        self._values[key] = [value, *self._values.get(key, [])[1:]]

    def __delitem__(self, key: str) -> None:
        found = self._values.get(key)
        if not found:
            raise KeyError(key)
        del found[0]
        if not found:
            del self._values[key]

    def delete_all(self, key: str) -> None:
        """Removes every value of the name."""
        del self._values[key]

    def __iter__(self) -> Iterator[tuple[str, Value]]:
        for key, values in self._values.items():
            for value in values:
                yield key, value

    def keys(self) -> KeysView[str]:
        """Returns the names."""
        return KeysView(self._values)

    def values(self) -> ValuesView[list[Value]]:
        """Returns the values of each name."""
        return ValuesView(self._values)

    def items(self) -> ItemsView[str, list[Value]]:
        """Returns each name with its values."""
        return ItemsView(self._values)

    def get(self, key: str, default: Value | None = None) -> Value | None:
        """Returns the first value of the name, or ``default``."""
        found = self._values.get(key)
        return found[0] if found else default

    def get_all(self, key: str) -> list[Value]:
        """Returns the values of the name."""
        return self._values.get(key, [])

    def set_all(self, key: str, values: list[Value]) -> None:
        """Replaces the values of the name."""
        self._values[key] = values

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Metadata):
            return self._values == other._values
        if isinstance(other, tuple):
            return tuple(self) == other
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> Metadata:
        if isinstance(other, (Metadata, tuple)):
            return Metadata(*self, *other)
        return NotImplemented

    def __repr__(self) -> str:
        return f"Metadata({tuple(self)!r})"

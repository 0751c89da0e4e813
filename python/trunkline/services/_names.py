# SPDX-License-Identifier: MIT
"""Makes names of protobuf from arbitrary text."""

from __future__ import annotations

import re

_NO_IDENTIFIER = re.compile(r"[^A-Za-z0-9_]")
_WORD_BEGINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def identifier(text: str) -> str:
    made = _NO_IDENTIFIER.sub("_", text)
    return made if made and not made[0].isdigit() else f"_{made}"


def dotted(text: str) -> str:
    """Returns a full name whose parts are identifiers."""
    return ".".join(identifier(part) for part in text.split("."))


def upper_snake(text: str) -> str:
    """Returns ``SERVING_STATUS`` for ``ServingStatus``."""
    return _WORD_BEGINS.sub("_", text).upper()


def packages_of(name: str) -> list[str]:
    """Returns ``a`` and ``a.b`` for ``a.b.C``."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


class Distinct:
    """Hands out names that differ in more than case and underscores, as proto3 requires of fields and enum values."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._reserved: set[str] = set()

    def take(self, wanted: str) -> str:
        name = wanted
        number = 2
        while self._key(name) in self._taken or name in self._reserved:
            name = f"{wanted}_{number}"
            number += 1
        self._taken.add(self._key(name))
        return name

    def reserve(self, name: str) -> None:
        """Excludes exactly this name."""
        self._reserved.add(name)

    @staticmethod
    def _key(name: str) -> str:
        return name.replace("_", "").lower()

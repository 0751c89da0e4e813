# SPDX-License-Identifier: MIT
"""Turns docstrings into comments of descriptors."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any


def comment_of(thing: Any) -> str:
    """Returns the docstring of a class or function; empty if it has none of its own."""
    text = getattr(thing, "__doc__", None)
    if not isinstance(text, str):
        return ""
    if isinstance(thing, type):
        inherited = any(getattr(base, "__doc__", None) is text for base in thing.__mro__[1:])
        # Python generates one for dataclasses, named tuples and enumerations.
        if inherited or text.startswith(f"{thing.__name__}(") or text == "An enumeration.":
            return ""
    return inspect.cleandoc(text)


class Comments:
    """Adds comments to a file descriptor."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def add(self, path: Iterable[int], text: str) -> None:
        """Adds a comment. ``path`` is as in ``google.protobuf.SourceCodeInfo.Location``: field numbers and indices."""
        if not text:
            return
        lines = "".join(f" {line}\n" if line else "\n" for line in text.splitlines())
        self._file.source_code_info.location.add(path=path, span=(0, 0, 0), leading_comments=lines)

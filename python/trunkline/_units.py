# SPDX-License-Identifier: MIT
"""Batches whose items do not depend on each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Item = TypeVar("Item")


def do_each(items: list[Item], do: Callable[[Item], None], *, tries: int) -> None:
    """Does it with every item, whatever is raised meanwhile - signal handlers may do so between any two steps, and memory
    may be short -, then raises the first of that. An item with which it was not done is tried again, up to ``tries``."""
    first: BaseException | None = None
    left = items[::-1]
    tried = 0
    while left:
        try:
            while left:
                tried += 1
                do(left[-1])
                left.pop()
                tried = 0
        except BaseException as error:
            first = first or error
            if tried >= tries:
                left.pop()
                tried = 0
    if first is not None:
        try:
            raise first
        finally:
            del first  # which would keep its own traceback alive

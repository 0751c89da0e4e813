# SPDX-License-Identifier: MIT
"""Batches whose items do not depend on each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Item = TypeVar("Item")


def do_each(items: list[Item], do: Callable[[Item], None], *, tries: int) -> None:
    """Does it with every item and takes that from the list, whatever is raised meanwhile - signal handlers may do so between
    any two steps, and memory may be short -, then raises the first of that. An item at which it was interrupted is tried
    again, up to ``tries`` in all, so that it may be done twice."""
    first: BaseException | None = None
    tried = 0
    items.reverse()
    while items:
        try:
            while items:
                tried += 1
                do(items[-1])
                items.pop()
                tried = 0
        except BaseException as error:
            first = first or error
            if tried >= tries:
                items.pop()
                tried = 0
    if first is not None:
        try:
            raise first
        finally:
            del first  # which would keep its own traceback alive

# SPDX-License-Identifier: MIT
"""do_each: handles the items of a batch independently of each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Item = TypeVar("Item")


def do_each(items: list[Item], do: Callable[[Item], None], *, tries: int) -> None:
    """Calls ``do`` with every item and removes it from the list, then raises the first exception, if any.

    An exception does not stop the batch: a signal handler may raise between any two steps, and memory may run out. An
    item that was interrupted is tried again, up to ``tries`` times in all, so ``do`` may see it twice.
    """
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
            del first  # it would keep its own traceback alive

# SPDX-License-Identifier: MIT
"""Closing what is still open when the interpreter ends."""

from __future__ import annotations

import atexit
import os
import weakref
from typing import Protocol


class _Closeable(Protocol):
    def _close_at_exit(self) -> None: ...


_open: weakref.WeakSet[_Closeable] = weakref.WeakSet()


def track(thing: _Closeable) -> None:
    """It is closed at exit unless it is forgotten before."""
    _open.add(thing)


def forget(thing: _Closeable) -> None:
    _open.discard(thing)


def _close_all() -> None:
    for thing in list(_open):
        thing._close_at_exit()


def _start_anew() -> None:
    """In a forked child: what the parent has open is not the child's to close."""
    global _open
    _open = weakref.WeakSet()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_start_anew)

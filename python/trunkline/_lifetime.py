# SPDX-License-Identifier: MIT
"""Closing what is still open when the interpreter ends."""

from __future__ import annotations

import atexit
import logging
import os
import weakref
from typing import Protocol

from . import _threads

_log = logging.getLogger("trunkline")


class _Closeable(Protocol):
    def _close_at_exit(self) -> None: ...


_channels: weakref.WeakSet[_Closeable] = weakref.WeakSet()
#: Kept: a server serves until it is stopped, whether or not somebody holds on to it.
_servers: dict[int, _Closeable] = {}


def track_channel(channel: _Closeable) -> None:
    """It is closed at exit unless it is forgotten or let go of before."""
    _channels.add(channel)


def track_server(server: _Closeable) -> None:
    """It lives until it is forgotten, and is stopped at exit unless it is before."""
    _servers[id(server)] = server


def forget(thing: _Closeable) -> None:
    _channels.discard(thing)
    _servers.pop(id(thing), None)


def warn_of_streams(endpoint: str, cut_off: int) -> None:
    """Of a channel whose block is left."""
    if cut_off:
        _log.warning("leaving channel %s: streams cut off: %d", endpoint, cut_off)


def _close_all() -> None:
    # Channels first: what handlers still wait for ends.
    for thing in [*_channels, *_servers.values()]:
        try:
            thing._close_at_exit()
        except BaseException:
            _log.exception("closing at exit")
    _threads.join_all(5.0)


def _start_anew() -> None:
    """In a forked child: what the parent has open is not the child's to close."""
    global _channels
    _channels = weakref.WeakSet()
    _kept_by_parent.extend(_servers.values())
    _servers.clear()
    _threads._waiting.clear()


#: Never let go of in a child, where it cannot be taken apart.
_kept_by_parent: list[_Closeable] = []

atexit.register(_close_all)
os.register_at_fork(after_in_child=_start_anew)

# SPDX-License-Identifier: MIT
"""Closes the channels and stops the servers that are still open when the interpreter exits."""

from __future__ import annotations

import atexit
import logging
import os
import weakref
from typing import Protocol

from . import threads

_log = logging.getLogger("trunkline")


class _Closeable(Protocol):
    def _close_at_exit(self) -> None: ...


_channels: weakref.WeakSet[_Closeable] = weakref.WeakSet()
#: The servers that are open. These references are strong: a server serves until it is stopped, even without others.
_servers: dict[int, _Closeable] = {}


def track_channel(channel: _Closeable) -> None:
    """Closes the channel at exit unless it is forgotten or destroyed before."""
    _channels.add(channel)


def track_server(server: _Closeable) -> None:
    """Keeps the server alive until it is forgotten, and stops it at exit otherwise."""
    _servers[id(server)] = server


def forget(thing: _Closeable) -> None:
    """Stops tracking a channel that is closed or a server that has stopped."""
    _channels.discard(thing)
    _servers.pop(id(thing), None)


def _close_all() -> None:
    # Channels come first, so that handlers that wait for calls end.
    for thing in [*_channels, *_servers.values()]:
        try:
            thing._close_at_exit()
        except BaseException:
            _log.exception("closing at exit")
    threads.join_all(5.0)


def _start_anew() -> None:
    """Runs in a forked child: forgets the parent's channels and servers."""
    global _channels
    _channels = weakref.WeakSet()
    _kept_by_parent.extend(_servers.values())
    _servers.clear()
    threads._waiting.clear()


#: The list is never released in a forked child, where the destructors of its members must not run.
_kept_by_parent: list[_Closeable] = []

atexit.register(_close_all)
os.register_at_fork(after_in_child=_start_anew)

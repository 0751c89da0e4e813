# SPDX-License-Identifier: MIT
"""Closes the channels and stops the servers that are still open when the interpreter exits.

No thread is started for that. What the exit waits for, it waits for 5 seconds in all. Calls of other threads end, and
such a thread ends with a SystemExit in the place of their error (``_core.is_left_behind``).
"""

from __future__ import annotations

import atexit
import logging
import os
import time
import weakref
from typing import Protocol

from .. import _core
from . import threads

_log = logging.getLogger("trunkline")

#: Seconds that the exit waits in all.
_PATIENCE = 5.0
#: Seconds that it waits for each thing even if that time has passed, as most need no more.
_LEAST_PATIENCE = 0.1


class _Closeable(Protocol):
    def _close_at_exit(self) -> None: ...


_channels: weakref.WeakSet[_Closeable] = weakref.WeakSet()
#: The servers that are open. These references are strong: a server serves until it is stopped, even without others.
_servers: dict[int, _Closeable] = {}
#: What watches calls of servers until their end, and so is closed after them.
_watches: weakref.WeakSet[_Closeable] = weakref.WeakSet()
#: A point of ``time.monotonic()``; None before the exit.
_deadline: float | None = None


def track_channel(channel: _Closeable) -> None:
    """Closes the channel at exit unless it is forgotten or destroyed before."""
    _channels.add(channel)


def track_server(server: _Closeable) -> None:
    """Keeps the server alive until it is forgotten, and stops it at exit otherwise."""
    _servers[id(server)] = server


def track_watch(watch: _Closeable) -> None:
    """Closes the watch at exit, after the servers, unless it is destroyed before."""
    _watches.add(watch)


def forget(thing: _Closeable) -> None:
    """Stops tracking a channel that is closed or a server that has stopped."""
    _channels.discard(thing)
    _servers.pop(id(thing), None)


def time_left() -> float | None:
    """Returns the seconds that something may still be waited for at exit; None before it."""
    return None if _deadline is None else max(_LEAST_PATIENCE, _deadline - time.monotonic())


def patience(seconds: float) -> float:
    """Returns how long to wait for something that is waited for ``seconds`` before the exit."""
    left = time_left()
    return seconds if left is None else min(seconds, left)


def _close_all() -> None:
    global _deadline
    _deadline = time.monotonic() + _PATIENCE
    _core.begin_exit()
    # Channels come first, so that handlers that wait for calls end.
    for thing in [*_channels, *_servers.values(), *_watches]:
        try:
            thing._close_at_exit()
        except BaseException:
            _log.exception("closing at exit")
    threads.join_all(patience(_PATIENCE))


def _start_anew() -> None:
    """Runs in a forked child: forgets the parent's channels and servers, and its exit if that has begun."""
    global _channels, _watches, _deadline
    _channels, _watches = weakref.WeakSet(), weakref.WeakSet()
    _deadline = None
    _kept_by_parent.extend(_servers.values())
    _servers.clear()
    threads._waiting.clear()


#: The list is never released in a forked child, where the destructors of its members must not run.
_kept_by_parent: list[_Closeable] = []

atexit.register(_close_all)
os.register_at_fork(after_in_child=_start_anew)

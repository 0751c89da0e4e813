# SPDX-License-Identifier: MIT
"""CallEndWatch: runs the callbacks of served calls that clients have cancelled while their handlers still run, and ends
those that nothing else would end."""

from __future__ import annotations

import logging
import os
import select
import threading
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from .. import _core
from .._process.exit import track_watch
from .._process.threads import is_refused_by_exit, start_thread

_log = logging.getLogger(__name__)


class WatchedCall(Protocol):
    """A call that can be watched."""

    def _on_cancelled(self) -> None: ...


class CallEndWatch:
    """Watches the calls of one server. Its thread begins with the first call, and sleeps until a call is cancelled.

    At exit the server is stopped first, which cuts its calls off; then their callbacks run, for which the exit waits.
    """

    def __init__(self, make_inbox: Callable[[bool], _core.Inbox]) -> None:
        """``make_inbox`` is that of a server of the core."""
        self._make_inbox = make_inbox
        #: A lock that the destructor of a server may take while this thread has it.
        self._lock = threading.RLock()
        self._inbox: _core.Inbox | None = None
        #: The calls that nothing else may keep alive.
        self._held: set[WatchedCall] = set()
        self._is_closed = False
        self._process = os.getpid()
        track_watch(self)

    def add(self, call: WatchedCall, served: _core.ServedCall) -> None:
        """Runs the callbacks of the call once its client has cancelled it. Does not keep the call alive."""
        if self._process != os.getpid():
            return
        with self._lock:
            if self._is_closed:
                return
            inbox = self._inbox or self._start_thread()
            if inbox is not None:
                served.notify_cancelled(inbox, weakref.ref(call))

    def hold(self, call: WatchedCall, served: _core.ServedCall) -> None:
        """Does as ``add``, and keeps the call alive until ``release``."""
        self._held.add(call)
        self.add(call, served)

    def release(self, call: WatchedCall) -> None:
        """Undoes ``hold``; has no effect without it."""
        self._held.discard(call)

    def _start_thread(self) -> _core.Inbox | None:
        """Returns None if the system refuses the thread: the callbacks of a call then run once its handler ends."""
        inbox = self._make_inbox(True)
        try:
            start_thread(_run, inbox, name="trunkline-call-ends")
        except RuntimeError as error:
            if not is_refused_by_exit(error):
                _log.warning("callbacks of cancelled calls wait for the handlers, as a thread is refused: %s", error)
            return None
        self._inbox = inbox
        return inbox

    def _close_at_exit(self) -> None:
        self.close()

    def close(self) -> None:
        """Ends the thread, once the callbacks of the calls that have been cancelled have run. Calls that are added
        afterwards are not watched."""
        if self._process != os.getpid():
            return  # in a forked child another thread of the parent may have the lock for ever
        with self._lock:
            self._is_closed = True
            inbox, self._inbox = self._inbox, None
            if inbox is not None:
                inbox.close()
                os.write(inbox.fileno(), _ONE)  # wakes the thread


#: The bytes of a write that adds 1 to an eventfd.
_ONE = (1).to_bytes(8, "little")


def _run(inbox: _core.Inbox) -> None:
    ready = select.poll()
    ready.register(inbox.fileno(), select.POLLIN)
    is_closed = False
    while not is_closed:
        ready.poll()
        is_closed = inbox.is_closed()  # before the last calls are taken
        for reference, _ in inbox.take():
            _tell(reference)


def _tell(reference: Callable[[], Any]) -> None:
    call = reference()
    if call is None:
        return
    try:
        call._on_cancelled()
    except Exception:
        _log.exception("a call that its client has cancelled")

# SPDX-License-Identifier: MIT
"""CallEndWatch: runs the callbacks of served calls that clients have cancelled while their handlers still run."""

from __future__ import annotations

import os
import select
import threading
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from .. import _core


class WatchedCall(Protocol):
    """A call that can be watched."""

    def _run_callbacks_of_cancelled(self) -> None: ...


class CallEndWatch:
    """Watches the calls of one server. Its thread begins with the first call, and sleeps until a call is cancelled."""

    def __init__(self, make_inbox: Callable[[bool], _core.Inbox]) -> None:
        """``make_inbox`` is that of a server of the core."""
        self._make_inbox = make_inbox
        self._lock = threading.Lock()
        self._inbox: _core.Inbox | None = None
        self._is_closed = False
        self._process = os.getpid()

    def add(self, call: WatchedCall, served: _core.ServedCall) -> None:
        """Runs the callbacks of the call once its client has cancelled it. Does not keep the call alive."""
        with self._lock:
            if self._is_closed or self._process != os.getpid():
                return
            if self._inbox is None:
                self._inbox = self._make_inbox(True)
                arguments = (self._inbox,)
                threading.Thread(target=_run, args=arguments, name="trunkline-call-ends", daemon=True).start()
            served.notify_cancelled(self._inbox, weakref.ref(call))

    def close(self) -> None:
        """Ends the thread. Calls that are added afterwards are not watched."""
        with self._lock:
            self._is_closed = True
            inbox, self._inbox = self._inbox, None
            if inbox is not None and self._process == os.getpid():
                inbox.close()
                os.write(inbox.fileno(), _ONE)  # wakes the thread


#: The bytes of a write that adds 1 to an eventfd.
_ONE = (1).to_bytes(8, "little")


def _run(inbox: _core.Inbox) -> None:
    ready = select.poll()
    ready.register(inbox.fileno(), select.POLLIN)
    while not inbox.is_closed():
        ready.poll()
        for reference, _ in inbox.take():
            _run_callbacks(reference)


def _run_callbacks(reference: Callable[[], Any]) -> None:
    call = reference()
    if call is not None:
        call._run_callbacks_of_cancelled()

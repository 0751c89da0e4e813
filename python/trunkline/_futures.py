# SPDX-License-Identifier: MIT
"""Futures of calls, and the thread on which they complete."""

from __future__ import annotations

import concurrent.futures
import threading
from collections.abc import Callable
from typing import Any

from . import _core
from ._calls import Reply


class CallFuture(concurrent.futures.Future[Any]):
    """What ``submit`` gives; ``cancel()`` cancels the call on the wire."""

    _call: _core.ClientCall | None = None
    _decode: Callable[[bytes], Any] | None = None
    _reply: Reply | None = None
    #: Outlives its channel for calls that have not ended.
    _dispatcher: Dispatcher | None = None

    def cancel(self) -> bool:
        if not super().cancel():
            return False
        if self._call is not None:
            self._call.cancel()
        return True

    def _finish(self, outcome: Any) -> None:
        self._dispatcher = None
        if not self.set_running_or_notify_cancel():
            return
        if self._reply is not None and self._call is not None:
            self._reply._take(self._call)
        self._call = None
        if isinstance(outcome, BaseException):
            self.set_exception(outcome)
            return
        try:
            assert self._decode is not None
            message = self._decode(outcome)
        except Exception as error:
            self.set_exception(error)
        else:
            self.set_result(message)


class Dispatcher:
    """The thread on which a channel's futures complete. It looks after the loop, too."""

    def __init__(self, inbox: _core.Inbox) -> None:
        self.inbox = inbox
        self._thread = threading.Thread(target=_dispatch, args=(inbox,), name="trunkline-channel", daemon=True)
        self._thread.start()

    def __del__(self) -> None:
        self.inbox.close()

    def stop(self) -> None:
        self.inbox.close()
        if self._thread is not threading.current_thread():
            self._thread.join()


def _dispatch(inbox: _core.Inbox) -> None:
    while not inbox.is_closed():
        for future, outcome in inbox.wait_and_take(float("inf")):
            future._finish(outcome)

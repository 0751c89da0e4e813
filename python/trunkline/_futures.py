# SPDX-License-Identifier: MIT
"""Futures of calls, and the thread on which they complete."""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core
from ._calls import Reply
from ._errors import Cancelled
from ._interceptors import Interception, run_now


Response = TypeVar("Response")

_log = logging.getLogger("trunkline")


class CallFuture(concurrent.futures.Future[Response]):
    """What ``submit`` gives; ``cancel()`` cancels the call on the wire."""

    _call: _core.ClientCall | None = None
    _decode: Callable[[bytes], Any] | None = None
    _reply: Reply | None = None
    #: Outlives its channel for calls that have not ended.
    _dispatcher: Dispatcher | None = None
    _interception: Interception | None = None
    _send: Callable[[], None] | None = None

    def __init__(self) -> None:
        super().__init__()
        #: Held while a call is begun, so that its end does not overtake that.
        self._beginning = threading.Lock()

    def cancel(self) -> bool:
        if not super().cancel():
            return False
        call = self._call
        if call is not None:
            call.cancel()
        return True

    def _begin_with(self, interception: Interception, send: Callable[[], None]) -> None:
        """``send`` begins the call, as often as the interceptors ask for it."""
        self._interception = interception
        self._send = send
        self._go_on(run_now(interception.begin()))

    def _go_on(self, going: bool) -> None:
        assert self._interception is not None and self._send is not None
        while going and not self.cancelled():
            try:
                return self._send()
            except BaseException as error:
                going = run_now(self._interception.end(None, error))
        if going:  # cancelled while they asked for the call
            run_now(self._interception.end(None, Cancelled("the future was cancelled")))
        self._complete(self._interception.call.response, self._interception.error)

    def _finish(self, outcome: Any) -> None:
        """The call has ended on the wire."""
        with self._beginning:
            if self._reply is not None and self._call is not None:
                self._reply._take(self._call)
        response: Any = None
        error: BaseException | None = None
        if isinstance(outcome, BaseException):
            error = outcome
        elif not self.cancelled():
            try:
                assert self._decode is not None
                response = self._decode(outcome)
            except Exception as raised:
                error = raised
        if self._interception is None:
            self._complete(response, error)
        elif self.cancelled():
            run_now(self._interception.end(None, Cancelled("the future was cancelled")))
            self._complete(None, None)
        else:
            self._go_on(run_now(self._interception.end(response, error)))

    def _complete(self, response: Any, error: BaseException | None) -> None:
        self._call = self._dispatcher = self._interception = self._send = None
        if not self.set_running_or_notify_cancel():
            return
        if error is not None:
            self.set_exception(error)
        else:
            self.set_result(response)


    def _fail(self, error: BaseException) -> None:
        """Where completing it has raised; without effect once it is done."""
        if not self.done():
            self._complete(None, error)


class Dispatcher:
    """The thread on which a channel's futures complete. It looks after the loop, too."""

    def __init__(self, inbox: _core.Inbox) -> None:
        self.inbox = inbox
        self._thread = threading.Thread(target=_dispatch, args=(inbox,), name="trunkline-channel", daemon=True)
        self._thread.start()

    def __del__(self) -> None:
        self.inbox.close()

    def stop(self) -> None:
        """Once the channel is closed: what has ended by then is still told."""
        _complete(self.inbox.take())
        self.inbox.close()
        if self._thread is not threading.current_thread():
            self._thread.join()


def _dispatch(inbox: _core.Inbox) -> None:
    while not inbox.is_closed():
        _complete(inbox.wait_and_take(float("inf")))


def _complete(ended: list[tuple[CallFuture[Any], Any]]) -> None:
    for future, outcome in ended:
        # Interceptors and callbacks are the application's: whatever they raise, the other futures complete.
        try:
            future._finish(outcome)
        except BaseException as error:
            _log.error("completing a future: %s", type(error).__name__, exc_info=error)
            with contextlib.suppress(BaseException):
                future._fail(error)

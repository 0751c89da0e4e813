# SPDX-License-Identifier: MIT
"""Futures of calls, and the thread on which they complete."""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core
from ._calls import Reply
from ._errors import Cancelled, FailedPrecondition
from ._interceptors import Interception, run_now
from ._units import do_each

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
        """Gives the call up: True if it had not ended, which is then over here, and soon on the wire."""
        if not super().cancel():
            return False
        call = self._call
        if call is not None:
            call.cancel()
        return True

    def result(self, timeout: float | None = None) -> Response:
        """Waits for the response; raises what the call ended with, or TimeoutError after ``timeout`` seconds.

        In a callback of a future, RuntimeError for one of the same channel that has not ended: the thread that runs
        callbacks completes that, too.
        """
        self._check_waiting()
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """As ``result``, but gives the error; None if there is none."""
        self._check_waiting()
        return super().exception(timeout)

    def _check_waiting(self) -> None:
        dispatcher = self._dispatcher
        if dispatcher is not None and dispatcher.is_this_thread() and not self.done():
            raise RuntimeError("a callback of a future would wait for another one, which the same thread completes")

    def _fail_in_child(self) -> None:
        """Whoever held its locks, and was to complete it, has stayed in the parent; so has what its callbacks are for."""
        self._condition = threading.Condition()
        self._beginning = threading.Lock()
        self._call = self._dispatcher = self._interception = self._send = None
        self._done_callbacks: list[Any] = []
        if not self.done():
            self.set_exception(FailedPrecondition(_OF_PARENT))

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
        dispatcher, self._dispatcher = self._dispatcher, None
        self._call = self._interception = self._send = None
        try:
            if not self.set_running_or_notify_cancel():
                return
            if error is not None:
                self.set_exception(error)
            else:
                self.set_result(response)
        finally:
            if dispatcher is not None:
                dispatcher.pending.discard(self)

    def _fail(self, error: BaseException) -> None:
        """Where completing it has raised; without effect once it is done."""
        dispatcher, self._dispatcher = self._dispatcher, None
        if dispatcher is not None:
            dispatcher.pending.discard(self)
        if not self.done():
            self.set_exception(error)


class Dispatcher:
    """The thread on which a channel's futures complete. It looks after the loop, too."""

    def __init__(self, inbox: _core.Inbox) -> None:
        self.inbox = inbox
        #: Futures of calls that have begun and not ended.
        self.pending: set[CallFuture[Any]] = set()
        self._thread = threading.Thread(target=_dispatch, args=(inbox,), name="trunkline-channel", daemon=True)
        self._thread.start()
        _dispatchers.add(self)

    def __del__(self) -> None:
        self.inbox.close()

    def is_this_thread(self) -> bool:
        return self._thread.ident == threading.get_ident()

    def stop(self) -> None:
        """Once the channel is closed: what has ended by then is still told, on this thread alone."""
        self.inbox.close()
        if self.is_this_thread():
            _complete(self.inbox.take())
        else:
            self._thread.join()


def _dispatch(inbox: _core.Inbox) -> None:
    is_closed = False
    while not is_closed:
        is_closed = inbox.is_closed()
        try:
            _complete(inbox.take() if is_closed else inbox.wait_and_take(float("inf")))
        except BaseException as error:  # for want of memory
            with contextlib.suppress(BaseException):
                _log.error("completing futures: %s", type(error).__name__, exc_info=error)
            time.sleep(0.01)


def _complete(ended: list[tuple[CallFuture[Any], Any]]) -> None:
    do_each(ended, _finish, tries=2)


def _finish(ended: tuple[CallFuture[Any], Any]) -> None:
    """Interceptors and callbacks are the application's: whatever they raise, the other futures complete."""
    future, outcome = ended
    if future._dispatcher is None:
        return  # done, though something was raised afterwards
    try:
        future._finish(outcome)
    except BaseException as error:
        with contextlib.suppress(BaseException):
            future._fail(error)
        with contextlib.suppress(BaseException):
            _log.error("completing a future: %s", type(error).__name__, exc_info=error)


_OF_PARENT = "use future: its channel was made before fork(), in the parent process; make one in this one"
_dispatchers: weakref.WeakSet[Dispatcher] = weakref.WeakSet()
#: Held while a channel gets its dispatcher, or loses it.
starting = threading.Lock()
#: Never let go of in a child, where they cannot be taken apart.
_of_parent: list[Any] = []


def _start_anew() -> None:
    """In a forked child."""
    global _dispatchers, starting
    starting = threading.Lock()
    left, _dispatchers = list(_dispatchers), weakref.WeakSet()
    _of_parent.extend(left)
    for dispatcher in left:
        for future in list(dispatcher.pending):
            future._fail_in_child()
        _of_parent.extend(dispatcher.pending)


os.register_at_fork(after_in_child=_start_anew)

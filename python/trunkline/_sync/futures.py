# SPDX-License-Identifier: MIT
"""CallFuture: the future of a call; Dispatcher: the thread on which the futures of a channel complete."""

from __future__ import annotations

import concurrent.futures
import contextlib
import contextvars
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from .. import _core
from .._calls.interception import Interception, run_now
from .._client.response_info import ResponseInfo
from .._client.state_watch import StateWatch
from .._errors import Cancelled, FailedPrecondition
from .._process.batches import do_each
from .._process.exit import time_left
from .._process.green_threads import check_real_threads
from .._process.thread_names import name_for_system

Response = TypeVar("Response")

_log = logging.getLogger("trunkline")

#: The context that the end of each future begins with a copy of.
_EMPTY = contextvars.Context()


class CallFuture(concurrent.futures.Future[Response]):
    """The future of a call, made by ``submit``. ``cancel()`` cancels the call on the wire."""

    _call: _core.ClientCall | None = None
    _decode: Callable[[bytes], Any] | None = None
    _response_info: ResponseInfo | None = None
    #: The dispatcher of the channel, which lives as long as the call, even if the channel does not.
    _dispatcher: Dispatcher | None = None
    _interception: Interception | None = None
    #: The context variables of the interceptors, which begin and end on different threads: a copy of the caller's.
    _context: contextvars.Context | None = None
    _send: Callable[[], None] | None = None

    def __init__(self) -> None:
        super().__init__()
        #: A lock that is held while the call begins, so that its end does not overtake that.
        self._begin_lock = threading.Lock()

    def cancel(self) -> bool:
        """Cancels the call. Returns True if it had not ended. The future is then done, and the server is notified."""
        if not super().cancel():
            return False
        call = self._call
        if call is not None:
            call.cancel()
        return True

    def result(self, timeout: float | None = None) -> Response:
        """Waits for the response. Raises the error of the call, or TimeoutError after ``timeout`` seconds.

        Raises RuntimeError in a callback of a future of the same channel, if this future is not done: the thread that
        runs the callbacks would have to complete it.
        """
        self._check_waiting()
        try:
            return super().result(timeout)
        except BaseException:
            self._check_left_behind()
            raise

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Waits as ``result`` does, and returns the error; None without one."""
        self._check_waiting()
        error = super().exception(timeout)
        if error is not None:
            self._check_left_behind()
        return error

    def _check_left_behind(self) -> None:
        """Ends a thread that the exit of the interpreter leaves behind, in the place of the error of the call."""
        if self.done():
            _core.end_if_left_behind()

    def _check_waiting(self) -> None:
        dispatcher = self._dispatcher
        if dispatcher is not None and dispatcher.is_this_thread() and not self.done():
            raise RuntimeError("a callback of a future would wait for another one, which the same thread completes")

    def _fail_in_child(self) -> None:
        """Completes it with an error in a forked child. The thread that would complete it, and may hold its locks,
        exists in the parent only; its callbacks are for the parent."""
        self._condition = threading.Condition()
        self._begin_lock = threading.Lock()
        self._call = self._dispatcher = self._interception = self._context = self._send = None
        self._done_callbacks: list[Any] = []
        if not self.done():
            self.set_exception(FailedPrecondition(_OF_PARENT))

    def _begin_with(self, interception: Interception, send: Callable[[], None]) -> None:
        """Begins the call. ``send`` sends it, as often as the interceptors ask for that."""
        self._interception = interception
        self._context = contextvars.copy_context()
        self._send = send
        self._send_or_complete(self._intercept(interception.begin()))

    def _intercept(self, steps: Coroutine[Any, Any, bool]) -> bool:
        """Runs steps of the interceptors, and nothing else, in their context: one thread may be in it at a time."""
        assert self._context is not None
        return self._context.run(run_now, steps)

    def _send_or_complete(self, is_to_be_sent: bool) -> None:
        assert self._interception is not None and self._send is not None
        while is_to_be_sent and not self.cancelled():
            try:
                return self._send()
            except BaseException as error:
                is_to_be_sent = self._intercept(self._interception.end(None, error))
        if is_to_be_sent:  # cancelled in the meantime
            self._intercept(self._interception.end(None, Cancelled("the future was cancelled")))
        self._complete(self._interception.call.response, self._interception.error)

    def _finish(self, outcome: Any) -> None:
        """Runs when the call has ended on the wire."""
        with self._begin_lock:
            if self._response_info is not None and self._call is not None:
                self._response_info._take(self._call)
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
            self._intercept(self._interception.end(None, Cancelled("the future was cancelled")))
            self._complete(None, None)
        else:
            self._send_or_complete(self._intercept(self._interception.end(response, error)))

    def _complete(self, response: Any, error: BaseException | None) -> None:
        dispatcher, self._dispatcher = self._dispatcher, None
        self._call = self._interception = self._context = self._send = None
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
        """Completes it with an error if completing it has raised. This has no effect once it is done."""
        dispatcher, self._dispatcher = self._dispatcher, None
        if dispatcher is not None:
            dispatcher.pending.discard(self)
        if not self.done():
            self.set_exception(error)


class Dispatcher:
    """The thread on which the futures of a channel complete. It also runs the channel's loop."""

    def __init__(self, inbox: _core.Inbox) -> None:
        self.inbox = inbox
        check_real_threads("a future of a call")
        #: The futures of calls in progress.
        self.pending: set[CallFuture[Any]] = set()
        self._thread = threading.Thread(target=_dispatch, args=(inbox,), name="trunkline-channel", daemon=True)
        self._thread.start()
        _dispatchers.add(self)
        name_for_system(self._thread)

    def __del__(self) -> None:
        self.inbox.close()

    def is_this_thread(self) -> bool:
        return self._thread.ident == threading.get_ident()

    def stop(self) -> None:
        """Completes the futures of calls that have ended, and ends the thread. Call it after the channel is closed. At
        exit it does not wait long for the callback of a future."""
        self.inbox.close()
        if self.is_this_thread():
            _complete(self.inbox.take())
        else:
            self._thread.join(time_left())


def _dispatch(inbox: _core.Inbox) -> None:
    _core.keep_through_exit()
    is_closed = False
    while not is_closed:
        is_closed = inbox.is_closed()
        try:
            _complete(inbox.take() if is_closed else inbox.wait_and_take(float("inf")))
        except BaseException as error:  # out of memory
            with contextlib.suppress(BaseException):
                _log.error("completing futures: %s", type(error).__name__, exc_info=error)
            time.sleep(0.01)


def _complete(ended: list[tuple[CallFuture[Any] | StateWatch, Any]]) -> None:
    do_each(ended, _finish, tries=2)


def _finish(ended: tuple[CallFuture[Any] | StateWatch, Any]) -> None:
    """Completes one future. Whatever interceptors and callbacks of the application raise, the other futures complete.
    The context variables that they set are seen by no other future."""
    future, outcome = ended
    if isinstance(future, StateWatch):
        try:
            return _EMPTY.copy().run(future.report, outcome)
        except Exception:
            return _log.exception("on_state_change: the callback has raised")
    if future._dispatcher is None:
        return  # done before an exception interrupted the batch
    try:
        _EMPTY.copy().run(future._finish, outcome)
    except BaseException as error:
        with contextlib.suppress(BaseException):
            future._fail(error)
        with contextlib.suppress(BaseException):
            _log.error("completing a future: %s", type(error).__name__, exc_info=error)


_OF_PARENT = "use future: its channel was made in the parent process, before fork(); make a new one in this process"
_dispatchers: weakref.WeakSet[Dispatcher] = weakref.WeakSet()
#: The lock is held while a channel starts or stops its dispatcher.
dispatcher_lock = threading.Lock()
#: The list is never released in a forked child, where the destructors of its members must not run.
_of_parent: list[Any] = []


def _start_anew() -> None:
    """Runs in a forked child: forgets the parent's dispatchers and futures."""
    global _dispatchers, dispatcher_lock
    dispatcher_lock = threading.Lock()
    left, _dispatchers = list(_dispatchers), weakref.WeakSet()
    _of_parent.extend(left)
    for dispatcher in left:
        for future in list(dispatcher.pending):
            future._fail_in_child()
        _of_parent.extend(dispatcher.pending)


os.register_at_fork(after_in_child=_start_anew)

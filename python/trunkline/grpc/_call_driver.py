# SPDX-License-Identifier: MIT
"""CallDriver: sends the streaming calls of a channel that no thread waits for."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import weakref

from .. import _core
from .._errors import RpcError as CoreError
from .._process.green_threads import check_real_threads

_log = logging.getLogger(__name__)

#: Seconds for which the thread leaves a call to its caller, who mostly reads at once and so sends it himself.
_PAUSE = 0.001
#: Seconds after the last call until the thread ends.
_PATIENCE = 2.0
#: The least number of kept operations at which those that have ended are dropped.
_MANY = 64

_drivers: weakref.WeakSet[CallDriver] = weakref.WeakSet()


class CallDriver:
    """Runs the loop of a channel while streaming calls have no answer, so that they are sent although no thread waits
    for them. The thread begins with the first call, serves all calls of the channel, and sleeps while none of them is
    unanswered. While one is, unary calls of other threads take turns with it, which costs them a change of threads."""

    def __init__(self) -> None:
        self._reset()
        _drivers.add(self)

    def _reset(self) -> None:
        """Begins without calls and without a thread."""
        #: A lock that a signal handler may take again, as it may make calls and close the channel.
        lock = threading.RLock()
        self._changed = threading.Condition(lock)
        self._closing = threading.Condition(lock)
        #: The waits for the metadata that comes before the first response, by their id().
        self._unanswered: dict[int, _core.StreamOperation] = {}
        #: The number of operations at which those that have ended are dropped next.
        self._most = _MANY
        self._has_thread = False
        self._is_closed = False

    def drive(self, answer: _core.StreamOperation) -> None:
        """Runs the loop until the operation has ended, which the call must not deliver to an inbox. If the system
        refuses the thread, the call is sent once a thread waits for it."""
        with self._changed:
            if self._is_closed:
                return  # the close has ended the call
            if len(self._unanswered) >= self._most:
                for each in list(self._unanswered.values()):
                    if each.is_done():
                        self._unanswered.pop(id(each), None)
                self._most = max(_MANY, 2 * len(self._unanswered))
            self._unanswered[id(answer)] = answer
            self._changed.notify()
            if not self._has_thread:
                self._start_thread()

    def close(self) -> None:
        """Ends the thread, once the channel is closed."""
        with self._changed:
            self._is_closed = True
            self._unanswered.clear()
            self._changed.notify_all()
            self._closing.notify_all()

    def _start_thread(self) -> None:
        self._has_thread = True
        try:
            check_real_threads("a call with a stream of responses")
            threading.Thread(target=self._run, name="trunkline-driver", daemon=True).start()
        except RuntimeError:
            self._has_thread = False
        except BaseException:  # of a signal handler
            self._has_thread = False
            raise

    def _run(self) -> None:
        with contextlib.suppress(SystemExit):  # the exit of the interpreter leaves this thread behind
            while self._wait_for_calls():
                with self._closing:
                    if not self._is_closed:
                        self._closing.wait(_PAUSE)
                self._wait_for_answers()

    def _wait_for_calls(self) -> bool:
        """Returns False if the thread shall end."""
        with self._changed:
            self._changed.wait_for(lambda: self._unanswered or self._is_closed, _PATIENCE)
            self._has_thread = bool(self._unanswered)
            return self._has_thread

    def _wait_for_answers(self) -> None:
        while True:
            with self._changed:
                if not self._unanswered:
                    return
                _, answer = self._unanswered.popitem()
            try:
                if not answer.is_done():
                    answer.wait()
            except CoreError:
                pass  # whoever asks for the status of the call gets it
            except Exception:
                _log.exception("a wait for the answer of a call has failed")
            del answer  # it keeps the stream alive


def _start_anew() -> None:
    """Runs in a forked child, which has none of the parent's threads: one of them may have held a lock."""
    for driver in list(_drivers):
        driver._reset()


os.register_at_fork(after_in_child=_start_anew)

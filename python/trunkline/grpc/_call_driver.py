# SPDX-License-Identifier: MIT
"""CallDriver: sends the streaming calls of a channel that no thread waits for."""

from __future__ import annotations

import contextlib
import threading
import time

from .. import _core
from .._errors import RpcError as CoreError
from .._process.green_threads import check_real_threads

#: Seconds for which the thread leaves a call to its caller, who mostly reads at once and so sends it himself.
_PAUSE = 0.001
#: Seconds after the last call until the thread ends.
_PATIENCE = 2.0
#: The least number of kept operations at which those that have ended are dropped.
_MANY = 64


class CallDriver:
    """Runs the loop of a channel while streaming calls have no answer, so that they are sent although no thread waits
    for them. The thread begins with the first call, serves all calls of the channel, and sleeps while none of them is
    unanswered: unary calls then find nobody in their way."""

    def __init__(self) -> None:
        #: Its lock is one that a signal handler may take again, as it may close the channel.
        self._changed = threading.Condition()
        #: The waits for the metadata that comes before the first response.
        self._unanswered: list[_core.StreamOperation] = []
        #: The number of operations at which those that have ended are dropped next.
        self._most = _MANY
        self._has_thread = False
        self._is_asleep = False

    def drive(self, answer: _core.StreamOperation) -> None:
        """Runs the loop until the operation has ended, which the call must not deliver to an inbox. If the system
        refuses the thread, the call is sent once a thread waits for it."""
        with self._changed:
            if len(self._unanswered) >= self._most:
                self._unanswered = [each for each in self._unanswered if not each.is_done()]
                self._most = max(_MANY, 2 * len(self._unanswered))
            self._unanswered.append(answer)
            if self._is_asleep:
                self._is_asleep = False
                self._changed.notify()
            elif not self._has_thread:
                with contextlib.suppress(RuntimeError):
                    check_real_threads("a call with a stream of responses")
                    threading.Thread(target=self._run, name="trunkline-driver", daemon=True).start()
                    self._has_thread = True

    def close(self) -> None:
        """Ends the thread, once the channel is closed."""
        with self._changed:
            self._is_asleep = False
            self._changed.notify()

    def _run(self) -> None:
        with contextlib.suppress(SystemExit):  # the exit of the interpreter leaves this thread behind
            while self._has_more():
                time.sleep(_PAUSE)
                self._wait_for_answers()

    def _has_more(self) -> bool:
        """Waits for a call. Returns False if the thread shall end."""
        with self._changed:
            if not self._unanswered:
                self._is_asleep = True
                self._changed.wait_for(lambda: not self._is_asleep, _PATIENCE)
                self._is_asleep = False
            self._has_thread = bool(self._unanswered)
            return self._has_thread

    def _wait_for_answers(self) -> None:
        while True:
            with self._changed:
                if not self._unanswered:
                    return
                answer = self._unanswered.pop()
            if not answer.is_done():
                with contextlib.suppress(CoreError):  # whoever asks for the status of the call gets it
                    answer.wait()
            del answer  # it keeps the stream alive

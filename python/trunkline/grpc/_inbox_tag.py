# SPDX-License-Identifier: MIT
"""InboxTag: the dispatcher of a channel calls it when an operation of the core has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._errors import FailedPrecondition
from .._sync.futures import Dispatcher


class InboxTag:
    """Passes the outcome of one operation to a function, on the dispatcher's thread."""

    def __init__(self, dispatcher: Dispatcher, take: Callable[[Any], None]) -> None:
        """``take`` is called once, with what the operation has returned, or with the exception that it has raised."""
        self._dispatcher: Dispatcher | None = dispatcher
        self._take = take
        dispatcher.pending.add(self)  # type: ignore[arg-type]

    def forget(self) -> None:
        """Drops the tag of an operation that has not begun."""
        dispatcher, self._dispatcher = self._dispatcher, None
        if dispatcher is not None:
            dispatcher.pending.discard(self)

    def finish(self, outcome: Any) -> None:
        """Passes the outcome on, on this thread, unless the dispatcher has passed it on. Call it once its inbox is
        closed."""
        if self._dispatcher is not None:
            self._finish(outcome)

    # --- what the dispatcher needs of the futures that it completes ---

    def _finish(self, outcome: Any) -> None:
        self.forget()
        self._take(outcome)

    def _fail(self, error: BaseException) -> None:
        self.forget()

    def _fail_in_child(self) -> None:
        self._dispatcher = None
        self._take(FailedPrecondition("the call was begun in the parent process, before fork()"))

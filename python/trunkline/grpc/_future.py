# SPDX-License-Identifier: MIT
"""Future: the interface of a computation that ends later."""

from __future__ import annotations

import abc
from collections.abc import Callable
from types import TracebackType
from typing import Any


class Future(abc.ABC):
    """A computation that ends later: a call, or a channel's becoming ready."""

    @abc.abstractmethod
    def cancel(self) -> bool:
        """Asks for the computation's cancellation."""

    @abc.abstractmethod
    def cancelled(self) -> bool:
        """Returns whether the computation was cancelled before it ended."""

    @abc.abstractmethod
    def running(self) -> bool:
        """Returns whether the computation has not ended."""

    @abc.abstractmethod
    def done(self) -> bool:
        """Returns whether the computation has ended."""

    @abc.abstractmethod
    def result(self, timeout: float | None = None) -> Any:
        """Waits for the result. Raises what the computation has raised, FutureTimeoutError after ``timeout`` seconds,
        FutureCancelledError if it was cancelled."""

    @abc.abstractmethod
    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Waits as ``result`` does, and returns what the computation has raised; None if it has raised nothing."""

    @abc.abstractmethod
    def traceback(self, timeout: float | None = None) -> TracebackType | None:
        """Waits as ``exception`` does, and returns the traceback."""

    @abc.abstractmethod
    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        """Calls ``fn(future)`` once the computation has ended, at once if it has."""

# SPDX-License-Identifier: MIT
"""Boards: events that handlers of the conformance server report and wait for."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from trunkline import Context


class BlockingBoard:
    """A board for handlers on threads."""

    def __init__(self) -> None:
        self._events: dict[str, Any] = {}
        self._changed = threading.Condition()

    def tell(self, name: str, value: Any = None) -> None:
        with self._changed:
            self._events[name] = value
            self._changed.notify_all()

    def wait_for(self, name: str, context: Context) -> Any:
        """Waits for the event. Returns None if the caller has cancelled the call."""
        with self._changed:
            while name not in self._events and not context.is_cancelled():
                self._changed.wait(0.01)  # plain functions are not interrupted when their call is cancelled
            return self._events.get(name)

    def wait_until_cancelled(self, context: Context) -> None:
        with self._changed:
            while not context.is_cancelled():
                self._changed.wait(0.01)


class AsyncioBoard:
    """A board for coroutines, whose waits end when they are cancelled."""

    def __init__(self) -> None:
        self._events: dict[str, Any] = {}
        self._changed = asyncio.Condition()

    async def tell(self, name: str, value: Any = None) -> None:
        async with self._changed:
            self._events[name] = value
            self._changed.notify_all()

    async def wait_for(self, name: str) -> Any:
        async with self._changed:
            await self._changed.wait_for(lambda: name in self._events)
            return self._events[name]

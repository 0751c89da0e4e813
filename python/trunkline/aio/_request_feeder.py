# SPDX-License-Identifier: MIT
"""RequestFeeder: begins calls with the requests of an async iterable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable
from typing import Any

from ._request_source import RequestSource
from ._request_task import RequestTask


class RequestFeeder:
    """Takes requests from an async iterable in a task of its own, up to ``window`` of them ahead, so that responses are
    yielded while the iterable waits, perhaps for one of them."""

    def __init__(self, requests: AsyncIterable[Any], window: int, add: Callable[[Any], asyncio.Future[Any]]) -> None:
        """Starts the task. ``add`` begins a call and returns its future."""
        room = asyncio.Semaphore(window)
        self._room = room
        self._changed = asyncio.Event()
        notice = self._notice

        async def feed(source: RequestSource) -> None:
            await room.acquire()
            async for request in source:
                add(request).add_done_callback(notice)
                await room.acquire()

        self._task = RequestTask(requests, feed)
        self._task.exhausted.add_done_callback(notice)

    def _notice(self, _: Any) -> None:
        """Wakes ``until``: a call has ended, or no more requests follow."""
        self._changed.set()

    def add_room(self) -> None:
        """Has one more request taken, as a response has been yielded."""
        self._room.release()

    async def until(self, is_ready: Callable[[], bool]) -> None:
        """Waits until ``is_ready()``, or until there are no more requests."""
        while not (self._task.exhausted.done() or is_ready()):
            self._changed.clear()
            await self._changed.wait()

    def raise_failure(self) -> None:
        """Raises what the requests have raised, or beginning a call, once."""
        self._task.raise_failure()

    def stop(self) -> None:
        """Has the requests closed, as ``RequestTask.stop`` does."""
        self._task.stop()

    async def end(self) -> None:
        """Has the requests closed, as ``RequestTask.end`` does."""
        await self._task.end()

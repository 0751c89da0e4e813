# SPDX-License-Identifier: MIT
"""WrittenRequests: the requests that are written to a call with interceptors."""

from __future__ import annotations

import asyncio
from typing import Any

#: Stands for the end of the requests.
END: Any = object()
_NOTHING: Any = object()


class WrittenRequests:
    """The requests that are written to a call, as an async iterator for its interceptors. It holds one of them at most,
    and has one reader. It ends with the call."""

    def __init__(self) -> None:
        #: True once no more requests may be written.
        self.is_closed = False
        self._request: Any = _NOTHING
        self._has_ended = False
        #: A lock that keeps the requests of several writers in their order.
        self._writing = asyncio.Lock()
        self._has_room = asyncio.Event()
        self._has_request = asyncio.Event()

    async def put(self, request: Any) -> bool:
        """Hands a request on once the one before it was taken. Returns False if the call has ended. If the task is
        cancelled, the request is not handed on."""
        async with self._writing:
            await self.wait_until_taken()
            if self._has_ended:
                return False
            self._request = request
            self._has_request.set()
            return True

    async def wait_until_taken(self) -> None:
        """Waits until the request that is held was taken, or the call has ended."""
        while self._request is not _NOTHING and not self._has_ended:
            self._has_room.clear()
            await self._has_room.wait()

    def end(self) -> None:
        """Ends the iterator and the writes that wait, as the call has ended."""
        self._has_ended = True
        self._request = _NOTHING
        self._has_room.set()
        self._has_request.set()

    def __aiter__(self) -> WrittenRequests:
        return self

    async def __anext__(self) -> Any:
        while self._request is _NOTHING:
            if self._has_ended:
                raise StopAsyncIteration
            self._has_request.clear()
            await self._has_request.wait()
        request, self._request = self._request, _NOTHING
        self._has_room.set()
        if request is END:
            self._has_ended = True
            raise StopAsyncIteration
        return request

# SPDX-License-Identifier: MIT
"""RequestWriter: writes the requests of a native call, in a task of its own."""

from __future__ import annotations

import asyncio
from typing import Any

from .._errors import Cancelled, DeadlineExceeded, RpcError
from ._request_source import RequestSource
from ._request_task import Requests, RequestTask
from ._stream_call import AsyncStreamCall

#: Stands for a request that is not there, as None may be one.
NOTHING: Any = object()


class RequestWriter:
    """Writes the requests of one call, in a RequestTask. If they raise, it cancels the call."""

    def __init__(self, requests: Requests, call: AsyncStreamCall | None = None) -> None:
        """Starts the task. ``call`` is None if the type of the first request decides how it is made: ``write_to`` sets
        it then."""
        loop = asyncio.get_running_loop()
        #: The type of the first request.
        first: asyncio.Future[Any] = loop.create_future()
        given: asyncio.Future[AsyncStreamCall] = loop.create_future()
        if call is not None:
            given.set_result(call)
        self._first = first
        self._given = given
        self._task = RequestTask(requests, lambda source: _write(source, first, given))

    async def first_type(self, timeout: float | None) -> Any:
        """Waits for the first request and returns its type; Any if there is none. Raises what the requests raise, and
        DeadlineExceeded if it does not come within ``timeout`` seconds."""
        ends = (self._first, self._task.exhausted)
        await asyncio.wait(ends, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if self._first.done():
            return self._first.result()
        if not self._task.exhausted.done():
            raise DeadlineExceeded("call: its first request did not come in time")
        self._task.raise_failure()
        raise Cancelled("the requests were cancelled")

    def write_to(self, call: AsyncStreamCall) -> None:
        """Has the requests written, the first one included. Must be called once if there was no call before."""
        self._given.set_result(call)

    def stop(self) -> None:
        """Has the requests closed, as ``RequestTask.stop`` does."""
        self._given.cancel()
        self._task.stop()

    async def end(self) -> None:
        """Has the requests closed, as ``RequestTask.end`` does."""
        self._given.cancel()
        await self._task.end()

    def raise_failure(self) -> None:
        """Raises what the requests have raised before the end of the call, or their encoding, once."""
        self._task.raise_failure()


async def _write(
    source: RequestSource, first: asyncio.Future[Any], given: asyncio.Future[AsyncStreamCall]
) -> None:
    request: Any = NOTHING
    if not given.done():
        request = await anext(source, NOTHING)
        first.set_result(Any if request is NOTHING else type(request))
    call = await given
    try:
        try:
            await call.opened()
        except RpcError:
            return  # the reader reports it
        if request is not NOTHING and not await call.write_unless_ended(request):
            return
        async for request in source:
            if not await call.write_unless_ended(request):
                return
    except BaseException:
        if not call.has_ended:
            call.cancel()
        raise
    finally:
        del request  # the traceback of an error refers to this frame
    await call.close_writes_unless_ended()

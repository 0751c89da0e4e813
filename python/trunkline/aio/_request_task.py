# SPDX-License-Identifier: MIT
"""RequestTask: the task that iterates over the requests of a call, or of many calls, and closes their iterator."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterable, Callable, Coroutine, Iterable
from typing import Any, Union

from .. import _core
from .._errors import Cancelled
from ._background import keep_running
from ._left_loop import check_left_loop
from ._request_source import RequestSource

_log = logging.getLogger("trunkline")

Requests = Union[Iterable[Any], AsyncIterable[Any]]
Use = Callable[[RequestSource], Coroutine[Any, Any, None]]

#: Seconds for which the end of a call waits for its requests to be closed, which may take any time.
CLOSE_TIMEOUT = 0.1


class RequestTask:
    """Iterates over requests in a task of its own.

    All of a generator runs in this one task and its context, from the first request to the end of its ``finally``
    blocks, as its context variables, timeouts and task groups demand. Only this task closes it.
    """

    def __init__(self, requests: Requests, use: Use) -> None:
        """Starts the task. ``use`` iterates over the source and handles the requests. Keep this object until ``stop``:
        loops hold their tasks weakly."""
        self._use: Use | None = use
        self._failure: BaseException | None = None
        #: True once nobody wants more requests.
        self.is_over = False
        self._is_closing = False
        loop = asyncio.get_running_loop()
        #: Done once no more requests follow: they have ended, or failed.
        self.exhausted: asyncio.Future[None] = loop.create_future()
        self._task: asyncio.Task[None] = loop.create_task(self._run(requests))

    def raise_failure(self) -> None:
        """Raises what the requests, or ``use``, have raised, once. Cancelled takes the place of their CancelledError, as
        nobody has cancelled the caller."""
        check_left_loop()
        failure, self._failure = self._failure, None
        if failure is None:
            return
        try:
            raise failure from None
        finally:
            del failure  # it would keep its own traceback alive

    def stop(self) -> None:
        """Has the requests closed, since nobody wants more of them. What they raise from now on is logged. Call it on
        the loop's thread."""
        self.is_over = True
        if self._task.done():
            return
        keep_running(self._task)
        if not self._is_closing and self._task is not asyncio.current_task():
            self._task.cancel()

    async def end(self) -> None:
        """Stops it, and waits a little for the requests to be closed. If that takes longer, it goes on by itself.

        The task that waits may be cancelled, even at every turn of the loop: that neither interrupts the close nor
        ends the wait, and CancelledError is raised at its end.
        """
        self.stop()
        if self._task is asyncio.current_task():
            return
        loop = asyncio.get_running_loop()
        end = loop.time() + CLOSE_TIMEOUT
        interruption: BaseException | None = None
        while not self._task.done() and (left := end - loop.time()) > 0:
            try:
                await asyncio.wait((self._task,), timeout=left)
            except asyncio.CancelledError as error:
                interruption = error
        if interruption is None:
            return
        try:
            raise interruption
        finally:
            del interruption  # it would keep its own traceback alive

    async def _run(self, requests: Requests) -> None:
        source: RequestSource | None = None
        use, self._use = self._use, None
        assert use is not None
        try:
            source = RequestSource(requests)
            del requests
            await use(source)
        except asyncio.CancelledError:
            # Unless stop() has cancelled the task, the requests have not come to their end.
            if not self.is_over:
                self._failure = Cancelled("the requests were cancelled")
        except BaseException as error:
            self._fail(error)
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise  # for the event loop
        finally:
            del use  # it refers to the call
            self._is_closing = True
            if not self.exhausted.done():
                self.exhausted.set_result(None)
            if source is not None:
                await source.close()

    def _fail(self, error: BaseException) -> None:
        if _core.is_left_behind():
            return
        if self.is_over:
            _log.error("the requests of a call that has ended: %s", type(error).__name__, exc_info=error)
        else:
            self._failure = error

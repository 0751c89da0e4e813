# SPDX-License-Identifier: MIT
"""Hosts servers of either kind without a port, for code that blocks and for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Any, TypeVar

from .. import aio
from .._sync.server import RunningServer, Server
from ..aio._loop_inbox import in_a_thread

Result = TypeVar("Result")
Self = TypeVar("Self", bound="LoopThread")

_numbers = itertools.count(1)

AnyServer = Server | aio.Server


def _endpoint() -> str:
    return f"inproc://trunkline-testing-{next(_numbers)}"


def server_of(service: Any, makes: tuple[Callable[[], AnyServer], ...]) -> AnyServer:
    """Returns the server itself, or one that serves the service. ``makes`` are classes of servers, of which the first
    suitable one is used."""
    if isinstance(service, (Server, aio.Server)):
        return service
    instance = service() if isinstance(service, type) else service
    for make in makes[:-1]:
        server = make()
        try:
            server.add_service(instance)
        except TypeError:
            continue  # it has async methods, or the last class reports the error
        return server
    server = makes[-1]()
    server.add_service(instance)
    return server


class LoopThread:
    """An event loop on a thread of its own. Leaving the block cancels the tasks that are left on it."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="trunkline-testing", daemon=True)
        self._started = threading.Event()
        self._process = os.getpid()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._started.set()
        await self._ended.wait()

    def _gets_to_run(self) -> bool:
        """Returns False in a forked child, which has no such thread, and once the interpreter is torn down."""
        return self._process == os.getpid() and not sys.is_finalizing()

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    @contextlib.contextmanager
    def entered(self, context: AbstractAsyncContextManager[Result]) -> Iterator[Result]:
        """Enters and leaves an async context manager on the loop."""

        async def enter() -> tuple[AsyncExitStack, Result]:
            stack = AsyncExitStack()
            return stack, await stack.enter_async_context(context)

        stack, result = self.run(enter())
        try:
            yield result
        except BaseException as error:
            if self._gets_to_run():
                self.run(stack.__aexit__(type(error), error, error.__traceback__))
            raise
        if self._gets_to_run():
            self.run(stack.aclose())

    def __enter__(self: Self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._gets_to_run():
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join()


@contextlib.contextmanager
def hosted(server: AnyServer) -> Iterator[RunningServer | aio.RunningServer]:
    if isinstance(server, Server):
        with server.serve(_endpoint()) as running:
            yield running
    else:
        with LoopThread() as thread, thread.entered(ahosted(server)) as arunning:
            yield arunning


@contextlib.asynccontextmanager
async def ahosted(server: AnyServer) -> AsyncIterator[RunningServer | aio.RunningServer]:
    if isinstance(server, aio.Server):
        async with server.serve(_endpoint()) as arunning:
            yield arunning
        return
    running = server.serve(_endpoint())
    try:
        yield running
        await in_a_thread(running.shutdown)
    finally:
        await in_a_thread(running.stop)

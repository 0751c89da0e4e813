# SPDX-License-Identifier: MIT
"""Server: hosts coroutines on the event loop that started it, and plain functions on a pool of threads."""

from __future__ import annotations

import asyncio
import contextvars
import os
import signal
from collections.abc import Awaitable, Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _core
from .._calls import checked_timeout
from .._errors import StatusCode, describe_error
from .._lasting_calls import ended
from .._lifetime import forget, track_server
from .._methods import Method
from .._options import ServerOptions
from .._processes import Child, Run, end_children, grace_told, shared_ports, telling_what_is_cut_off
from .._server import Registry, Serving, check_serving, current_server
from .._threads import DaemonPool
from .._units import do_each
from ._handlers import Entry, EntryHost, entry_of
from ._loop import LoopInbox, in_a_thread

if TYPE_CHECKING:
    from typing_extensions import Unpack

Self = TypeVar("Self", bound="RunningServer")


class Server(Registry):
    """Hosts ``async def`` handlers and async generators on the event loop that starts it; plain functions and
    generators run on ``threads`` threads. Other options are those of :class:`ServerOptions`; times are seconds.
    """

    def __init__(self, *, threads: int | None = None, **options: Unpack[ServerOptions]) -> None:
        super().__init__(threads, options, may_wait=True)

    def serve(self, *endpoints: str, workers: int = 1) -> RunningServer:
        """Serves in the background: ``async with server.serve("tcp://127.0.0.1:0") as running: ...``.

        ``workers``: so many processes share the (tcp) port, this one and forked ones, each with an event loop of its
        own, of the kind of this one; fork before threads are started.
        """
        check_serving(endpoints, workers)
        return RunningServer(self, endpoints) if workers == 1 else _SharedServer(self, endpoints, workers)


class RunningServer(Serving):
    """A server while it runs on the event loop it was made on; leaving an ``async with`` block drains it for up to 5
    seconds and stops it."""

    def __init__(self, server: Server, endpoints: Iterable[str], **more_options: Any) -> None:
        self._loop = asyncio.get_running_loop()
        super().__init__(server, more_options)
        core = self._core
        self._pool = DaemonPool(server._threads, "trunkline-worker")
        self._tasks: dict[_core.ServedCall, asyncio.Task[None]] = {}
        self._flush_wanted = False
        self._process = os.getpid()
        self._stopped = asyncio.Event()
        self._stopping: asyncio.Task[None] | None = None
        self._inbox = LoopInbox(core.make_inbox(True), self._loop)
        self._descriptor = -1
        try:
            self._host = EntryHost(
                server._codecs, server._interceptors, self._inbox.core, self._run_blocking, self._answered
            )
            self._listen(server, endpoints, self._entry_of)
            self._descriptor = core.start_for_event_loop(self._is_loop_gone)
            self._loop.add_reader(self._descriptor, self._take_calls)
        except BaseException:
            self._close_at_exit()
            raise
        track_server(self)

    def _entry_of(self, method: Method) -> Entry:
        entry = entry_of(method, self._host)
        if not method.is_built_in:
            return entry
        is_lasting = method.signature.kind != _core.MethodKind.unary

        async def run(data: Any, codec: str, call: _core.ServedCall, left: float | None) -> None:
            current_server.set(self)  # of this call's task
            task = asyncio.current_task()

            def end() -> None:
                call.set_error(describe_error(ended(method.name), method.name))
                if task is not None:
                    task.cancel()

            with self._ending.telling(end if is_lasting else lambda: None):
                await entry(data, codec, call, left)

        return run

    # --- calls; on the loop ---

    def _take_calls(self) -> None:
        do_each(self._core.take_calls(), self._take, tries=1)

    def _take(self, taken: tuple[_core.ServedCall, Any, bytes | None, str, float | None]) -> None:
        call, entry, request, codec, left = taken
        if entry is None:
            if call in self._tasks:
                # Not before its first step, or it would end without having answered.
                self._loop.call_soon(self._tasks[call].cancel)
            return
        running: Any = None
        try:
            running = entry(request, codec, call, left)
            task = self._loop.create_task(running)
        except BaseException:
            # Nobody else would answer it.
            if running is not None:
                running.close()
            call.set_error((int(StatusCode.INTERNAL), f"call {call.method()}: it could not be begun", (), ()))
            self._answered(call)
            raise
        if not task.done():  # as it may be where tasks are begun eagerly
            self._tasks[call] = task

    def _answered(self, call: _core.ServedCall) -> None:
        self._tasks.pop(call, None)
        self._core.answer(call)
        if self._flush_wanted:
            return
        if self._loop.is_closed():  # a task that is destroyed
            return self._core.flush()
        self._flush_wanted = True
        self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_wanted = False
        self._core.flush()

    def _run_blocking(self, function: Callable[..., Any], *arguments: Any) -> Awaitable[Any]:
        """With the deadline and the other context variables of the task."""
        future = self._pool.submit(contextvars.copy_context().run, function, *arguments)
        return asyncio.wrap_future(future, loop=self._loop)

    def _is_loop_gone(self) -> bool:
        """Asked now and then, on a thread of the core's. Calls that a closed loop has taken end: nothing runs them any more."""
        if not self._loop.is_closed():
            return False
        for call in list(self._tasks):
            call.set_error((int(StatusCode.UNAVAILABLE), "the event loop that served the call has been closed", (), ()))
            self._core.answer(call)
        return True

    def _add(self, method: Method) -> None:
        """While it runs; from any thread."""
        host = self._host
        self._methods += (method,)
        method.add_to(self._core, host.codecs, self._entry_of(method), needs_call=bool(host.interceptors))

    # --- its end ---

    async def drain(self, timeout: float = 5.0) -> None:
        """Takes no more connections and calls, lets what was accepted finish, then stops.

        What is not done after ``timeout`` seconds is cancelled: DeadlineExceeded, with how many calls were cut off.
        """
        checked_timeout(timeout)
        if asyncio.current_task() in self._tasks.values():
            raise RuntimeError("drain: would wait for the handler that calls it")
        self._ending.begin()
        try:
            await in_a_thread(self._core.drain, timeout)
        finally:
            await self.stop()

    async def stop(self) -> None:
        """At once: calls under way are cancelled, and their handlers, which are waited for up to 5 seconds."""
        if self._process != os.getpid():
            return  # not the child's to stop
        if self._stopping is None:
            forget(self)
            self._ending.begin()
            self._stopping = self._loop.create_task(self._stop(asyncio.current_task()))
        await asyncio.shield(self._stopping)

    async def _stop(self, asking: asyncio.Task[Any] | None) -> None:
        """``asking``: who waits for it, perhaps a handler."""
        try:
            self._core.stop()
            await asyncio.sleep(0)  # the first steps of tasks
            tasks = [task for task in self._tasks.values() if task is not asking]
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks, timeout=5.0)
        finally:
            self._close()
            self._stopped.set()

    def _close(self) -> None:
        if self._process != os.getpid():
            return  # the loop watches the parent's descriptors
        if not self._loop.is_closed() and self._descriptor >= 0:
            self._loop.remove_reader(self._descriptor)
        self._core.flush()
        self._inbox.close()
        self._pool.close()
        self._core.destroy()

    def _close_at_exit(self) -> None:
        self._core.stop()
        self._pool.close()
        self._pool.join(5.0)
        self._close()

    async def wait(self) -> None:
        """Until the server has stopped."""
        await self._stopped.wait()

    async def run_until_signal(self, *signals: int, grace: float = 5.0) -> int:
        """Serves until one of ``signals`` comes (SIGINT and SIGTERM by default), drains for up to ``grace`` seconds,
        stops, and returns the signal. On the main thread's loop only."""
        came: asyncio.Future[int] = self._loop.create_future()

        def take(number: int) -> None:
            if not came.done():
                came.set_result(number)

        wanted = signals or (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.getsignal(number) for number in wanted}
        for number in wanted:
            self._loop.add_signal_handler(number, take, number)
        try:
            number = await came
        finally:
            for known, handler in before.items():
                self._loop.remove_signal_handler(known)
                signal.signal(known, signal.SIG_DFL if handler is None else handler)  # None: not set by Python
        await self.drain(grace)
        return number

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            await self.stop()
        else:
            await self.drain()


class _SharedServer(RunningServer):
    """The same endpoints served by child processes as well, which end with it. ``stats`` are this process's."""

    def __init__(self, server: Server, endpoints: Iterable[str], workers: int) -> None:
        self._children: list[Child] = []
        with shared_ports(endpoints, self._children) as chosen:
            run = in_a_child(server, chosen, type(asyncio.get_running_loop()))
            for _ in range(workers - 1):
                self._children.append(Child(run, self._children))
            super().__init__(server, chosen, reuse_port=True)

    async def drain(self, timeout: float = 5.0) -> None:
        """As of one process; what other ones cut off is logged there."""
        checked_timeout(timeout)
        for child in self._children:
            child.begin_stop(timeout)
        await super().drain(timeout)

    async def stop(self) -> None:
        children, self._children = self._children, []
        for child in children:
            child.begin_stop(0.0)
        try:
            await super().stop()
        finally:
            await in_a_thread(end_children, children)

    def _close_at_exit(self) -> None:
        for child in self._children:
            child.begin_stop(0.0)
        super()._close_at_exit()
        end_children(self._children)


def in_a_child(
    server: Server,
    endpoints: list[str],
    loop_kind: type[asyncio.AbstractEventLoop],
    before_end: Callable[[], float] = lambda: 0.0,
) -> Run:
    def run(ready: Callable[[], None], stop: int) -> None:
        # The parent's loop has stayed there, although it was running here.
        asyncio._set_running_loop(None)
        loop = loop_kind()
        asyncio.set_event_loop(loop)

        async def serve() -> None:
            told = asyncio.Event()
            loop.add_reader(stop, told.set)
            running = RunningServer(server, endpoints, reuse_port=True)
            ready()
            await told.wait()
            loop.remove_reader(stop)
            grace = grace_told(stop)
            await asyncio.sleep(before_end())
            with telling_what_is_cut_off():
                await (running.drain(grace) if grace > 0 else running.stop())

        loop.run_until_complete(serve())

    return run

# SPDX-License-Identifier: MIT
"""Server and RunningServer: coroutines on the event loop that started the server, plain functions on a pool of
threads."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import signal
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _core
from .._calls.deadline import checked_timeout
from .._errors import StatusCode, describe_error
from .._process.batches import do_each
from .._process.child import Child, Run, end_children, logging_cut_off_calls, of_worker, read_grace, shared_ports
from .._process.daemon_pool import DaemonPool
from .._process.exit import forget, patience, track_server
from .._process.supervisor import SUPERVISOR_PATIENCE, SupervisorWatch, supervising
from .._server.method import Method
from .._server.options import ServerOptions
from .._server.running_server_base import RunningServerBase, current_server
from .._server.server_base import ServerBase, check_serving
from .._server.shutdown_notifier import shutdown_error
from ._handlers import Entry, EntryHost, entry_of
from ._loop_inbox import LoopInbox, in_a_thread, running_loop

if TYPE_CHECKING:
    from typing_extensions import Unpack

Self = TypeVar("Self", bound="RunningServer")


class Server(ServerBase):
    """Serves ``async def`` handlers and async generators on the event loop that starts it. Plain functions and
    generators run on a pool of threads.

    ``threads``: the size of the pool; by default 4 more than the CPUs, at most 32. Other options are those of
    :class:`ServerOptions`; times are in seconds.
    """

    def __init__(self, *, threads: int | None = None, **options: Unpack[ServerOptions]) -> None:
        super().__init__(threads, options, allows_async=True)

    def add_console(
        self,
        *,
        endpoint: str = "",
        path: str = "/console",
        token: str = "",
        hosts: Iterable[str] = (),
        max_watches: int = 16,
    ) -> None:
        """Serves the console, a page for browsers that lists the methods, calls them and shows what the server does.

        See :func:`trunkline.services.add_console`.
        """
        from ..services import add_console

        add_console(self, endpoint=endpoint, path=path, token=token, hosts=hosts, max_watches=max_watches)

    def serve(self, *endpoints: str, workers: int = 1) -> RunningServer:
        """Begins to serve in the background: ``async with server.serve("tcp://127.0.0.1:0") as running: ...``.

        ``workers``: the number of processes that share the port of a ``tcp://`` or ``tls://`` endpoint: this one and
        forked ones, each with an event loop of the same class as this one's. More than one must be asked for before the
        process starts threads. A forked one that dies is reported to the logger ``trunkline.server`` and replaced after
        a second.
        """
        check_serving(self, endpoints, workers)
        return RunningServer(self, endpoints) if workers == 1 else _SharedServer(self, endpoints, workers)


class RunningServer(RunningServerBase):
    """A server while it runs, on the event loop that it was made on; only tasks of that loop may use it.

    Leaving an ``async with`` block shuts it down with a timeout of 5 seconds; an exception that leaves the block stops
    it at once.
    """

    def __init__(self, server: Server, endpoints: Iterable[str], **more_options: Any) -> None:
        self._loop = asyncio.get_running_loop()
        super().__init__(server, more_options)
        core = self._core
        self._pool = DaemonPool(server._threads, "trunkline-worker")
        self._tasks: dict[_core.ServedCall, asyncio.Task[None]] = {}
        #: The plain functions that serve the calls.
        self._functions: dict[_core.ServedCall, Future[Any]] = {}
        #: The cancelled calls, without tasks, whose functions still run.
        self._outlived: set[_core.ServedCall] = set()
        self._is_flush_scheduled = False
        self._process = os.getpid()
        self._stopped = asyncio.Event()
        self._stopping: asyncio.Task[None] | None = None
        self._inbox = LoopInbox(core.make_inbox(True), self._loop)
        self._descriptor = -1
        try:
            self._host = EntryHost(
                server._codecs,
                server._interceptors,
                self._inbox.core,
                self._run_blocking,
                self._exposes_text,
                self._finished,
            )
            self._listen(server, endpoints)
            self._descriptor = core.start_for_event_loop(self._is_loop_gone)
            self._loop.add_reader(self._descriptor, self._take_calls)
        except BaseException:
            self._close_at_exit()
            raise
        self._shutdown_notifier.set_callbacks(server._shutdown_callbacks)
        track_server(self)

    def _entry_of(self, method: Method) -> Entry:
        entry = entry_of(method, self._host)
        if not method.is_built_in:
            return entry
        is_lasting = method.signature.kind != _core.MethodKind.unary

        async def run(data: Any, codec: str, call: _core.ServedCall, left: float | None) -> None:
            current_server.set(self)  # in the context of this call's task
            task = asyncio.current_task()

            def end() -> None:
                call.set_error(describe_error(shutdown_error(method.name), method.name))
                if task is not None:
                    task.cancel()

            with self._shutdown_notifier.notifying(end if is_lasting else lambda: None):
                await entry(data, codec, call, left)

        return run

    def _has_stopped(self) -> bool:
        return self._stopped.is_set()

    # --- calls; on the loop ---

    def _take_calls(self) -> None:
        do_each(self._core.take_calls(), self._take, tries=1)

    def _take(self, taken: tuple[_core.ServedCall, Any, bytes | None, str, float | None]) -> None:
        call, entry, request, codec, left = taken
        if entry is None:
            if call in self._tasks:
                # This runs after the task's first step: a task that is cancelled before never finishes its call.
                self._loop.call_soon(self._tasks[call].cancel)
            return
        running: Any = None
        try:
            running = entry(request, codec, call, left)
            # The task copies the variables of the copy; a task factory that runs its first step at once sets them there.
            task = contextvars.copy_context().run(self._loop.create_task, running)
        except BaseException:
            # No task exists that would finish the call.
            if running is not None:
                running.close()
            call.set_error((int(StatusCode.INTERNAL), f"call {call.method()}: its task could not be created", (), ()))
            self._finished(call)
            raise
        if not task.done():  # an eager task factory may have run it already
            self._tasks[call] = task

    def _finished(self, call: _core.ServedCall) -> None:
        self._tasks.pop(call, None)
        function = self._functions.pop(call, None)
        if function is not None and not function.done() and call.is_cancelled():
            # Nobody waits for the response. The call counts for the limits as long as its function runs.
            self._outlived.add(call)
            function.add_done_callback(lambda _: self._finish_outlived(call))
            return
        self._core.finish(call)
        if self._is_flush_scheduled:
            return
        if self._loop.is_closed():  # the task is being destroyed
            return self._core.flush()
        self._is_flush_scheduled = True
        self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._is_flush_scheduled = False
        self._core.flush()

    def _finish_outlived(self, call: _core.ServedCall) -> None:
        """Finishes a call whose function has ended, on a thread of the pool, or on the loop."""
        self._outlived.discard(call)
        self._core.finish(call)  # has no effect once the server has stopped
        self._core.flush()

    def _run_blocking(self, call: _core.ServedCall, function: Callable[..., Any], *arguments: Any) -> Awaitable[Any]:
        """Runs the function on the pool, with the context variables of the task, and so its deadline."""
        future = self._pool.submit(contextvars.copy_context().run, function, *arguments)
        self._functions[call] = future
        return asyncio.wrap_future(future, loop=self._loop)

    def _is_loop_gone(self) -> bool:
        """Called periodically on a thread of the core. Once the loop is closed, finishes the calls that it has
        taken."""
        if not self._loop.is_closed():
            return False
        for call in list(self._tasks):
            call.set_error((int(StatusCode.UNAVAILABLE), "the event loop that served the call has been closed", (), ()))
            self._core.finish(call)
        for call in list(self._outlived):
            self._core.finish(call)
        return True

    # --- shutdown ---

    def _check_loop(self, action: str) -> None:
        """Raises RuntimeError on another event loop than that of the server. If that one is closed, the server is
        stopped first, without its handlers, which nothing can run any more."""
        if asyncio.get_running_loop() is self._loop or self._process != os.getpid():
            return
        if not self._loop.is_closed():
            raise RuntimeError(
                f"{action}: the server runs on another event loop; use asyncio.run_coroutine_threadsafe with that one"
            )
        if self._stopping is None and not self._stopped.is_set():
            self._close_at_exit()
            self._stopped.set()
            forget(self)
        raise RuntimeError(
            f"{action}: the event loop of the server has been closed before the server was stopped; its calls were cut "
            "off, and it is stopped now"
        )

    async def shutdown(self, timeout: float = 5.0) -> None:
        """Refuses further connections and calls, waits for the accepted calls, then stops.

        Calls that have not finished after ``timeout`` seconds are cancelled; then it raises DeadlineExceeded with the
        number of calls that were cut off. RuntimeError in a handler of this server.
        """
        checked_timeout(timeout)
        if self._process != os.getpid():
            return  # a forked child leaves it to the parent
        self._check_loop("shutdown")
        if asyncio.current_task() in self._tasks.values():
            raise RuntimeError("shutdown: would wait for the handler that calls it")
        try:
            self._shutdown_notifier.begin()
            await self._drain(timeout)
        finally:
            await self.stop()

    async def _drain(self, timeout: float) -> None:
        if self._inbox.core.is_closed():
            return  # it has stopped
        ended: asyncio.Future[None] = self._loop.create_future()
        self._core.begin_shutdown(timeout, self._inbox.core, ended)
        await ended

    async def stop(self) -> None:
        """Stops at once: cancels the calls in progress with their handlers, and waits up to 5 seconds for these."""
        if self._process != os.getpid():
            return  # a forked child leaves it to the parent
        if running_loop() is None:  # the coroutine is destroyed, and can wait for nothing
            return self._abandon()
        self._check_loop("stop")
        try:
            self._shutdown_notifier.begin()
        finally:
            if self._stopping is None:
                self._stopping = self._loop.create_task(self._stop(asyncio.current_task()))
        await asyncio.shield(self._stopping)

    def _abandon(self) -> None:
        """Refuses further calls and cancels those in progress. The exit does the rest."""
        try:
            self._shutdown_notifier.begin()
        finally:
            self._core.stop()
            self._pool.close()

    async def _stop(self, asking: asyncio.Task[Any] | None) -> None:
        """Stops. ``asking`` is the task that waits for this, which may be a handler; it is not cancelled."""
        try:
            self._core.stop()
            await asyncio.sleep(0)  # lets new tasks take their first step
            tasks = [task for task in self._tasks.values() if task is not asking]
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks, timeout=5.0)
        finally:
            self._leave_loop()
            self._close()
            self._stopped.set()
            forget(self)

    def _leave_loop(self) -> None:
        if self._process != os.getpid():
            return  # in a forked child the loop watches the parent's descriptors
        if not self._loop.is_closed() and self._descriptor >= 0:
            self._loop.remove_reader(self._descriptor)
        self._inbox.close()

    def _close(self) -> None:
        if self._process != os.getpid():
            return
        for call in list(self._outlived):
            self._core.finish(call)
        self._core.flush()
        self._pool.close()
        self._core.destroy()

    def _close_at_exit(self) -> None:
        """Stops it where its loop does not run: at exit, or because the loop is closed."""
        try:
            if self._loop.is_running() and running_loop() is not self._loop:
                # It is the loop of a daemon thread, which does its part if it still gets to run.
                with contextlib.suppress(RuntimeError):  # it is closed
                    self._loop.call_soon_threadsafe(self._end_on_loop)
            else:
                self._end_on_loop()
        finally:
            self._core.stop()
            self._pool.close()
            self._pool.join(patience(5.0))
            self._close()

    def _end_on_loop(self) -> None:
        try:
            self._shutdown_notifier.begin()
        finally:
            self._leave_loop()

    async def wait(self) -> None:
        """Waits until the server has stopped."""
        await self._stopped.wait()

    async def run_until_signal(self, *signals: int, grace: float = 5.0) -> int:
        """Serves until one of ``signals`` arrives (by default SIGINT and SIGTERM), shuts down with a timeout of
        ``grace`` seconds, and returns the signal. Calls that are cut off then are logged. On the main thread's loop
        only."""
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
        with logging_cut_off_calls():
            await self.shutdown(grace)
        return number

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            await self.stop()
        else:
            await self.shutdown()


class _SharedServer(RunningServer):
    """A server whose endpoints are served by child processes too, which end with it. Its ``totals`` are those of this
    process."""

    def __init__(self, server: Server, endpoints: Iterable[str], workers: int) -> None:
        self._process_count = workers
        self._children: list[Child] = []
        self._supervisor_watch: SupervisorWatch | None = None
        with shared_ports(endpoints, self._children) as chosen:
            run = in_a_child(server, chosen, type(asyncio.get_running_loop()))
            self._children.append(Child(supervising(run, workers - 1), (), SUPERVISOR_PATIENCE))
            super().__init__(server, chosen, reuse_port=True)
        self._supervisor_watch = SupervisorWatch(self._children[0])

    def _begin_end(self, grace: float) -> None:
        if self._supervisor_watch is not None:
            self._supervisor_watch.end()
        for child in self._children:
            child.begin_stop(grace)

    async def shutdown(self, timeout: float = 5.0) -> None:
        """Shuts all processes down. DeadlineExceeded reports the calls of this process; the others log theirs."""
        checked_timeout(timeout)
        self._begin_end(timeout)
        await super().shutdown(timeout)

    async def stop(self) -> None:
        self._begin_end(0.0)
        children, self._children = self._children, []
        try:
            await super().stop()
        finally:
            await in_a_thread(end_children, children)

    def _close_at_exit(self) -> None:
        self._begin_end(0.0)
        super()._close_at_exit()
        end_children(self._children)


def in_a_child(
    server: Server,
    endpoints: list[str],
    loop_kind: type[asyncio.AbstractEventLoop],
    before_end: Callable[[], float] = lambda: 0.0,
) -> Run:
    """Returns what a child process runs: ``server`` on an event loop of its own. ``before_end``: seconds to wait before
    the shutdown."""

    def run(ready: Callable[[], None], stop: int) -> None:
        # The loop that was running at the fork exists in the parent only.
        asyncio._set_running_loop(None)
        loop = loop_kind()
        asyncio.set_event_loop(loop)

        async def serve() -> None:
            stop_requested = asyncio.Event()
            loop.add_reader(stop, stop_requested.set)
            running = RunningServer(server, endpoints, reuse_port=True)
            ready()
            await stop_requested.wait()
            loop.remove_reader(stop)
            grace = read_grace(stop)
            await asyncio.sleep(before_end())
            with logging_cut_off_calls(of_worker()):
                await (running.shutdown(grace) if grace > 0 else running.stop())

        loop.run_until_complete(serve())

    return run

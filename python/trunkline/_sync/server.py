# SPDX-License-Identifier: MIT
"""Server and RunningServer: methods that are plain functions, on worker threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _core
from .._calls.deadline import checked_timeout
from .._process.child import Child, end_children, logging_cut_off_calls, shared_ports, until_stopped
from .._process.exit import forget, patience, track_server
from .._process.signals import wait_for_signal
from .._process.supervisor import SUPERVISOR_PATIENCE, SupervisorWatch, supervising
from .._server.handlers import in_an_empty_context, worker_entry
from .._server.method import Method
from .._server.options import ServerOptions
from .._server.running_server_base import RunningServerBase, current_server
from .._server.server_base import ServerBase, check_serving
from .workers import Workers

if TYPE_CHECKING:
    from typing_extensions import Unpack

Self = TypeVar("Self", bound="RunningServer")
#: The default of ``max_stream_threads``, and its upper bound.
DEFAULT_STREAM_THREADS = 1000
_MOST_STREAM_THREADS = 100_000


class Server(ServerBase):
    """Serves plain functions, which run on a pool of worker threads. ``async def`` handlers need an ``aio.Server``.

    ``threads``: the size of the pool; by default 4 more than the CPUs, at most 32. A stream whose handler waits for its
    client does not count: when a call finds all workers busy, another thread takes its place. ``max_stream_threads``:
    streams that run at a time, each on a thread; further ones are refused with ResourceExhausted. 0 to 100000; 1000 by
    default. 0: any number, and each occupies one of ``threads`` from its beginning to its end. Other options are those
    of :class:`ServerOptions`; times are in seconds.
    """

    def __init__(
        self,
        *,
        threads: int | None = None,
        max_stream_threads: int = DEFAULT_STREAM_THREADS,
        **options: Unpack[ServerOptions],
    ) -> None:
        super().__init__(threads, options, allows_async=False)
        self._max_stream_threads = _checked_stream_threads(max_stream_threads)

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
        """Begins to serve in the background: ``with server.serve("tcp://127.0.0.1:0") as running: ...``.

        ``workers``: the number of processes that share the port of a ``tcp://`` or ``tls://`` endpoint: this one and
        forked ones. More than one must be asked for before the process starts threads. A forked one
        that dies is reported to the logger ``trunkline.server`` and replaced after a second.
        """
        check_serving(self, endpoints, workers)
        if workers == 1:
            return RunningServer(self, endpoints)
        return _SharedServer(self, endpoints, workers)


def _checked_stream_threads(count: int) -> int:
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"max_stream_threads: expected int, got {type(count).__name__}")
    if not 0 <= count <= _MOST_STREAM_THREADS:
        raise ValueError(f"max_stream_threads: {count} is not in 0 to {_MOST_STREAM_THREADS}")
    return count


class RunningServer(RunningServerBase):
    """A server while it runs. Any thread may use it.

    Leaving a ``with`` block shuts it down with a timeout of 5 seconds; an exception that leaves the block stops it at
    once.
    """

    def __init__(self, server: Server, endpoints: Iterable[str], **more_options: Any) -> None:
        super().__init__(server, more_options)
        core = self._core
        self._workers = Workers(core, self._shutdown_notifier, self._exposes_text)
        self._process = os.getpid()
        self._stopping = threading.Lock()
        self._stopped = threading.Event()
        try:
            self._listen(server, endpoints)
            core.start()
            self._workers.start(server._threads, server._max_stream_threads)
        except BaseException:
            self.stop()
            raise
        self._shutdown_notifier.set_callbacks(server._shutdown_callbacks)
        track_server(self)

    def _entry_of(self, method: Method) -> Callable[..., Any]:
        entry = worker_entry(method, self._codecs, self._interceptors)
        kind = method.signature.kind
        if method.is_built_in:
            is_unary = kind == _core.MethodKind.unary
            entry = self._with_current_server(entry if is_unary else self._workers.long_entry(method.name, entry))
        return in_an_empty_context(entry, kind)

    def _with_current_server(self, entry: Callable[..., Any]) -> Callable[..., Any]:
        """Runs ``entry`` so that its handler finds this server in ``current_server``."""

        def run(*arguments: Any) -> Any:
            current_server.set(self)  # in the context of this call
            return entry(*arguments)

        return run

    def _has_stopped(self) -> bool:
        return self._stopped.is_set()

    def shutdown(self, timeout: float = 5.0) -> None:
        """Refuses further connections and calls, waits for the accepted calls, then stops.

        Calls that have not finished after ``timeout`` seconds are cancelled; then it raises DeadlineExceeded with the
        number of calls that were cut off. RuntimeError in a handler of this server.
        """
        checked_timeout(timeout)
        if self._process != os.getpid():
            return forget(self)  # a forked child leaves it to the parent
        if threading.current_thread() in self._workers.threads:
            raise RuntimeError("shutdown: would wait for the handler that calls it")
        try:
            self._shutdown_notifier.begin()
            self._core.shutdown(timeout)
        finally:
            self.stop()

    def stop(self) -> None:
        """Stops at once: cancels the calls in progress and waits up to 5 seconds for running handlers."""
        if self._process != os.getpid():
            return forget(self)  # a forked child leaves it to the parent
        if threading.current_thread() in self._workers.threads:
            return self._stop_elsewhere()
        try:
            # Without the lock, as a callback may stop the server itself.
            self._shutdown_notifier.begin()
        finally:
            self._stop()

    def _stop(self) -> None:
        with self._stopping:
            if self._stopped.is_set():
                return
            self._core.stop()
            self._workers.join(patience(5.0))
            self._core.destroy()
            self._stopped.set()
            forget(self)

    def _stop_elsewhere(self) -> None:
        """Stops it on behalf of a handler, which stopping waits for."""
        try:
            threading.Thread(target=self.stop, name="trunkline-stop", daemon=True).start()
        except RuntimeError:  # the system refuses the thread, as Python 3.12 does at exit
            self._abandon()

    def _abandon(self) -> None:
        """Refuses further calls, cancels those in progress, and does not wait for handlers: the last one to end stops
        the server. Starts no thread, and takes no lock for long, so that a destructor may call it."""
        try:
            self._shutdown_notifier.begin()
        finally:
            self._core.stop()
            self._workers.when_ended(self.stop)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the server has stopped. Returns False after ``timeout`` seconds."""
        return self._stopped.wait(timeout)

    def run_until_signal(self, *signals: int, grace: float = 5.0) -> int:
        """Serves until one of ``signals`` arrives (by default SIGINT and SIGTERM), shuts down with a timeout of
        ``grace`` seconds, and returns the signal. Calls that are cut off then are logged. On the main thread only."""
        number = wait_for_signal(signals)
        with logging_cut_off_calls():
            self.shutdown(grace)
        return number

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self.stop()
        else:
            self.shutdown()

    def _close_at_exit(self) -> None:
        self.stop()


class _SharedServer(RunningServer):
    """A server whose endpoints are served by child processes too, which end with it. Its ``totals`` are those of this
    process."""

    def __init__(self, server: Server, endpoints: Iterable[str], workers: int) -> None:
        self._process_count = workers
        self._children: list[Child] = []
        self._supervisor_watch: SupervisorWatch | None = None
        with shared_ports(endpoints, self._children) as chosen:
            run = until_stopped(lambda: RunningServer(server, chosen, reuse_port=True))
            self._children.append(Child(supervising(run, workers - 1), (), SUPERVISOR_PATIENCE))
            super().__init__(server, chosen, reuse_port=True)
        self._supervisor_watch = SupervisorWatch(self._children[0])

    def _begin_end(self, grace: float) -> None:
        if self._supervisor_watch is not None:
            self._supervisor_watch.end()
        for child in self._children:
            child.begin_stop(grace)

    def shutdown(self, timeout: float = 5.0) -> None:
        """Shuts all processes down. DeadlineExceeded reports the calls of this process; the others log theirs."""
        checked_timeout(timeout)
        self._begin_end(timeout)
        super().shutdown(timeout)

    def stop(self) -> None:
        self._begin_end(0.0)
        super().stop()
        if threading.current_thread() not in self._workers.threads:  # else stop() runs again on another thread
            children, self._children = self._children, []
            end_children(children)

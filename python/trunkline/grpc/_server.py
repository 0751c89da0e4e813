# SPDX-License-Identifier: MIT
"""GrpcServer: a server for code that blocks."""

from __future__ import annotations

import concurrent.futures
import contextlib
import contextvars
import functools
import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from .. import _core
from .._errors import RpcError as CoreError
from .._process.green_threads import check_real_threads
from .._process.threads import begin_in_thread, start_thread
from .._server.handlers import in_an_empty_context
from .._server.method import Method
from .._sync.server import RunningServer
from .._sync.server import DEFAULT_STREAM_THREADS
from .._sync.server import Server as TrunklineServer
from ._call_end_watch import CallEndWatch
from ._channel_options import send_limit, server_options
from ._credentials import ServerCredentials
from ._method_server import CallRoutes, MethodServer
from ._method_table import MethodTable, check_generic
from ._ports import Port, Ports
from ._server_interface import RpcMethodHandler, Server


class _RunningPort(RunningServer):
    """A port while it is served. Its methods' handlers are entries."""

    def __init__(self, server: TrunklineServer, port: Port) -> None:
        self._port = port
        super().__init__(server, port.endpoints)

    def _make_core(self, options: dict[str, Any]) -> _core.Server:
        return self._port.core

    def _listen_on(self, endpoint: str, is_private: bool = False) -> str:
        return endpoint  # it listens already

    def _entry_of(self, method: Method) -> Callable[..., Any]:
        return in_an_empty_context(functools.partial(method.handler, self._end_early), method.signature.kind)

    def _end_early(self, call: _core.ServedCall) -> None:
        self._core.finish(call)
        self._core.flush()

    def drain(self, grace: float) -> None:
        """Refuses further calls and waits up to ``grace`` seconds for those in progress."""
        self._shutdown_notifier.begin()
        with contextlib.suppress(CoreError):  # calls were cut off
            self._core.shutdown(grace)


class _GrowingPort(_RunningPort):
    """A port whose handlers run on an executor that does not tell how many it runs at a time. Each call in progress has
    a thread of the server that waits for the executor, so there is always one thread more than calls."""

    def __init__(self, server: TrunklineServer, port: Port) -> None:
        self._counting = threading.Lock()
        self._calls = 0
        self._thread_count = server._threads
        super().__init__(server, port)

    def _entry_of(self, method: Method) -> Callable[..., Any]:
        entry = super()._entry_of(method)

        def run(*arguments: Any) -> Any:
            self._begin_call()
            try:
                return entry(*arguments)
            finally:
                with self._counting:
                    self._calls -= 1

        return run

    def _begin_call(self) -> None:
        with self._counting:
            self._calls += 1
            if not self._calls >= self._thread_count < DEFAULT_STREAM_THREADS:
                return
            self._thread_count += 1
        try:
            self._workers._start_worker(False)
        except RuntimeError:  # the system refuses the thread: further calls wait for one of these
            with self._counting:
                self._thread_count -= 1


class GrpcServer(Server):
    """A server whose handlers block. They run on threads of the server, as many as ``thread_pool`` has, or on a pool
    that is not a plain ``ThreadPoolExecutor``."""

    def __init__(
        self,
        thread_pool: concurrent.futures.Executor | None,
        handlers: Any,
        interceptors: Any,
        options: Any,
        maximum_concurrent_rpcs: int | None,
        compression: Any,
    ) -> None:
        check_real_threads("a server")
        self._pool = thread_pool if thread_pool is not None and not _is_plain(thread_pool) else None
        own = server_options(options, compression)
        if maximum_concurrent_rpcs is not None:
            own["max_concurrent_calls"] = maximum_concurrent_rpcs
        size = getattr(thread_pool, "_max_workers", None)
        self._port_class = _RunningPort if self._pool is None or size is not None else _GrowingPort
        # With one thread, handlers may rely on it that no other one runs.
        stream_threads = 0 if size == 1 else DEFAULT_STREAM_THREADS
        self._server = TrunklineServer(threads=size, max_stream_threads=stream_threads, **own)
        self._table = MethodTable()
        if handlers:
            self._table.add_generic(handlers)
        self._ports = Ports(own)
        watch = CallEndWatch(self._ports.make_inbox)
        self._routes = CallRoutes(self._table, tuple(interceptors or ()), watch, send_limit(options))
        self._running: list[_RunningPort] = []
        self._lock = threading.Lock()
        self._has_started = False
        self._process = os.getpid()
        self._stopped = threading.Event()

    def add_generic_rpc_handlers(self, generic_rpc_handlers: Any) -> None:
        with self._lock:
            self._table.add_generic(generic_rpc_handlers)
            if self._has_started:
                self._serve_new()

    def add_registered_method_handlers(self, service_name: str, method_handlers: Mapping[str, Any]) -> None:
        self._table.add_registered(service_name, method_handlers)

    def add_insecure_port(self, address: str) -> int:
        return self._ports.add(_text(address), None)

    def add_secure_port(self, address: str, server_credentials: ServerCredentials) -> int:
        return self._ports.add(_text(address), server_credentials.options)

    def start(self) -> None:
        with self._lock:
            if self._has_started:
                raise ValueError("Cannot start already-started server!")
            self._has_started = True
            self._serve_new()
            for port in self._ports.all:
                self._running.append(self._port_class(self._server, port))

    def _serve_new(self) -> None:
        """Serves the methods that are not served yet, on all ports that are served."""
        serves_unknown = bool(self._routes.interceptors)
        self._server._add_all(self._table.new_methods(self._entry_of, serves_unknown=serves_unknown))

    def _entry_of(self, name: str | None, handler: RpcMethodHandler | None) -> Callable[..., Any]:
        entry = MethodServer(name, handler, self._routes).entry
        if self._pool is None:
            return entry
        submit = self._pool.submit
        return lambda *arguments: submit(contextvars.Context().run, entry, *arguments).result()

    def stop(self, grace: float | None) -> threading.Event:
        """Returns at once. The event is set when the calls in progress have ended or are cancelled. Of several calls the
        one counts whose ``grace`` ends first."""
        with self._lock:
            if self._stopped.is_set():
                return self._stopped
            running = list(self._running)
        if grace:
            begin_in_thread(self._drain, running, grace)
        else:
            self._cancel_all(running)
        return self._stopped

    def _drain(self, running: list[_RunningPort], grace: float) -> None:
        deadline = time.monotonic() + grace
        try:
            others = [start_thread(port.drain, grace) for port in running[1:]]
            for port in running[:1]:
                port.drain(grace)
            concurrent.futures.wait(others)
        except RuntimeError:  # the system refuses a thread: one after the other
            for port in running:
                port.drain(max(0.0, deadline - time.monotonic()))
        finally:
            self._cancel_all(running)

    def _cancel_all(self, running: list[_RunningPort]) -> None:
        """Cancels the calls in progress. Neither waits for handlers nor starts a thread."""
        try:
            for port in running:
                port._abandon()
            if not running:
                for unused in self._ports.all:
                    unused.core.stop()
        finally:
            self._stopped.set()
            self._routes.watch.close()

    def wait_for_termination(self, timeout: float | None = None) -> bool:
        """Waits. Returns True if the server still runs after ``timeout`` seconds, False once it has stopped."""
        return not self._stopped.wait(timeout)

    def __del__(self) -> None:
        stopped = getattr(self, "_stopped", None)
        if stopped is not None and not stopped.is_set() and self._process == os.getpid():
            self._cancel_all(self._running)


def _is_plain(pool: concurrent.futures.Executor) -> bool:
    """Returns whether nothing tells the pool's threads from others."""
    return type(pool) is concurrent.futures.ThreadPoolExecutor and getattr(pool, "_initializer", None) is None


def _validate_generic_rpc_handlers(generic_rpc_handlers: Any) -> None:
    """Raises AttributeError for what serves no methods. Packages call it by this private name of grpcio's."""
    for handler in generic_rpc_handlers:
        check_generic(handler)


def _text(address: Any) -> str:
    return address.decode() if isinstance(address, bytes) else str(address)


def server(
    thread_pool: concurrent.futures.Executor | None,
    handlers: Any = None,
    interceptors: Any = None,
    options: Any = None,
    maximum_concurrent_rpcs: int | None = None,
    compression: Any = None,
    xds: bool = False,
) -> Server:
    """Makes a server. ``thread_pool``: a ``ThreadPoolExecutor`` states the number of threads; another executor, or one
    with an initializer, runs the handlers itself. ``maximum_concurrent_rpcs``: further calls are refused with
    RESOURCE_EXHAUSTED. ``xds``: not supported."""
    if xds:
        raise NotImplementedError("grpc.server: xds is not supported by Trunkline")
    return GrpcServer(thread_pool, handlers, interceptors, options, maximum_concurrent_rpcs, compression)

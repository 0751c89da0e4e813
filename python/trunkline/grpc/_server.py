# SPDX-License-Identifier: MIT
"""GrpcServer: a server for code that blocks."""

from __future__ import annotations

import concurrent.futures
import contextlib
import contextvars
import functools
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from .. import _core
from .._errors import RpcError as CoreError
from .._process.threads import begin_in_thread
from .._server.handlers import in_an_empty_context
from .._server.method import Method
from .._sync.server import RunningServer
from .._sync.server import DEFAULT_STREAM_THREADS
from .._sync.server import Server as TrunklineServer
from ._call_end_watch import CallEndWatch
from ._channel_options import send_limit, server_options
from ._credentials import ServerCredentials
from ._method_server import CallRoutes, MethodServer
from ._method_table import MethodTable
from ._ports import Port, Ports
from ._server_interface import RpcMethodHandler, Server

#: Seconds for which the handlers that a stopped server has cancelled are waited for before its core is released.
_HANDLER_PATIENCE = 5.0


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

    def cancel_all(self) -> None:
        """Cancels the calls in progress and refuses further ones. Does not wait for handlers."""
        self._shutdown_notifier.begin()
        self._core.stop()


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
        self._pool = thread_pool if thread_pool is not None and not _is_plain(thread_pool) else None
        own = server_options(options, compression)
        if maximum_concurrent_rpcs is not None:
            own["max_concurrent_calls"] = maximum_concurrent_rpcs
        size = getattr(thread_pool, "_max_workers", None)
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
        self._is_stopping = False
        self._stopped = threading.Event()

    def add_generic_rpc_handlers(self, generic_rpc_handlers: Any) -> None:
        self._table.add_generic(generic_rpc_handlers)

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
            serves_unknown = bool(self._routes.interceptors)
            self._server._add_all(self._table.methods(self._entry_of, serves_unknown=serves_unknown))
            for port in self._ports.all:
                self._running.append(_RunningPort(self._server, port))

    def _entry_of(self, name: str | None, handler: RpcMethodHandler | None) -> Callable[..., Any]:
        entry = MethodServer(name, handler, self._routes).entry
        if self._pool is None:
            return entry
        submit = self._pool.submit
        return lambda *arguments: submit(contextvars.Context().run, entry, *arguments).result()

    def stop(self, grace: float | None) -> threading.Event:
        """Returns at once. The event is set when the calls in progress have ended or are cancelled."""
        with self._lock:
            if self._stopped.is_set():
                return self._stopped
            if self._is_stopping and grace:
                return self._stopped
            self._is_stopping = True
            running = list(self._running)
        begin_in_thread(self._stop, running, grace)
        if not grace:
            self._stopped.wait(_HANDLER_PATIENCE)
        return self._stopped

    def _stop(self, running: list[_RunningPort], grace: float | None) -> None:
        threads = [threading.Thread(target=self._stop_one, args=(each, grace), daemon=True) for each in running]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not running:
            for port in self._ports.all:
                port.core.stop()
        self._stopped.set()
        for each in running:
            each.stop()
        self._routes.watch.close()

    def _stop_one(self, running: _RunningPort, grace: float | None) -> None:
        if grace:
            running.drain(grace)
        running.cancel_all()

    def wait_for_termination(self, timeout: float | None = None) -> bool:
        """Waits. Returns True if the server still runs after ``timeout`` seconds, False once it has stopped."""
        return not self._stopped.wait(timeout)

    def __del__(self) -> None:
        stopped = getattr(self, "_stopped", None)
        # When the interpreter ends it starts no thread any more, and its exit has closed everything.
        if stopped is not None and not stopped.is_set() and not sys.is_finalizing():
            self.stop(None)


def _is_plain(pool: concurrent.futures.Executor) -> bool:
    """Returns whether nothing tells the pool's threads from others."""
    return type(pool) is concurrent.futures.ThreadPoolExecutor and getattr(pool, "_initializer", None) is None


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

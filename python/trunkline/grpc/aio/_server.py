# SPDX-License-Identifier: MIT
"""GrpcServer: a server for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from ... import _core
from ..._errors import RpcError as CoreError
from ..._process.green_threads import check_real_threads
from ..._server.method import Method
from ...aio._server import RunningServer
from ...aio._server import Server as TrunklineServer
from .._call_end_watch import CallEndWatch
from .._channel_options import send_limit, server_options
from .._credentials import ServerCredentials
from .._method_server import CallRoutes
from .._method_table import MethodTable
from .._ports import Port, Ports
from .._server_interface import RpcMethodHandler
from ._method_server import CallHost, MethodServer
from ._server_interface import Server

_log = logging.getLogger(__name__)


class _RunningPort(RunningServer):
    """A port while it is served. Its methods' handlers are MethodServers."""

    def __init__(self, server: TrunklineServer, port: Port) -> None:
        self._port = port
        super().__init__(server, port.endpoints)

    def _make_core(self, options: dict[str, Any]) -> _core.Server:
        return self._port.core

    def _listen_on(self, endpoint: str, is_private: bool = False) -> str:
        return endpoint  # it listens already

    def _entry_of(self, method: Method) -> Callable[..., Coroutine[Any, Any, None]]:
        serve = method.handler
        host = CallHost(self._inbox.core, self._run_blocking, self._end_early)

        async def run(data: Any, codec: str, call: _core.ServedCall, left: float | None) -> None:
            try:
                await serve(data, codec, call, host)
                call.set_ok()
            finally:
                self._finished(call)

        return run

    def _end_early(self, call: _core.ServedCall) -> None:
        """Sends the status of a call, on a thread of the pool."""
        self._core.finish(call)
        self._core.flush()

    async def drain(self, grace: float) -> None:
        """Refuses further calls and waits up to ``grace`` seconds for those in progress."""
        self._shutdown_notifier.begin()
        with contextlib.suppress(CoreError):  # calls were cut off
            await self._drain(grace)


class GrpcServer(Server):
    """A server whose handlers are coroutines; plain functions run on threads."""

    def __init__(
        self,
        thread_pool: Any,
        handlers: Any,
        interceptors: Any,
        options: Any,
        maximum_concurrent_rpcs: int | None,
        compression: Any,
    ) -> None:
        check_real_threads("a server")
        for interceptor in interceptors or ():
            if not hasattr(interceptor, "intercept_service"):
                raise ValueError(f"Interceptor must be ServerInterceptor, the following are invalid: {interceptor!r}")
        own = server_options(options, compression)
        if maximum_concurrent_rpcs is not None:
            own["max_concurrent_calls"] = maximum_concurrent_rpcs
        size = getattr(thread_pool, "_max_workers", None)
        self._server = TrunklineServer(threads=size, **own)
        self._table = MethodTable()
        if handlers:
            self._table.add_generic(handlers)
        self._ports = Ports(own)
        watch = CallEndWatch(self._ports.make_inbox)
        self._routes = CallRoutes(self._table, tuple(interceptors or ()), watch, send_limit(options))
        self._running: list[_RunningPort] = []
        self._has_started = False
        self._stopping: asyncio.Task[None] | None = None
        self._has_stopped = asyncio.Event()

    def add_generic_rpc_handlers(self, generic_rpc_handlers: Any) -> None:
        self._table.add_generic(generic_rpc_handlers)
        if self._has_started:
            self._serve_new()

    def add_registered_method_handlers(self, service_name: str, method_handlers: Mapping[str, Any]) -> None:
        if self._has_started:
            # The warning begins with grpcio's words, which programs look for.
            return _log.warning("Cannot register method handlers of %s: the server has started", service_name)
        self._table.add_registered(service_name, method_handlers)

    def add_insecure_port(self, address: str) -> int:
        return self._ports.add(address, None)

    def add_secure_port(self, address: str, server_credentials: ServerCredentials) -> int:
        return self._ports.add(address, server_credentials.options)

    async def start(self) -> None:
        if self._has_started:
            raise RuntimeError("Server already started")
        self._has_started = True
        self._serve_new()
        for port in self._ports.all:
            self._running.append(_RunningPort(self._server, port))

    def _serve_new(self) -> None:
        """Serves the methods that are not served yet, on all ports that are served."""
        serves_unknown = bool(self._routes.interceptors)
        self._server._add_all(self._table.new_methods(self._serve, serves_unknown=serves_unknown))

    def _serve(self, name: str | None, handler: RpcMethodHandler | None) -> Callable[..., Any]:
        return MethodServer(name, handler, self._routes).serve

    async def stop(self, grace: float | None) -> None:
        if self._stopping is None:
            self._stopping = asyncio.get_running_loop().create_task(self._stop(grace))
        elif not self._stopping.done():
            # Of several stops the one counts whose grace ends first. The drain of the first one ends with this one.
            await self._drain(grace or 0.0)
        await asyncio.shield(self._stopping)

    async def _drain(self, grace: float) -> None:
        await asyncio.gather(*(each.drain(grace) for each in self._running))

    async def _stop(self, grace: float | None) -> None:
        try:
            if grace:
                await self._drain(grace)
            await asyncio.gather(*(each.stop() for each in self._running))
            if not self._running:
                for port in self._ports.all:
                    port.core.stop()
        finally:
            self._has_stopped.set()
            self._routes.watch.close()

    async def wait_for_termination(self, timeout: float | None = None) -> bool:
        try:
            await asyncio.wait_for(self._has_stopped.wait(), timeout)
        except asyncio.TimeoutError:
            return True
        return False


def server(
    migration_thread_pool: Any = None,
    handlers: Any = None,
    interceptors: Sequence[Any] | None = None,
    options: Any = None,
    maximum_concurrent_rpcs: int | None = None,
    compression: Any = None,
) -> Server:
    """Makes a server. ``migration_thread_pool`` is a ``ThreadPoolExecutor``, which states the number of threads for
    handlers that are plain functions."""
    return GrpcServer(
        migration_thread_pool, handlers, interceptors, options, maximum_concurrent_rpcs, compression
    )

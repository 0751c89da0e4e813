# SPDX-License-Identifier: MIT
"""Server: hosts methods on one or more endpoints, with plain functions as handlers."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload, TypeVar

from . import _core
from ._calls import checked_timeout
from ._codecs import Codecs
from ._ending import Ending
from ._interceptors import checked_interceptors
from ._lasting_calls import Workers
from ._lifetime import forget, track_server
from ._methods import Method, worker_entry
from ._options import ServerOptions, core_options
from ._processes import Child, end_children, shared_ports, until_told
from ._service import methods_of
from ._signals import wait_for_signal
from ._signature import name_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

Function = TypeVar("Function", bound=Callable[..., Any])
Self = TypeVar("Self", bound="RunningServer")


class Registry:
    """What servers of either kind have in common: options, and what can be registered."""

    def __init__(self, threads: int | None, options: ServerOptions, *, may_wait: bool) -> None:
        """``may_wait``: interceptors and handlers may be asynchronous."""
        if threads is not None and threads < 1:
            raise ValueError(f"threads: {threads} is less than 1")
        self._methods: dict[str, Method] = {}
        self._may_wait = may_wait
        self._collects_statistics = False
        self._threads = threads or min(32, (os.cpu_count() or 1) + 4)
        self._codecs = Codecs(options.get("codecs", ()))
        self._interceptors = checked_interceptors(options.get("interceptors", ()), may_wait=may_wait)
        self._options = core_options(options)
        _core.Server(self._options)  # refuses what is wrong with them now

    @overload
    def method(self, name: Function, /) -> Function: ...
    @overload
    def method(
        self, name: str | None = ..., /, *, idempotent: bool = ..., max_concurrent_calls: int = ...
    ) -> Callable[[Function], Function]: ...
    def method(self, name: Any = None, /, *, idempotent: bool = False, max_concurrent_calls: int = 0) -> Any:
        """Decorator: serves the function under ``name``, or its own. See :meth:`add`."""
        if callable(name):
            self.add(name_of(name), name)
            return name

        def register(function: Function) -> Function:
            chosen = name_of(function) if name is None else name
            self.add(chosen, function, idempotent=idempotent, max_concurrent_calls=max_concurrent_calls)
            return function

        return register

    def add(
        self, name: str, handler: Callable[..., Any], *, idempotent: bool = False, max_concurrent_calls: int = 0
    ) -> None:
        """Serves ``handler`` as a method, for servers started from then on.

        It takes ``(request)``, ``(request, context)``, ``(context)`` or nothing; its type hints say what the messages
        are. A generator, or a hint ``Iterator[T]``, makes a stream of that side. A context is a parameter with the hint
        ``Context``, or without a hint and called ``context`` or ``ctx``.

        Request and response may be of different kinds, say bytes and an int: see ``Channel.call`` for what they travel in.
        """
        self._add_all([Method.of(name, handler, idempotent=idempotent, max_concurrent_calls=max_concurrent_calls)])

    def _add_all(self, methods: Iterable[Method]) -> None:
        """All of them, or none."""
        added: dict[str, Method] = {}
        for method in methods:
            method.check(self._codecs)
            if not self._may_wait:
                worker_entry(method, self._codecs)
            if method.name in self._methods or method.name in added:
                raise ValueError(f"method {method.name!r} is registered already")
            added[method.name] = method
        self._methods.update(added)

    def add_service(self, service: Any, name: str | None = None) -> None:
        """Serves the public methods of an object, or of a class, which is made without arguments, as ``name/method``.

        All of them, those of its bases as well: whoever reaches the server can call them. ``__trunkline_methods__ = ("add",
        "count")`` in the class serves just these. If it is a mapping to definitions, as in generated classes, those say how
        methods are called and what their messages are; their functions take ``(request, context)`` or ``(request)``, and
        what has streams of requests has an iterator of them in its place.

        ``name``: by default the class's ``__trunkline_service__``, or its name. Raises TypeError for a function that cannot
        be served, ValueError for a method that is registered already; then none of the service's is added.
        """
        instance = service() if isinstance(service, type) else service
        methods = []
        for each in methods_of(type(instance), name, instance):
            handler = getattr(instance, each.attribute)
            methods.append(Method.defined(each.definition, handler) if each.definition else Method.of(each.name, handler))
        self._add_all(methods)

    def remove(self, name: str) -> bool:
        """For servers started from then on. False if there is no such method."""
        return self._methods.pop(name, None) is not None


class Server(Registry):
    """Hosts plain functions, which run on a pool of worker threads. ``async def`` handlers are for aio.Server.

    ``threads``: of the pool. Other options are those of :class:`ServerOptions`; times are seconds.
    """

    def __init__(self, *, threads: int | None = None, **options: Unpack[ServerOptions]) -> None:
        super().__init__(threads, options, may_wait=False)

    def serve(self, *endpoints: str, workers: int = 1) -> RunningServer:
        """Serves in the background: ``with server.serve("tcp://127.0.0.1:0") as running: ...``.

        ``workers``: so many processes share the (tcp) port, this one and forked ones; fork before threads are started.
        """
        check_serving(endpoints, workers)
        if workers == 1:
            return RunningServer(self, endpoints)
        return _SharedServer(self, endpoints, workers)


def check_serving(endpoints: Sequence[str], workers: int) -> None:
    if not endpoints:
        raise ValueError("serve: no endpoint is given")
    if workers < 1:
        raise ValueError(f"workers: {workers} is less than 1")


class Serving:
    """What running servers of either kind have in common."""

    def __init__(self, server: Registry, more_options: dict[str, Any]) -> None:
        self._core = _core.Server({**server._options, **more_options})
        self._endpoints: tuple[str, ...] = ()
        self._ending = Ending()
        #: Those that it serves, which its server need not have any more.
        self._methods = tuple(server._methods.values())
        self._codecs = server._codecs
        if server._collects_statistics:
            self._core.collect_statistics()

    def _listen(self, server: Registry, endpoints: Iterable[str], entry_of: Callable[[Method], Callable[..., Any]]) -> None:
        for method in self._methods:
            method.add_to(self._core, server._codecs, entry_of(method), needs_call=bool(server._interceptors))
        self._endpoints = tuple(self._core.listen(endpoint) for endpoint in endpoints)

    @property
    def endpoint(self) -> str:
        """The first endpoint, with the port the system chose."""
        return self._endpoints[0]

    @property
    def endpoints(self) -> tuple[str, ...]:
        """Those that were given, in their order, with the ports the system chose."""
        return self._endpoints

    def stats(self) -> dict[str, int]:
        """Totals since the start; ``python_batches`` is how often the GIL had to be taken, or the event loop woken, for
        ``python_calls``."""
        return self._core.stats()


#: In handlers of built-in services.
current_server: ContextVar[Serving] = ContextVar("trunkline_current_server")


class RunningServer(Serving):
    """A server while it runs; leaving a ``with`` block drains it for up to 5 seconds and stops it."""

    def __init__(self, server: Server, endpoints: Iterable[str], **more_options: Any) -> None:
        super().__init__(server, more_options)
        core = self._core
        self._workers = Workers(core, self._ending)
        self._process = os.getpid()
        self._stopping = threading.Lock()
        self._stopped = threading.Event()
        try:
            self._listen(server, endpoints, lambda method: self._entry_of(server, method))
            core.start()
            self._workers.start(core.keep, "trunkline-keeper")
            self._workers.start_working(server._threads)
        except BaseException:
            self.stop()
            raise
        track_server(self)

    def _entry_of(self, server: Registry, method: Method) -> Callable[..., Any]:
        entry = worker_entry(method, server._codecs, server._interceptors)
        if not method.is_built_in:
            return entry
        is_unary = method.signature.kind == _core.MethodKind.unary
        return self._knowing(entry if is_unary else self._workers.lasting(method.name, entry))

    def _knowing(self, entry: Callable[..., Any]) -> Callable[..., Any]:
        """Handlers find this server in ``current_server``."""

        def run(*arguments: Any) -> Any:
            token = current_server.set(self)
            try:
                return entry(*arguments)
            finally:
                current_server.reset(token)

        return run

    def drain(self, timeout: float = 5.0) -> None:
        """Takes no more connections and calls, lets what was accepted finish, then stops.

        What is not done after ``timeout`` seconds is cancelled: DeadlineExceeded, with how many calls were cut off.
        """
        checked_timeout(timeout)
        if threading.current_thread() in self._workers.threads:
            raise RuntimeError("drain: would wait for the handler that calls it")
        self._ending.begin()
        try:
            self._core.drain(timeout)
        finally:
            self.stop()

    def stop(self) -> None:
        """At once: calls under way are cancelled; handlers that run are waited for, up to 5 seconds."""
        if self._process != os.getpid():
            return forget(self)  # the parent's to stop
        if threading.current_thread() in self._workers.threads:
            threading.Thread(target=self.stop, name="trunkline-stop", daemon=True).start()
            return
        with self._stopping:
            if self._stopped.is_set():
                return
            forget(self)
            self._ending.begin()
            self._core.stop()
            self._workers.end()
            deadline = time.monotonic() + 5.0
            for thread in self._workers.threads:
                thread.join(max(0.0, deadline - time.monotonic()))
            self._core.destroy()
            self._stopped.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Until the server has stopped; False after ``timeout`` seconds."""
        return self._stopped.wait(timeout)

    def run_until_signal(self, *signals: int, grace: float = 5.0) -> int:
        """Serves until one of ``signals`` comes (SIGINT and SIGTERM by default), drains for up to ``grace`` seconds,
        stops, and returns the signal. On the main thread only."""
        number = wait_for_signal(signals)
        self.drain(grace)
        return number

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self.stop()
        else:
            self.drain()

    def _close_at_exit(self) -> None:
        self.stop()


class _SharedServer(RunningServer):
    """The same endpoints served by child processes as well, which end with it. ``stats`` are this process's."""

    def __init__(self, server: Server, endpoints: Iterable[str], workers: int) -> None:
        self._children: list[Child] = []
        with shared_ports(endpoints, self._children) as chosen:
            run = until_told(lambda: RunningServer(server, chosen, reuse_port=True))
            for _ in range(workers - 1):
                self._children.append(Child(run, self._children))
            super().__init__(server, chosen, reuse_port=True)

    def drain(self, timeout: float = 5.0) -> None:
        """As of one process; what other ones cut off is logged there."""
        checked_timeout(timeout)
        for child in self._children:
            child.begin_stop(timeout)
        super().drain(timeout)

    def stop(self) -> None:
        for child in self._children:
            child.begin_stop(0.0)
        super().stop()
        if threading.current_thread() not in self._workers.threads:  # or it is called again, elsewhere
            children, self._children = self._children, []
            end_children(children)

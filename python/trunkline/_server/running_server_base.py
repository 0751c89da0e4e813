# SPDX-License-Identifier: MIT
"""RunningServerBase: the base of running servers of plain functions and of running servers on event loops."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Callable, Container, Iterable
from contextvars import ContextVar
from typing import Any

from .. import _core
from .._errors import FailedPrecondition
from .._memory_usage import MemoryUsage
from .method import Method
from .server_base import ServerBase
from .shutdown_notifier import ShutdownNotifier


class RunningServerBase(abc.ABC):
    """A server in the core, with the methods and endpoints that it serves."""

    #: The number of processes that serve its endpoints.
    _process_count = 1

    def __init__(self, server: ServerBase, more_options: dict[str, Any]) -> None:
        self._core = self._make_core({**server._options, **more_options})
        self._endpoints: tuple[str, ...] = ()
        self._console_endpoint = ""
        self._exposes_text = bool(server._options.get("expose_exception_text", False))
        self._shutdown_notifier = ShutdownNotifier()
        #: The methods that it serves, some of which its server may have removed since.
        self._methods: tuple[Method, ...] = ()
        self._interceptors = server._interceptors
        self._codecs = server._codecs
        self._allows_async = server._allows_async
        if server._collects_statistics:
            self._core.collect_statistics()

    def _make_core(self, options: dict[str, Any]) -> _core.Server:
        return _core.Server(options)

    def _listen_on(self, endpoint: str, is_private: bool = False) -> str:
        return self._core.listen(endpoint, is_private)

    @abc.abstractmethod
    def _entry_of(self, method: Method) -> Callable[..., Any]:
        """Returns the function that the core or the event loop runs for a call of the method."""

    def _listen(self, server: ServerBase, endpoints: Iterable[str]) -> None:
        self._serve_methods(server._methods.values())
        self._endpoints = tuple(self._listen_on(endpoint) for endpoint in endpoints)
        if server._console_endpoint:
            self._console_endpoint = self._listen_on(server._console_endpoint, True)
        for uri, options in server._announcements:
            self._announce(uri, options)
        server._running.add(self)

    def _serve_methods(self, methods: Iterable[Method]) -> None:
        for method in methods:
            method.add_to(self._core, self._codecs, self._entry_of(method), needs_call=bool(self._interceptors))
            self._methods = (*self._methods, method)

    def _serves_any(self, names: Container[str]) -> bool:
        return any(method.name in names for method in self._methods)

    def _serve_added(self, methods: Iterable[Method]) -> None:
        """Serves methods that were added since it started, unless it is about to stop. Any thread may call it."""
        with contextlib.suppress(FailedPrecondition):
            self._serve_methods(methods)

    def _announce(self, uri: str, options: dict[str, Any]) -> None:
        self._core.announce(uri, options)

    @abc.abstractmethod
    def _has_stopped(self) -> bool:
        """Returns whether the server has stopped. Any thread may call it."""

    def __repr__(self) -> str:
        endpoints = " ".join(self._endpoints)
        state = "stopped" if self._has_stopped() else "running"
        return f"<trunkline.{'aio.' * self._allows_async}RunningServer {endpoints} {state}>"

    @property
    def endpoint(self) -> str:
        """The first endpoint; a port 0 is replaced by the port that the system chose."""
        return self._endpoints[0]

    @property
    def endpoints(self) -> tuple[str, ...]:
        """The endpoints in the order given, with the ports that the system chose."""
        return self._endpoints

    @property
    def console_endpoint(self) -> str:
        """The endpoint of the console, with the port that the system chose; empty if it has none of its own."""
        return self._console_endpoint

    @property
    def memory_usage(self) -> MemoryUsage:
        """The memory that the server holds for its clients, and its limit (``max_memory_bytes``). With several
        processes (``workers=``) it is that of this one alone."""
        totals = self._core.totals()
        return MemoryUsage(totals["memory_used_bytes"], totals["memory_max_bytes"])

    def totals(self) -> dict[str, int]:
        """Totals since the start: connections and calls by outcome. ``python_calls`` are the calls handed to Python,
        and ``python_batches`` how often the GIL was taken, or the event loop woken, for them."""
        return self._core.totals()


#: The server that runs the current handler; set for built-in services only.
current_server: ContextVar[RunningServerBase] = ContextVar("trunkline_current_server")

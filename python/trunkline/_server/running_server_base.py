# SPDX-License-Identifier: MIT
"""RunningServerBase: what running servers of plain functions and running servers on event loops share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any

from .. import _core
from .method import Method
from .server_base import ServerBase
from .shutdown_notifier import ShutdownNotifier


class RunningServerBase:
    """A server in the core, with the methods and endpoints that it serves."""

    def __init__(self, server: ServerBase, more_options: dict[str, Any]) -> None:
        self._core = _core.Server({**server._options, **more_options})
        self._endpoints: tuple[str, ...] = ()
        self._shutdown_notifier = ShutdownNotifier()
        #: The methods that it serves, some of which its server may have removed since.
        self._methods = tuple(server._methods.values())
        self._codecs = server._codecs
        if server._collects_statistics:
            self._core.collect_statistics()

    def _listen(
        self, server: ServerBase, endpoints: Iterable[str], entry_of: Callable[[Method], Callable[..., Any]]
    ) -> None:
        for method in self._methods:
            method.add_to(self._core, server._codecs, entry_of(method), needs_call=bool(server._interceptors))
        self._endpoints = tuple(self._core.listen(endpoint) for endpoint in endpoints)

    @property
    def endpoint(self) -> str:
        """The first endpoint; a port 0 is replaced by the port that the system chose."""
        return self._endpoints[0]

    @property
    def endpoints(self) -> tuple[str, ...]:
        """The endpoints in the order given, with the ports that the system chose."""
        return self._endpoints

    def totals(self) -> dict[str, int]:
        """Totals since the start: connections and calls by outcome. ``python_calls`` are the calls handed to Python,
        and ``python_batches`` how often the GIL was taken, or the event loop woken, for them."""
        return self._core.totals()


#: The server that runs the current handler; set for built-in services only.
current_server: ContextVar[RunningServerBase] = ContextVar("trunkline_current_server")

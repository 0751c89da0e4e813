# SPDX-License-Identifier: MIT
"""Statistics: the service that reports what a server does and has done since its start."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgument
from .._server.context import Context
from .._server.running_server_base import current_server
from . import _definitions
from ._registering import Served, register_all
from ._watches import Wait, watch, watch_async

if TYPE_CHECKING:
    from .._server.running_server_base import RunningServerBase
    from .._server.server_base import ServerBase

_DEFAULT_INTERVAL_NS = 1_000_000_000
_MIN_INTERVAL_NS = 100_000_000
#: Statistics are collected again after this many seconds; Watch calls that are due earlier get the same.
_MAX_AGE_SECONDS = 0.05


def add_statistics(server: ServerBase, *, max_watches: int = 16) -> None:
    """Serves ``trunkline.v1.Statistics``: calls, errors, bytes and latencies by method, connections, and the lag of the
    loop. Servers started from now on collect them.

    Of several processes (``workers=``) the one with the caller's connection reports its own statistics; ``process_id``
    tells which one it is.

    Watch reports every second, or every ``interval_ns`` of its request, at least 100 ms. Watch calls that are due
    within 50 ms of each other get the same statistics.

    ``max_watches``: open Watch calls; more are refused with ResourceExhausted. They end with Unavailable once the
    server shuts down. On a ``trunkline.Server`` each occupies a thread in addition to ``threads``.

    Raises ImportError without the package protobuf, ValueError if the server has the service already.
    """
    _definitions.require_protobuf("add statistics")
    handlers = StatisticsHandlers()
    types = handlers.request, handlers.response
    name = f"{_definitions.STATISTICS}.Statistics"
    get = Served(f"{name}/Get", "unary", *types, handlers.get, handlers.get_async, no_side_effects=True)
    watching = Served(f"{name}/Watch", "server_stream", *types, handlers.watch, handlers.watch_async, max_watches)
    register_all(server, [get, watching])
    server._collects_statistics = True


class _Snapshots:
    """The latest statistics of running servers, kept for a moment, as collecting them is expensive with many
    methods."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: weakref.WeakKeyDictionary[RunningServerBase, tuple[float, dict[str, Any]]] = (
            weakref.WeakKeyDictionary()
        )

    def of(self, server: RunningServerBase) -> dict[str, Any]:
        """Returns the statistics of a server, which must not be modified."""
        with self._lock:
            taken, facts = self._latest.get(server, (0.0, {}))
            if not facts or time.monotonic() - taken > _MAX_AGE_SECONDS:
                facts = server._core.statistics()
                self._latest[server] = time.monotonic(), facts
            return facts


class StatisticsHandlers:
    """The handlers of the service on either kind of server."""

    def __init__(self) -> None:
        self._snapshots = _Snapshots()
        self.request = _definitions.message(f"{_definitions.STATISTICS}.StatisticsRequest")
        self.response = _definitions.message(f"{_definitions.STATISTICS}.ServerStatistics")

    def get(self, request: Any) -> Any:
        return self._statistics(current_server.get()._core.statistics(), request)

    async def get_async(self, request: Any) -> Any:
        return self.get(request)

    def watch(self, request: Any, context: Context) -> Iterator[Any]:
        return watch(self._steps(request), context)

    def watch_async(self, request: Any) -> AsyncIterator[Any]:
        return watch_async(self._steps(request))

    def watch_changes(self, request: Any, context: Context) -> Iterator[Any]:
        """Reports as ``watch`` does, but later messages have only the changed buckets of the methods' latencies."""
        return watch(self._steps(request, changes_alone=True), context)

    def watch_changes_async(self, request: Any) -> AsyncIterator[Any]:
        return watch_async(self._steps(request, changes_alone=True))

    def _steps(
        self, request: Any, *, changes_alone: bool = False
    ) -> Callable[[Callable[[], None]], Generator[Any, None, None]]:
        interval_ns = request.interval_ns or _DEFAULT_INTERVAL_NS
        if interval_ns < _MIN_INTERVAL_NS:
            raise InvalidArgument(f"watch statistics: interval_ns {interval_ns} is less than {_MIN_INTERVAL_NS}")
        server = current_server.get()

        def steps(wake: Callable[[], None]) -> Generator[Any, None, None]:
            before: dict[str, Any] = {}
            while True:
                facts = self._snapshots.of(server)
                yield self._statistics(_changes(before, facts) if changes_alone else facts, request)
                before = facts
                yield Wait(interval_ns / 1e9)

        return steps

    def _statistics(self, facts: dict[str, Any], request: Any) -> Any:
        response = self.response()
        prefix = request.method_prefix
        methods = [each for each in facts["methods"] if each["method"].startswith(prefix)]
        _fill(response, {**facts, "methods": methods}, "buckets" if request.without_buckets else None)
        return response


def _changes(before: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Returns ``facts`` without those buckets of methods that ``before`` has with the same counts."""
    known = {
        method["method"]: {each["upper_ns"]: each["count"] for each in method["latency"]["buckets"]}
        for method in before.get("methods", ())
    }
    methods = []
    for method in facts["methods"]:
        old = known.get(method["method"], {})
        buckets = [each for each in method["latency"]["buckets"] if old.get(each["upper_ns"]) != each["count"]]
        methods.append({**method, "latency": {**method["latency"], "buckets": buckets}})
    return {**facts, "methods": methods}


def _fill(message: Any, facts: dict[str, Any], left_out: str | None) -> None:
    """Sets the fields of a message that ``facts`` has under the same names, except the field ``left_out``."""
    for field in message.DESCRIPTOR.fields:
        value = facts.get(field.name)
        if value is None or field.name == left_out:
            continue
        if isinstance(value, list):
            for each in value:
                _fill(getattr(message, field.name).add(), each, left_out)
        elif field.message_type is None:
            setattr(message, field.name, value)
        elif field.message_type.GetOptions().map_entry:
            getattr(message, field.name).update(value)
        else:
            _fill(getattr(message, field.name), value, left_out)

# SPDX-License-Identifier: MIT
"""Health: reports whether services are ready to be called, by gRPC's health checking protocol."""

from __future__ import annotations

import enum
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

from .._errors import NotFound
from .._server.context import Context
from . import _definitions
from ._registering import Served, register_all
from ._watches import Wait, watch, watch_async

if TYPE_CHECKING:
    from .._server.server_base import ServerBase


class ServingStatus(enum.IntEnum):
    """The status of a service, with the numbers of gRPC's ``HealthCheckResponse.ServingStatus``."""

    UNKNOWN = 0
    SERVING = 1
    NOT_SERVING = 2
    #: Watch alone reports this, for a service without a status.
    SERVICE_UNKNOWN = 3


class Health:
    """The statuses that one or more servers report. The server as a whole is the service ``""``, which is SERVING at
    first; other services have no status. Any thread may use it, also while servers run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._statuses = {"": ServingStatus.SERVING}
        self._is_shut_down = False
        self._wakers: dict[Callable[[], None], str] = {}

    def set(self, service: str, status: ServingStatus | int | bool) -> None:
        """Sets the status of a service. ``service``: its full name; ``""`` for the server as a whole. ``status``: True
        for SERVING, False for NOT_SERVING. After ``shutdown`` it takes effect at ``resume``."""
        if not isinstance(service, str):
            raise TypeError(f"set health: the name of the service is {type(service).__name__}, not str")
        if isinstance(status, bool):
            status = ServingStatus.SERVING if status else ServingStatus.NOT_SERVING
        chosen = ServingStatus(status)
        if chosen == ServingStatus.SERVICE_UNKNOWN:
            raise ValueError(f"set health of {service!r}: SERVICE_UNKNOWN stands for no status; use clear()")
        with self._lock:
            self._statuses[service] = chosen
        self._wake(service)

    def clear(self, service: str) -> None:
        """Removes the status of a service."""
        with self._lock:
            self._statuses.pop(service, None)
        self._wake(service)

    def get(self, service: str = "") -> ServingStatus:
        """Returns the status that is reported now; SERVICE_UNKNOWN without one."""
        with self._lock:
            status = self._statuses.get(service, ServingStatus.SERVICE_UNKNOWN)
            is_known = status != ServingStatus.SERVICE_UNKNOWN
            return ServingStatus.NOT_SERVING if self._is_shut_down and is_known else status

    def shutdown(self) -> None:
        """Reports every service as NOT_SERVING until ``resume``, so that callers turn to other servers before this one
        shuts down."""
        self._set_shut_down(True)

    def resume(self) -> None:
        """Reports the status of each service that was set last."""
        self._set_shut_down(False)

    def _set_shut_down(self, is_shut_down: bool) -> None:
        with self._lock:
            self._is_shut_down = is_shut_down
        self._wake(None)

    def _wake(self, service: str | None) -> None:
        with self._lock:
            wakers = [wake for wake, watched in self._wakers.items() if service in (None, watched)]
        for wake in wakers:
            wake()

    def _changes(self, service: str, wake: Callable[[], None]) -> Generator[ServingStatus | Wait, None, None]:
        """Yields the status now and whenever it has changed."""
        with self._lock:
            self._wakers[wake] = service
        last = None
        try:
            while True:
                status = self.get(service)
                if status == last:
                    yield Wait()
                else:
                    yield status
                    last = status
        finally:
            with self._lock:
                del self._wakers[wake]


def add_health(server: ServerBase, *, max_watches: int = 64) -> Health:
    """Serves ``grpc.health.v1.Health`` and returns the :class:`Health` whose statuses it reports.

    ``max_watches``: open Watch calls; more are refused with ResourceExhausted. They end with Unavailable once the
    server shuts down. On a ``trunkline.Server`` each occupies a thread in addition to ``threads``.

    With ``workers=`` each process has its own statuses after the fork.

    Raises ImportError without the package protobuf, ValueError if the server has the service already.
    """
    _definitions.require_protobuf("add health")
    handlers = _Handlers(Health())
    types = handlers.request, handlers.response
    name = f"{_definitions.HEALTH}.Health"
    check = Served(f"{name}/Check", "unary", *types, handlers.check, handlers.check_async, no_side_effects=True)
    watching = Served(f"{name}/Watch", "server_stream", *types, handlers.watch, handlers.watch_async, max_watches)
    register_all(server, [check, watching])
    return handlers.health


class _Handlers:
    def __init__(self, health: Health) -> None:
        self.health = health
        self.request = _definitions.message(f"{_definitions.HEALTH}.HealthCheckRequest")
        self.response = _definitions.message(f"{_definitions.HEALTH}.HealthCheckResponse")

    def check(self, request: Any) -> Any:
        status = self.health.get(request.service)
        if status == ServingStatus.SERVICE_UNKNOWN:
            raise NotFound(f"check health: service {request.service[:200]!r} has no status")
        return self.response(status=status)

    async def check_async(self, request: Any) -> Any:
        return self.check(request)

    def watch(self, request: Any, context: Context) -> Iterator[Any]:
        return watch(lambda wake: self._steps(request.service, wake), context)

    def watch_async(self, request: Any) -> AsyncIterator[Any]:
        return watch_async(lambda wake: self._steps(request.service, wake))

    def _steps(self, service: str, wake: Callable[[], None]) -> Generator[Any, None, None]:
        for step in self.health._changes(service, wake):
            yield step if isinstance(step, Wait) else self.response(status=step)

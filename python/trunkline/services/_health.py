# SPDX-License-Identifier: MIT
"""Health: whether services are ready to be called, with the meaning of gRPC's health checking protocol."""

from __future__ import annotations

import enum
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

from .._context import Context
from .._errors import NotFound
from . import _definitions
from ._registering import Served, register_all
from ._watches import Wait, watch, watch_async

if TYPE_CHECKING:
    from .._server import Registry


class ServingStatus(enum.IntEnum):
    """With the numbers of gRPC's ``HealthCheckResponse.ServingStatus``."""

    UNKNOWN = 0
    SERVING = 1
    NOT_SERVING = 2
    #: Told by Watch alone, of what has no status.
    SERVICE_UNKNOWN = 3


class Health:
    """The statuses that one or more servers tell. The server as a whole, the service ``""``, is SERVING to begin with;
    others have none. Any thread, also while servers run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._statuses = {"": ServingStatus.SERVING}
        self._is_shut_down = False
        self._wakers: dict[Callable[[], None], str] = {}

    def set(self, service: str, status: ServingStatus | int | bool) -> None:
        """``service``: its full name, ``""`` for the server as a whole. True is SERVING, False NOT_SERVING. After
        ``shutdown`` it is kept for ``resume``."""
        if not isinstance(service, str):
            raise TypeError(f"set health: the service's name is a text, not {type(service).__name__}")
        if isinstance(status, bool):
            status = ServingStatus.SERVING if status else ServingStatus.NOT_SERVING
        chosen = ServingStatus(status)
        if chosen == ServingStatus.SERVICE_UNKNOWN:
            raise ValueError(f"set health of {service!r}: SERVICE_UNKNOWN is what has no status; use clear()")
        with self._lock:
            self._statuses[service] = chosen
        self._tell(service)

    def clear(self, service: str) -> None:
        """It has no status from then on."""
        with self._lock:
            self._statuses.pop(service, None)
        self._tell(service)

    def get(self, service: str = "") -> ServingStatus:
        """What is told of it now; SERVICE_UNKNOWN for what has no status."""
        with self._lock:
            status = self._statuses.get(service, ServingStatus.SERVICE_UNKNOWN)
            is_known = status != ServingStatus.SERVICE_UNKNOWN
            return ServingStatus.NOT_SERVING if self._is_shut_down and is_known else status

    def shutdown(self) -> None:
        """Everything is NOT_SERVING, until ``resume``: callers turn elsewhere before the server drains."""
        self._set_shut_down(True)

    def resume(self) -> None:
        """Everything has the status that was set last."""
        self._set_shut_down(False)

    def _set_shut_down(self, is_shut_down: bool) -> None:
        with self._lock:
            self._is_shut_down = is_shut_down
        self._tell(None)

    def _tell(self, service: str | None) -> None:
        with self._lock:
            concerned = [wake for wake, watched in self._wakers.items() if service in (None, watched)]
        for wake in concerned:
            wake()

    def _changes(self, service: str, wake: Callable[[], None]) -> Generator[ServingStatus | Wait, None, None]:
        """The status now and whenever it is another one."""
        with self._lock:
            self._wakers[wake] = service
        told = None
        try:
            while True:
                status = self.get(service)
                if status == told:
                    yield Wait()
                else:
                    yield status
                    told = status
        finally:
            with self._lock:
                del self._wakers[wake]


def add_health(server: Registry, *, max_watchers: int = 64) -> Health:
    """Serves ``grpc.health.v1.Health``: a new :class:`Health` that says whether services are ready to be called.

    ``max_watchers``: open Watch calls, more are refused with ResourceExhausted; on a blocking server each has a thread
    beside the server's ``threads`` as long as it is open. They end with Unavailable once the server drains.
    With ``workers=`` each process has statuses of its own, from the fork on.

    Raises ImportError without the package protobuf, ValueError if the server has it already.
    """
    _definitions.require_protobuf("add health")
    handlers = _Handlers(Health())
    types = handlers.request, handlers.response
    name = f"{_definitions.HEALTH}.Health"
    check = Served(f"{name}/Check", "unary", *types, handlers.check, handlers.check_async, idempotent=True)
    watching = Served(f"{name}/Watch", "server_stream", *types, handlers.watch, handlers.watch_async, max_watchers)
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

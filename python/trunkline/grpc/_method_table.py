# SPDX-License-Identifier: MIT
"""MethodTable: the methods of a server."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from .. import _core
from .._methods.signature import Signature
from .._server.method import Method
from ._method_handler import ServiceHandler
from ._server_interface import RpcMethodHandler

_log = logging.getLogger(__name__)

#: Makes what the core calls for the calls of a method, by its name, as ``/package.Service/Method``, and its handler.
#: None and None: for the calls of all methods that are not registered with the core.
EntryOf = Callable[[str | None, RpcMethodHandler | None], Callable[..., Any]]


class MethodTable:
    """The methods of a server by their full names, as ``/package.Service/Method``. Of two handlers of a name, the first
    one counts; those of ``add_registered`` come before the others. Generic handlers may be added while the server runs,
    which is then given their methods."""

    def __init__(self) -> None:
        self._is_served = False
        #: The names that a server has been given already, and whether it has the entry for unknown ones.
        self._served_names: set[str] = set()
        self._serves_unknown = False
        self._registered: dict[str, RpcMethodHandler] = {}
        self._generic: list[Any] = []

    def add_generic(self, handlers: Any) -> None:
        """Adds handlers. Raises AttributeError for what serves no methods."""
        for handler in handlers:
            check_generic(handler)
            self._generic.append(handler)

    def add_registered(self, service_name: str, method_handlers: Mapping[str, RpcMethodHandler]) -> None:
        """Adds handlers of a service. Once the server runs it warns instead, as grpcio does."""
        if self._is_served:
            return _log.warning("Cannot register method handlers once server has started")
        for name, method in method_handlers.items():
            self._registered.setdefault(f"/{service_name}/{name}", method)

    def find(self, details: Any) -> RpcMethodHandler | None:
        """Returns the handler of a call, of HandlerCallDetails. Raises what a generic handler raises."""
        found = self._registered.get(details.method)
        if found is not None:
            return found
        for handler in self._generic:
            served: RpcMethodHandler | None = handler.service(details)
            if served is not None:
                return served
        return None

    def new_methods(self, entry_of: EntryOf, *, serves_unknown: bool) -> list[Method]:
        """Returns the methods for a server of Trunkline that it has not been given yet; the server runs from now on.
        With ``serves_unknown`` there is an entry for calls of unknown methods, even if no generic handler serves more
        methods than it tells the names of. Without that entry such calls take no thread of the server."""
        self._is_served = True
        named: dict[str, RpcMethodHandler] = dict(self._registered)
        for handler in self._generic:
            if not isinstance(handler, ServiceHandler):
                serves_unknown = True  # it is asked for every name that comes before it in the list
                break
            for name, method in handler._method_handlers.items():
                named.setdefault(name, method)
        methods = [
            Method(name.removeprefix("/"), entry_of(name, handler), _signature(handler))
            for name, handler in named.items()
            if name not in self._served_names
        ]
        self._served_names.update(named)
        if serves_unknown and not self._serves_unknown:
            self._serves_unknown = True
            methods.append(Method("", entry_of(None, None), _SIGNATURE_OF_UNKNOWN))
        return methods


def check_generic(handler: Any) -> None:
    """Raises AttributeError for what serves no methods."""
    if not hasattr(handler, "service"):
        raise AttributeError(f"{type(handler).__name__}: no grpc.GenericRpcHandler, it has no 'service'")


def _of_kind(kind: _core.MethodKind) -> Signature:
    return Signature(kind, bytes, bytes, takes_request=True, takes_context=True, is_async=False)


def _signature(handler: RpcMethodHandler) -> Signature:
    kinds = {
        (False, False): _core.MethodKind.unary,
        (True, False): _core.MethodKind.client_stream,
        (False, True): _core.MethodKind.server_stream,
        (True, True): _core.MethodKind.bidirectional,
    }
    return _of_kind(kinds[bool(handler.request_streaming), bool(handler.response_streaming)])


#: Streams both ways serve calls of every kind.
_SIGNATURE_OF_UNKNOWN = _of_kind(_core.MethodKind.bidirectional)

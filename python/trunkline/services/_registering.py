# SPDX-License-Identifier: MIT
"""register_all: adds the methods of a built-in service to a server of either kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .. import _core
from .._methods.signature import Signature
from .._server.method import Method

if TYPE_CHECKING:
    from .._server.server_base import ServerBase

_KINDS = {
    "unary": _core.MethodKind.unary,
    "server_stream": _core.MethodKind.server_stream,
    "bidirectional": _core.MethodKind.bidirectional,
}


class Served(NamedTuple):
    """One method of a built-in service.

    ``blocking(request, context)`` is the handler on a ``trunkline.Server``; only that of a server stream takes the
    context. ``asynchronous(request)``, a coroutine or async generator, is the handler on an ``aio.Server``. With
    ``takes_context`` both take it, whatever they are.
    """

    name: str
    kind: Literal["unary", "server_stream", "bidirectional"]
    request: Any
    response: Any
    blocking: Callable[..., Any]
    asynchronous: Callable[..., Any]
    #: Further concurrent calls are refused; 0 for no limit.
    max_calls: int = 0
    no_side_effects: bool = False
    takes_context: bool = False


def register_all(server: ServerBase, served: Iterable[Served], *, is_private: bool = False) -> None:
    """Adds all methods, or none. Raises ValueError if the server has one already. ``is_private``: for clients of
    private endpoints alone."""
    server._add_all([_method(server, each, is_private) for each in served])


def _method(server: ServerBase, served: Served, is_private: bool) -> Method:
    is_async = server._allows_async
    handler = served.asynchronous if is_async else served.blocking
    signature = Signature(
        kind=_KINDS[served.kind],
        request=served.request,
        response=served.response,
        takes_request=True,
        takes_context=served.takes_context or (not is_async and served.kind == "server_stream"),
        is_async=is_async,
    )
    return Method(
        served.name,
        handler,
        signature,
        max_concurrent_calls=served.max_calls,
        is_built_in=True,
        no_side_effects=served.no_side_effects,
        is_private=is_private,
    )

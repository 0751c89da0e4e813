# SPDX-License-Identifier: MIT
"""Built-in services as methods of a server of either kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .. import _core
from .._methods import Method
from .._signature import Signature

if TYPE_CHECKING:
    from .._server import Registry

_KINDS = {
    "unary": _core.MethodKind.unary,
    "server_stream": _core.MethodKind.server_stream,
    "bidirectional": _core.MethodKind.bidirectional,
}


class Served(NamedTuple):
    """One method. ``blocking(request, context)`` is for servers of plain functions, ``asynchronous(request)``, a coroutine
    or async generator, for those of event loops. Unary methods and bidirectional ones take no context."""

    name: str
    kind: Literal["unary", "server_stream", "bidirectional"]
    request: Any
    response: Any
    blocking: Callable[..., Any]
    asynchronous: Callable[..., Any]
    #: More are refused; 0: no limit.
    max_calls: int = 0
    idempotent: bool = False


def register_all(server: Registry, served: Iterable[Served]) -> None:
    """All of them, or none. Raises ValueError for what the server has already."""
    server._add_all([_method(server, each) for each in served])


def _method(server: Registry, served: Served) -> Method:
    is_async = server._may_wait
    handler = served.asynchronous if is_async else served.blocking
    signature = Signature(
        kind=_KINDS[served.kind],
        request=served.request,
        response=served.response,
        takes_request=True,
        takes_context=not is_async and served.kind == "server_stream",
        is_async=is_async,
    )
    return Method(served.name, handler, signature, served.idempotent, served.max_calls, is_built_in=True)

# SPDX-License-Identifier: MIT
"""The method that serves a route: bytes to bytes, with a handler from HttpRequest to HttpResponse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from .. import _core
from .._metadata import pairs_of
from .._methods.signature import signature_of
from .context import Context
from .http_request import HttpRequest
from .http_response import HttpResponse
from .method import Method


def route_method(http_method: str, path: str, handler: Callable[..., Any], *, max_concurrent_calls: int) -> Method:
    """Makes the method. Raises TypeError for a function that cannot serve a route. The core checks the path."""
    if not isinstance(http_method, str) or not isinstance(path, str):
        raise TypeError(f"route {http_method!r} {path!r}: its method and its path are not str")
    name = f"{http_method} {path}"
    signature = signature_of(handler)
    if signature.kind != _core.MethodKind.unary:
        raise TypeError(f"route {name}: its handler is a generator; it returns an HttpResponse, str or bytes")

    def run(body: bytes, context: Context) -> Any:
        request = (HttpRequest(name, context.metadata, body),) if signature.takes_request else ()
        return handler(*request, *((context,) if signature.takes_context else ()))

    def serve(body: bytes, context: Context) -> bytes:
        result = run(body, context)
        # A plain function that wraps an asynchronous one; the event loop awaits what it returns.
        send = _sent_later if hasattr(type(result), "__await__") else _sent
        return send(name, result, context)

    async def serve_async(body: bytes, context: Context) -> bytes:
        return _sent(name, await run(body, context), context)

    chosen = serve_async if signature.is_async else serve
    return Method.of(name, chosen, max_concurrent_calls=max_concurrent_calls, is_route=True)


def _sent(name: str, result: Any, context: Context) -> bytes:
    """Returns the content of the response. Status and headers travel as leading metadata."""
    response = HttpResponse(result) if isinstance(result, (str, bytes)) else result
    if not isinstance(response, HttpResponse):
        raise TypeError(
            f"route {name}: its handler has returned {type(result).__name__}, not an HttpResponse, str or bytes; for "
            "JSON there is HttpResponse.json()"
        )
    body = response.body.encode() if isinstance(response.body, str) else bytes(response.body)
    kind = response._sent_type(has_body=bool(body))
    if response.status != 200:
        context.add_leading_metadata("trunkline-status", str(response.status))
    if kind:
        context.add_leading_metadata("content-type", kind)
    for key, value in pairs_of(response.headers) if response.headers is not None else ():
        context.add_leading_metadata(key, value)
    return body


def _sent_later(name: str, result: Awaitable[Any], context: Context) -> Any:
    async def wait() -> bytes:
        return _sent(name, await result, context)

    return wait()

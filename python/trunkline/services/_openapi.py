# SPDX-License-Identifier: MIT
"""OpenAPI: a document by which a server describes its methods to tools for HTTP."""

from __future__ import annotations

import dataclasses
import inspect
import json
import threading
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .. import _core
from .._errors import StatusCode
from .._messages.types import is_buffer
from .._server.http_response import HttpResponse
from .._server.method import Method
from .._server.route import route_method
from .._server.running_server_base import RunningServerBase, current_server
from ._comments import comment_of
from ._schemas import Schemas

if TYPE_CHECKING:
    from .._server.server_base import ServerBase

_KINDS = (_core.MethodKind.unary, _core.MethodKind.server_stream)


def add_openapi(
    server: ServerBase,
    *,
    title: str = "Trunkline",
    version: str = "1",
    description: str = "",
    path: str = "/openapi.json",
) -> None:
    """Serves ``GET /openapi.json``: an OpenAPI 3.1 document of the unary and server-streaming methods.

    They are described as plain HTTP calls them, and are those that the running server has at the time of the request,
    without those of a console that has an endpoint of its own.

    Schemas are those of the type hints (dataclasses, structs, TypedDicts, pydantic models, constraints of
    ``Annotated``), or of protobuf's messages. Docstrings become summaries and descriptions. Everybody who reaches the
    server can read it.

    ``title``, ``version``, ``description``: of the interface, for its users. Raises ValueError if the server has a
    route with the path already.
    """
    info = {"title": title, "version": version, **({"description": description} if description else {})}
    documents = _Documents(info)
    route = route_method("GET", path, documents.respond, max_concurrent_calls=0)
    server._add_all([dataclasses.replace(route, is_built_in=True)])


class _Documents:
    """The documents of running servers, each made at its first use, and again after a method was added."""

    def __init__(self, info: dict[str, str]) -> None:
        self._info = info
        self._lock = threading.Lock()
        self._known: weakref.WeakKeyDictionary[RunningServerBase, tuple[int, bytes]] = weakref.WeakKeyDictionary()

    def respond(self) -> HttpResponse:
        server = current_server.get()
        methods = server._methods
        with self._lock:
            count, text = self._known.get(server, (-1, b""))
            if count != len(methods):
                text = json.dumps(document_of(methods, self._info)).encode()
                self._known[server] = len(methods), text
        return HttpResponse(text, content_type="application/json")


def document_of(methods: Iterable[Method], info: dict[str, str]) -> dict[str, Any]:
    """Returns the OpenAPI document of those of the methods that plain HTTP can call."""
    described = [each for each in methods if _is_public(each) and each.signature.kind in _KINDS]
    described.sort(key=lambda each: each.name)
    schemas = Schemas(_kinds_of(described))
    paths: dict[str, Any] = {}
    for method in described:
        item = {"post": _operation(method, schemas, "")}
        if method.no_side_effects:
            item["get"] = _operation(method, schemas, "get")
        paths["/" + quote(method.name, safe="/!$&'()*+,;=:@~")] = item
    schemas.components[_ERROR] = _ERROR_SCHEMA
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas.components}}


def _is_public(method: Method) -> bool:
    return not method.is_route and not method.is_private


def _kinds_of(methods: Iterable[Method]) -> Iterable[Any]:
    for method in methods:
        signature = method.signature
        yield from [signature.request] if signature.takes_request else []
        yield signature.response


def _operation(method: Method, schemas: Schemas, verb: str) -> dict[str, Any]:
    signature = method.signature
    service, separator, _ = method.name.rpartition("/")
    operation: dict[str, Any] = {"operationId": f"{method.name}:{verb}" if verb else method.name}
    if separator and service:
        operation["tags"] = [service]
    summary, _, rest = comment_of(inspect.unwrap(getattr(method.handler, "__func__", method.handler))).partition("\n")
    if summary:
        operation["summary"] = summary
    if rest.strip():
        operation["description"] = rest.strip()
    if signature.takes_request:
        is_required = not signature.has_default
        if verb:
            operation["parameters"] = _parameters(method, schemas, is_required)
        else:
            content = _RAW if _is_raw(method) else _json(signature.request, schemas)
            operation["requestBody"] = {"required": is_required, "content": content}
    operation["responses"] = {
        "200": _response(method, schemas),
        "default": {
            "description": "The call has failed.",
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{_ERROR}"}}},
        },
    }
    return operation


def _response(method: Method, schemas: Schemas) -> dict[str, Any]:
    response = method.signature.response
    if method.signature.kind == _core.MethodKind.server_stream:
        # OpenAPI 3.1 has no word for a stream: the schema is that of one line.
        return {
            "description": "A stream: one line of JSON for each response.",
            "content": {"application/x-ndjson": {"schema": schemas.of(response)}},
        }
    if response is None:
        return {"description": "The call has succeeded."}
    return {"description": "The response.", "content": _RAW if _is_raw(method) else _json(response, schemas)}


def _is_raw(method: Method) -> bool:
    """Returns whether request and response are sent as they are. Others, such as bytes of which a number is made, are
    JSON, as both have the same codec."""
    signature = method.signature
    if signature.kind != _core.MethodKind.unary or not signature.takes_request or not is_buffer(signature.request):
        return False
    return signature.response is None or is_buffer(signature.response)


def _parameters(method: Method, schemas: Schemas, is_required: bool) -> list[dict[str, Any]]:
    """Returns the parameters in the query of a GET."""
    message = {"name": "message", "in": "query", "required": is_required}
    if not _is_raw(method):
        return [{**message, "content": _json(method.signature.request, schemas)}]
    return [
        {**message, "schema": {"type": "string", "contentEncoding": "base64url"}},
        {"name": "base64", "in": "query", "required": True, "schema": {"type": "string", "const": "1"}},
        {"name": "encoding", "in": "query", "required": True, "schema": {"type": "string", "const": "octet-stream"}},
    ]


def _json(kind: Any, schemas: Schemas) -> dict[str, Any]:
    return {"application/json": {"schema": schemas.of(kind)}}


_RAW: dict[str, Any] = {"application/octet-stream": {}}
_ERROR = "trunkline.Error"
_CODES = sorted("canceled" if code is StatusCode.CANCELLED else code.name.lower() for code in StatusCode if code.value)
_ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": "Error",
    "properties": {
        "code": {"type": "string", "enum": _CODES},
        "message": {"type": "string"},
        "details": {"type": "array", "items": {"type": "object"}},
    },
    "required": ["code"],
}

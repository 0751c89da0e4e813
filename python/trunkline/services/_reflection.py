# SPDX-License-Identifier: MIT
"""Reflection: gRPC's protocol by which a server describes its services."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

from .._errors import StatusCode
from .._server.running_server_base import current_server
from . import _definitions
from ._description import Description
from ._files import UnknownName
from ._registering import Served, register_all

if TYPE_CHECKING:
    from .._server.running_server_base import RunningServerBase
    from .._server.server_base import ServerBase

_log = logging.getLogger("trunkline.server")

_SERVICE = "ServerReflection/ServerReflectionInfo"

#: ``respond(response, argument, description, sent)`` fills in the response to one kind of request. ``sent``: files that
#: the call has got already.
_Responder = Callable[[Any, Any, Description, "set[str]"], None]


def add_reflection(server: ServerBase, *, max_streams: int = 16) -> None:
    """Serves ``grpc.reflection.v1.ServerReflection`` and its older version ``v1alpha``: descriptors of the server's
    methods, for the command ``trunkline`` and for tools of gRPC.

    It describes the methods that the running server was started with. Services without a ``.proto`` file are described
    by their type hints; docstrings become comments.

    ``max_streams``: open streams; more are refused with ResourceExhausted. On a ``trunkline.Server`` each occupies a
    thread in addition to ``threads``.

    Raises ImportError without the package protobuf, ValueError if the server has the service already.
    """
    _definitions.require_protobuf("add reflection")
    descriptions = Descriptions()
    served = []
    for package in _definitions.REFLECTION:
        service = _Service(descriptions, package)
        types = service.request, service.response
        handlers = service.blocking, service.asynchronous
        served.append(Served(f"{package}.{_SERVICE}", "bidirectional", *types, *handlers, max_streams))
    register_all(server, served)


class Descriptions:
    """The descriptions of running servers, each made at its first use, and again after a method was added."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: weakref.WeakKeyDictionary[RunningServerBase, tuple[int, Description]] = weakref.WeakKeyDictionary()

    def use(self, function: Callable[[Description], None]) -> None:
        """Calls ``function`` with the description of the current server. One call at a time."""
        server = current_server.get()
        methods = server._methods
        with self._lock:
            count, description = self._known.get(server, (0, None))
            if description is None or count != len(methods):
                described = [each for each in methods if not each.is_route]
                description = Description(described, server._codecs)
                self._known[server] = len(methods), description
            function(description)


class _Service:
    """One version of the protocol."""

    def __init__(self, descriptions: Descriptions, package: str) -> None:
        self._descriptions = descriptions
        self.request = _definitions.message(f"{package}.ServerReflectionRequest")
        self.response = _definitions.message(f"{package}.ServerReflectionResponse")

    def blocking(self, requests: Iterator[Any]) -> Iterator[Any]:
        sent: set[str] = set()
        for request in requests:
            yield self._respond(request, sent)

    async def asynchronous(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        sent: set[str] = set()
        async for request in requests:
            yield self._respond(request, sent)

    def _respond(self, request: Any, sent: set[str]) -> Any:
        response = self.response(valid_host=request.host, original_request=request)
        which = request.WhichOneof("message_request")
        if which is None:
            _fail(response, StatusCode.INVALID_ARGUMENT, "reflect: the request is empty")
            return response
        what = getattr(request, which)
        try:
            self._descriptions.use(lambda description: _RESPONDERS[which](response, what, description, sent))
        except UnknownName:
            _fail(response, StatusCode.NOT_FOUND, f"reflect: this server does not know {_name_of(which, what)}")
        except Exception:
            _log.exception("describing the methods of a server failed")
            _fail(response, StatusCode.INTERNAL, "reflect: the server's methods could not be described")
        return response


def _fail(response: Any, code: StatusCode, text: str) -> None:
    response.error_response.error_code = code
    response.error_response.error_message = text


def _name_of(which: str, what: Any) -> str:
    if which == "file_by_filename":
        return f"file {what[:200]!r}"
    if which == "file_containing_extension":
        return f"extension {what.extension_number} of {what.containing_type[:200]!r}"
    return f"{'message' if which == 'all_extension_numbers_of_type' else 'symbol'} {what[:200]!r}"


def _list_services(response: Any, _: str, description: Description, __: set[str]) -> None:
    for name in description.services:
        response.list_services_response.service.add(name=name)
    response.list_services_response.SetInParent()


def _send(response: Any, file: str, description: Description, sent: set[str]) -> None:
    response.file_descriptor_response.file_descriptor_proto.extend(description.files.with_imports(file, sent))


def _file(response: Any, name: str, description: Description, sent: set[str]) -> None:
    _send(response, description.files.find(name), description, sent)


def _symbol(response: Any, name: str, description: Description, sent: set[str]) -> None:
    _send(response, description.files.find_symbol(name), description, sent)


def _extension(response: Any, which: Any, description: Description, sent: set[str]) -> None:
    file = description.files.find_extension(which.containing_type, which.extension_number)
    _send(response, file, description, sent)


def _extension_numbers(response: Any, message: str, description: Description, _: set[str]) -> None:
    numbers = description.files.extension_numbers(message)
    response.all_extension_numbers_response.base_type_name = message
    response.all_extension_numbers_response.extension_number.extend(numbers)


_RESPONDERS: dict[str, _Responder] = {
    "list_services": _list_services,
    "file_by_filename": _file,
    "file_containing_symbol": _symbol,
    "file_containing_extension": _extension,
    "all_extension_numbers_of_type": _extension_numbers,
}

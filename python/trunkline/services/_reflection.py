# SPDX-License-Identifier: MIT
"""Reflection: gRPC's protocol by which a server tells what it offers."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

from .._errors import StatusCode
from .._server import current_server
from . import _definitions
from ._description import Description
from ._files import UnknownName
from ._registering import Served, register_all

if TYPE_CHECKING:
    from .._server import Registry, Serving

_log = logging.getLogger("trunkline.server")

_SERVICE = "ServerReflection/ServerReflectionInfo"

#: Gives a request's answer into the response, of a description; ``sent``: files that the call has had.
_Answer = Callable[[Any, Any, Description, "set[str]"], None]


def add_reflection(server: Registry, *, max_streams: int = 16) -> None:
    """Serves ``grpc.reflection.v1.ServerReflection``, and its older name in ``v1alpha``: a description of the server's
    methods, in the form of protobuf's descriptors, for the command ``trunkline`` and for tools made for gRPC.

    It tells of what the running server was started with. Services without a ``.proto`` are described by their type hints;
    docstrings become comments.

    ``max_streams``: open ones, more are refused with ResourceExhausted; on a blocking server each has a thread beside the
    server's ``threads`` as long as it is open.

    Raises ImportError without the package protobuf, ValueError if the server has it already.
    """
    _definitions.require_protobuf("add reflection")
    current = _Current()
    served = []
    for package in _definitions.REFLECTION:
        answers = _Answers(current, package)
        types = answers.request, answers.response
        handlers = answers.blocking, answers.asynchronous
        served.append(Served(f"{package}.{_SERVICE}", "bidirectional", *types, *handlers, max_streams))
    register_all(server, served)


class _Current:
    """The descriptions of the servers that run; made anew once an embedder has added to one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: weakref.WeakKeyDictionary[Serving, tuple[int, Description]] = weakref.WeakKeyDictionary()

    def use(self, answer: Callable[[Description], None]) -> None:
        """Calls it with the description of the server that is asked, which one caller at a time may use."""
        server = current_server.get()
        methods = server._methods
        with self._lock:
            count, description = self._known.get(server, (0, None))
            if description is None or count != len(methods):
                description = Description(methods, server._codecs)
                self._known[server] = len(methods), description
            answer(description)


class _Answers:
    """Of one version of the protocol."""

    def __init__(self, current: _Current, package: str) -> None:
        self._current = current
        self.request = _definitions.message(f"{package}.ServerReflectionRequest")
        self.response = _definitions.message(f"{package}.ServerReflectionResponse")

    def blocking(self, requests: Iterator[Any]) -> Iterator[Any]:
        sent: set[str] = set()
        for request in requests:
            yield self._answer(request, sent)

    async def asynchronous(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        sent: set[str] = set()
        async for request in requests:
            yield self._answer(request, sent)

    def _answer(self, request: Any, sent: set[str]) -> Any:
        response = self.response(valid_host=request.host, original_request=request)
        which = request.WhichOneof("message_request")
        if which is None:
            _fail(response, StatusCode.INVALID_ARGUMENT, "reflect: the request asks for nothing")
            return response
        what = getattr(request, which)
        try:
            self._current.use(lambda description: _ANSWERS[which](response, what, description, sent))
        except UnknownName:
            _fail(response, StatusCode.NOT_FOUND, f"reflect: {_told(which, what)} is not known to this server")
        except Exception:
            _log.exception("describing the methods of a server")
            _fail(response, StatusCode.INTERNAL, "reflect: the server's methods could not be described")
        return response


def _fail(response: Any, code: StatusCode, text: str) -> None:
    response.error_response.error_code = code
    response.error_response.error_message = text


def _told(which: str, what: Any) -> str:
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


_ANSWERS: dict[str, _Answer] = {
    "list_services": _list_services,
    "file_by_filename": _file,
    "file_containing_symbol": _symbol,
    "file_containing_extension": _extension,
    "all_extension_numbers_of_type": _extension_numbers,
}

# SPDX-License-Identifier: MIT
"""Description: the methods of a server as descriptors of services, existing ones and ones derived from type hints."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from .. import _core
from .._messages.builtin_codecs import CODECS, DEFAULT_CODEC, codec_of_both
from .._messages.codec_table import CodecTable
from .._messages.types import is_protobuf
from .._server.method import Method
from . import _definitions
from ._comments import comment_of
from ._files import Files
from ._generated_comments import generated_comments
from ._names import dotted, identifier
from ._structures import DerivedFile, Structures, messages_in

#: The service of methods whose names have no service, or one whose name protobuf cannot express.
DEFAULT_SERVICE = "trunkline.Methods"

_SERVICES, _METHODS = 6, 2
_OPTION = 57321  # trunkline.v1.method
_NO_SIDE_EFFECTS = 1
_IDEMPOTENT = 2

_CLIENT_STREAMS = (_core.MethodKind.client_stream, _core.MethodKind.bidirectional)
_SERVER_STREAMS = (_core.MethodKind.server_stream, _core.MethodKind.bidirectional)


def service_and_method(path: str) -> tuple[str, str]:
    """Returns the names of a path's service and method. ``package.Service/Method`` and ``Service.Method`` have both."""
    service, separator, name = path.rpartition("/")
    if not separator:
        service, _, name = path.rpartition(".")
    service = service.strip("/")
    return (dotted(service), identifier(name)) if service and name else (DEFAULT_SERVICE, identifier(path))


class Description:
    """The descriptors of a list of methods."""

    def __init__(self, methods: Iterable[Method], codecs: CodecTable) -> None:
        methods = list(methods)
        self.files = Files(generated_comments(methods))
        self.services: list[str] = []
        self._codecs = codecs
        self._structures = Structures(self.files)
        derived: dict[str, list[tuple[str, Method]]] = {}
        for method in methods:
            service, name = service_and_method(method.name)
            file = _defining_file(method)
            if file is not None:
                self.files.add(file)
                self._list(service)
            else:
                derived.setdefault(service, []).append((name, method))
                # The existing names are known before derived ones are chosen.
                for kind in messages_in((method.signature.request, method.signature.response)):
                    self.files.add(kind.DESCRIPTOR.file)
        accepted = self._reserved(derived)
        for service in sorted(accepted):
            self._derive(service, accepted[service])
            self._list(service)
        self.services.sort()

    def _list(self, service: str) -> None:
        if service not in self.services:
            self.services.append(service)

    def _reserved(self, derived: dict[str, list[tuple[str, Method]]]) -> dict[str, list[tuple[str, Method]]]:
        """Returns the methods by service, under names that are reserved here. Methods of a service whose name is taken
        go to the default service."""
        accepted: dict[str, list[tuple[str, Method]]] = {}
        others: list[tuple[str, Method]] = []
        self.files.reserve_package(_definitions.STATISTICS)
        self.files.reserve(*DEFAULT_SERVICE.split("."))
        # Names with packages come first: "example/list" must not take the name of the package of "example.Shop/add".
        for service in sorted(derived, key=lambda each: (-each.count("."), each)):
            package, _, name = service.rpartition(".")
            if not self.files.is_taken(service) and self.files.reserve_package(package):
                self.files.reserve(package, name)
                accepted[service] = derived[service]
            else:
                is_own = service == DEFAULT_SERVICE
                for name, method in derived[service]:
                    others.append((name if is_own else identifier(method.name), method))
        if others:
            accepted[DEFAULT_SERVICE] = others
        return accepted

    # --- services without a definition ---

    def _derive(self, service: str, methods: list[tuple[str, Method]]) -> None:
        package, _, name = service.rpartition(".")
        file = DerivedFile(f"trunkline/derived/{service}.proto", package)
        made = file.proto.service.add(name=name)
        file.comments.add((_SERVICES, 0), "" if service == DEFAULT_SERVICE else _comment_of_service(methods))
        taken: set[str] = set()
        for wanted, method in sorted(methods, key=lambda each: (each[0], each[1].name)):
            chosen = wanted
            while chosen in taken:
                chosen += "_"
            taken.add(chosen)
            file.comments.add((_SERVICES, 0, _METHODS, len(made.method)), comment_of(_function_of(method)))
            self._add_method(made.method.add(name=chosen), service, method, file)
        self.files.add_proto(file.finished())

    def _add_method(self, made: Any, service: str, method: Method, file: DerivedFile) -> None:
        signature = method.signature
        request = signature.request if signature.takes_request else None
        made.input_type = f".{self._structures.message(request, file)}"
        made.output_type = f".{self._structures.message(signature.response, file)}"
        if signature.kind in _CLIENT_STREAMS:
            made.client_streaming = True
        if signature.kind in _SERVER_STREAMS:
            made.server_streaming = True
        if method.idempotent:
            made.options.idempotency_level = _NO_SIDE_EFFECTS if method.no_side_effects else _IDEMPOTENT
        facts = _definitions.message("trunkline.v1.MethodFacts")()
        if method.name != f"{service}/{made.name}":
            facts.path = method.name
        facts.codec = self._codec_of(request, signature.response)
        if facts.ByteSize():
            # The option is added as bytes, since it is unknown to the default pool, whose class this is.
            made.options.MergeFromString(_length_delimited(_OPTION, facts.SerializeToString()))
            file.use(self.files.add(_definitions.pool().FindFileByName(_definitions.OPTIONS_FILE)))

    def _codec_of(self, request: Any, response: Any) -> str:
        """Returns the codec of a method's messages in its description; empty for protobuf."""
        usual = self._codecs.name_for(response if request is None else request, None)
        if usual in CODECS and request is not None:
            usual = codec_of_both(request, response)
        if usual == "protobuf":
            return ""
        if usual == "msgpack" and (is_protobuf(request) or is_protobuf(response)):
            return "json"  # protobuf messages can be JSON, but not MessagePack
        return usual if usual in ("json", "msgpack") else DEFAULT_CODEC


def _length_delimited(number: int, data: bytes) -> bytes:
    """Returns the encoding of a field of bytes in a protobuf message."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _defining_file(method: Method) -> Any:
    """Returns the descriptor of the file that declares the method exactly as it is served; None if no file does."""
    signature = method.signature
    if not is_protobuf(signature.request) or not is_protobuf(signature.response):
        return None
    service, _, name = method.name.rpartition("/")
    request, response = signature.request.DESCRIPTOR, signature.response.DESCRIPTOR
    try:
        declared = request.file.pool.FindServiceByName(service).methods_by_name[name]
    except KeyError:
        return None
    fits = (
        declared.input_type.full_name == request.full_name
        and declared.output_type.full_name == response.full_name
        and declared.client_streaming == (signature.kind in _CLIENT_STREAMS)
        and declared.server_streaming == (signature.kind in _SERVER_STREAMS)
    )
    return declared.containing_service.file if fits else None


def _function_of(method: Method) -> Any:
    return inspect.unwrap(getattr(method.handler, "__func__", method.handler))


def _comment_of_service(methods: list[tuple[str, Method]]) -> str:
    """Returns the docstring of the class, if they are all methods of one class."""
    owners = {type(getattr(method.handler, "__self__", None)) for _, method in methods}
    return comment_of(owners.pop()) if len(owners) == 1 and type(None) not in owners else ""

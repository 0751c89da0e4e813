# SPDX-License-Identifier: MIT
"""A reflection client for tests, which believes only what a descriptor pool accepts."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import trunkline
from google.protobuf import descriptor_pb2, descriptor_pool
from trunkline.services import _definitions

V1, V1ALPHA = _definitions.REFLECTION


def method_of(package: str = V1) -> str:
    return f"{package}.ServerReflection/ServerReflectionInfo"


def messages_of(package: str = V1) -> tuple[Any, Any]:
    request = _definitions.message(f"{package}.ServerReflectionRequest")
    return request, _definitions.message(f"{package}.ServerReflectionResponse")


def ask_all(channel: trunkline.Channel, requests: Iterable[dict[str, Any]], package: str = V1) -> list[Any]:
    """Sends all requests on one stream and returns the responses."""
    request, response = messages_of(package)
    with channel.stream(method_of(package), request, response, timeout=20.0) as stream:
        return list(stream.exchange([request(**each) for each in requests]))


def ask(channel: trunkline.Channel, package: str = V1, **request: Any) -> Any:
    (response,) = ask_all(channel, [request], package)
    return response


def services(channel: trunkline.Channel) -> list[str]:
    return [each.name for each in ask(channel, list_services="*").list_services_response.service]


def files_of(response: Any) -> list[Any]:
    assert response.WhichOneof("message_response") == "file_descriptor_response", response
    data = response.file_descriptor_response.file_descriptor_proto
    return [descriptor_pb2.FileDescriptorProto.FromString(each) for each in data]


def pool_of(files: Iterable[Any]) -> Any:
    """Returns a descriptor pool of all files that were sent."""
    pool = descriptor_pool.DescriptorPool()
    left = {file.name: file for file in files}

    def add(name: str) -> None:
        file = left.pop(name, None)
        if file is not None:
            for needed in file.dependency:
                add(needed)
            pool.Add(file)

    for name in list(left):
        add(name)
    return pool


def described(channel: trunkline.Channel, symbol: str) -> tuple[Any, Any]:
    """Returns the file that declares the symbol, and a pool of this file and its imports."""
    files = files_of(ask(channel, file_containing_symbol=symbol))
    pool = pool_of(files)
    declared = {each.name: each for each in (*files[0].service, *files[0].message_type)}
    assert symbol.rpartition(".")[2] in declared and pool.FindFileByName(files[0].name).package == files[0].package
    return files[0], pool


def comments(file: Any) -> dict[tuple[int, ...], str]:
    return {tuple(each.path): each.leading_comments for each in file.source_code_info.location}


def facts_of(file: Any, method: str) -> Any:
    """Returns the option ``trunkline.v1.method`` of a method."""
    (found,) = [each for service in file.service for each in service.method if each.name == method]
    return _read_facts().FromString(found.options.SerializeToString()).facts


@functools.cache
def _read_facts() -> Any:
    """Reads the option with a message class that has only this option, so that no extension is registered."""
    pool = descriptor_pool.DescriptorPool()
    for data in _definitions.files().values():
        pool.AddSerializedFile(data)
    file = descriptor_pb2.FileDescriptorProto(name="test/facts.proto", dependency=["trunkline/v1/options.proto"])
    field = file.message_type.add(name="Options").field.add(name="facts", number=57321, label=1, type=11)
    field.type_name = ".trunkline.v1.MethodFacts"
    pool.AddSerializedFile(file.SerializeToString())
    return _definitions.class_of(pool, "Options")


def message_of(file: Any, name: str) -> Any:
    (found,) = [each for each in file.message_type if each.name == name]
    return found


def field_types(message: Any) -> dict[str, str]:
    """Returns the types of the fields as ``.proto`` files spell them."""
    reported = {}
    for field in message.field:
        kind = field.type_name.lstrip(".") or descriptor_pb2.FieldDescriptorProto.Type.Name(field.type)[5:].lower()
        entry = [each for each in message.nested_type if kind.endswith(f".{message.name}.{each.name}")]
        if entry:
            key, value = field_types(entry[0]).values()
            reported[field.name] = f"map<{key}, {value}>"
        else:
            prefix = "repeated " if field.label == 3 else "optional " if field.proto3_optional else ""
            reported[field.name] = f"{prefix}{kind}"
    return reported

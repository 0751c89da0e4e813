# SPDX-License-Identifier: MIT
"""The messages of the built-in services, in a descriptor pool of their own, so that other packages may register gRPC's
files in the default pool."""

from __future__ import annotations

import functools
from typing import Any

from ._embedded import FILES

HEALTH = "grpc.health.v1"
REFLECTION = ("grpc.reflection.v1", "grpc.reflection.v1alpha")
STATISTICS = "trunkline.v1"
OPTIONS_FILE = "trunkline/v1/options.proto"

_PACKAGE = "trunkline.v1"
#: Maps our files to their names and packages in gRPC.
_GRPC_FILES = {
    "trunkline/v1/health.proto": (("grpc/health/v1/health.proto", HEALTH),),
    "trunkline/v1/reflection.proto": (
        ("grpc/reflection/v1/reflection.proto", REFLECTION[0]),
        ("grpc/reflection/v1alpha/reflection.proto", REFLECTION[1]),
    ),
}


def require_protobuf(what: str) -> None:
    """Raises ImportError with what to install. Its text begins with ``what``."""
    try:
        import google.protobuf.descriptor_pool  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{what}: it needs the package protobuf: pip install trunkline[protobuf]") from error


def _renamed(data: bytes, name: str, package: str) -> bytes:
    from google.protobuf import descriptor_pb2

    file = descriptor_pb2.FileDescriptorProto.FromString(data)
    file.name, file.package = name, package

    def rename(type_name: str) -> str:
        return type_name.replace(f".{_PACKAGE}.", f".{package}.", 1)

    for message in file.message_type:
        for field in message.field:
            if field.type_name:
                field.type_name = rename(field.type_name)
    for service in file.service:
        for method in service.method:
            method.input_type, method.output_type = rename(method.input_type), rename(method.output_type)
    renamed: bytes = file.SerializeToString(deterministic=True)
    return renamed


@functools.cache
def files() -> dict[str, bytes]:
    """Returns the serialized files of the built-in services and of what they import, by name. Each follows its imports;
    ours have comments."""
    from google.protobuf import descriptor_pb2, empty_pb2, struct_pb2, wrappers_pb2

    known: dict[str, bytes] = {}
    for module in (descriptor_pb2, empty_pb2, struct_pb2, wrappers_pb2):
        known[module.DESCRIPTOR.name] = module.DESCRIPTOR.serialized_pb
    for name, data in FILES.items():
        for grpc_name, package in _GRPC_FILES.get(name, ((name, _PACKAGE),)):
            known[grpc_name] = data if grpc_name == name else _renamed(data, grpc_name, package)
    return known


@functools.cache
def pool() -> Any:
    """Returns the pool with ``files()``."""
    from google.protobuf import descriptor_pool

    made = descriptor_pool.DescriptorPool()
    for data in files().values():
        made.AddSerializedFile(data)
    return made


@functools.cache
def message(name: str) -> Any:
    """Returns the class of a message of ``pool()``. ``name`` is its full name."""
    return class_of(pool(), name)


def class_of(pool: Any, name: str) -> Any:
    """Returns the class of a message of any pool."""
    from google.protobuf import message_factory

    descriptor = pool.FindMessageTypeByName(name)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    factory: Any = message_factory.MessageFactory(pool)
    return factory.GetPrototype(descriptor)  # before 4.22

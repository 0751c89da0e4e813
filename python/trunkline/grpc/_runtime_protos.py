# SPDX-License-Identifier: MIT
"""Makes modules of ``.proto`` files at run time, which needs the package ``grpcio-tools``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ._installation import imported_as_grpc


def _tools() -> Any:
    try:
        from grpc_tools import protoc
    except ImportError as error:
        raise NotImplementedError(
            "protos and services need the package grpcio-tools: pip install grpcio-tools"
        ) from error
    return protoc


def protos(protobuf_path: str) -> ModuleType:
    """Returns the module of the messages in a file, whose path is relative to one of ``sys.path``."""
    module: ModuleType = _tools()._protos(protobuf_path)
    return module


def services(protobuf_path: str) -> ModuleType:
    """Returns the module of the services in a file."""
    with imported_as_grpc():
        module: ModuleType = _tools()._services(protobuf_path)
    return module


def protos_and_services(protobuf_path: str) -> tuple[ModuleType, ModuleType]:
    """Returns both modules."""
    return protos(protobuf_path), services(protobuf_path)

# SPDX-License-Identifier: MIT
"""Compatibility aliases: private modules of grpcio that known packages import, with Trunkline's classes under the names
that these packages use. They hold nothing of their own, and no other name of grpcio's private modules."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

_PACKAGE = __name__.rpartition(".")[0]

_AIO_CALLS = {
    f"{kind}Call": f"aio:{kind}Call" for kind in ("", "StreamStream", "StreamUnary", "UnaryStream", "UnaryUnary")
}
_AIO_METHODS = {
    f"{kind}MultiCallable": f"aio:{kind}MultiCallable"
    for kind in ("StreamStream", "StreamUnary", "UnaryStream", "UnaryUnary")
}
_AIO_INTERCEPTORS = {
    f"{kind}ClientInterceptor": f"aio:{kind}ClientInterceptor"
    for kind in ("", "StreamStream", "StreamUnary", "UnaryStream", "UnaryUnary")
}
_AIO_TYPES = (
    "ChannelArgumentType",
    "DeserializingFunction",
    "DoneCallbackType",
    "EOFType",
    "MetadataKey",
    "MetadataType",
    "MetadataValue",
    "MetadatumType",
    "RequestIterableType",
    "RequestType",
    "ResponseIterableType",
    "ResponseType",
    "SerializingFunction",
)

#: The aliases of each private module. A module is named relative to ``grpc``, and an alias stands for ``module:name``,
#: whose module is named relative to this package.
ALIASES: Mapping[str, Mapping[str, str]] = {
    "_channel": {
        "Channel": "_grpc_channel:GrpcChannel",
        "_InactiveRpcError": "_ended_call:FailedCall",
        "_MultiThreadedRendezvous": "_errors:Rendezvous",
        "_Rendezvous": "_errors:Rendezvous",
        "_StreamStreamMultiCallable": "_methods:StreamStreamMethod",
        "_StreamUnaryMultiCallable": "_methods:StreamUnaryMethod",
        "_UnaryStreamMultiCallable": "_methods:UnaryStreamMethod",
        "_UnaryUnaryMultiCallable": "_methods:UnaryUnaryMethod",
    },
    "_cython": {},
    "_cython.cygrpc": {
        "AbortError": "aio:AbortError",
        "BaseError": "aio:BaseError",
        "ChannelArgKey": "_argument:ArgumentNames",
        "CompositeChannelCredentials": "_credentials:CompositeChannelCredentials",
        "EOF": "aio:EOF",
        "InternalError": "aio:InternalError",
        "UsageError": "aio:UsageError",
        "_Metadatum": "_metadatum:Metadatum",
    },
    "_interceptor": {
        "_Channel": "_intercepted_channel:InterceptedChannel",
        "_ClientCallDetails": "_intercepted_channel:CallDetails",
        "_FailureOutcome": "_intercepted_call:RaisedCall",
        "_UnaryOutcome": "_intercepted_call:RespondedCall",
    },
    "aio._base_call": {"RpcContext": "aio:RpcContext", **_AIO_CALLS},
    "aio._base_channel": {"Channel": "aio:Channel", **_AIO_METHODS},
    "aio._base_server": {"Server": "aio:Server", "ServicerContext": "aio:ServicerContext"},
    "aio._call": {"AioRpcError": "aio:AioRpcError", **_AIO_CALLS},
    "aio._interceptor": {
        "ClientCallDetails": "aio:ClientCallDetails",
        "InterceptedUnaryUnaryCall": "aio:InterceptedUnaryUnaryCall",
        "ServerInterceptor": "aio:ServerInterceptor",
        **_AIO_INTERCEPTORS,
    },
    "aio._typing": {name: f"_aio_types:{name}" for name in _AIO_TYPES},
}


class AliasLoader(importlib.abc.Loader):
    """Loads a module of aliases under any of its names. Nothing of it has to run."""

    def __init__(self, name: str) -> None:
        """``name`` is one of the table."""
        self._name = name
        self._own_spec: importlib.machinery.ModuleSpec | None = None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = alias_module(self._name)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Keeps the module's own specification."""
        if self._own_spec is not None:
            module.__spec__ = self._own_spec


def alias_module(name: str) -> ModuleType:
    """Returns the module of aliases with a name of the table. There is one, also under its name in this package."""
    full_name = f"{_PACKAGE}.{name}"
    found = sys.modules.get(full_name)
    if found is not None:
        return found
    made = ModuleType(full_name, "Names of grpcio that stand for others: see trunkline.grpc._compatibility.")
    is_package = any(other.startswith(f"{name}.") for other in ALIASES)
    if is_package:
        made.__path__ = []
    made.__spec__ = importlib.machinery.ModuleSpec(full_name, AliasLoader(name), is_package=is_package)
    made.__getattr__ = _resolver(full_name, name)  # type: ignore[method-assign]
    made.__dir__ = lambda: sorted({*made.__dict__, *ALIASES[name]})  # type: ignore[method-assign]
    return sys.modules.setdefault(full_name, made)


def _resolver(full_name: str, name: str) -> Callable[[str], Any]:
    """Returns the ``__getattr__`` of a module of aliases, which imports what a name stands for at its first use."""

    def resolve(attribute: str) -> Any:
        meant = ALIASES[name].get(attribute)
        if meant is not None:
            module, _, member = meant.partition(":")
            return getattr(importlib.import_module(f"{_PACKAGE}.{module}"), member)
        if f"{name}.{attribute}" in ALIASES:
            return alias_module(f"{name}.{attribute}")
        raise AttributeError(f"module {full_name!r} has no attribute {attribute!r}")

    return resolve

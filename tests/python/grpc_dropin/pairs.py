# SPDX-License-Identifier: MIT
"""Pairs of the implementations of grpcio's interface that the two sides of a call use."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any, NamedTuple

import grpc
from google.protobuf.wrappers_pb2 import StringValue

import trunkline.grpc

IMPLEMENTATIONS: dict[str, Any] = {"grpcio": grpc, "trunkline": trunkline.grpc}

#: Seconds, for calls that end much sooner.
SOON = 20.0


class Pair(NamedTuple):
    """The module of the client and that of the server."""

    client: Any
    server: Any


PAIRS = {
    f"{client}-to-{server}": Pair(IMPLEMENTATIONS[client], IMPLEMENTATIONS[server])
    for client in IMPLEMENTATIONS
    for server in IMPLEMENTATIONS
}


def text(value: str) -> StringValue:
    return StringValue(value=value)


def handler(module: Any, kind: str, behavior: Callable[..., Any]) -> Any:
    """The handler of a method whose messages are StringValues."""
    make = getattr(module, f"{kind}_rpc_method_handler")
    return make(behavior, StringValue.FromString, StringValue.SerializeToString)


def method(channel: Any, name: str, kind: str) -> Any:
    """The method of the service under test, whose messages are StringValues."""
    return getattr(channel, kind)(f"/test.Text/{name}", StringValue.SerializeToString, StringValue.FromString)


@contextlib.contextmanager
def serving(module: Any, methods: dict[str, tuple[str, Callable[..., Any]]], **options: Any) -> Iterator[str]:
    """Serves methods by their name, each with its kind and function. Yields the target."""
    server = module.server(futures.ThreadPoolExecutor(max_workers=4), **options)
    handlers = {name: handler(module, kind, behavior) for name, (kind, behavior) in methods.items()}
    server.add_generic_rpc_handlers((module.method_handlers_generic_handler("test.Text", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait(SOON)

# SPDX-License-Identifier: MIT
"""Local servers for the clients under test, whose methods are given by name and by the types of their messages."""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent import futures
from typing import Any

import grpc

#: Seconds, for calls that end much sooner.
SOON = 30.0


def method(kind: str, behavior: Callable[..., Any], request: Any, response: Any) -> Any:
    """The handler of a method of that kind. Its messages are classes of protobuf or of proto-plus."""
    make = getattr(grpc, f"{kind}_rpc_method_handler")
    read = getattr(request, "deserialize", None) or request.FromString
    write = getattr(response, "serialize", None) or response.SerializeToString
    return make(behavior, request_deserializer=read, response_serializer=write)


def service(name: str, **methods: Any) -> Any:
    """What adds a service of these methods to a server."""
    return lambda server: server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, methods),))


def add_port(server: Any, credentials: Any) -> int:
    """The number of a free port that the server listens on."""
    if credentials is None:
        return server.add_insecure_port("127.0.0.1:0")
    return server.add_secure_port("127.0.0.1:0", credentials)


@contextlib.contextmanager
def serving(*services: Callable[[Any], None], credentials: Any = None, **options: Any) -> Iterator[str]:
    """Serves the services, which functions add to the server, with TLS if it has credentials. Yields the target."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8), **options)
    for add in services:
        add(server)
    port = add_port(server, credentials)
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait(SOON)


@contextlib.asynccontextmanager
async def serving_async(
    *services: Callable[[Any], None], credentials: Any = None, **options: Any
) -> AsyncIterator[str]:
    """Serves the services, whose behaviors are coroutines or asynchronous generators. Yields the target."""
    server = grpc.aio.server(**options)
    for add in services:
        add(server)
    port = add_port(server, credentials)
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)

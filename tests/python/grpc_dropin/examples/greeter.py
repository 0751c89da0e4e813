# SPDX-License-Identifier: MIT
"""The service that most examples use, and how long they wait."""

from __future__ import annotations

from concurrent import futures
from typing import Any

import grpc

messages, services = grpc.protos_and_services("greeting.proto")
Greeter = services.GreeterServicer

#: Seconds, for what happens much sooner.
SOON = 20.0


def request(name: str) -> Any:
    return messages.HelloRequest(name=name)


def reply(text: str) -> Any:
    return messages.HelloReply(message=text)


def stub(channel: Any) -> Any:
    return services.GreeterStub(channel)


def serve(servicer: Any, **options: Any) -> tuple[Any, str]:
    """A server that has started, and its target."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8), **options)
    services.add_GreeterServicer_to_server(servicer, server)
    port = server.add_insecure_port("localhost:0")
    server.start()
    return server, f"localhost:{port}"


async def serve_async(servicer: Any) -> tuple[Any, str]:
    """The same for asyncio."""
    server = grpc.aio.server()
    services.add_GreeterServicer_to_server(servicer, server)
    port = server.add_insecure_port("localhost:0")
    await server.start()
    return server, f"localhost:{port}"

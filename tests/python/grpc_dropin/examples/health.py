# SPDX-License-Identifier: MIT
"""The service for health checks of grpcio-health-checking."""

from __future__ import annotations

from concurrent import futures
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from . import greeter


class Greeter(greeter.Greeter):
    """Greetings change the health of the service "greeter"."""

    def __init__(self, servicer: Any) -> None:
        self._health = servicer

    def SayHello(self, request: Any, context: Any) -> Any:
        self._health.set("greeter", health_pb2.HealthCheckResponse.ServingStatus.Value(request.name))
        return greeter.reply(request.name)


def serve() -> tuple[Any, str]:
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
    servicer = health.HealthServicer()
    servicer.set("greeter", health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    greeter.services.add_GreeterServicer_to_server(Greeter(servicer), server)
    port = server.add_insecure_port("localhost:0")
    server.start()
    return server, f"localhost:{port}"


def checks(channel: Any) -> Any:
    """The stub, untyped: the types of grpcio-health-checking know no methods of it."""
    return health_pb2_grpc.HealthStub(channel)


def run(target: str) -> list[str]:
    name_of = health_pb2.HealthCheckResponse.ServingStatus.Name
    with grpc.insecure_channel(target) as channel:
        stub = checks(channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest(service="greeter"))
        seen = [name_of(next(watch).status)]
        greeter.stub(channel).SayHello(greeter.request("NOT_SERVING"))
        seen.append(name_of(next(watch).status))
        watch.cancel()
        seen.append(name_of(stub.Check(health_pb2.HealthCheckRequest(service="greeter")).status))
        try:
            stub.Check(health_pb2.HealthCheckRequest(service="unknown"))
        except grpc.RpcError as error:
            seen.append(error.code().name)
    return seen

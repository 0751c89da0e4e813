# SPDX-License-Identifier: MIT
"""Two services on one port, called over one channel."""

from __future__ import annotations

from concurrent import futures
from typing import Any

import grpc

from . import greeter, helloworld, route_guide


def serve() -> tuple[Any, str]:
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    greeter.services.add_GreeterServicer_to_server(helloworld.Greeter(), server)
    route_guide.services.add_RouteGuideServicer_to_server(route_guide.RouteGuide(), server)
    port = server.add_insecure_port("localhost:0")
    server.start()
    return server, f"localhost:{port}"


def run(target: str) -> list[str]:
    with grpc.insecure_channel(target) as channel:
        greeting = greeter.stub(channel).SayHello.future(greeter.request("you"))
        feature = route_guide.services.RouteGuideStub(channel).GetFeature(route_guide.point(1, 1))
        return [greeting.result(greeter.SOON).message, feature.name]

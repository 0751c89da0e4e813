# SPDX-License-Identifier: MIT
"""A call that waits for a server which has not started yet. The folder EXAMPLES_FOLDER holds its socket."""

from __future__ import annotations

import os
from concurrent import futures
from typing import Any

import grpc

from . import greeter, helloworld


class Starter(greeter.Greeter):
    """SayHello starts the server whose target it gets."""

    def __init__(self) -> None:
        self._server = grpc.server(futures.ThreadPoolExecutor(max_workers=2))
        greeter.services.add_GreeterServicer_to_server(helloworld.Greeter(), self._server)

    def SayHello(self, request: Any, context: Any) -> Any:
        self._server.add_insecure_port(request.name)
        self._server.start()
        return greeter.reply("started")


def serve() -> tuple[Any, str]:
    return greeter.serve(Starter())


def run(target: str) -> list[str]:
    late = f"unix:{os.environ['EXAMPLES_FOLDER']}/{os.getpid()}"
    seen: list[str] = []
    with grpc.insecure_channel(target) as starting, grpc.insecure_channel(late) as channel:
        stub = greeter.stub(channel)
        try:
            stub.SayHello(greeter.request("early"), wait_for_ready=False)
        except grpc.RpcError as error:
            seen.append(error.code().name)
        future = stub.SayHello.future(greeter.request("late"), wait_for_ready=True, timeout=greeter.SOON)
        seen.append(f"done: {future.done()}")
        seen.append(greeter.stub(starting).SayHello(greeter.request(late)).message)
        seen.append(future.result().message)
    return seen

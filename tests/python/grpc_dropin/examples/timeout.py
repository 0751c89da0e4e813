# SPDX-License-Identifier: MIT
"""Deadlines that pass, and one that does not."""

from __future__ import annotations

import threading
from typing import Any

import grpc

from . import greeter


def wait_for_end(context: Any) -> None:
    ended = threading.Event()
    if context.add_callback(ended.set):
        ended.wait(greeter.SOON)


class Greeter(greeter.Greeter):
    def SayHello(self, request: Any, context: Any) -> Any:
        if request.name == "slow":
            wait_for_end(context)
        # grpcio asks two clocks, so that it may see a little more than there was.
        return greeter.reply(f"has a deadline: {0 < context.time_remaining() < greeter.SOON + 1}")

    def SayHelloOften(self, request: Any, context: Any) -> Any:
        yield greeter.reply("first")
        wait_for_end(context)


def serve() -> tuple[Any, str]:
    return greeter.serve(Greeter())


def run(target: str) -> list[str]:
    seen: list[str] = []
    with grpc.insecure_channel(target) as channel:
        stub = greeter.stub(channel)
        seen.append(stub.SayHello(greeter.request("quick"), timeout=greeter.SOON).message)
        try:
            stub.SayHello(greeter.request("slow"), timeout=0.1)
        except grpc.RpcError as error:
            seen.append(error.code().name)
        try:
            for response in stub.SayHelloOften(greeter.request("slow"), timeout=5.0):
                seen.append(response.message)
        except grpc.RpcError as error:
            seen.append(error.code().name)
    return seen

# SPDX-License-Identifier: MIT
"""Calls that their caller gives up, of which the server learns."""

from __future__ import annotations

import threading
from typing import Any

import grpc

from . import greeter


class Greeter(greeter.Greeter):
    """SayHello("wait") lasts until it is cancelled; "begun" waits until that one has begun, and other names wait until
    two calls have been cancelled."""

    def __init__(self) -> None:
        self._begun = threading.Event()
        self._cancelled = threading.Semaphore(0)

    def SayHello(self, request: Any, context: Any) -> Any:
        if request.name == "wait":
            ended = threading.Event()
            context.add_callback(ended.set)
            context.add_callback(self._cancelled.release)
            self._begun.set()
            ended.wait(greeter.SOON)
            return greeter.reply("nobody hears this")
        if request.name == "begun":
            return greeter.reply(f"begun: {self._begun.wait(greeter.SOON)}")
        both = all([self._cancelled.acquire(timeout=greeter.SOON) for _ in range(2)])
        return greeter.reply(f"both were cancelled: {both}")

    def SayHelloOften(self, request: Any, context: Any) -> Any:
        ended = threading.Event()
        context.add_callback(ended.set)
        context.add_callback(self._cancelled.release)
        yield greeter.reply("once")
        # Not reached if the call is cancelled before.
        ended.wait(greeter.SOON)


def serve() -> tuple[Any, str]:
    return greeter.serve(Greeter())


def run(target: str) -> list[str]:
    seen: list[str] = []
    with grpc.insecure_channel(target) as channel:
        stub = greeter.stub(channel)
        future = stub.SayHello.future(greeter.request("wait"))
        seen.append(stub.SayHello(greeter.request("begun")).message)
        stream = stub.SayHelloOften(greeter.request("x"))
        seen.append(next(stream).message)
        stream.cancel()
        try:
            next(stream)
        except grpc.RpcError as error:
            seen.append(error.code().name)
        seen.append(f"cancelled: {future.cancel()}, {future.cancelled()}")
        try:
            future.result()
        except grpc.FutureCancelledError:
            seen.append("FutureCancelledError")
        seen.append(stub.SayHello(greeter.request("ask")).message)
    return seen

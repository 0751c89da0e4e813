# SPDX-License-Identifier: MIT
"""The service of tests/interop/wrapper_types.proto in Python, and an empty page. Serves until SIGTERM, then drains.

Usage: backend.py ENDPOINT
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator

from google.protobuf.duration_pb2 import Duration
from google.protobuf.wrappers_pb2 import BytesValue, Int64Value, StringValue

import trunkline
from trunkline import aio


def echo_metadata(context: trunkline.Context) -> None:
    for name, value in context.metadata:
        if name.startswith("leading-"):
            context.add_leading_metadata(name, value)
        if name.startswith("trailing-"):
            context.add_trailing_metadata(name, value)


def failure() -> trunkline.RpcError:
    opaque = ("example.com/opaque", b"\x00\xff")
    return trunkline.FailedPrecondition("100 % café\n", details=[Duration(seconds=7), opaque])


def make_server() -> aio.Server:
    server = aio.Server()
    hanging = cancelled = 0

    @server.route("GET", "/page")
    async def page() -> trunkline.HttpResponse:
        return trunkline.HttpResponse.html("<!doctype html><title>page</title>")

    @server.method("interop.Grpc/Echo", no_side_effects=True)
    async def echo(request: BytesValue, context: trunkline.Context) -> BytesValue:
        echo_metadata(context)
        return request

    @server.method("interop.Grpc/Fail")
    async def fail(request: StringValue, context: trunkline.Context) -> StringValue:
        echo_metadata(context)
        raise failure()

    @server.method("interop.Grpc/Throw")
    async def throw(request: StringValue) -> StringValue:
        raise ValueError("secret")

    @server.method("interop.Grpc/FailLate")
    async def fail_late(request: StringValue, context: trunkline.Context) -> AsyncIterator[Int64Value]:
        echo_metadata(context)
        yield Int64Value(value=1)
        raise failure()

    @server.method("interop.Grpc/Range")
    async def numbers(request: Int64Value, context: trunkline.Context) -> AsyncIterator[Int64Value]:
        nonlocal cancelled
        echo_metadata(context)
        try:
            for number in range(request.value):
                yield Int64Value(value=number)
        finally:
            if context.is_cancelled():
                cancelled += 1

    @server.method("interop.Grpc/Sum")
    async def sum_of(requests: AsyncIterator[Int64Value]) -> Int64Value:
        return Int64Value(value=sum([request.value async for request in requests]))

    @server.method("interop.Grpc/Chat")
    async def chat(requests: AsyncIterator[BytesValue], context: trunkline.Context) -> AsyncIterator[BytesValue]:
        echo_metadata(context)
        async for request in requests:
            yield request

    @server.method("interop.Grpc/Hang")
    async def hang(request: Int64Value) -> Int64Value:
        nonlocal hanging, cancelled
        hanging += 1
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled += 1
            raise
        finally:
            hanging -= 1
        return Int64Value()

    @server.method("interop.Grpc/Hanging")
    async def count_hanging(request: Int64Value) -> Int64Value:
        return Int64Value(value=hanging)

    @server.method("interop.Grpc/Cancelled")
    async def count_cancelled(request: Int64Value) -> Int64Value:
        return Int64Value(value=cancelled)

    @server.method("interop.Grpc/TimeLeft")
    async def time_left(request: Int64Value, context: trunkline.Context) -> Int64Value:
        left = context.time_left()
        return Int64Value(value=-1 if left is None else int(left * 1000))

    @server.method("interop.Grpc/Process")
    async def process(request: Int64Value) -> Int64Value:
        return Int64Value(value=os.getpid())

    return server


async def serve(endpoint: str) -> None:
    running = make_server().serve(endpoint)
    print(f"listening on {running.endpoint}", flush=True)
    await running.run_until_signal(signal.SIGTERM, grace=20.0)
    print("stopped: ok", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} ENDPOINT")
    asyncio.run(serve(sys.argv[1]))

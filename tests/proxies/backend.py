# SPDX-License-Identifier: MIT
"""The service of tests/interop/grpc_server.cpp in Python. Serves until SIGTERM, then drains.

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


def make_server() -> aio.Server:
    server = aio.Server()
    cancelled = 0

    @server.method("interop.Grpc/Echo")
    async def echo(request: BytesValue, context: trunkline.Context) -> BytesValue:
        echo_metadata(context)
        return request

    @server.method("interop.Grpc/Fail")
    async def fail(request: StringValue, context: trunkline.Context) -> StringValue:
        echo_metadata(context)
        raise trunkline.FailedPrecondition("100 % café\n", details=[Duration(seconds=7)])

    @server.method("interop.Grpc/Range")
    async def numbers(request: Int64Value) -> AsyncIterator[Int64Value]:
        for number in range(request.value):
            yield Int64Value(value=number)

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
        nonlocal cancelled
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled += 1
            raise
        return Int64Value()

    @server.method("interop.Grpc/Cancelled")
    async def count_cancelled(request: Int64Value) -> Int64Value:
        return Int64Value(value=cancelled)

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

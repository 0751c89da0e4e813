# SPDX-License-Identifier: MIT
"""Trunkline, blocking and with asyncio."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import trunkline
from google.protobuf.wrappers_pb2 import BytesValue
from trunkline import aio

from contestants.load import METHOD, Load, check, run, wait_for_end_of_input


def print_batch_size(totals: dict[str, int]) -> None:
    print(f"{totals['python_calls'] / max(1, totals['python_batches']):.1f}", flush=True)


def serve(busy_poll: float = 0.0) -> None:
    server = trunkline.Server(threads=4, busy_poll=busy_poll)

    @server.method(METHOD)
    def say(request: BytesValue) -> BytesValue:
        return BytesValue(value=request.value)

    serve_until_end_of_input(server)


def serve_bytes() -> None:
    server = trunkline.Server(threads=4)

    @server.method(METHOD)
    def same(request: memoryview) -> memoryview:
        return request

    serve_until_end_of_input(server)


def serve_until_end_of_input(server: trunkline.Server) -> None:
    with server.serve("tcp://127.0.0.1:0") as running:
        print(running.endpoint, flush=True)
        sys.stdin.read()
        print_batch_size(running.totals())


def call(load: Load, busy_poll: float = 0.0) -> int:
    request = BytesValue(value=load.payload)
    count, going = 0, load.going()
    with trunkline.Channel(load.target, busy_poll=busy_poll) as channel:
        while going():
            check(channel.call(METHOD, request, BytesValue) == request)
            count += 1
    return count


def call_bytes(load: Load) -> int:
    request = load.payload
    with trunkline.Channel(load.target) as channel:
        check(channel.call(METHOD, request, bytes) == request)
        count, going = 0, load.going()
        while going():
            # Comparing whole views would be slow: Python compares them byte by byte.
            response = channel.call(METHOD, request, memoryview)
            check(len(response) == load.size and response[-64:] == request[-64:])
            count += 1
    return count


def call_map(load: Load) -> int:
    request = BytesValue(value=load.payload)
    going = load.going()

    def requests() -> Iterator[BytesValue]:
        while going():
            for _ in range(100):
                yield request

    count = 0
    with trunkline.Channel(load.target) as channel:
        for response in channel.map(METHOD, requests(), BytesValue, window=load.outstanding):
            if response != request:
                raise SystemExit("a response is wrong")
            count += 1
    return count


def serve_aio(uvloop: bool = False) -> None:
    server = aio.Server(threads=2)

    @server.method(METHOD)
    async def say(request: BytesValue) -> BytesValue:
        return BytesValue(value=request.value)

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running:
            print(running.endpoint, flush=True)
            await wait_for_end_of_input()
            print_batch_size(running.totals())

    run(main, uvloop)


def call_aio(load: Load, uvloop: bool = False) -> int:
    request = BytesValue(value=load.payload)
    going = load.going()

    async def caller(channel: aio.Channel) -> int:
        count = 0
        while going():
            check(await channel.call(METHOD, request, BytesValue) == request)
            count += 1
        return count

    async def main() -> int:
        async with aio.Channel(load.target) as channel:
            return sum(await asyncio.gather(*(caller(channel) for _ in range(load.outstanding))))

    return int(run(main, uvloop))

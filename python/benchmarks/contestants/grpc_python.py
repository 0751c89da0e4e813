# SPDX-License-Identifier: MIT
"""Measures grpcio and grpc.aio."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from google.protobuf.wrappers_pb2 import BytesValue

from contestants.load import METHOD, Load, check, run, wait_for_end_of_input

LARGE = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
CODING = (BytesValue.SerializeToString, BytesValue.FromString)


def echo(request: BytesValue, context: Any) -> BytesValue:
    return BytesValue(value=request.value)


async def echo_aio(request: BytesValue, context: Any) -> BytesValue:
    return BytesValue(value=request.value)


def handlers(function: Any) -> list[Any]:
    handler = grpc.unary_unary_rpc_method_handler(function, BytesValue.FromString, BytesValue.SerializeToString)

    class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]
        def service(self, handler_call_details: Any) -> Any:
            return handler

    return [Handler()]


def serve() -> None:
    server = grpc.server(ThreadPoolExecutor(4), handlers=handlers(echo), options=LARGE)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(f"127.0.0.1:{port}", flush=True)
    sys.stdin.read()
    server.stop(0).wait()


def call(load: Load) -> int:
    request = BytesValue(value=load.payload)
    count, going = 0, load.going()
    with grpc.insecure_channel(load.target, options=LARGE) as channel:
        ask = channel.unary_unary("/" + METHOD, *CODING)
        while going():
            check(ask(request) == request)
            count += 1
    return count


def call_futures(load: Load) -> int:
    request = BytesValue(value=load.payload)
    count, going = 0, load.going()
    with grpc.insecure_channel(load.target) as channel:
        ask = channel.unary_unary("/" + METHOD, *CODING)
        futures = deque(ask.future(request) for _ in range(load.outstanding))
        while going():
            check(futures.popleft().result() == request)
            futures.append(ask.future(request))
            count += 1
        for future in futures:
            future.result()
            count += 1
    return count


def serve_aio(uvloop: bool = False) -> None:
    async def main() -> None:
        server = grpc.aio.server(handlers=handlers(echo_aio))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        print(f"127.0.0.1:{port}", flush=True)
        await wait_for_end_of_input()
        await server.stop(0)

    run(main, uvloop)


def call_aio(load: Load, uvloop: bool = False) -> int:
    request = BytesValue(value=load.payload)
    going = load.going()

    async def main() -> int:
        async with grpc.aio.insecure_channel(load.target) as channel:
            ask = channel.unary_unary("/" + METHOD, *CODING)

            async def caller() -> int:
                count = 0
                while going():
                    check(await ask(request) == request)
                    count += 1
                return count

            return sum(await asyncio.gather(*(caller() for _ in range(load.outstanding))))

    return int(run(main, uvloop))

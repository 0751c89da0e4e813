# SPDX-License-Identifier: MIT
"""Hosts the service that gRPC's interoperability clients call until SIGTERM.

Usage: python testing_server.py blocking|asyncio ENDPOINT [CERTIFICATE KEY]
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import trunkline
from grpc_testing import test_pb2 as testing
from grpc_testing import test_trunkline
from trunkline import Context, aio

LEADING = "x-grpc-test-echo-initial"
TRAILING = "x-grpc-test-echo-trailing-bin"


def echo_metadata(context: Context) -> None:
    for name in (LEADING, TRAILING):
        value = context.metadata.get(name)
        if value is not None:
            add = context.add_leading_metadata if name == LEADING else context.add_trailing_metadata
            add(name, value)


def check_status(request: Any) -> None:
    if request.response_status.code:
        raise trunkline.RpcError(request.response_status.message, code=request.response_status.code)


def unary_response(request: testing.SimpleRequest, context: Context) -> testing.SimpleResponse:
    echo_metadata(context)
    check_status(request)
    server_id = "trunkline" if request.fill_server_id else ""
    return testing.SimpleResponse(payload=testing.Payload(body=bytes(request.response_size)), server_id=server_id)


def response_of(wanted: testing.ResponseParameters) -> testing.StreamingOutputCallResponse:
    return testing.StreamingOutputCallResponse(payload=testing.Payload(body=bytes(wanted.size)))


class BlockingService(test_trunkline.TestService):
    def empty_call(self, request: testing.Empty, context: Context) -> testing.Empty:
        return request

    def unary_call(self, request: testing.SimpleRequest, context: Context) -> testing.SimpleResponse:
        return unary_response(request, context)

    def streaming_output_call(
        self, request: testing.StreamingOutputCallRequest, context: Context
    ) -> Iterator[testing.StreamingOutputCallResponse]:
        for wanted in request.response_parameters:
            time.sleep(wanted.interval_us / 1e6)
            yield response_of(wanted)

    def streaming_input_call(
        self, requests: Iterator[testing.StreamingInputCallRequest], context: Context
    ) -> testing.StreamingInputCallResponse:
        size = sum(len(each.payload.body) for each in requests)
        return testing.StreamingInputCallResponse(aggregated_payload_size=size)

    def full_duplex_call(
        self, requests: Iterator[testing.StreamingOutputCallRequest], context: Context
    ) -> Iterator[testing.StreamingOutputCallResponse]:
        echo_metadata(context)
        for request in requests:
            check_status(request)
            yield from self.streaming_output_call(request, context)


class AsyncioService(test_trunkline.AsyncTestService):
    async def empty_call(self, request: testing.Empty, context: Context) -> testing.Empty:
        return request

    async def unary_call(self, request: testing.SimpleRequest, context: Context) -> testing.SimpleResponse:
        return unary_response(request, context)

    async def streaming_output_call(
        self, request: testing.StreamingOutputCallRequest, context: Context
    ) -> AsyncIterator[testing.StreamingOutputCallResponse]:
        for wanted in request.response_parameters:
            await asyncio.sleep(wanted.interval_us / 1e6)
            yield response_of(wanted)

    async def streaming_input_call(
        self, requests: AsyncIterator[testing.StreamingInputCallRequest], context: Context
    ) -> testing.StreamingInputCallResponse:
        size = 0
        async for request in requests:
            size += len(request.payload.body)
        return testing.StreamingInputCallResponse(aggregated_payload_size=size)

    async def full_duplex_call(
        self, requests: AsyncIterator[testing.StreamingOutputCallRequest], context: Context
    ) -> AsyncIterator[testing.StreamingOutputCallResponse]:
        echo_metadata(context)
        async for request in requests:
            check_status(request)
            async for response in self.streaming_output_call(request, context):
                yield response


def serve_blocking(endpoint: str, options: dict[str, Any]) -> None:
    server = trunkline.Server(threads=8, **options)
    server.add_service(BlockingService())
    running = server.serve(endpoint)
    print(f"listening on {running.endpoint}", flush=True)
    running.run_until_signal(signal.SIGTERM)


async def serve_asyncio(endpoint: str, options: dict[str, Any]) -> None:
    server = aio.Server(**options)
    server.add_service(AsyncioService())
    running = server.serve(endpoint)
    print(f"listening on {running.endpoint}", flush=True)
    await running.run_until_signal(signal.SIGTERM)


def main() -> int:
    if len(sys.argv) not in (3, 5) or sys.argv[1] not in ("blocking", "asyncio"):
        print(f"usage: {sys.argv[0]} blocking|asyncio ENDPOINT [CERTIFICATE KEY]", file=sys.stderr)
        return 2
    options: dict[str, Any] = {}
    if len(sys.argv) == 5:
        options = {"certificate_file": sys.argv[3], "private_key_file": sys.argv[4]}
    if sys.argv[1] == "blocking":
        serve_blocking(sys.argv[2], options)
    else:
        asyncio.run(serve_asyncio(sys.argv[2], options))
    print("stopped: ok", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

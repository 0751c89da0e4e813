# SPDX-License-Identifier: MIT
"""A server of the conformance service in Python, for connectconformance.

Usage: python server.py blocking|asyncio    (a ServerCompatRequest on standard input says how to listen)
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from connectrpc.conformance.v1 import service_pb2 as pb
from connectrpc.conformance.v1.server_compat_pb2 import ServerCompatRequest, ServerCompatResponse
from connectrpc.conformance.v1.service_trunkline import AsyncConformanceService, ConformanceService
from google.protobuf.message import Message

import framing
import trunkline
from fields import any_of, error_of, headers_of, metadata_of
from trunkline import aio

Info = pb.ConformancePayload.RequestInfo


class Call:
    """What the service does in a call, without waiting."""

    def __init__(self, context: trunkline.Context) -> None:
        self.context = context
        self.requests: list[Any] = []
        left = context.time_left()
        self.timeout_ms = None if left is None else round(left * 1000)
        self.sent = 0

    def take(self, request: Message) -> None:
        self.requests.append(any_of(request))

    def begin(self, definition: pb.UnaryResponseDefinition | pb.StreamResponseDefinition) -> float:
        """Sets the metadata, and returns the seconds to wait before each response."""
        for name, value in metadata_of(definition.response_headers):
            self.context.add_leading_metadata(name, value)
        for name, value in metadata_of(definition.response_trailers):
            self.context.add_trailing_metadata(name, value)
        return definition.response_delay_ms / 1000

    def info(self) -> pb.ConformancePayload.RequestInfo:
        """What has come of the call."""
        return Info(
            request_headers=headers_of(self.context.metadata), requests=self.requests, timeout_ms=self.timeout_ms
        )

    def unary(self, definition: pb.UnaryResponseDefinition) -> pb.ConformancePayload:
        if definition.HasField("error"):
            raise error_of(definition.error, [self.info()])
        return pb.ConformancePayload(data=definition.response_data, request_info=self.info())

    def response(self, definition: pb.StreamResponseDefinition, *, repeats: bool = False) -> pb.ConformancePayload:
        """The next response of a stream. The first one tells all about the requests; if it `repeats`, the others tell
        which have come since."""
        payload = pb.ConformancePayload(data=definition.response_data[self.sent])
        if self.sent == 0:
            payload.request_info.CopyFrom(self.info())
        elif repeats:
            payload.request_info.requests.extend(self.requests)
        self.sent += 1
        if repeats:
            self.requests = []
        return payload

    def end(self, definition: pb.StreamResponseDefinition) -> None:
        if definition.HasField("error"):
            raise error_of(definition.error, [] if self.sent else [self.info()])


class Blocking(ConformanceService):
    """The service, with functions that block."""

    def unary(self, request: Any, context: trunkline.Context, kind: Any = pb.UnaryResponse) -> Any:
        call = Call(context)
        call.take(request)
        delay = call.begin(request.response_definition)
        payload = call.unary(request.response_definition)
        time.sleep(delay)
        return kind(payload=payload)

    def idempotent_unary(self, request: Any, context: trunkline.Context) -> Any:
        return self.unary(request, context, pb.IdempotentUnaryResponse)

    def client_stream(self, requests: Iterable[Any], context: trunkline.Context) -> Any:
        call = Call(context)
        definition = pb.UnaryResponseDefinition()
        for request in requests:
            if not call.requests:
                definition = request.response_definition
            call.take(request)
        delay = call.begin(definition)
        payload = call.unary(definition)
        time.sleep(delay)
        return pb.ClientStreamResponse(payload=payload)

    def server_stream(self, request: Any, context: trunkline.Context) -> Iterator[Any]:
        call = Call(context)
        call.take(request)
        definition = request.response_definition
        delay = call.begin(definition)
        for _ in definition.response_data:
            time.sleep(delay)
            yield pb.ServerStreamResponse(payload=call.response(definition))
        call.end(definition)

    def bidi_stream(self, requests: Iterable[Any], context: trunkline.Context) -> Iterator[Any]:
        call = Call(context)
        definition = pb.StreamResponseDefinition()
        full_duplex = False
        delay = 0.0
        for index, request in enumerate(requests):
            if index == 0:
                definition, full_duplex = request.response_definition, request.full_duplex
                delay = call.begin(definition)
            call.take(request)
            if full_duplex:
                if call.sent == len(definition.response_data):
                    break
                time.sleep(delay)
                yield pb.BidiStreamResponse(payload=call.response(definition, repeats=True))
        while call.sent < len(definition.response_data):
            time.sleep(delay)
            yield pb.BidiStreamResponse(payload=call.response(definition))
        call.end(definition)


class Asyncio(AsyncConformanceService):
    """The service, with coroutines."""

    async def unary(self, request: Any, context: trunkline.Context, kind: Any = pb.UnaryResponse) -> Any:
        call = Call(context)
        call.take(request)
        delay = call.begin(request.response_definition)
        payload = call.unary(request.response_definition)
        await asyncio.sleep(delay)
        return kind(payload=payload)

    async def idempotent_unary(self, request: Any, context: trunkline.Context) -> Any:
        return await self.unary(request, context, pb.IdempotentUnaryResponse)

    async def client_stream(self, requests: AsyncIterator[Any], context: trunkline.Context) -> Any:
        call = Call(context)
        definition = pb.UnaryResponseDefinition()
        async for request in requests:
            if not call.requests:
                definition = request.response_definition
            call.take(request)
        delay = call.begin(definition)
        payload = call.unary(definition)
        await asyncio.sleep(delay)
        return pb.ClientStreamResponse(payload=payload)

    async def server_stream(self, request: Any, context: trunkline.Context) -> AsyncIterator[Any]:
        call = Call(context)
        call.take(request)
        definition = request.response_definition
        delay = call.begin(definition)
        for _ in definition.response_data:
            await asyncio.sleep(delay)
            yield pb.ServerStreamResponse(payload=call.response(definition))
        call.end(definition)

    async def bidi_stream(self, requests: AsyncIterator[Any], context: trunkline.Context) -> AsyncIterator[Any]:
        call = Call(context)
        definition = pb.StreamResponseDefinition()
        full_duplex = False
        delay = 0.0
        is_first = True
        async for request in requests:
            if is_first:
                definition, full_duplex = request.response_definition, request.full_duplex
                delay = call.begin(definition)
                is_first = False
            call.take(request)
            if full_duplex:
                if call.sent == len(definition.response_data):
                    break
                await asyncio.sleep(delay)
                yield pb.BidiStreamResponse(payload=call.response(definition, repeats=True))
        while call.sent < len(definition.response_data):
            await asyncio.sleep(delay)
            yield pb.BidiStreamResponse(payload=call.response(definition))
        call.end(definition)


def options_of(request: ServerCompatRequest) -> dict[str, Any]:
    # Small responses are to be compressed too, and requests that consist of zeros are sent by zstd in a 3,000th of
    # their size.
    options: dict[str, Any] = {"compression_threshold": 0, "max_decompression_ratio": 1 << 16}
    if request.message_receive_limit:
        options["max_message_bytes"] = request.message_receive_limit
    if request.use_tls:
        options |= {
            "certificate_pem": request.server_creds.cert,
            "private_key_pem": request.server_creds.key,
        }
    if request.client_tls_cert:
        options |= {"ca_pem": request.client_tls_cert, "client_certificate": "required"}
    return options


def announce(request: ServerCompatRequest, running: trunkline.RunningServer | aio.RunningServer) -> None:
    endpoint = str(running.endpoint)
    framing.write(
        ServerCompatResponse(
            host="127.0.0.1", port=int(endpoint.rpartition(":")[2]), pem_cert=request.server_creds.cert or None
        )
    )


def serve(request: ServerCompatRequest, endpoint: str) -> None:
    server = trunkline.Server(threads=64, **options_of(request))
    server.add_service(Blocking())
    running = server.serve(endpoint)
    announce(request, running)
    running.run_until_signal(grace=1)


async def serve_asyncio(request: ServerCompatRequest, endpoint: str) -> None:
    server = aio.Server(**options_of(request))
    server.add_service(Asyncio())
    async with server.serve(endpoint) as running:
        announce(request, running)
        await running.run_until_signal(grace=1)


def main() -> None:
    request = framing.read(ServerCompatRequest)
    if request is None or sys.argv[1:] not in (["blocking"], ["asyncio"]):
        sys.exit(__doc__)
    endpoint = f"{'tls' if request.use_tls else 'tcp'}://127.0.0.1:0"
    if sys.argv[1] == "blocking":
        serve(request, endpoint)
    else:
        asyncio.run(serve_asyncio(request, endpoint))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""A client of the conformance service in Python, for connectconformance.

Usage: python client.py blocking|asyncio    (each ClientCompatRequest on standard input is a call to make)
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from connectrpc.conformance.v1 import service_pb2 as pb
from connectrpc.conformance.v1.client_compat_pb2 import (
    ClientCompatRequest,
    ClientCompatResponse,
    ClientErrorResult,
    ClientResponseResult,
)
from connectrpc.conformance.v1.config_pb2 import Codec, Compression, HTTPVersion, Protocol, StreamType
from google.protobuf.any_pb2 import Any as Packed

import framing
import trunkline
from fields import headers_of, metadata_of
from trunkline import aio

SERVICE = "connectrpc.conformance.v1.ConformanceService"
UNARY = {"Unary", "IdempotentUnary", "Unimplemented"}
SCHEMES = {
    Protocol.PROTOCOL_CONNECT: "http",
    Protocol.PROTOCOL_GRPC: "grpc",
    Protocol.PROTOCOL_GRPC_WEB: "grpc-web",
}
CODECS = {Codec.CODEC_PROTO: "protobuf", Codec.CODEC_JSON: "json"}


class Plan:
    """A call to make, and what came of it."""

    def __init__(self, request: ClientCompatRequest) -> None:
        self.request = request
        self.service = request.service or SERVICE
        self.method = request.method
        self.request_kind = getattr(pb, f"{self.method}Request")
        self.response_kind = getattr(pb, f"{self.method}Response")
        self.messages = [self._unpacked(packed) for packed in request.request_messages]
        self.delay = request.request_delay_ms / 1000
        self.result = ClientResponseResult()
        self.info = trunkline.ResponseInfo()
        self.cancels = request.HasField("cancel")
        timing = request.cancel.WhichOneof("cancel_timing")
        #: Instead of closing the side of the client.
        self.cancels_open = timing == "before_close_send"
        #: Seconds after that; None: not then.
        self.cancels_after = (
            request.cancel.after_close_send_ms / 1000
            if self.cancels and timing in (None, "after_close_send_ms")
            else None
        )
        #: After so many responses; 0: not then.
        self.cancels_at = request.cancel.after_num_responses

    def _unpacked(self, packed: Packed) -> Any:
        message = self.request_kind()
        if not packed.Unpack(message):
            raise ValueError(f"the request is a {packed.type_url}")
        return message

    @property
    def name(self) -> str:
        return f"{self.service}/{self.method}"

    @property
    def is_full_duplex(self) -> bool:
        return self.request.stream_type == StreamType.STREAM_TYPE_FULL_DUPLEX_BIDI_STREAM

    @property
    def endpoint(self) -> str:
        scheme = SCHEMES[self.request.protocol] + ("s" if self.request.server_tls_cert else "")
        return f"{scheme}://{self.request.host}:{self.request.port}"

    @property
    def channel_options(self) -> dict[str, Any]:
        request = self.request
        # As the server's.
        options: dict[str, Any] = {"compression_threshold": 0, "max_decompression_ratio": 1 << 16}
        if request.use_get_http_method:
            options["http_get"] = True
        if request.protocol != Protocol.PROTOCOL_GRPC:
            options["http_version"] = "1.1" if request.http_version == HTTPVersion.HTTP_VERSION_1 else "2"
        if request.server_tls_cert:
            options["ca_pem"] = request.server_tls_cert
        if request.HasField("client_tls_creds"):
            options |= {
                "certificate_pem": request.client_tls_creds.cert,
                "private_key_pem": request.client_tls_creds.key,
            }
        if request.message_receive_limit:
            options["max_message_bytes"] = request.message_receive_limit
        return options

    @property
    def call_options(self) -> dict[str, Any]:
        request = self.request
        compressor = Compression.Name(request.compression).removeprefix("COMPRESSION_").lower()
        return {
            "metadata": metadata_of(request.request_headers),
            "timeout": request.timeout_ms / 1000 if request.HasField("timeout_ms") else None,
            "codec": CODECS[request.codec],
            "compressor": "identity" if compressor == "unspecified" else compressor,
        }

    @property
    def unary_options(self) -> dict[str, Any]:
        return self.call_options | {"idempotent": self.request.use_get_http_method}

    def take(self, response: Any) -> bool:
        """Keeps a response. False: the call is to be cancelled now."""
        if self.method != "Unimplemented":
            self.result.payloads.append(response.payload)
        return not self.cancels_at or len(self.result.payloads) < self.cancels_at

    def take_end(self, call: Any) -> None:
        """Keeps the metadata of a response, stream or error."""
        self.result.response_headers.extend(headers_of(call.leading_metadata))
        self.result.response_trailers.extend(headers_of(call.trailing_metadata))

    def take_error(self, error: trunkline.RpcError) -> None:
        self.result.error.code = int(error.code)
        self.result.error.message = error.message
        for detail in error.details():
            self.result.error.details.append(Packed(type_url=detail.type_url, value=detail.value))


# --- code that blocks ---


def run_unary(channel: trunkline.Channel, plan: Plan) -> None:
    (message,) = plan.messages
    time.sleep(plan.delay)
    call = channel.submit(
        plan.name, message, plan.response_kind, response_info=plan.info, **plan.unary_options
    )
    if plan.cancels_after is not None:
        time.sleep(plan.cancels_after)
        if call.cancel():
            return plan.take_error(trunkline.Cancelled("cancelled"))
    try:
        plan.take(call.result())
        plan.take_end(plan.info)
    except trunkline.RpcError as error:
        plan.take_error(error)
        plan.take_end(error)


def run_client_stream(channel: trunkline.Channel, plan: Plan) -> None:
    def requests() -> Iterator[Any]:
        for message in plan.messages:
            time.sleep(plan.delay)
            yield message

    try:
        plan.take(
            channel.client_stream(
                plan.name,
                requests(),
                plan.response_kind,
                request=plan.request_kind,
                response_info=plan.info,
                **plan.call_options,
            )
        )
    except trunkline.RpcError as error:
        plan.take_error(error)
    plan.take_end(plan.info)


def run_stream(channel: trunkline.Channel, plan: Plan) -> None:
    stream = channel.stream(plan.name, plan.request_kind, plan.response_kind, **plan.call_options)
    try:
        for index, message in enumerate(plan.messages):
            time.sleep(plan.delay)
            try:
                stream.write(message)
            except trunkline.RpcError:
                plan.result.num_unsent_requests = len(plan.messages) - index
                raise
            if plan.is_full_duplex and not plan.take(stream.read()):
                stream.cancel()
        if plan.cancels_open:
            stream.cancel()
        else:
            stream.close_writes()
        if plan.cancels_after is not None:
            time.sleep(plan.cancels_after)
            stream.cancel()
        for response in stream:
            if not plan.take(response):
                stream.cancel()
        stream.finish()
    except EOFError:
        pass
    except trunkline.RpcError as error:
        plan.take_error(error)
    plan.take_end(stream)


def run(plan: Plan) -> None:
    with trunkline.Channel(plan.endpoint, **plan.channel_options) as channel:
        if plan.method in UNARY:
            run_unary(channel, plan)
        elif plan.method == "ClientStream" and not plan.cancels:
            run_client_stream(channel, plan)
        else:
            run_stream(channel, plan)


# --- asyncio ---


async def run_unary_asyncio(channel: aio.Channel, plan: Plan) -> None:
    (message,) = plan.messages
    await asyncio.sleep(plan.delay)
    call = asyncio.ensure_future(
        channel.call(plan.name, message, plan.response_kind, response_info=plan.info, **plan.unary_options)
    )
    if plan.cancels_after is not None:
        await asyncio.sleep(plan.cancels_after)
        call.cancel()
    try:
        plan.take(await call)
        plan.take_end(plan.info)
    except asyncio.CancelledError:
        plan.take_error(trunkline.Cancelled("cancelled"))
    except trunkline.RpcError as error:
        plan.take_error(error)
        plan.take_end(error)


async def run_client_stream_asyncio(channel: aio.Channel, plan: Plan) -> None:
    async def requests() -> AsyncIterator[Any]:
        for message in plan.messages:
            await asyncio.sleep(plan.delay)
            yield message

    try:
        plan.take(
            await channel.client_stream(
                plan.name,
                requests(),
                plan.response_kind,
                request=plan.request_kind,
                response_info=plan.info,
                **plan.call_options,
            )
        )
    except trunkline.RpcError as error:
        plan.take_error(error)
    plan.take_end(plan.info)


async def run_stream_asyncio(channel: aio.Channel, plan: Plan) -> None:
    stream: Any = channel.stream(plan.name, plan.request_kind, plan.response_kind, **plan.call_options)
    try:
        for index, message in enumerate(plan.messages):
            await asyncio.sleep(plan.delay)
            try:
                await stream.write(message)
            except trunkline.RpcError:
                plan.result.num_unsent_requests = len(plan.messages) - index
                raise
            if plan.is_full_duplex and not plan.take(await stream.read()):
                stream.cancel()
        if plan.cancels_open:
            stream.cancel()
        else:
            await stream.close_writes()
        if plan.cancels_after is not None:
            await asyncio.sleep(plan.cancels_after)
            stream.cancel()
        async for response in stream:
            if not plan.take(response):
                stream.cancel()
        await stream.finish()
    except EOFError:
        pass
    except trunkline.RpcError as error:
        plan.take_error(error)
    plan.take_end(stream)


async def run_asyncio(plan: Plan) -> None:
    async with aio.Channel(plan.endpoint, **plan.channel_options) as channel:
        if plan.method in UNARY:
            await run_unary_asyncio(channel, plan)
        elif plan.method == "ClientStream" and not plan.cancels:
            await run_client_stream_asyncio(channel, plan)
        else:
            await run_stream_asyncio(channel, plan)


# --- the program ---


def requests() -> Iterator[ClientCompatRequest]:
    while (request := framing.read(ClientCompatRequest)) is not None:
        yield request


def main() -> None:
    if sys.argv[1:] not in (["blocking"], ["asyncio"]):
        sys.exit(__doc__)
    writing = threading.Lock()

    def serve(request: ClientCompatRequest) -> None:
        response = ClientCompatResponse(test_name=request.test_name)
        try:
            plan = Plan(request)
            if sys.argv[1] == "blocking":
                run(plan)
            else:
                asyncio.run(run_asyncio(plan))
            response.response.CopyFrom(plan.result)
        except Exception as error:
            response.error.CopyFrom(ClientErrorResult(message=f"{type(error).__name__}: {error}"))
        with writing:
            framing.write(response)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for request in requests():
            pool.submit(serve, request)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Plays gRPC's interoperability test cases with a server of its test service.

Usage: python testing_client.py blocking|asyncio ENDPOINT [CERTIFICATE]    (prints a line for each case)
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import trunkline
from grpc_testing import test_pb2 as testing
from trunkline import aio

SERVICE = "grpc.testing.TestService/"
LEADING = ("x-grpc-test-echo-initial", b"test_initial_metadata_value")
TRAILING = ("x-grpc-test-echo-trailing-bin", b"\xab\xab\xab")
#: Sizes of responses and of the payloads of the requests for them.
EXCHANGES = ((31415, 27182), (9, 8), (2653, 1828), (58979, 45904))
#: Seconds; no case takes nearly as long.
TIMEOUT = 20.0


class BlockingStream:
    """A stream of a blocking channel, behind the interface of one for asyncio."""

    def __init__(self, stream: trunkline.ClientStream[Any, Any]) -> None:
        self._stream = stream
        self.cancel = stream.cancel

    async def write(self, message: Any) -> None:
        self._stream.write(message)

    async def read(self) -> Any:
        return self._stream.read()

    async def close_writes(self) -> None:
        self._stream.close_writes()

    async def finish(self) -> None:
        self._stream.finish()

    @property
    def leading_metadata(self) -> trunkline.Metadata:
        return self._stream.leading_metadata

    @property
    def trailing_metadata(self) -> trunkline.Metadata:
        return self._stream.trailing_metadata


class BlockingChannel:
    """A blocking channel, behind the interface of one for asyncio."""

    def __init__(self, channel: trunkline.Channel) -> None:
        self._channel = channel

    async def call(self, *arguments: Any, **options: Any) -> Any:
        return self._channel.call(*arguments, **options)

    async def client_stream(self, *arguments: Any, **options: Any) -> Any:
        return self._channel.client_stream(*arguments, **options)

    def server_stream(self, *arguments: Any, **options: Any) -> BlockingStream:
        return BlockingStream(self._channel.server_stream(*arguments, **options))

    def stream(self, *arguments: Any, **options: Any) -> BlockingStream:
        return BlockingStream(self._channel.stream(*arguments, **options))


def check(is_true: bool, what: object) -> None:
    if not is_true:
        raise AssertionError(what)


def payload(size: int) -> testing.Payload:
    return testing.Payload(body=bytes(size))


def large_request() -> testing.SimpleRequest:
    return testing.SimpleRequest(response_size=314159, payload=payload(271828))


def exchange_request(response_size: int, request_size: int) -> testing.StreamingOutputCallRequest:
    wanted = [testing.ResponseParameters(size=response_size)]
    return testing.StreamingOutputCallRequest(response_parameters=wanted, payload=payload(request_size))


def full_duplex(channel: Any, timeout: float = TIMEOUT, **options: Any) -> Any:
    return channel.stream(
        SERVICE + "FullDuplexCall",
        testing.StreamingOutputCallRequest,
        testing.StreamingOutputCallResponse,
        timeout=timeout,
        **options,
    )


async def read_all(stream: Any) -> list[int]:
    """The sizes of the responses that are left, once the call has ended with ok."""
    sizes = []
    try:
        while True:
            sizes.append(len((await stream.read()).payload.body))
    except EOFError:
        return sizes


async def failure(operation: Awaitable[Any]) -> trunkline.RpcError:
    """The error with which the operation ends."""
    try:
        await operation
    except trunkline.RpcError as error:
        return error
    raise AssertionError("the call has ended with ok")


# --- the cases, named as in gRPC's description of them ---


async def empty_unary(channel: Any) -> None:
    response = await channel.call(SERVICE + "EmptyCall", testing.Empty(), testing.Empty, timeout=TIMEOUT)
    check(response == testing.Empty(), response)


async def large_unary(channel: Any) -> None:
    response = await channel.call(SERVICE + "UnaryCall", large_request(), testing.SimpleResponse, timeout=TIMEOUT)
    check(response.payload == payload(314159), response.payload.type)


async def client_streaming(channel: Any) -> None:
    requests = [testing.StreamingInputCallRequest(payload=payload(size)) for _, size in EXCHANGES]
    response = await channel.client_stream(
        SERVICE + "StreamingInputCall", requests, testing.StreamingInputCallResponse, timeout=TIMEOUT
    )
    check(response.aggregated_payload_size == 74922, response.aggregated_payload_size)


async def server_streaming(channel: Any) -> None:
    sizes = [size for size, _ in EXCHANGES]
    wanted = [testing.ResponseParameters(size=size) for size in sizes]
    request = testing.StreamingOutputCallRequest(response_parameters=wanted)
    method, response = SERVICE + "StreamingOutputCall", testing.StreamingOutputCallResponse
    received = await read_all(channel.server_stream(method, request, response, timeout=TIMEOUT))
    check(received == sizes, received)


async def ping_pong(channel: Any) -> None:
    stream = full_duplex(channel)
    for response_size, request_size in EXCHANGES:
        await stream.write(exchange_request(response_size, request_size))
        size = len((await stream.read()).payload.body)
        check(size == response_size, size)
    await stream.close_writes()
    check(await read_all(stream) == [], "the server has sent more than it was asked for")


async def empty_stream(channel: Any) -> None:
    stream = full_duplex(channel)
    await stream.close_writes()
    check(await read_all(stream) == [], "the server has sent something")


async def timeout_on_sleeping_server(channel: Any) -> None:
    stream = full_duplex(channel, timeout=0.001)
    try:
        await stream.write(testing.StreamingOutputCallRequest(payload=payload(27182)))
    except trunkline.RpcError:
        pass  # the deadline has passed already; the status is read below
    error = await failure(stream.read())
    check(isinstance(error, trunkline.DeadlineExceeded), error)


async def cancel_after_begin(channel: Any) -> None:
    stream = channel.stream(
        SERVICE + "StreamingInputCall",
        testing.StreamingInputCallRequest,
        testing.StreamingInputCallResponse,
        timeout=TIMEOUT,
    )
    stream.cancel()
    error = await failure(stream.finish())
    check(isinstance(error, trunkline.Cancelled), error)


async def cancel_after_first_response(channel: Any) -> None:
    stream = full_duplex(channel)
    await stream.write(exchange_request(31415, 27182))
    size = len((await stream.read()).payload.body)
    check(size == 31415, size)
    stream.cancel()
    error = await failure(stream.finish())
    check(isinstance(error, trunkline.Cancelled), error)


async def custom_metadata(channel: Any) -> None:
    metadata = [LEADING, TRAILING]
    info = trunkline.ResponseInfo()
    await channel.call(
        SERVICE + "UnaryCall",
        large_request(),
        testing.SimpleResponse,
        metadata=metadata,
        response_info=info,
        timeout=TIMEOUT,
    )
    stream = full_duplex(channel, metadata=metadata)
    await stream.write(exchange_request(314159, 271828))
    await stream.close_writes()
    check(await read_all(stream) == [314159], "the response is not the one that was asked for")
    for reply in (info, stream):
        check(LEADING in list(reply.leading_metadata), reply.leading_metadata)
        check(TRAILING in list(reply.trailing_metadata), reply.trailing_metadata)


async def status_code_and_message(channel: Any) -> None:
    status = testing.EchoStatus(code=2, message="test status message")
    request = testing.SimpleRequest(response_status=status)
    refused = await failure(channel.call(SERVICE + "UnaryCall", request, testing.SimpleResponse, timeout=TIMEOUT))
    stream = full_duplex(channel)
    await stream.write(testing.StreamingOutputCallRequest(response_status=status))
    await stream.close_writes()
    for error in (refused, await failure(stream.read())):
        check((error.code, error.message) == (2, "test status message"), error)


async def special_status_message(channel: Any) -> None:
    text = "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001f608\t\n"
    request = testing.SimpleRequest(response_status=testing.EchoStatus(code=2, message=text))
    error = await failure(channel.call(SERVICE + "UnaryCall", request, testing.SimpleResponse, timeout=TIMEOUT))
    check((error.code, error.message) == (2, text), error)


async def unimplemented_method(channel: Any) -> None:
    method = SERVICE + "UnimplementedCall"
    error = await failure(channel.call(method, testing.Empty(), testing.Empty, timeout=TIMEOUT))
    check(isinstance(error, trunkline.Unimplemented), error)


async def unimplemented_service(channel: Any) -> None:
    method = "grpc.testing.UnimplementedService/UnimplementedCall"
    error = await failure(channel.call(method, testing.Empty(), testing.Empty, timeout=TIMEOUT))
    check(isinstance(error, trunkline.Unimplemented), error)


CASES: tuple[Callable[[Any], Awaitable[None]], ...] = (
    empty_unary,
    large_unary,
    client_streaming,
    server_streaming,
    ping_pong,
    empty_stream,
    timeout_on_sleeping_server,
    cancel_after_begin,
    cancel_after_first_response,
    custom_metadata,
    status_code_and_message,
    special_status_message,
    unimplemented_method,
    unimplemented_service,
)


async def play(channel: Any) -> bool:
    """Plays all cases, and prints the result of each. True if all pass."""
    failed = 0
    for case in CASES:
        name = getattr(case, "__name__", "")
        try:
            await case(channel)
            print(f"{name}: passed", flush=True)
        except Exception as error:
            print(f"{name}: failed: {type(error).__name__}: {error}", flush=True)
            failed += 1
    return failed == 0


async def play_asyncio(endpoint: str, options: dict[str, Any]) -> bool:
    async with aio.Channel(endpoint, **options) as channel:
        return await play(channel)


def main() -> int:
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ("blocking", "asyncio"):
        print(f"usage: {sys.argv[0]} blocking|asyncio ENDPOINT [CERTIFICATE]", file=sys.stderr)
        return 2
    options: dict[str, Any] = {"ca_file": sys.argv[3]} if len(sys.argv) == 4 else {}
    if sys.argv[1] == "asyncio":
        return 0 if asyncio.run(play_asyncio(sys.argv[2], options)) else 1
    with trunkline.Channel(sys.argv[2], **options) as channel:
        return 0 if asyncio.run(play(BlockingChannel(channel))) else 1


if __name__ == "__main__":
    sys.exit(main())

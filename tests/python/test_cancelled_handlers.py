# SPDX-License-Identifier: MIT
"""A handler that ends with CancelledError although its call was not cancelled: the call ends, and a line says which."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import trunkline
import trunkline.grpc.aio
from trunkline import aio


async def unary(request: bytes) -> bytes:
    raise asyncio.CancelledError


async def responses(request: bytes) -> AsyncIterator[bytes]:
    yield b"1"
    raise asyncio.CancelledError


async def requests(messages: AsyncIterator[bytes]) -> bytes:
    async for _ in messages:
        raise asyncio.CancelledError
    return b""


async def both(messages: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async for message in messages:
        yield message
        raise asyncio.CancelledError


def plain(request: bytes) -> bytes:
    """Runs on a thread of the server's pool."""
    raise asyncio.CancelledError


async def inner(request: bytes) -> bytes:
    task = asyncio.ensure_future(asyncio.sleep(60))
    task.cancel()
    await task
    return request


async def call_unary(channel: aio.Channel, name: str) -> None:
    await channel.call(name, b"1", bytes)


async def call_responses(channel: aio.Channel, name: str) -> None:
    async for _ in channel.server_stream(name, b"1", bytes):
        pass


async def call_both(channel: aio.Channel, name: str) -> None:
    async for _ in channel.stream(name, bytes, bytes).exchange([b"1"]):
        pass


async def call_requests(channel: aio.Channel, name: str) -> None:
    await channel.client_stream(name, [b"1"], bytes)


Call = Callable[[aio.Channel, str], Awaitable[None]]
CASES: list[tuple[Callable[..., Any], Call]] = [
    (unary, call_unary),
    (inner, call_unary),
    (responses, call_responses),
    (requests, call_requests),
    (both, call_both),
    (plain, call_unary),
]


async def pass_on(call: trunkline.IncomingCall) -> AsyncIterator[None]:
    yield


@pytest.mark.parametrize("interceptors", [[], [pass_on]], ids=["alone", "intercepted"])
@pytest.mark.parametrize(("handler", "call"), CASES, ids=[handler.__name__ for handler, _ in CASES])
def test_the_line_names_the_method(
    caplog: pytest.LogCaptureFixture, handler: Callable[..., Any], call: Call, interceptors: list[Any]
) -> None:
    async def main() -> None:
        server = aio.Server(interceptors=interceptors)
        server.add("Work/do", handler)
        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            with pytest.raises(trunkline.Cancelled, match="handler of Work/do was cancelled"):
                await call(channel, "Work/do")

    with caplog.at_level(logging.WARNING, logger="trunkline.server"):
        asyncio.run(main())

    assert ["handler of Work/do was cancelled" in record.message for record in caplog.records] == [True]


async def grpc_unary(request: bytes, context: Any) -> bytes:
    raise asyncio.CancelledError


async def grpc_responses(request: bytes, context: Any) -> AsyncIterator[bytes]:
    yield request
    raise asyncio.CancelledError


async def grpc_written(request: bytes, context: Any) -> None:
    await context.write(request)
    raise asyncio.CancelledError


async def grpc_requests(messages: AsyncIterator[bytes], context: Any) -> bytes:
    await context.read()
    raise asyncio.CancelledError


async def grpc_both(messages: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
    async for message in messages:
        yield message
        raise asyncio.CancelledError


GRPC_KINDS: dict[str, list[Callable[..., Any]]] = {
    "unary_unary": [grpc_unary],
    "unary_stream": [grpc_responses, grpc_written],
    "stream_unary": [grpc_requests],
    "stream_stream": [grpc_both],
}


@pytest.mark.parametrize(
    ("kind", "handler"), [(kind, handler) for kind, handlers in GRPC_KINDS.items() for handler in handlers]
)
def test_the_line_of_grpc_aio_names_the_method(
    caplog: pytest.LogCaptureFixture, kind: str, handler: Callable[..., Any]
) -> None:
    async def main() -> None:
        server = trunkline.grpc.aio.server()
        handlers = {"Do": getattr(trunkline.grpc, f"{kind}_rpc_method_handler")(handler)}
        server.add_generic_rpc_handlers((trunkline.grpc.method_handlers_generic_handler("t.Work", handlers),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with trunkline.grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            request: Any = [b"1"] if kind.startswith("stream") else b"1"
            call = getattr(channel, kind)("/t.Work/Do")(request)
            assert await call.code() is trunkline.grpc.StatusCode.CANCELLED
        await server.stop(None)

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())

    assert ["handler of t.Work/Do was cancelled" in record.message for record in caplog.records] == [True]


def test_a_call_that_its_client_cancels_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        begun, ended = asyncio.Event(), asyncio.Event()
        server = aio.Server()

        @server.method
        async def hold() -> None:
            begun.set()
            try:
                await asyncio.sleep(1000)
            finally:
                ended.set()

        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            call = channel.submit("hold")
            await begun.wait()
            call.cancel()
            await ended.wait()

    with caplog.at_level(logging.WARNING, logger="trunkline.server"):
        asyncio.run(main())

    assert not caplog.records

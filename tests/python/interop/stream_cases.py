# SPDX-License-Identifier: MIT
"""Streams of every kind: how many messages, in which order, and who ends them."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import trunkline
from trunkline import aio

from .cases import Client, case, raising


async def expect_end(stream: aio.ClientStream[Any, Any]) -> None:
    try:
        message = await stream.read()
    except EOFError:
        await stream.finish()
    else:
        raise AssertionError(f"{message!r} instead of the end")


@case
async def client_stream(client: Client) -> None:
    summary = await client.channel.client_stream("interop.Test/Sum", range(1000))
    assert summary == {"count": 1000, "sum": 499500}


@case
async def empty_client_stream(client: Client) -> None:
    # Without a request the server chooses the codec of its response.
    for codec in (None, "json", "msgpack"):
        summary = await client.channel.client_stream("interop.Test/Sum", [], request=int, codec=codec)
        assert summary == {"count": 0, "sum": 0}


@case
async def server_ends_client_stream_early(client: Client) -> None:
    stream = client.channel.stream("interop.Test/SumTwo", int)
    await stream.write(1)
    await stream.write(2)
    assert await stream.read() == {"count": 2, "sum": 3}
    await stream.finish()
    # A write after the end reports it.
    try:
        await stream.write(3)
    except trunkline.RpcError:
        pass
    else:
        raise AssertionError("a message was written after the end")
    # Requests without an end are left where they are.
    assert await client.channel.client_stream("interop.Test/SumTwo", repeat(5)) == {"count": 2, "sum": 10}


async def write_forever(stream: aio.ClientStream[Any, Any]) -> None:
    while True:
        await stream.write(2)


@case
async def server_refuses_client_stream(client: Client) -> None:
    stream = client.channel.stream("interop.Test/Refuse", int)
    with raising(trunkline.FailedPrecondition, may_have_run=True):
        await write_forever(stream)
    with raising(trunkline.FailedPrecondition, may_have_run=True):
        await stream.read()
    with raising(trunkline.FailedPrecondition, may_have_run=True) as caught:
        await stream.finish()
    assert caught.error.message == "no more"
    with raising(trunkline.FailedPrecondition, may_have_run=True):
        await client.channel.client_stream("interop.Test/Refuse", repeat(5))


async def all_of(stream: aio.ClientStream[Any, Any]) -> list[Any]:
    return [message async for message in stream]


@case
async def server_stream(client: Client) -> None:
    stream = client.channel.server_stream("interop.Test/Range", 1000)
    assert await all_of(stream) == list(range(1000))
    await stream.finish()


@case
async def empty_server_stream(client: Client) -> None:
    stream = client.channel.server_stream("interop.Test/Range", 0)
    assert await all_of(stream) == []
    await stream.finish()


@case
async def ping_pong(client: Client) -> None:
    async with client.channel.stream("interop.Test/Chat", bytes, bytes) as stream:
        for size in (0, 1, 31415, 9, 2653, 589793):
            await stream.write(b"m" * size)
            assert await stream.read() == b"m" * size
        await stream.close_writes()
        assert await stream.read() == b"goodbye"
        await expect_end(stream)


@case
async def half_close(client: Client) -> None:
    messages = [str(number).encode() for number in range(100)]
    async with client.channel.stream("interop.Test/Gather", bytes, bytes) as stream:
        for message in messages:
            await stream.write(message)
        await stream.close_writes()
        assert await all_of(stream) == messages


@case
async def empty_bidirectional(client: Client) -> None:
    async with client.channel.stream("interop.Test/Gather", bytes, bytes) as stream:
        await stream.close_writes()
        await expect_end(stream)


@case
async def large_stream_messages(client: Client) -> None:
    large = b"l" * (3 << 20)
    async with client.channel.stream("interop.Test/Chat", bytes, bytes) as stream:
        for _ in range(3):
            await stream.write(large)
            assert await stream.read() == large
        await stream.close_writes()
        assert await stream.read() == b"goodbye"
        await expect_end(stream)


@case
async def unary_method_as_stream(client: Client) -> None:
    async with client.channel.stream("interop.Test/Echo", bytes, bytes) as stream:
        await stream.write(b"one")
        await stream.close_writes()
        assert await stream.read() == b"one"
        await expect_end(stream)

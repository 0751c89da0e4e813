# SPDX-License-Identifier: MIT
"""Cancelled calls, as callers and handlers see them."""

from __future__ import annotations

import asyncio
import concurrent.futures
from typing import Any

import trunkline
from trunkline import Origin, aio

from .cases import Client, case, raising


@case
async def cancel_unary(client: Client) -> None:
    name = client.fresh_name()
    hanging = client.channel.submit("interop.Test/Hang", name)
    await client.wait_for(f"{name} begun")

    hanging.cancel()

    try:
        await hanging
    except (asyncio.CancelledError, concurrent.futures.CancelledError):
        pass
    else:
        raise AssertionError("expected CancelledError, got no error")
    await client.wait_for(f"{name} cancelled")


def hanging_stream(client: Client, name: str) -> aio.ClientStream[Any, Any]:
    return client.channel.stream("interop.Test/HangStream", bytes, bytes, metadata={"name": name})


@case
async def cancel_stream_before_first_message(client: Client) -> None:
    name = client.fresh_name()
    stream = hanging_stream(client, name)
    await client.wait_for(f"{name} begun")

    stream.cancel()

    with raising(trunkline.Cancelled, may_have_run=True, origin=Origin.LOCAL):
        await stream.read()
    with raising(trunkline.Cancelled, may_have_run=True, origin=Origin.LOCAL):
        await stream.finish()
    await client.wait_for(f"{name} cancelled")


@case
async def cancel_stream_after_first_message(client: Client) -> None:
    name = client.fresh_name()
    stream = hanging_stream(client, name)
    await stream.write(b"m")
    assert await stream.read() == b"m"

    stream.cancel()

    with raising(trunkline.Cancelled, may_have_run=True, origin=Origin.LOCAL):
        await stream.read()
    with raising(trunkline.Cancelled, may_have_run=True, origin=Origin.LOCAL):
        await stream.write(b"m")
    await client.wait_for(f"{name} cancelled")


@case
async def cancel_server_stream(client: Client) -> None:
    name = client.fresh_name()
    stream = client.channel.server_stream("interop.Test/Flood", name.encode(), bytes)
    for _ in range(3):
        assert await stream.read() == b"x" * (64 << 10)

    stream.cancel()

    with raising(trunkline.Cancelled, may_have_run=True, origin=Origin.LOCAL):
        # Messages that came before may still be read.
        while True:
            await stream.read()
    await client.wait_for(f"{name} cancelled")


@case
async def abandon_stream(client: Client) -> None:
    name = client.fresh_name()
    async with hanging_stream(client, name):
        await client.wait_for(f"{name} begun")
    await client.wait_for(f"{name} cancelled")


@case
async def close_channel_with_calls(client: Client) -> None:
    unary, streaming = client.fresh_name(), client.fresh_name()
    channel = client.open()
    hanging = channel.submit("interop.Test/Hang", unary)
    stream = channel.stream("interop.Test/HangStream", bytes, bytes, metadata={"name": streaming})
    await client.wait_for(f"{unary} begun")
    await client.wait_for(f"{streaming} begun")

    with raising(trunkline.DeadlineExceeded, may_have_run=True):
        await channel.close(0.0)

    with raising(trunkline.Cancelled, may_have_run=True, origin=Origin.LOCAL):
        await hanging
    with raising(trunkline.Cancelled, may_have_run=True, origin=Origin.LOCAL):
        await stream.read()
    await client.wait_for(f"{unary} cancelled")
    await client.wait_for(f"{streaming} cancelled")
    with raising(trunkline.FailedPrecondition, may_have_run=False):
        await channel.call("interop.Test/Nothing")

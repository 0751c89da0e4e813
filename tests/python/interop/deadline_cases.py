# SPDX-License-Identifier: MIT
"""Deadlines: sent to the server, kept by both sides, inherited by calls that handlers make."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import trunkline
from trunkline import Origin

from .cases import Client, case, raising


async def has_been_told(client: Client, event: str) -> bool:
    """Returns whether the server has reported the event in time."""
    try:
        await client.channel.call("interop.Test/Wait", event, timeout=0.1)
    except trunkline.DeadlineExceeded:
        return False
    return True


async def exceed_deadline(client: Client, call: Callable[[str, float], Awaitable[Any]]) -> None:
    """Makes calls with longer and longer timeouts, until the handler of one begins before its deadline passes."""
    for timeout in (0.2, 2.0, 20.0):
        name = client.fresh_name()
        with raising(trunkline.DeadlineExceeded, may_have_run=True):
            await call(name, timeout)
        if await has_been_told(client, f"{name} begun"):
            assert 0 <= await client.wait_for(f"{name} begun") <= timeout
            await client.wait_for(f"{name} cancelled")
            return
    raise AssertionError("the handler has never begun")


@case
async def deadline_of_unary(client: Client) -> None:
    async def call(name: str, timeout: float) -> None:
        await client.channel.call("interop.Test/Hang", name, timeout=timeout)

    await exceed_deadline(client, call)


@case
async def deadline_of_stream(client: Client) -> None:
    async def call(name: str, timeout: float) -> None:
        metadata = {"name": name}
        stream = client.channel.stream("interop.Test/HangStream", bytes, bytes, timeout=timeout, metadata=metadata)
        with raising(trunkline.DeadlineExceeded, may_have_run=True) as caught:
            await stream.read()
        try:
            await stream.finish()
        except trunkline.DeadlineExceeded as error:
            assert error.message == caught.error.message
            raise

    await exceed_deadline(client, call)


@case
async def deadline_that_has_passed(client: Client) -> None:
    with raising(trunkline.DeadlineExceeded, may_have_run=False, origin=Origin.LOCAL):
        await client.channel.call("interop.Test/Nothing", timeout=0.0)


@case
async def time_left(client: Client) -> None:
    left = await client.channel.call("interop.Test/TimeLeft", timeout=100.0)
    assert 10 < left <= 100
    patient = client.open_elsewhere(client.endpoint)
    assert await patient.call("interop.Test/TimeLeft") is None
    await patient.close()


@case
async def deadline_of_nested_call(client: Client) -> None:
    own, nested = await client.channel.call("interop.Test/Nested", client.endpoint, timeout=100.0)
    assert 10 < nested <= own <= 100
    patient = client.open_elsewhere(client.endpoint)
    assert await patient.call("interop.Test/Nested", client.endpoint) == [None, None]
    await patient.close()

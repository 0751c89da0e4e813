# SPDX-License-Identifier: MIT
"""Many calls at once on one connection."""

from __future__ import annotations

from .cases import Client, case


@case
async def pipelined_calls(client: Client) -> None:
    requests = [str(number).encode() for number in range(1000)]
    responses = client.channel.map("interop.Test/Echo", requests, bytes, window=256)
    assert [response async for response in responses] == requests


@case
async def calls_beside_large_ones(client: Client) -> None:
    large = b"l" * (4 << 20)
    larges = []
    smalls = []
    for number in range(100):
        if number % 50 == 0:
            larges.append(client.channel.submit("interop.Test/Echo", large, bytes))
        smalls.append(client.channel.submit("interop.Test/Echo", str(number).encode(), bytes))

    for number, response in enumerate(smalls):
        assert await response == str(number).encode()
    for response in larges:
        assert await response == large


@case
async def calls_that_wait_for_each_other(client: Client) -> None:
    # Each response needs a call that is made later.
    names = [client.fresh_name() for _ in range(4)]
    held = [client.channel.submit("interop.Test/Hold", name) for name in names]
    for number in reversed(range(4)):
        await client.wait_for(f"{names[number]} begun")
        await client.tell(names[number], number)
        assert await held[number] == number

# SPDX-License-Identifier: MIT
"""Channels that are closed, left by an exception, or waited for in vain."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

import trunkline
from trunkline import aio


@pytest.fixture
def endpoint() -> Iterator[str]:
    """Of a server whose ``block`` ends when it is cancelled."""
    server = trunkline.Server(threads=4)

    @server.method
    def block(context: trunkline.Context) -> None:
        while not context.is_cancelled():
            time.sleep(0.005)

    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_the_block_of_a_busy_channel(endpoint: str, kind: type[BaseException]) -> None:
    with pytest.raises(kind, match="from the block"), trunkline.Channel(endpoint) as channel:
        future = channel.submit("block")
        while channel.state != "ready":
            time.sleep(0.001)
        raise kind("from the block")

    assert isinstance(future.exception(20), trunkline.Cancelled)


def test_an_exception_leaves_the_block_of_a_busy_aio_channel(endpoint: str) -> None:
    async def leave(kind: type[BaseException]) -> None:
        async with aio.Channel(endpoint) as channel:
            task = asyncio.ensure_future(channel.call("block"))
            await asyncio.sleep(0.05)
            try:
                raise kind("from the block")
            finally:
                task.add_done_callback(lambda task: task.exception())

    for kind in (ValueError, asyncio.CancelledError):
        with pytest.raises(kind, match="from the block"):
            asyncio.run(leave(kind))

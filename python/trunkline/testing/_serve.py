# SPDX-License-Identifier: MIT
"""serve, aserve: host a service in this process and yield a channel to it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from .. import aio
from .._client.options import ChannelOptions
from .._sync.channel import Channel
from .._sync.server import Server
from ._fake import Fake
from ._hosting import ahosted, hosted, server_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


@contextlib.contextmanager
def serve(service: Any, **channel_options: Unpack[ChannelOptions]) -> Iterator[Channel]:
    """Serves a server of either kind, the class or object of a service, or a Fake in this process; yields a channel to
    it::

        with trunkline.testing.serve(Calculator) as channel:
            assert channel.bind(Calculator).add(Pair(1, 2)) == 3

    Async handlers run on an event loop of their own. Further channels can use ``channel.endpoint``.
    """
    if isinstance(service, Fake):
        with service.serve(**channel_options) as channel:
            yield channel
        return
    server = server_of(service, (Server, aio.Server))
    with hosted(server) as running, Channel(running.endpoint, **channel_options) as channel:
        yield channel


@contextlib.asynccontextmanager
async def aserve(service: Any, **channel_options: Unpack[ChannelOptions]) -> AsyncIterator[aio.Channel]:
    """Serves as ``serve`` does, for asyncio: ``async with trunkline.testing.aserve(service) as channel``. Async
    handlers run on this event loop."""
    if isinstance(service, Fake):
        async with service.aserve(**channel_options) as channel:
            yield channel
        return
    server = server_of(service, (aio.Server,))
    async with ahosted(server) as running, aio.Channel(running.endpoint, **channel_options) as channel:
        yield channel

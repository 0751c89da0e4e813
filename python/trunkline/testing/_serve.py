# SPDX-License-Identifier: MIT
"""serve and aserve: a channel to a service of this process."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from .. import aio
from .._channel import Channel
from .._options import ChannelOptions
from .._server import Server
from ._fake import Fake
from ._hosting import ahosted, hosted, server_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


@contextlib.contextmanager
def serve(service: Any, **channel_options: Unpack[ChannelOptions]) -> Iterator[Channel]:
    """Serves a Server of either kind, a service's class or object, or a Fake, in this process; gives a channel to it::

    with trunkline.testing.serve(Calculator) as channel:
        assert channel.bind(Calculator).add(Pair(1, 2)) == 3

    What is async runs on an event loop of its own. ``channel.endpoint`` is for further channels.
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
    """The same for asyncio: ``async with trunkline.testing.aserve(service) as channel``. What is async runs on this
    event loop."""
    if isinstance(service, Fake):
        async with service.aserve(**channel_options) as channel:
            yield channel
        return
    server = server_of(service, (aio.Server,))
    async with ahosted(server) as running, aio.Channel(running.endpoint, **channel_options) as channel:
        yield channel

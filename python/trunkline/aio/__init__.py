# SPDX-License-Identifier: MIT
"""Trunkline for asyncio: the same words as in ``trunkline``, as coroutines."""

from ._channel import Channel
from ._client_methods import BidirectionalMethod, ClientStreamMethod, ServerStreamMethod, UnaryMethod
from ._server import RunningServer, Server
from ._streams import ClientStream

__all__ = [
    "BidirectionalMethod",
    "Channel",
    "ClientStream",
    "ClientStreamMethod",
    "RunningServer",
    "Server",
    "ServerStreamMethod",
    "UnaryMethod",
]

# SPDX-License-Identifier: MIT
"""Trunkline for asyncio: the classes of ``trunkline`` with coroutines in place of functions that block."""

from ._channel import Channel
from ._client_methods import BidirectionalMethod, ClientStreamMethod, ServerStreamMethod, UnaryMethod
from ._client_stream import ClientStream
from ._server import RunningServer, Server

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

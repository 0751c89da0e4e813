# SPDX-License-Identifier: MIT
"""Trunkline for asyncio: the same words as in ``trunkline``, as coroutines."""

from ._channel import Channel
from ._server import RunningServer, Server
from ._streams import ClientStream

__all__ = ["Channel", "ClientStream", "RunningServer", "Server"]

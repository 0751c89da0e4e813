# SPDX-License-Identifier: MIT
"""Client: what a case works with; and the table of cases."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, NamedTuple

from trunkline import Origin, RpcError, aio

from .certificates import client_tls
from .failures import MAX_MESSAGE_BYTES

#: The time limit of every step, in seconds. It is never reached unless something hangs.
PATIENCE = 20.0

#: Makes a channel to the server with further options: one for asyncio, or a blocking one with the same interface.
Open = Callable[..., aio.Channel]


class Client:
    def __init__(self, endpoint: str, make_channel: Open) -> None:
        self.endpoint = endpoint
        self._make_channel = make_channel
        self.channel = self.open()
        self._names = 0

    @property
    def is_grpc(self) -> bool:
        """Whether the protocol has what gRPC has, and no more (docs/protocols.md)."""
        return self.endpoint.startswith("grpc")

    @property
    def address(self) -> str:
        """The server's endpoint without the protocol."""
        scheme, rest = self.endpoint.split(":", 1)
        transport = {"grpc": "tcp", "grpcs": "tls", "ws": "tcp", "wss": "tls"}.get(scheme, scheme.rpartition("+")[2])
        return f"{transport}:{rest}"

    def open(self, **options: Any) -> aio.Channel:
        """Opens a client with a channel of its own, with the limits and timeouts of this client."""
        chosen = {"default_timeout": PATIENCE, "max_message_bytes": MAX_MESSAGE_BYTES, **client_tls(), **options}
        return self._make_channel(self.endpoint, **chosen)

    def open_elsewhere(self, endpoint: str) -> aio.Channel:
        return self._make_channel(endpoint, **client_tls())

    def fresh_name(self) -> str:
        """Returns a name for events that no other call uses."""
        self._names += 1
        return f"python {os.getpid()} {self._names}"

    async def wait_for(self, event: str) -> Any:
        """Waits until the server has reported the event."""
        return await self.channel.call("interop.Test/Wait", event)

    async def tell(self, event: str, value: Any = None) -> None:
        await self.channel.call("interop.Test/Tell", {"name": event, "value": value}, type(None))


class Caught:
    error: RpcError


@contextlib.contextmanager
def raising(kind: type[RpcError], *, may_have_run: bool | None, origin: Origin | None = None) -> Iterator[Caught]:
    """Expects that the block raises an error of exactly this class. None for an attribute accepts any value."""
    caught = Caught()
    try:
        yield caught
    except RpcError as error:
        assert type(error) is kind, f"expected {kind.__name__}, got {error!r}"
        assert may_have_run in (None, error.may_have_run), f"may_have_run is {error.may_have_run}: {error}"
        assert origin in (None, error.origin), f"its origin is {error.origin.name}: {error}"
        caught.error = error
        return
    raise AssertionError(f"expected {kind.__name__}, got no error")


Play = Callable[[Client], Coroutine[Any, Any, None]]


class Case(NamedTuple):
    play: Play
    ends_server: bool


#: By name, in the order in which they are played.
CASES: dict[str, Case] = {}


def case(play: Play) -> Play:
    CASES[play.__name__] = Case(play, False)
    return play


def ending_case(play: Play) -> Play:
    """Registers a case that ends the server."""
    CASES[play.__name__] = Case(play, True)
    return play

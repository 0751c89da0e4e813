# SPDX-License-Identifier: MIT
"""Load: what one cell of a table asks of every contestant."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


#: Of the neutral clients.
PROTOCOLS = frozenset({"grpc", "connect", "http1"})


@dataclass(frozen=True, kw_only=True)
class Load:
    """``work`` names the method (see ../README.md); ``outstanding`` calls in total are spread over ``connections``."""

    work: str = "echo"
    bytes: int = 8
    connections: int = 1
    outstanding: int = 1
    tls: bool = False
    #: Calls of a connection are answered one after the other, in order.
    pipelined: bool = False
    #: "json" where the message travels as such; empty: the contestant's own.
    codec: str = ""
    #: Both sides may spin before they sleep.
    busy_poll: bool = False
    #: One of PROTOCOLS: the client is h2load or wrk by this protocol, whatever the contestant's own is.
    protocol: str = ""
    #: Another client reads a stream slowly meanwhile.
    slow_reader: bool = False
    #: Allocations are counted, in runs of their own.
    allocations: bool = False

    def __post_init__(self) -> None:
        if self.bytes < 0 or self.connections < 1 or self.outstanding < self.connections:
            raise ValueError(f"load {self}: needs bytes >= 0, connections >= 1, outstanding >= connections")

    @property
    def needs(self) -> frozenset[str]:
        """What a contestant must be able to do, in the words of its manifest's ``can``."""
        if self.protocol:
            return frozenset({self.protocol})
        flags = ("tls", "pipelined", "busy_poll", "slow_reader")
        named = {flag for flag in flags if getattr(self, flag)}
        return frozenset({self.work, *named, *([self.codec] if self.codec else [])})

    @property
    def stretch(self) -> float:
        """How much longer than others such a load is measured: a deep window takes its time to go round."""
        return 1 + self.outstanding / 25_000

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def frame_bytes(load: Load) -> int:
    """Trunkline's frame of the load's request: 16 bytes of header and the protobuf message; the limit's, both ways."""
    sizes = {"multiply": 6, "oneway": 6, "object": 40}
    if load.work in sizes:
        return 16 + sizes[load.work]
    if load.bytes == 0:
        return 16
    length = 1
    while load.bytes >> (7 * length):
        length += 1
    return 16 + 1 + length + load.bytes

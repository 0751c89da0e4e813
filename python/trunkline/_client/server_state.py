# SPDX-License-Identifier: MIT
"""ServerState: what a channel knows of one server."""

from __future__ import annotations

from typing import NamedTuple


class ServerState(NamedTuple):
    """One of the servers that the URI of a channel stands for. The counts and the latency of a channel to one endpoint
    are not measured, except ``open_calls``, unless the channel has a ``circuit_breaker``."""

    endpoint: str
    #: Where it runs; empty: unknown.
    zone: str
    #: Its share of the calls relative to the others.
    weight: float
    #: Servers of the lowest number get the calls as long as they can take them.
    priority: int
    #: It is connected and gets calls.
    is_ready: bool
    #: It failed or was slow. It gets calls nevertheless while too few servers are left.
    is_ejected: bool
    #: Why it gets no calls; empty: nothing has failed.
    last_error: str
    #: The methods that it gets no calls of at present, because their circuit breakers are open.
    open_breakers: list[str]
    open_calls: int
    started_calls: int
    #: Calls that ended with an error that speaks against the server, such as unavailable or deadline_exceeded.
    failed_calls: int
    #: The moving average of unary calls, in seconds; 0: not measured.
    latency: float

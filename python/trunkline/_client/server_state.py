# SPDX-License-Identifier: MIT
"""ServerState: what a channel knows of one server."""

from __future__ import annotations

from typing import NamedTuple


class ServerState(NamedTuple):
    """One of the servers that the URI of a channel stands for. The counts and the latency of a channel to one endpoint
    are not measured, except ``open_calls``, unless the channel has a ``circuit_breaker``."""

    endpoint: str
    #: The zone in which the server runs; empty: the zone is unknown.
    zone: str
    #: The server's share of the calls relative to the others.
    weight: float
    #: Servers of the lowest number get the calls as long as they can take them.
    priority: int
    #: The server is connected and gets calls.
    is_ready: bool
    #: The server failed or was slow. It gets calls nevertheless while too few servers are left.
    is_ejected: bool
    #: Says why the server gets no calls; empty: nothing has failed.
    last_error: str
    #: The methods of which the server gets no calls at present, because their circuit breakers are open.
    open_breakers: list[str]
    open_calls: int
    started_calls: int
    #: Calls that ended with an error that speaks against the server, such as unavailable or deadline_exceeded.
    failed_calls: int
    #: The moving average of the latency of unary calls, in seconds; 0: not measured.
    latency: float

# SPDX-License-Identifier: MIT
"""ResolvedServer: a server as a resolver has found it."""

from __future__ import annotations

from typing import NamedTuple


class ResolvedServer(NamedTuple):
    """A server as a resolver has found it."""

    #: The address: a URI, or ``host:port`` alone, which is called as the ``server_scheme`` of the target says.
    endpoint: str
    #: The server's share of the calls relative to the others; more than 0, at most 1e6.
    weight: float = 1.0
    #: The zone in which the server runs, such as ``eu-west-1a``; empty: the zone is unknown.
    zone: str = ""
    #: Servers of the lowest number get the calls as long as they can take them.
    priority: int = 0
    #: The name of the server for TLS and for the authority of gRPC calls; empty: the host of the endpoint is its name.
    host_name: str = ""

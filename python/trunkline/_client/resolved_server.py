# SPDX-License-Identifier: MIT
"""ResolvedServer: a server as a resolver has found it."""

from __future__ import annotations

from typing import NamedTuple


class ResolvedServer(NamedTuple):
    """A server as a resolver has found it."""

    #: A URI, or ``host:port`` alone, which is called as the ``server_scheme`` of the target says.
    endpoint: str
    #: Its share of the calls relative to the others; more than 0, at most 1e6.
    weight: float = 1.0
    #: Where it runs, such as ``eu-west-1a``; empty: unknown.
    zone: str = ""
    #: Servers of the lowest number get the calls as long as they can take them.
    priority: int = 0
    #: The name by which it is known, for TLS and for the authority of gRPC calls; empty: that of the endpoint.
    host_name: str = ""

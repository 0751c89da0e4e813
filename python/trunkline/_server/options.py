# SPDX-License-Identifier: MIT
"""The keyword options of servers, typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .._calls.connection_options import ConnectionOptions
from .incoming_call import ServerInterceptor


class ServerOptions(ConnectionOptions, total=False):
    """The options of a ``Server``. Names and meanings are those of C++'s ServerOptions; times are in seconds. A value
    out of range raises ValueError.

    ``listen_backlog``: connections that the kernel holds until they are accepted. 1 to 65535; 1024 by default.
    ``reuse_port``: other processes may listen on the same TCP port; False by default. ``serve(workers=N)`` sets it
    itself.
    ``client_certificate``: ``none``: not requested, the default; ``optional``: checked if the client sends one;
    ``required``.
    ``max_connections``: further connections are closed right after they are accepted. 1 or more; 100000 by default.
    ``max_connections_per_peer``: the same for connections from one address. An IPv6 address counts by its network of 64
    bits; peers over ``unix`` and ``inproc`` are not limited. 1 or more; 10000 by default.
    ``max_concurrent_calls_per_peer``: running calls from one address, cancelled ones included; further ones are
    refused. 1 or more; 262144 by default.
    ``max_cancelled_calls_per_second``: calls that the client of a connection may cancel, over time; then it is slowed
    down, and after ten seconds disconnected. 0 (any number) to 2^31 - 1; 10000 by default.
    ``max_turn_bytes``: bytes of messages, decompressed, that a connection is served before the others. 64 KiB to
    2^31 - 1; 1 MiB by default.
    ``max_memory_percent_per_peer``: the part of ``max_memory_bytes`` that may be held for one address. Beyond it new
    calls of the address are refused, its long messages wait, and its connections are not read. Peers over ``unix`` and
    ``inproc`` count as one. 1 to 100; 50 by default.
    ``max_concurrent_calls_per_connection``: announced to clients; further calls are refused. 1 to 2^31 - 1; 16384 by
    default.
    ``max_concurrent_calls``: calls on all connections; further ones are refused. 1 or more; 1000000 by default.
    ``max_connection_age``: seconds, and up to 10 % more or less, after which a connection takes no further calls and
    closes after the last one. Up to a year; 0 (never) by default.
    ``max_connection_age_grace``: seconds for which the calls of such a connection may go on. Up to a year; 0 (without
    limit) by default.
    ``min_ping_interval``: the least number of seconds between two pings of a gRPC client that gets nothing. One without
    calls may ping every two hours. The third ping that comes too early ends the connection. Up to a year; 0: any
    number; 300 by default.
    ``allow_idle_pings``: gRPC clients without calls may ping as often as ``min_ping_interval`` allows; False by
    default.
    ``expose_exception_text``: callers get the class and text of a handler's exception, which may hold secrets, instead
    of only the fact; False by default. The log has them always.
    ``interceptors``: run around each handler, the first one outermost; none by default.
    """

    listen_backlog: int
    reuse_port: bool
    client_certificate: Literal["none", "optional", "required"]
    max_connections: int
    max_connections_per_peer: int
    max_concurrent_calls_per_connection: int
    max_concurrent_calls_per_peer: int
    max_memory_percent_per_peer: int
    max_cancelled_calls_per_second: int
    max_turn_bytes: int
    max_concurrent_calls: int
    max_connection_age: float
    max_connection_age_grace: float
    min_ping_interval: float
    allow_idle_pings: bool
    expose_exception_text: bool
    interceptors: Sequence[ServerInterceptor]


ServerOptions.__doc__ = f"{ServerOptions.__doc__}{ConnectionOptions.__doc__}"

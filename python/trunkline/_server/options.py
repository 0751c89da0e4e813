# SPDX-License-Identifier: MIT
"""The keyword options of servers, typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from .._calls.connection_options import ConnectionOptions, TlsCertificate
from .incoming_call import ServerInterceptor


class ServerOptions(ConnectionOptions, total=False):
    """The options of a ``Server``. Names and meanings are those of C++'s ServerOptions; times are in seconds. A value
    out of range raises ValueError.

    ``listen_backlog``: connections that the kernel holds until they are accepted. 1 to 65535; 1024 by default.
    ``reuse_port``: other processes may listen on the same TCP port; False by default. ``serve(workers=N)`` sets it
    itself.
    ``client_certificate``: ``none``: not requested, the default; ``optional``: checked if the client sends one;
    ``required``.
    ``additional_certificates``: further certificates of a server with several names, each a ``TlsCertificate``. A
    client that names a host (SNI) meets the first certificate that is for this host, beginning with the server's own,
    which also meets all other clients; none by default.
    ``renew_tls``: called for each connection before its TLS handshake. Returns a private key, a certificate chain and
    authorities or None, as bytes in PEM, which replace those of the server for this and later connections, or None. A
    fourth part of the tuple replaces ``additional_certificates``, too. It must not block, nor call this server. What it
    raises goes to ``sys.unraisablehook``. None by default.
    ``max_connections``: further connections are closed right after they are accepted. 1 or more; 100000 by default.
    ``max_connections_per_peer``: the same for connections from one address. An IPv6 address counts by its network of 64
    bits; peers over ``unix`` and ``inproc`` are not limited. 1 or more; 10000 by default.
    ``max_concurrent_calls_per_peer``: running calls from one address, cancelled ones included; further ones are
    refused. 1 or more; 262144 by default.
    ``max_cancelled_calls_per_second``: calls that the client of a connection may cancel, over time; then it is slowed
    down, and after ten seconds disconnected. 0 (any number) to 2^31 - 1; 10000 by default.
    ``trusted_proxies``: networks of proxies that send a header of the PROXY protocol on each connection, such as
    ``10.0.0.0/8``, ``fd00::/8``, and ``unix:`` for all peers over unix sockets. There the header is required, and the
    client that it names is the peer; none by default.
    ``allowed_hosts``: the names by which clients call the server over HTTP, such as ``api.example.com``, and
    ``*.example.com`` for all names below one. Requests for other hosts get 421, except those for localhost and for IP
    addresses: a page whose name is made to point at this server (DNS rebinding) names its own. Any host by default.
    ``allowed_origins``: pages that may open a WebSocket, as browsers name them in ``Origin``, such as
    ``https://example.org``; ``*``: all. By default the pages of this server, by the host and port of the request.
    Clients that are no browsers need none.
    ``cors_origins``: pages of other origins that may call methods by HTTP and read the responses (CORS), such as
    ``https://example.org``; ``*``: all. None by default. Routes are left out.
    ``adaptive_limit``: finds by the latency of unary calls how many may run or wait at a time, and sheds those beyond
    with ``unavailable`` and ``RpcError.retry_after``; False by default.
    ``min_adaptive_limit``, ``max_adaptive_limit``: the bounds of that limit; 1 to 1000000; 4 and 10000 by default.
    ``queue_target``: seconds that calls may wait for a worker or for the event loop once their queue stands; those that
    have waited longer are shed. 0 (any time) by default.
    ``queue_interval``: a queue stands once no call has waited for less than ``queue_target`` for so many seconds; 0.1
    by default.
    ``priority_metadata``: the name of the metadata that says how important a call is; none by default.
    ``priorities``: its values, the most important first; 1 to 8. Calls of the last one are shed when three quarters of
    ``max_concurrent_calls`` or of the adaptive limit are used; ``critical``, ``normal``, ``sheddable`` by default.
    ``default_priority``: of calls that name none of them; ``normal`` by default.
    ``max_turn_bytes``: bytes of messages, decompressed, that a connection is served before the others. 64 KiB to
    2^31 - 1; 1 MiB by default.
    ``max_memory_percent_per_peer``: the part of ``max_memory_bytes`` that may be held for one address. Beyond it new
    calls of the address are refused, its long messages wait, and its connections are not read. Peers over ``unix`` and
    ``inproc`` count as one. 1 to 100; 50 by default.
    ``max_concurrent_calls_per_connection``: announced to clients; more open calls are refused, and calls beyond it
    because handlers of cancelled ones still run wait. 1 to 2^31 - 1; 16384 by default.
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
    additional_certificates: Sequence[TlsCertificate]
    renew_tls: Callable[
        [], tuple[bytes, bytes, bytes | None] | tuple[bytes, bytes, bytes | None, Sequence[TlsCertificate]] | None
    ]
    max_connections: int
    max_connections_per_peer: int
    max_concurrent_calls_per_connection: int
    max_concurrent_calls_per_peer: int
    max_memory_percent_per_peer: int
    max_cancelled_calls_per_second: int
    trusted_proxies: Sequence[str]
    allowed_hosts: Sequence[str]
    allowed_origins: Sequence[str]
    cors_origins: Sequence[str]
    adaptive_limit: bool
    min_adaptive_limit: int
    max_adaptive_limit: int
    queue_target: float
    queue_interval: float
    priority_metadata: str
    priorities: Sequence[str]
    default_priority: str
    max_turn_bytes: int
    max_concurrent_calls: int
    max_connection_age: float
    max_connection_age_grace: float
    min_ping_interval: float
    allow_idle_pings: bool
    expose_exception_text: bool
    interceptors: Sequence[ServerInterceptor]


ServerOptions.__doc__ = f"{ServerOptions.__doc__}{ConnectionOptions.__doc__}"

# SPDX-License-Identifier: MIT
"""The keyword options of channels and of calls, typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from .._calls.connection_options import ConnectionOptions
from .._metadata import MetadataLike
from .outgoing_call import ClientInterceptor


class ChannelOptions(ConnectionOptions, total=False):
    """The options of a ``Channel``. Names and meanings are those of C++'s ChannelOptions; times are in seconds. A value
    out of range raises ValueError.

    ``verify_peer``: check the certificate of the server; True by default.
    ``server_name``: the name in the server's certificate; empty (the endpoint's host) by default.
    ``default_timeout``: seconds, for calls without a timeout. More than 0, up to a year; none by default. In a handler
    it is an upper bound for the inherited deadline; see ``CallOptions``.
    ``connect_timeout``: seconds for one attempt to connect, TLS handshake included. 0.001 to a year; 20 by default.
    ``backoff_initial``, ``backoff_maximum``: the first and the longest wait between attempts, in seconds; 0.1 and 30 by
    default.
    ``backoff_multiplier``: the factor by which waits grow. 1 to 100; 1.6 by default.
    ``backoff_jitter``: the share of a wait that is random. 0 to 1; 0.2 by default.
    ``authority``: over gRPC, what requests name as the authority; empty (host and port of the URI) by default.
    ``max_connections``: connections of the pool; a call uses the one with the fewest calls. 1 to 1024; 1 by default.
    ``max_pending_calls``: calls that may wait for a connection or for room on one; more are refused. 100000 by default.
    ``ordered``: the server runs the calls one after the other, in order. Needs ``max_connections=1``; False by default.
    ``max_retries``: retries of a call that has certainly not run, or is idempotent. 0 to 100; 3 by default.
    ``max_retained_request_bytes``: longer requests of asynchronous calls may not be held for a retry. 1024 by default.
    ``early_calls``: send calls before the server's hello has come; if the connection is then lost before its hello,
    they may have run. False by default.
    ``interceptors``: run around each call, the first one outermost; none by default.
    """

    verify_peer: bool
    server_name: str
    default_timeout: float
    connect_timeout: float
    backoff_initial: float
    backoff_maximum: float
    backoff_multiplier: float
    backoff_jitter: float
    authority: str
    max_connections: int
    max_pending_calls: int
    ordered: bool
    max_retries: int
    max_retained_request_bytes: int
    early_calls: bool
    interceptors: Sequence[ClientInterceptor]


ChannelOptions.__doc__ = f"{ChannelOptions.__doc__}{ConnectionOptions.__doc__}"


class StreamOptions(TypedDict, total=False):
    """The options of a call of any kind.

    ``timeout``: seconds from now, 0 or more, after which the call ends with DeadlineExceeded. By default it is the
    channel's ``default_timeout``. A call made in a handler also has no more time than the call that the handler serves,
    as long as that handler runs. ``math.inf``: no deadline, regardless of channel and handler.
    ``metadata``: sent with the request, as a mapping or pairs. Values of names that end in ``-bin`` may be any bytes.
    ``wait_for_ready``: wait for a connection until the deadline instead of failing after one attempt; False by default.
    ``compressor``: of the request, instead of the channel's; ``identity`` for none.
    ``codec``: ``protobuf``, ``json``, ``msgpack``, ``bytes`` or one of the channel's; by default the types of the
    messages select it.
    """

    timeout: float | None
    metadata: MetadataLike
    wait_for_ready: bool
    compressor: str | None
    codec: str | None


class CallOptions(StreamOptions, total=False):
    """The options of a call with one request and one response: those of ``StreamOptions`` and

    ``idempotent``: the method may run more than once without harm, so the call may be retried after a lost connection;
    False by default.
    """

    idempotent: bool

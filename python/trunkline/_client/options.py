# SPDX-License-Identifier: MIT
"""The keyword options of channels and of calls, typed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from .._calls.connection_options import ConnectionOptions
from .._errors import StatusCode
from .._metadata import MetadataLike
from .outgoing_call import ClientInterceptor
from .resolver import ResolverFactory


class HedgingOptions(TypedDict, total=False):
    """The rule by which a slow call is sent to a further server as well. The first answer counts, and the other
    attempts are cancelled.

    ``max_attempts``: attempts of a call, the first one included. 2 to 5; 2 by default.
    ``delay``: seconds between two attempts. By default the percentile of the method's latency.
    ``percentile``: without ``delay``: the second attempt begins when this share of the calls of the method would have
    been answered, once 100 calls have been measured. More than 0, less than 1; 0.95 by default.
    ``max_extra``: further attempts for each call, on average, at most. More than 0, up to 4; 0.05 by default.
    ``non_fatal_codes``: an attempt that ends with one of these codes does not end the call while others may succeed;
    ``UNAVAILABLE`` by default.
    """

    max_attempts: int
    delay: float
    percentile: float
    max_extra: float
    non_fatal_codes: Sequence[StatusCode]


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
    ``authority``: over HTTP, what requests name as the authority; empty (host and port of the URI) by default.
    ``user_agent``: over HTTP, what requests say that the client is: up to 1024 printable ASCII characters, usually the
    name of the application before that of the library, ``orders/2.1 trunkline/0.1.0``; empty (the library alone) by
    default.
    ``http_get``: over Connect, unary calls that are marked idempotent are sent as GET, so that what stands between may
    answer them from its cache; False by default. Servers refuse that (:class:`FailedPrecondition`) for methods that are
    not known to have no side effects. A message that makes the URL longer than 4096 bytes is sent as POST.
    ``grpc_web_text``: over gRPC-Web, bodies are base64, for what stands between and passes text only; False by default.
    Servers take one message in a request of that form.
    ``http_version``: the version of HTTP for Connect and gRPC-Web: ``1.1``, ``2``, or ``auto`` (the default): with TLS
    what the server prefers, otherwise 2, and 1.1 once the server has answered in that.
    ``max_http1_connections``: in place of ``max_connections`` where a server is called over HTTP/1.1: a call gets a
    connection of its own while it lasts, and waits for one once there are so many. 1 to 1024; 64 by default.
    ``max_connections``: connections of the pool, made as calls at a time need them; a call uses the one with the fewest
    calls. 1 to 1024; 1 by default.
    ``balancing``: how calls are spread over several servers: ``two_choices`` (the default: the better of two random
    servers), ``round_robin``, ``random``, ``least_outstanding``, ``least_time``, ``consistent_hash``
    or ``pick_first``.
    ``zone``: where this client runs; servers of the same zone are preferred. Empty (none) by default.
    ``max_servers``: servers that this client uses at most; 0 (all) by default.
    ``slow_start``: seconds until a server that is new or has recovered gets its full share; 10 by default.
    ``hash_load_factor``: ``consistent_hash``: a server takes at most this multiple of the mean number of open calls.
    More than 1, up to 100; 1.25 by default.
    ``resolvers``: for names of the application's own, a function for each scheme that makes the resolver of a
    :class:`Target`; those of the same scheme as a built-in one replace it. None by default.
    ``health_check``: a server of several gets calls only while ``grpc.health.v1.Health/Watch`` says that it is serving,
    where it serves that; True by default.
    ``health_service``: the service whose health is watched; empty (the server as a whole) by default.
    ``outliers``: a server of several that fails or is slow gets no calls for a time; True by default.
    ``outlier_consecutive_failures``: so many failures in a row eject at once; 5 by default, 0: never.
    ``outlier_interval``: seconds in which shares of failures and latencies are compared once; 10 by default.
    ``outlier_min_calls``: servers with fewer calls in an interval are not compared; 20 by default.
    ``outlier_failure_rate``: this share of failures ejects. 0 (never) to 1; 0.5 by default.
    ``outlier_latency_factor``: a mean latency of more than this multiple of the median ejects. 0 (never) to 1000; 5 by
    default.
    ``outlier_min_latency``: seconds; a lower mean latency never ejects; 0.05 by default.
    ``outlier_ejection_time``, ``outlier_max_ejection_time``: seconds of the first and of the longest ejection; 30 and
    300 by default.
    ``outlier_max_ejected``: at most this share of the servers is ejected at a time. 0 to 1; 0.5 by default.
    ``outlier_panic_threshold``: ejections are ignored while less than this share of the servers would be left. 0 to 1;
    0.5 by default.
    ``circuit_breaker``: a method of a server that fails is not called for a time; False by default.
    ``breaker_consecutive_failures``: so many failures in a row open the breaker; 5 by default, 0: never.
    ``breaker_failure_rate``: this share of failures in a window opens it. 0 (never) to 1; 0.5 by default.
    ``breaker_window``, ``breaker_min_calls``: the length of the window in seconds, and the calls in it without which
    the share says nothing; 10 and 20 by default.
    ``breaker_open_time``: seconds until calls are let through as probes; 5 by default.
    ``breaker_probes``: calls that are let through and have to be served; 1 by default.
    ``max_pending_calls``: calls that may wait for a connection or for room on one; more are refused. 100000 by default.
    ``ordered``: the server runs the calls one after the other, in order. Needs ``max_connections=1``; False by default.
    ``max_retries``: retries of a call that has certainly not run, or is idempotent. 0 to 100; 3 by default.
    ``max_retained_request_bytes``: longer requests of asynchronous calls may not be held for a retry. 1024 by default.
    ``early_calls``: send calls before the server's hello has come; if the connection is then lost before its hello,
    they may have run. False by default.
    ``service_config``: gRPC's service config, as JSON or as what that stands for, which says for each method how its
    calls are retried or hedged; none by default. One that the resolver reports takes its place.
    ``hedging``: how unary calls that are marked idempotent are sent to a second server when they are slow, unless the
    service config says how their method is retried or hedged; see ``HedgingOptions``. They are not by default.
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
    user_agent: str
    http_get: bool
    grpc_web_text: bool
    http_version: str
    max_http1_connections: int
    max_connections: int
    balancing: str
    zone: str
    max_servers: int
    slow_start: float
    hash_load_factor: float
    resolvers: Mapping[str, ResolverFactory]
    health_check: bool
    health_service: str
    outliers: bool
    outlier_consecutive_failures: int
    outlier_interval: float
    outlier_min_calls: int
    outlier_failure_rate: float
    outlier_latency_factor: float
    outlier_min_latency: float
    outlier_ejection_time: float
    outlier_max_ejection_time: float
    outlier_max_ejected: float
    outlier_panic_threshold: float
    circuit_breaker: bool
    breaker_consecutive_failures: int
    breaker_failure_rate: float
    breaker_window: float
    breaker_min_calls: int
    breaker_open_time: float
    breaker_probes: int
    max_pending_calls: int
    ordered: bool
    max_retries: int
    max_retained_request_bytes: int
    early_calls: bool
    service_config: str | Mapping[str, Any]
    hedging: HedgingOptions
    interceptors: Sequence[ClientInterceptor]


ChannelOptions.__doc__ = f"{ChannelOptions.__doc__}{ConnectionOptions.__doc__}"


def with_config_as_text(options: ChannelOptions) -> ChannelOptions:
    """The options with a ``service_config`` that is text."""
    config = options.get("service_config")
    if config is None or isinstance(config, str):
        return options
    return {**options, "service_config": json.dumps(config)}


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
    ``routing_key``: with ``balancing="consistent_hash"``, calls of one key go to one server.
    """

    timeout: float | None
    metadata: MetadataLike
    wait_for_ready: bool
    compressor: str | None
    codec: str | None
    routing_key: str | None


class CallOptions(StreamOptions, total=False):
    """The options of a call with one request and one response: those of ``StreamOptions`` and

    ``idempotent``: the method may run more than once without harm, so the call may be retried after a lost connection;
    False by default.
    """

    idempotent: bool

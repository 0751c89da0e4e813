# SPDX-License-Identifier: MIT
"""Translates grpcio's options of channels and servers, ``("grpc.name", value)``, into Trunkline's.

Each argument of gRPC's ``channel_arg_names.h`` is translated, has no meaning here, or is told once to the log. The
guide's page "Coming from grpcio" lists them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union

from .._messages.compressor import built_in_compressors
from .._version import __version__
from ._argument import LONGEST, Argument, WrongTypeError, arguments_of
from ._compression import Compression, compressor_of
from ._service_config import config_of_core

#: Returns Trunkline's options; None if the value asks for what Trunkline does not do.
Convert = Callable[[Argument], Union[dict[str, Any], None]]

#: The longest message that is received, as in grpcio, unless an option says otherwise.
_RECEIVED_BYTES = 4 << 20
#: Trunkline's default for ``max_unread_bytes``, which is at least as large as the longest message.
_UNREAD_BYTES = 128 << 20
#: The bytes of the requests of a stream that are held for a retry, as in grpcio, if a policy asks for retries.
_RETAINED_BYTES = 256 << 10
#: The longest text of an application in the user-agent; the core takes 1024 characters in all.
_USER_AGENT_CHARACTERS = 480
#: Seconds, the least of gRPC's for what an attempt to connect may take and for the pauses between attempts.
_LEAST_BACKOFF = 0.1
#: Trunkline's defaults, and the longest pause of gRPC by default.
_INITIAL_BACKOFF, _MAXIMUM_BACKOFF, _GRPC_MAXIMUM_BACKOFF = 0.1, 30.0, 120.0

_BALANCING = {
    "pick_first": "pick_first",
    "round_robin": "round_robin",
    "weighted_round_robin": "round_robin",
    "ring_hash_experimental": "consistent_hash",
    "least_request_experimental": "two_choices",
}


def _some_text(argument: Argument) -> dict[str, Any]:
    """Converts a text that is read elsewhere."""
    argument.text()
    return {}


def _user_agent_part(key: str) -> Convert:
    """Returns the conversion of a text of the application for the user-agent, which ``_with_user_agent`` takes away."""

    def convert(argument: Argument) -> dict[str, Any] | None:
        text = argument.text().strip()
        is_sendable = text.isascii() and text.isprintable() and len(text) <= _USER_AGENT_CHARACTERS
        return {key: text} if is_sendable else None

    return convert


def _some_number(argument: Argument) -> dict[str, Any]:
    """Converts a number that is read elsewhere."""
    argument.number()
    return {}


def _only(*harmless: Any) -> Convert:
    """Returns the conversion of an argument that Trunkline does not have, except for values that change nothing."""
    return lambda argument: {} if argument.value in harmless else None


def _length(argument: Argument) -> int:
    length = argument.number()
    return LONGEST if length < 0 else max(1, length)


def _balancing(argument: Argument) -> dict[str, Any] | None:
    known = _BALANCING.get(argument.text())
    return None if known is None else {"balancing": known}


def _ping_interval(argument: Argument) -> dict[str, Any]:
    return {"min_ping_interval": argument.seconds(least=0.0)}


def _ping_strikes(argument: Argument) -> dict[str, Any] | None:
    """Converts the number of early pings that are borne: without limit pings may come at any time; the core's is 2."""
    return {"min_ping_interval": 0.0} if argument.number() == 0 else {} if argument.number() == 2 else None


def _header_bytes(argument: Argument) -> dict[str, Any]:
    """Converts the soft limit of metadata to the hard one that gRPC derives from it."""
    return {"max_header_bytes": argument.bounded(8 << 10, 1 << 20, max(16 << 10, argument.number() * 5 // 4))}


def _read_ahead(argument: Argument) -> dict[str, Any]:
    credit = argument.bounded(64 << 10, LONGEST)
    return {"call_credit_bytes": credit, "connection_credit_bytes": max(16 << 20, credit)}


#: The arguments that count on both sides, in an order in which a later one takes the place of an earlier one.
_OF_BOTH: dict[str, Convert] = {
    "grpc.max_receive_message_length": lambda argument: {"max_message_bytes": _length(argument)},
    "grpc.max_send_message_length": _some_number,  # see send_limit()
    "grpc.max_metadata_size": _header_bytes,
    "grpc.absolute_max_metadata_size": lambda argument: {"max_header_bytes": argument.bounded(8 << 10, 1 << 20)},
    "grpc.keepalive_time_ms": lambda argument: {"keepalive_interval": argument.interval()},
    "grpc.keepalive_timeout_ms": lambda argument: {"keepalive_timeout": argument.seconds()},
    "grpc.http2.lookahead_bytes": _read_ahead,
    "grpc.http2.bdp_probe": lambda argument: {} if argument.number() else {"max_call_credit_bytes": 0},
    "grpc.tcp_receive_buffer_size": lambda argument: {"receive_buffer_bytes": argument.bounded(0, 1 << 30)},
    "grpc.tcp_user_timeout_ms": lambda argument: {"tcp_user_timeout": min(argument.seconds(least=0.0), 86400.0)},
    "grpc.default_compression_algorithm": _some_number,  # see _with_compression()
}
_OF_CHANNELS: dict[str, Convert] = {
    **_OF_BOTH,
    "grpc.keepalive_permit_without_calls": lambda argument: {"keepalive_while_idle": bool(argument.number())},
    "grpc.initial_reconnect_backoff_ms": lambda argument: {"backoff_initial": argument.seconds(_LEAST_BACKOFF)},
    "grpc.max_reconnect_backoff_ms": lambda argument: {"backoff_maximum": argument.seconds(_LEAST_BACKOFF)},
    "grpc.min_reconnect_backoff_ms": lambda argument: {"connect_timeout": argument.seconds(_LEAST_BACKOFF)},
    "grpc.client_idle_timeout_ms": lambda argument: {"idle_timeout": argument.interval(least=1.0)},
    "grpc.ssl_target_name_override": lambda argument: {"server_name": argument.text()},
    "grpc.primary_user_agent": _user_agent_part("primary"),
    "grpc.secondary_user_agent": _user_agent_part("secondary"),
    "grpc.default_authority": lambda argument: {"authority": argument.text()},
    "grpc.service_config": _some_text,  # see config_of_core()
    "grpc.enable_retries": lambda argument: {} if argument.number() else {"max_retries": 0},
    "grpc.experimental.enable_hedging": _some_number,  # see config_of_core()
    "grpc.per_rpc_retry_buffer_size": lambda argument: {"max_retained_request_bytes": max(0, argument.number())},
    "grpc.inhibit_health_checking": lambda argument: {"health_check": False} if argument.number() else {},
    "grpc.lb_policy_name": _balancing,
}
_OF_SERVERS: dict[str, Convert] = {
    **_OF_BOTH,
    "grpc.keepalive_permit_without_calls": lambda argument: {
        "keepalive_while_idle": bool(argument.number()),
        "allow_idle_pings": bool(argument.number()),
    },
    "grpc.so_reuseport": lambda argument: {"reuse_port": bool(argument.number())},
    "grpc.max_concurrent_streams": lambda argument: {"max_concurrent_calls_per_connection": max(1, argument.number())},
    "grpc.max_connection_idle_ms": lambda argument: {"idle_timeout": argument.interval()},
    "grpc.max_connection_age_ms": lambda argument: {"max_connection_age": argument.interval()},
    "grpc.max_connection_age_grace_ms": lambda argument: {"max_connection_age_grace": argument.interval()},
    "grpc.max_allowed_incoming_connections": lambda argument: {"max_connections": argument.bounded(1, LONGEST)},
    "grpc.server_handshake_timeout_ms": lambda argument: {"handshake_timeout": argument.seconds()},
    "grpc.http2.min_ping_interval_without_data_ms": _ping_interval,
    "grpc.http2.max_ping_strikes": _ping_strikes,
}

#: The arguments that say nothing about how calls behave here. They are those that tell how gRPC's code works, those of
#: parts that Trunkline does not have, and those that change nothing in grpcio either.
WITHOUT_MEANING = frozenset(
    (
        # the sizes of buffers and frames, and how sockets are read and written
        "grpc.http2.hpack_table_size.decoder",
        "grpc.http2.hpack_table_size.encoder",
        "grpc.http2.max_frame_size",
        "grpc.http2.write_buffer_size",
        "grpc.http2.true_binary",
        "grpc.http2.initial_sequence_number",
        "grpc.experimental.http2.enable_preferred_frame_size",
        "grpc.experimental.tcp_read_chunk_size",
        "grpc.experimental.tcp_min_read_chunk_size",
        "grpc.experimental.tcp_max_read_chunk_size",
        "grpc.experimental.tcp_tx_zerocopy_enabled",
        "grpc.experimental.tcp_tx_zerocopy_send_bytes_threshold",
        "grpc.experimental.tcp_tx_zerocopy_max_simultaneous_sends",
        "grpc.tsi.max_frame_size",
        "grpc.optimization_target",
        "grpc.event_engine_use_memory_allocator_factory",
        "grpc.resource_quota",
        "grpc.socket_factory",
        "grpc.socket_mutator",
        "grpc.ssl_session_cache",
        "SingleThreadedUnaryStream",
        # channels that share connections, and how names are looked up
        "grpc.use_local_subchannel_pool",
        "grpc.channel_pooling_domain",
        "grpc.channel_id",
        "grpc.dns_min_time_between_resolutions_ms",
        "grpc.dns_ares_query_timeout",
        "grpc.dns_enable_srv_queries",
        "grpc.service_config_disable_resolution",
        "grpc.expand_wildcard_addrs",
        # Channelz, OpenCensus, grpclb, xDS, Objective-C and Cronet
        "grpc.enable_channelz",
        "grpc.max_channel_trace_event_memory_per_node",
        "grpc.census",
        "grpc.loadreporting",
        "grpc.server_call_metric_recording",
        "grpc.grpclb_call_timeout_ms",
        "grpc.grpclb_fallback_timeout_ms",
        "grpc.experimental.grpclb_channel_args",
        "grpc.lb.ring_hash.ring_size_cap",
        "grpc.priority_failover_timeout_ms",
        "grpc.TEST_ONLY_DO_NOT_USE_IN_PROD.xds_bootstrap_config",
        "grpc.experimental.server_config_change_drain_grace_time_ms",
        "grpc.mobile_log_context",
        "grpc.use_cronet_packet_coalescing",
        "grpc.workaround.cronet_compression",
        "grpc.security_frame_allowed",
        # what has no effect in grpcio: pings of bandwidth only, and the time until Python asks for a call
        "grpc.http2.min_time_between_pings_ms",
        "grpc.server_max_unrequested_time_in_server",
    )
)

#: The arguments that change something in grpcio and nothing here, which is told unless the value changes nothing.
WITHOUT_EFFECT: dict[str, Convert] = {
    "grpc.http2.max_pings_without_data": _only(0),
    "grpc.http2_scheme": _only(),
    "grpc.surface_user_agent": _only(0),
    "grpc.minimal_stack": _only(0),
    "grpc.per_message_compression": _only(1),
    "grpc.per_message_decompression": _only(1),
    "grpc.default_compression_level": _only(0),
    "grpc.compression_enabled_algorithms_bitset": _only(7),
    "grpc.enable_deadline_checking": _only(1),
    "grpc.disable_client_authority_filter": _only(0),
    "grpc.enable_http_proxy": _only(0),
    "grpc.http_proxy": _only(),
    "grpc.address_http_proxy": _only(),
    "grpc.address_http_proxy_enabled_addresses": _only(),
    "grpc.authorization_policy_provider": _only(),
    "grpc.dscp": _only(),
    "grpc.happy_eyeballs_connection_attempt_delay_ms": _only(),
    "grpc.experimental.stats_plugins": _only(),
}

#: The arguments that Trunkline translates, for channels or servers. On the other side they say nothing in grpcio, too.
TRANSLATED = frozenset((*_OF_CHANNELS, *_OF_SERVERS))


def _merged(known: Mapping[str, Convert], options: Iterable[Any] | None) -> dict[str, Any]:
    result: dict[str, Any] = {}
    arguments = arguments_of(options)
    for name, convert in {**known, **WITHOUT_EFFECT}.items():
        argument = arguments.pop(name, None)
        if argument is None:
            continue
        try:
            own = convert(argument)
        except WrongTypeError:
            argument.tell_wrong_type()
            continue
        if own is None:
            argument.tell_without_effect()
        else:
            result.update(own)
    for name, argument in arguments.items():
        # Others than gRPC's are of the application, and grpcio keeps them to itself, too.
        if name.startswith("grpc.") and name not in WITHOUT_MEANING and name not in TRANSLATED:
            argument.tell_without_effect()
    result.setdefault("max_message_bytes", _RECEIVED_BYTES)
    if result["max_message_bytes"] > _UNREAD_BYTES:
        result["max_unread_bytes"] = result["max_message_bytes"]
    return result


def _with_compression(result: dict[str, Any], compression: Any, options: Iterable[Any] | None) -> dict[str, Any]:
    argument = arguments_of(options).get("grpc.default_compression_algorithm")
    if argument is not None and isinstance(argument.value, int) and compression is None:
        try:
            compression = Compression(argument.value)
        except ValueError:
            argument.tell_without_effect()
    compressor = compressor_of(compression, built_in_compressors())
    if compressor is not None:
        result["compressor"] = compressor
    return result


def _with_pauses_in_order(result: dict[str, Any]) -> dict[str, Any]:
    """Sees to it that the first pause between attempts to connect is not longer than the longest one."""
    initial, maximum = result.get("backoff_initial"), result.get("backoff_maximum")
    if maximum is not None:
        result["backoff_initial"] = min(_INITIAL_BACKOFF if initial is None else initial, maximum)
    elif initial is not None and initial > _MAXIMUM_BACKOFF:
        result["backoff_initial"] = result["backoff_maximum"] = min(initial, _GRPC_MAXIMUM_BACKOFF)
    return result


def _host_of(authority: str) -> str:
    found = re.fullmatch(r"(?:\[([^\]]*)\]|([^:]*))(?::\d+)?", authority)
    return authority if found is None else found[1] or found[2]


def _with_user_agent(result: dict[str, Any]) -> dict[str, Any]:
    """Puts the texts of the application around the name of the library, as grpcio does."""
    before, after = result.pop("primary", ""), result.pop("secondary", "")
    if before or after:
        result["user_agent"] = " ".join(filter(None, (before, f"trunkline/{__version__}", after)))
    return result


def send_limit(options: Iterable[Any] | None) -> int | None:
    """Returns the bytes of the longest message that may be sent; None for no limit."""
    argument = arguments_of(options).get("grpc.max_send_message_length")
    value = None if argument is None else argument.value
    return value if isinstance(value, int) and value >= 0 else None


def channel_options(options: Iterable[Any] | None, compression: Any) -> dict[str, Any]:
    """Returns the options of a ``trunkline.Channel``."""
    result = _with_user_agent(_with_pauses_in_order(_merged(_OF_CHANNELS, options)))
    if "server_name" in result:
        result.setdefault("authority", result["server_name"])
    elif "authority" in result:
        result["server_name"] = _host_of(result["authority"])
    config = config_of_core(options)
    if config is not None:
        result["service_config"] = config
        if '"retryPolicy"' in config:
            result.setdefault("max_retained_request_bytes", _RETAINED_BYTES)
    return _with_compression(result, compression, options)


def server_options(options: Iterable[Any] | None, compression: Any) -> dict[str, Any]:
    """Returns the options of a ``trunkline.Server``. As with grpcio, other processes may listen on its ports, unless
    ``grpc.so_reuseport`` is 0."""
    return {"reuse_port": True, **_with_compression(_merged(_OF_SERVERS, options), compression, options)}

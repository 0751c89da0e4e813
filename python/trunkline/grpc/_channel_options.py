# SPDX-License-Identifier: MIT
"""Translates grpcio's options of channels and servers, ``("grpc.name", value)``, into Trunkline's."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._messages.compressor import built_in_compressors
from ._compression import compressor_of
from ._service_config import config_of_core

_log = logging.getLogger(__name__)

_LONGEST = 2**31 - 1
_A_YEAR = 365 * 86400.0


def _length(value: int) -> int:
    return _LONGEST if value < 0 else max(1, min(int(value), _LONGEST))


def _seconds(milliseconds: int, least: float = 0.001) -> float:
    return min(max(milliseconds / 1000, least), _A_YEAR)


def _interval(milliseconds: int) -> float:
    """Converts an interval. 0, for never, becomes the greatest number, by which grpcio says that."""
    return 0.0 if milliseconds >= _LONGEST else _seconds(milliseconds)


def _as_text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _host_of(authority: str) -> str:
    found = re.fullmatch(r"(?:\[([^\]]*)\]|([^:]*))(?::\d+)?", authority)
    return authority if found is None else found[1] or found[2]


#: Translates grpcio's options into Trunkline's names and values. Limits of messages are merged by the longer one.
_OF_BOTH: dict[str, Callable[[Any], dict[str, Any]]] = {
    "grpc.max_receive_message_length": lambda value: {"max_message_bytes": _length(value)},
    "grpc.max_send_message_length": lambda value: {"max_message_bytes": _length(value)},
    "grpc.max_metadata_size": lambda value: {"max_header_bytes": min(max(int(value), 8192), 1 << 20)},
    "grpc.keepalive_time_ms": lambda value: {"keepalive_interval": _interval(value)},
    "grpc.keepalive_timeout_ms": lambda value: {"keepalive_timeout": _seconds(value)},
    "grpc.keepalive_permit_without_calls": lambda value: {"keepalive_while_idle": bool(value)},
    "grpc.tcp_user_timeout_ms": lambda value: {"tcp_user_timeout": min(value / 1000, 86400.0)},
}
_OF_CHANNELS: dict[str, Callable[[Any], dict[str, Any]]] = {
    **_OF_BOTH,
    "grpc.initial_reconnect_backoff_ms": lambda value: {"backoff_initial": _seconds(value)},
    "grpc.max_reconnect_backoff_ms": lambda value: {"backoff_maximum": _seconds(value)},
    "grpc.min_reconnect_backoff_ms": lambda value: {"connect_timeout": _seconds(value)},
    "grpc.client_idle_timeout_ms": lambda value: {"idle_timeout": _interval(value)},
    "grpc.ssl_target_name_override": lambda value: {"server_name": _as_text(value)},
    "grpc.default_authority": lambda value: {"authority": _as_text(value)},
    "grpc.enable_retries": lambda value: {} if value else {"max_retries": 0},
    "grpc.per_rpc_retry_buffer_size": lambda value: {"max_retained_request_bytes": max(0, min(int(value), _LONGEST))},
}
_OF_SERVERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    **_OF_BOTH,
    "grpc.so_reuseport": lambda value: {"reuse_port": bool(value)},
    "grpc.max_concurrent_streams": lambda value: {
        "max_concurrent_calls_per_connection": max(1, min(int(value), _LONGEST))
    },
    "grpc.max_connection_idle_ms": lambda value: {"idle_timeout": _interval(value)},
    "grpc.max_connection_age_ms": lambda value: {"max_connection_age": _interval(value)},
    "grpc.max_connection_age_grace_ms": lambda value: {"max_connection_age_grace": _interval(value)},
    "grpc.http2.min_recv_ping_interval_without_data_ms": lambda value: {"min_ping_interval": _interval(value)},
}
#: These options are read elsewhere, or say nothing about how calls behave.
_OF_NO_CONCERN = frozenset(
    (
        "grpc.default_compression_algorithm",
        "grpc.service_config",
        "grpc.primary_user_agent",
        "grpc.secondary_user_agent",
        "grpc.use_local_subchannel_pool",
        "grpc.so_reuseport",
        "grpc.enable_http_proxy",
        "grpc.http2.max_pings_without_data",
    )
)


class _IgnoredOptions:
    """Logs once for each option that it is not supported."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: set[str] = set()

    def tell(self, name: str) -> None:
        if not name.startswith("grpc.") or name in _OF_NO_CONCERN:
            return  # an option of the application's own, which grpcio would keep to itself, too
        with self._lock:
            is_new = name not in self._told
            self._told.add(name)
        if is_new:
            _log.warning("the option %r of grpcio has no effect on Trunkline", name)


_ignored = _IgnoredOptions()


def _merged(known: Mapping[str, Callable[[Any], dict[str, Any]]], options: Iterable[Any] | None) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in options or ():
        convert = known.get(_as_text(name))
        if convert is None:
            _ignored.tell(_as_text(name))
            continue
        for own, own_value in convert(value).items():
            if own == "max_message_bytes":
                own_value = max(own_value, result.get(own, 0))
            result[own] = own_value
    if "max_message_bytes" in result:
        result["max_unread_bytes"] = max(128 << 20, result["max_message_bytes"])
    return result


def _with_compression(result: dict[str, Any], compression: Any, options: Iterable[Any] | None) -> dict[str, Any]:
    for name, value in options or ():
        if _as_text(name) == "grpc.default_compression_algorithm" and compression is None:
            compression = value
    compressor = compressor_of(compression, built_in_compressors())
    if compressor is not None:
        result["compressor"] = compressor
    return result


def channel_options(options: Iterable[Any] | None, compression: Any) -> dict[str, Any]:
    """Returns the options of a ``trunkline.Channel``."""
    result = _merged(_OF_CHANNELS, options)
    if "server_name" in result:
        result.setdefault("authority", result["server_name"])
    elif "authority" in result:
        result["server_name"] = _host_of(result["authority"])
    config = config_of_core(options)
    if config is not None:
        result["service_config"] = config
    return _with_compression(result, compression, options)


def server_options(options: Iterable[Any] | None, compression: Any) -> dict[str, Any]:
    """Returns the options of a ``trunkline.Server``. As with grpcio, other processes may listen on its ports, unless
    ``grpc.so_reuseport`` is 0."""
    return {"reuse_port": True, **_with_compression(_merged(_OF_SERVERS, options), compression, options)}

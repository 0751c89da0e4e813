# SPDX-License-Identifier: MIT
"""The keyword options of channels and servers, typed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._codecs import Codec
from ._compressors import Compressor, functions_of
from ._interceptors import ClientInterceptor, ServerInterceptor
from ._metadata import MetadataLike


class _ConnectionOptions(TypedDict, total=False):
    max_frame_bytes: int
    max_message_bytes: int
    max_header_bytes: int
    max_methods: int
    connection_credit_bytes: int
    call_credit_bytes: int
    max_unread_bytes: int
    max_unsent_bytes: int
    chunk_bytes: int
    read_buffer_bytes: int
    write_buffer_bytes: int
    handshake_timeout: float
    keepalive_interval: float
    keepalive_timeout: float
    congestion_control: str
    send_buffer_bytes: int
    receive_buffer_bytes: int
    no_delay: bool
    tcp_keepalive: float
    certificate_file: str | os.PathLike[str]
    private_key_file: str | os.PathLike[str]
    ca_file: str | os.PathLike[str]
    busy_poll: float
    compressor: str
    compression_threshold: int
    idle_timeout: float
    codecs: Sequence[Codec]
    compressors: Sequence[Compressor]


class ChannelOptions(_ConnectionOptions, total=False):
    """What ``Channel`` takes; names and meanings are those of C++'s ChannelOptions, times in seconds.

    ``codecs`` and ``compressors`` are added to the built-in ones, ``interceptors`` run around each call, the first one
    outermost.
    """

    verify_peer: bool
    server_name: str
    default_timeout: float
    connect_timeout: float
    backoff_initial: float
    backoff_maximum: float
    backoff_multiplier: float
    backoff_jitter: float
    max_connections: int
    max_pending_calls: int
    ordered: bool
    max_retries: int
    interceptors: Sequence[ClientInterceptor]


class ServerOptions(_ConnectionOptions, total=False):
    """What ``Server`` takes; names and meanings are those of C++'s ServerOptions, times in seconds.

    ``codecs`` and ``compressors`` are added to the built-in ones, ``interceptors`` run around each handler, the first
    one outermost.
    """

    listen_backlog: int
    reuse_port: bool
    client_certificate: Literal["none", "optional", "required"]
    max_connections: int
    max_concurrent_calls_per_connection: int
    max_concurrent_calls: int
    interceptors: Sequence[ServerInterceptor]


class StreamOptions(TypedDict, total=False):
    """What every kind of call takes beside its request."""

    timeout: float | None
    metadata: MetadataLike
    wait_for_ready: bool
    compressor: str | None
    codec: str | None


class CallOptions(StreamOptions, total=False):
    """What calls with one request and one response take."""

    idempotent: bool


def core_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """As the core takes them; what Python does by itself is left out."""
    result = {name: value for name, value in options.items() if name != "interceptors"}
    if "codecs" in result:
        result["codecs"] = [codec.name for codec in result["codecs"]]
    if "compressors" in result:
        result["compressors"] = functions_of(result["compressors"])
    return result

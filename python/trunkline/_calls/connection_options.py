# SPDX-License-Identifier: MIT
"""The keyword options that channels and servers share, typed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from .._messages.codec import Codec
from .._messages.compressor import Compressor, functions_of


class TlsCertificate(TypedDict, total=False):
    """A certificate chain, leaf first, and the private key of its leaf, as PEM: each in a file or as a text."""

    certificate_file: str | os.PathLike[str]
    private_key_file: str | os.PathLike[str]
    certificate_pem: str | bytes
    private_key_pem: str | bytes


class ConnectionOptions(TypedDict, total=False):
    """
    Options of each connection:

    ``max_frame_bytes``: the longest frame accepted. 64 KiB to 256 MiB; 1 MiB by default.
    ``max_message_bytes``: the longest message accepted, before and after decompression. 1 to 2^31 - 1; 64 MiB by
    default.
    ``max_decompression_ratio``: bytes that one byte of a compressed message may decompress to; up to 64 KiB are exempt.
    1 to 2^32 - 1; 2048 by default. A message that compresses better is sent uncompressed.
    ``max_header_bytes``: the longest metadata accepted. 8 KiB to 1 MiB; 16 KiB by default.
    ``max_methods``: the number of method names remembered. 256 to 65536; 1024 by default.
    ``connection_credit_bytes``: bytes that the peer may send before they are taken from the connection, read or not.
    1 MiB to 2^31 - 1; 16 MiB by default.
    ``call_credit_bytes``: bytes that the peer may send in one call before they are read. 64 KiB to 2^31 - 1; 1 MiB by
    default.
    ``max_call_credit_bytes``: how far it may grow with the measured bandwidth-delay product, with gRPC only. At most
    half of ``connection_credit_bytes``; it does not grow if this is not larger. 0 to 2^31 - 1; 8 MiB by default.
    ``max_unread_bytes``: bytes held for incoming messages that have not been read and metadata of open calls. A long
    message waits until there is room for it. At least ``max_message_bytes``; 128 MiB by default.
    ``max_unsent_bytes``: encoded bytes waiting for the socket above which no further calls are taken from the
    connection. 1 or more; 1 MiB by default.
    ``chunk_bytes``: longer messages are sent in pieces of this size. 1 KiB to 16 MiB; 128 KiB by default.
    ``read_buffer_bytes``: the size of one read from the socket. 0 (what the next frame needs) to 256 MiB; 256 KiB by
    default.
    ``write_buffer_bytes``: a batch is written in parts once this many bytes are encoded. 0 to 256 MiB; 256 KiB by
    default.
    ``handshake_timeout``: seconds to wait for the peer's hello. 0.001 to a year; 10 by default.
    ``keepalive_interval``: seconds of silence after which the peer is pinged, while calls are open. Up to a year; 0:
    never; 30 by default.
    ``keepalive_timeout``: seconds of silence after a ping after which the connection is closed. 0.001 to a year; 20 by
    default, 300 on servers.
    ``keepalive_while_idle``: ping the peer also while no call is open; False by default.
    ``stall_timeout``: seconds after which a peer is disconnected that takes nothing of more than ``max_unsent_bytes``,
    or sends less than 64 KiB of a frame or long message which it has begun; at the latest after twice as long. While
    others wait for memory, ten seconds are enough, also for a client that takes nothing of more than 16 KiB. On servers
    also the time in which the request of a unary call must end. Up to a year; 0: never; 300 by default.
    ``max_memory_bytes``: memory for all that is held for the peers of a server or channel. When half of it is used a
    server refuses new calls and a channel lets them wait; long messages wait when three quarters are used, and long
    requests, which count until their handlers have ended, when three eighths are. 1 MiB or more, raised to four times
    ``max_message_bytes``; 1 GiB for servers and 512 MiB for channels by default.
    ``idle_timeout``: seconds without calls after which the connection is closed. Up to a year; 0 (never) by default.
    ``congestion_control``: the kernel's name of a TCP congestion control, e.g. ``cubic``; empty (the system's) by
    default.
    ``send_buffer_bytes``, ``receive_buffer_bytes``: buffers of the socket. Up to 1 GiB; 0 (the system's) by default.
    ``no_delay``: TCP_NODELAY; True by default.
    ``tcp_keepalive``: whole seconds of silence after which the kernel probes the peer. 1 to 32767; 0 (never) by
    default.
    ``tcp_user_timeout``: seconds for which sent bytes may remain unacknowledged before the kernel ends the connection.
    Up to a day; 0: the system's; 300 by default.
    ``certificate_file``, ``private_key_file``: PEM files of this side for ``tls://``. Empty by default; servers need
    both.
    ``certificate_pem``, ``private_key_pem``: the same in memory, as str or bytes, instead of the files.
    ``ca_file``: a PEM file of certificates that the peer's certificate is checked against; empty (the system's) by
    default.
    ``ca_pem``: the same in memory, as str or bytes, instead of the file.
    ``busy_poll``: seconds for which the loop polls before it sleeps. Up to a year; 0 by default.
    ``compressor``: one of ``built_in_compressors()``, one of ``compressors``, or ``identity`` for none. On a channel:
    for requests of calls that name none; empty (none) by default. On a server: for responses to clients that have it;
    empty (that of the request) by default.
    ``compression_threshold``: messages with fewer bytes are not compressed. 1024 by default.
    ``codecs``, ``compressors``: formats of the application, in addition to the built-in ones; none by default.
    """

    max_frame_bytes: int
    max_message_bytes: int
    max_decompression_ratio: int
    max_header_bytes: int
    max_methods: int
    connection_credit_bytes: int
    call_credit_bytes: int
    max_call_credit_bytes: int
    max_unread_bytes: int
    max_unsent_bytes: int
    chunk_bytes: int
    read_buffer_bytes: int
    write_buffer_bytes: int
    handshake_timeout: float
    keepalive_interval: float
    keepalive_timeout: float
    stall_timeout: float
    max_memory_bytes: int
    keepalive_while_idle: bool
    congestion_control: str
    send_buffer_bytes: int
    receive_buffer_bytes: int
    no_delay: bool
    tcp_keepalive: float
    tcp_user_timeout: float
    certificate_file: str | os.PathLike[str]
    private_key_file: str | os.PathLike[str]
    ca_file: str | os.PathLike[str]
    certificate_pem: str | bytes
    private_key_pem: str | bytes
    ca_pem: str | bytes
    busy_poll: float
    compressor: str
    compression_threshold: int
    idle_timeout: float
    codecs: Sequence[Codec]
    compressors: Sequence[Compressor]


def core_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the core takes them. Interceptors are left out, as they run in Python."""
    result = {name: value for name, value in options.items() if name != "interceptors"}
    if "codecs" in result:
        result["codecs"] = [codec.name for codec in result["codecs"]]
    if "compressors" in result:
        result["compressors"] = functions_of(result["compressors"])
    return result

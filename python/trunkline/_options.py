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
    """
    Of each connection:

    ``max_frame_bytes``: longest frame accepted; 64 KiB to 256 MiB, 1 MiB by default.
    ``max_message_bytes``: longest message accepted, compressed or not; 1 to 2^31 - 1, 64 MiB by default.
    ``max_header_bytes``: longest metadata accepted; 8 KiB to 1 MiB, 16 KiB by default.
    ``max_methods``: method names remembered; 256 to 65536, 1024 by default.
    ``connection_credit_bytes``: unread bytes that the peer may have under way; 1 MiB to 2^31 - 1, 16 MiB by default.
    ``call_credit_bytes``: the same of each call; 64 KiB to 2^31 - 1, 1 MiB by default.
    ``max_unread_bytes``: incoming messages that nobody has read yet, and metadata of open calls, together; at least
    ``max_message_bytes``, 128 MiB by default.
    ``max_unsent_bytes``: encoded bytes that wait for the socket before further work waits; 1 or more, 1 MiB by default.
    ``chunk_bytes``: longer messages travel in pieces of this size; 1 KiB to 16 MiB, 128 KiB by default.
    ``read_buffer_bytes``: read at once from the socket; 0 (what the next frame needs) to 256 MiB, 256 KiB by default.
    ``write_buffer_bytes``: written early within a batch once this much is there; 0 to 256 MiB, 256 KiB by default.
    ``handshake_timeout``: seconds until the peer has said hello; 0.001 to a year, 10 by default.
    ``keepalive_interval``: seconds of silence after which the peer is pinged; to a year, 0 (never) by default.
    ``keepalive_timeout``: seconds of silence after a ping that end the connection; 0.001 to a year, 20 by default.
    ``idle_timeout``: seconds after which a connection without calls is closed; to a year, 0 (never) by default.
    ``congestion_control``: the kernel's name of it for TCP, e.g. ``cubic``; empty, the system's, by default.
    ``send_buffer_bytes``, ``receive_buffer_bytes``: of the socket; up to 1 GiB, 0 (the system's) by default.
    ``no_delay``: TCP_NODELAY; True by default.
    ``tcp_keepalive``: whole seconds of silence before the kernel probes the peer; 1 to 32767, 0 (never) by default.
    ``certificate_file``, ``private_key_file``: PEM, of this side, for ``tls://``; empty by default, servers need both.
    ``ca_file``: PEM, by which the peer's certificate is checked; empty, the system's, by default.
    ``busy_poll``: seconds to spin for more before the loop sleeps, to a year; 0 by default.
    ``compressor``: ``zstd``, ``snappy``, ``lz4``, ``gzip``, one of ``compressors``, or ``identity`` for none. Of a channel: for
    requests whose call names none; empty, none, by default. Of a server: for its answers, where the client has it; empty, that of
    the request, by default.
    ``compression_threshold``: shorter messages are sent as they are; 1024 bytes by default.
    ``codecs``, ``compressors``: of the application's, added to the built-in ones; none by default.
    """

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
    """What ``Channel`` takes; names and meanings are those of C++'s ChannelOptions, times in seconds. A value out of its
    range is refused with ValueError.

    ``verify_peer``: the server's certificate is checked; True by default.
    ``server_name``: the name that the server's certificate is for; empty, the endpoint's host, by default.
    ``default_timeout``: seconds, of calls without a timeout; more than 0, to a year, none by default. In a handler it bounds what
    is inherited, see ``CallOptions``.
    ``connect_timeout``: seconds for an attempt to connect, TLS included; 0.001 to a year, 20 by default.
    ``backoff_initial``, ``backoff_maximum``: seconds between attempts, the first and the longest wait; 0.1 and 30 by default.
    ``backoff_multiplier``, ``backoff_jitter``: by how much waits grow, 1 to 100, and are spread, 0 to 1; 1.6 and 0.2 by default.
    ``max_connections``: of the pool; calls go to the one with the fewest; 1 to 1024, 1 by default.
    ``max_pending_calls``: calls that wait for a connection, or room on one; more are refused; 100000 by default.
    ``ordered``: calls run and are answered one after the other; needs ``max_connections=1``; False by default.
    ``max_retries``: repeats of calls that have not run, and of idempotent ones; 0 to 100, 3 by default.
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
    max_connections: int
    max_pending_calls: int
    ordered: bool
    max_retries: int
    interceptors: Sequence[ClientInterceptor]


class ServerOptions(_ConnectionOptions, total=False):
    """What ``Server`` takes; names and meanings are those of C++'s ServerOptions, times in seconds. A value out of its
    range is refused with ValueError.

    ``listen_backlog``: connections the kernel holds until they are accepted; 1 to 65535, 1024 by default.
    ``reuse_port``: several processes share the TCP port; False by default. ``serve(workers=N)`` sees to it itself.
    ``client_certificate``: ``none`` is asked for, the default; ``optional``: checked if there is one; ``required``.
    ``max_connections``: more are closed right after being accepted; 1 or more, 100000 by default.
    ``max_concurrent_calls_per_connection``: told to clients, more are refused; 1 to 2^31 - 1, 16384 by default.
    ``max_concurrent_calls``: of all connections, more are refused; 1 or more, 1000000 by default.
    ``interceptors``: run around each handler, the first one outermost; none by default.
    """

    listen_backlog: int
    reuse_port: bool
    client_certificate: Literal["none", "optional", "required"]
    max_connections: int
    max_concurrent_calls_per_connection: int
    max_concurrent_calls: int
    interceptors: Sequence[ServerInterceptor]


for _options in (ChannelOptions, ServerOptions):
    _options.__doc__ = f"{_options.__doc__}{_ConnectionOptions.__doc__}"


class StreamOptions(TypedDict, total=False):
    """What every kind of call takes beside its request.

    ``timeout``: seconds from now, 0 or more; then the call ends with DeadlineExceeded. Without one it is the channel's
    ``default_timeout``; a call that a handler makes has no longer than what is left of the call that the handler serves, as long
    as that runs. ``math.inf``: no deadline, whatever the channel and the handler have.
    ``metadata``: sent with the request, a mapping or pairs; values of names that end in ``-bin`` may be any bytes.
    ``wait_for_ready``: waits for a connection until the deadline, instead of failing once an attempt has; False by default.
    ``compressor``: of the request, instead of the channel's; ``identity``: none.
    ``codec``: ``protobuf``, ``json``, ``msgpack``, ``bytes`` or one of the channel's; chosen by the messages' types by default.
    """

    timeout: float | None
    metadata: MetadataLike
    wait_for_ready: bool
    compressor: str | None
    codec: str | None


class CallOptions(StreamOptions, total=False):
    """What calls with one request and one response take, beside what is in ``StreamOptions``.

    ``idempotent``: may run more than once without harm, and so be repeated after a lost connection; False by default.
    """

    idempotent: bool


def core_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """As the core takes them; what Python does by itself is left out."""
    result = {name: value for name, value in options.items() if name != "interceptors"}
    if "codecs" in result:
        result["codecs"] = [codec.name for codec in result["codecs"]]
    if "compressors" in result:
        result["compressors"] = functions_of(result["compressors"])
    return result

# SPDX-License-Identifier: MIT
"""Trunkline: remote procedure calls, many of them on one connection.

``Server`` and ``Channel`` are for code that blocks; ``trunkline.aio`` has the same classes for asyncio.
"""

import importlib as _importlib
import typing as _typing

from ._calls.connection_options import TlsCertificate
from ._client.options import CallOptions, ChannelOptions, HedgingOptions, StreamOptions
from ._client.outgoing_call import ClientInterceptor, OutgoingCall
from ._client.resolved_server import ResolvedServer
from ._client.resolver import Resolver, ResolverFactory
from ._client.resolver_updates import ResolverUpdates
from ._client.response_info import ResponseInfo
from ._client.server_state import ServerState
from ._client.state_watch import ChannelState
from ._client.target import Target
from ._detail import Detail
from ._errors import (
    Aborted,
    AlreadyExists,
    Cancelled,
    DataLoss,
    DeadlineExceeded,
    FailedPrecondition,
    Internal,
    InvalidArgument,
    NotFound,
    Origin,
    OutOfRange,
    PermissionDenied,
    ResourceExhausted,
    RpcError,
    StatusCode,
    Unauthenticated,
    Unavailable,
    Unimplemented,
    Unknown,
)
from ._memory_usage import MemoryUsage
from ._messages.codec import Codec
from ._messages.compressor import Compressor, built_in_compressors
from ._metadata import Metadata, MetadataLike
from ._methods.definition import MethodDefinition
from ._process import log_records as _log_records
from ._server.context import Context
from ._server.http_request import HttpRequest
from ._server.http_response import HttpResponse
from ._server.incoming_call import IncomingCall, ServerInterceptor
from ._server.options import ServerOptions
from ._sync.channel import Channel
from ._sync.client_methods import BidirectionalMethod, ClientStreamMethod, ServerStreamMethod, UnaryMethod
from ._sync.client_stream import ClientStream
from ._sync.futures import CallFuture
from ._sync.server import RunningServer, Server
from ._version import __version__ as __version__

_log_records.connect()

if _typing.TYPE_CHECKING:
    from . import aio as aio
    from . import grpc as grpc
    from . import services as services
    from . import testing as testing

__all__ = [
    "Aborted",
    "AlreadyExists",
    "BidirectionalMethod",
    "CallFuture",
    "CallOptions",
    "Cancelled",
    "Channel",
    "ChannelOptions",
    "ChannelState",
    "ClientInterceptor",
    "ClientStream",
    "ClientStreamMethod",
    "Codec",
    "Compressor",
    "Context",
    "DataLoss",
    "DeadlineExceeded",
    "Detail",
    "FailedPrecondition",
    "HedgingOptions",
    "HttpRequest",
    "HttpResponse",
    "IncomingCall",
    "Internal",
    "InvalidArgument",
    "MemoryUsage",
    "Metadata",
    "MetadataLike",
    "MethodDefinition",
    "NotFound",
    "Origin",
    "OutOfRange",
    "OutgoingCall",
    "PermissionDenied",
    "ResolvedServer",
    "Resolver",
    "ResolverFactory",
    "ResolverUpdates",
    "ResponseInfo",
    "ResourceExhausted",
    "RpcError",
    "RunningServer",
    "Server",
    "ServerInterceptor",
    "ServerOptions",
    "ServerState",
    "ServerStreamMethod",
    "StatusCode",
    "StreamOptions",
    "Target",
    "TlsCertificate",
    "Unauthenticated",
    "UnaryMethod",
    "Unavailable",
    "Unimplemented",
    "Unknown",
    "built_in_compressors",
]


def __getattr__(name: str) -> _typing.Any:
    """Imports some submodules at their first use, as many programs do not need asyncio."""
    if name in ("aio", "grpc", "services", "testing"):
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

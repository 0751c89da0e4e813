# SPDX-License-Identifier: MIT
"""Trunkline: remote calls, many on one wire.

``Server`` and ``Channel`` are for code that blocks, ``trunkline.aio`` has both for asyncio.
"""

import importlib as _importlib
import typing as _typing

from ._calls import Reply
from ._channel import Channel
from ._client_methods import BidirectionalMethod, ClientStreamMethod, ServerStreamMethod, UnaryMethod
from ._codecs import Codec
from ._compressors import Compressor
from ._context import Context
from ._errors import (
    Aborted,
    AlreadyExists,
    Cancelled,
    DataLoss,
    DeadlineExceeded,
    Detail,
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
from ._futures import CallFuture
from ._interceptors import ClientInterceptor, IncomingCall, OutgoingCall, ServerInterceptor
from ._metadata import Metadata, MetadataLike
from ._method_definition import MethodDefinition
from ._options import CallOptions, ChannelOptions, ServerOptions, StreamOptions
from ._server import RunningServer, Server
from ._streams import ClientStream

if _typing.TYPE_CHECKING:
    from . import aio as aio
    from . import services as services
    from . import testing as testing

__version__ = "0.1.0"

__all__ = [
    "Aborted",
    "AlreadyExists",
    "BidirectionalMethod",
    "CallFuture",
    "CallOptions",
    "Cancelled",
    "Channel",
    "ChannelOptions",
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
    "IncomingCall",
    "Internal",
    "InvalidArgument",
    "Metadata",
    "MetadataLike",
    "MethodDefinition",
    "NotFound",
    "Origin",
    "OutOfRange",
    "OutgoingCall",
    "PermissionDenied",
    "Reply",
    "ResourceExhausted",
    "RpcError",
    "RunningServer",
    "Server",
    "ServerInterceptor",
    "ServerOptions",
    "ServerStreamMethod",
    "StatusCode",
    "StreamOptions",
    "Unauthenticated",
    "UnaryMethod",
    "Unavailable",
    "Unimplemented",
    "Unknown",
]


def __getattr__(name: str) -> _typing.Any:
    """Some modules are imported when they are first asked for: many programs need no asyncio."""
    if name in ("aio", "services", "testing"):
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

# SPDX-License-Identifier: MIT
"""grpcio's interface for asyncio, on Trunkline."""

from ._call_interfaces import Call, RpcContext, StreamStreamCall, StreamUnaryCall, UnaryStreamCall, UnaryUnaryCall
from ._channel import (
    Channel,
    StreamStreamMultiCallable,
    StreamUnaryMultiCallable,
    UnaryStreamMultiCallable,
    UnaryUnaryMultiCallable,
    insecure_channel,
    secure_channel,
)
from ._errors import EOF, AbortError, AioRpcError, BaseError, InternalError, UsageError
from ._intercepted_call import InterceptedUnaryUnaryCall
from ._interceptors import (
    ClientCallDetails,
    ClientInterceptor,
    ServerInterceptor,
    StreamStreamClientInterceptor,
    StreamUnaryClientInterceptor,
    UnaryStreamClientInterceptor,
    UnaryUnaryClientInterceptor,
)
from ._metadata import Metadata
from ._server import server
from ._server_interface import Server, ServicerContext

__all__ = [
    "EOF",
    "AbortError",
    "AioRpcError",
    "BaseError",
    "Call",
    "Channel",
    "ClientCallDetails",
    "ClientInterceptor",
    "InterceptedUnaryUnaryCall",
    "InternalError",
    "Metadata",
    "RpcContext",
    "Server",
    "ServerInterceptor",
    "ServicerContext",
    "StreamStreamCall",
    "StreamStreamClientInterceptor",
    "StreamStreamMultiCallable",
    "StreamUnaryCall",
    "StreamUnaryClientInterceptor",
    "StreamUnaryMultiCallable",
    "UnaryStreamCall",
    "UnaryStreamClientInterceptor",
    "UnaryStreamMultiCallable",
    "UnaryUnaryCall",
    "UnaryUnaryClientInterceptor",
    "UnaryUnaryMultiCallable",
    "UsageError",
    "init_grpc_aio",
    "insecure_channel",
    "secure_channel",
    "server",
    "shutdown_grpc_aio",
]


def init_grpc_aio() -> None:
    """Does nothing, as there is no state of the process."""


def shutdown_grpc_aio() -> None:
    """Does nothing, as there is no state of the process."""

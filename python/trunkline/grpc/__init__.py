# SPDX-License-Identifier: MIT
"""grpcio's interface on Trunkline: ``import trunkline.grpc as grpc``.

It speaks gRPC with every peer, and lives beside grpcio in one process. ``install()`` and ``imported_as_grpc()`` let
generated modules, which import ``grpc``, find it. The guide's page "Coming from grpcio" lists what is covered.
"""

import importlib as _importlib
import typing as _typing

from ._call import Call, ClientCallDetails, RpcContext, Status
from ._call_credentials import (
    AuthMetadataContext,
    AuthMetadataPlugin,
    AuthMetadataPluginCallback,
    CallCredentials,
    access_token_call_credentials,
    composite_call_credentials,
    metadata_call_credentials,
)
from ._channel_interface import Channel
from ._client_interceptors import (
    StreamStreamClientInterceptor,
    StreamUnaryClientInterceptor,
    UnaryStreamClientInterceptor,
    UnaryUnaryClientInterceptor,
)
from ._compatibility import ALIASES as _ALIASES
from ._compatibility import alias_module as _alias_module
from ._compression import Compression
from ._connectivity import ChannelConnectivity
from ._credentials import (
    ChannelCredentials,
    LocalConnectionType,
    ServerCertificateConfiguration,
    ServerCredentials,
    alts_channel_credentials,
    alts_server_credentials,
    composite_channel_credentials,
    compute_engine_channel_credentials,
    dynamic_ssl_server_credentials,
    insecure_server_credentials,
    local_channel_credentials,
    local_server_credentials,
    ssl_channel_credentials,
    ssl_server_certificate_configuration,
    ssl_server_credentials,
    xds_channel_credentials,
    xds_server_credentials,
)
from ._errors import FutureCancelledError, FutureTimeoutError, RpcError
from ._future import Future
from ._grpc_channel import insecure_channel, secure_channel
from ._installation import imported_as_grpc, install, uninstall
from ._intercepted_channel import intercept_channel
from ._method_handler import (
    method_handlers_generic_handler,
    stream_stream_rpc_method_handler,
    stream_unary_rpc_method_handler,
    unary_stream_rpc_method_handler,
    unary_unary_rpc_method_handler,
)
from ._multi_callables import (
    StreamStreamMultiCallable,
    StreamUnaryMultiCallable,
    UnaryStreamMultiCallable,
    UnaryUnaryMultiCallable,
)
from ._ready_future import channel_ready_future
from ._runtime_protos import protos, protos_and_services, services
from ._server import server
from ._server_interface import (
    GenericRpcHandler,
    HandlerCallDetails,
    RpcMethodHandler,
    Server,
    ServerInterceptor,
    ServicerContext,
    ServiceRpcHandler,
)
from ._status_code import StatusCode

if _typing.TYPE_CHECKING:
    from . import aio as aio
    from . import experimental as experimental

#: The version is not lower than that of any grpcio whose tools have generated a module, whose interface is served.
__version__ = "1.999.0"

__all__ = [
    "AuthMetadataContext",
    "AuthMetadataPlugin",
    "AuthMetadataPluginCallback",
    "Call",
    "CallCredentials",
    "Channel",
    "ChannelConnectivity",
    "ChannelCredentials",
    "ClientCallDetails",
    "Compression",
    "Future",
    "FutureCancelledError",
    "FutureTimeoutError",
    "GenericRpcHandler",
    "HandlerCallDetails",
    "LocalConnectionType",
    "RpcContext",
    "RpcError",
    "RpcMethodHandler",
    "Server",
    "ServerCertificateConfiguration",
    "ServerCredentials",
    "ServerInterceptor",
    "ServiceRpcHandler",
    "ServicerContext",
    "Status",
    "StatusCode",
    "StreamStreamClientInterceptor",
    "StreamStreamMultiCallable",
    "StreamUnaryClientInterceptor",
    "StreamUnaryMultiCallable",
    "UnaryStreamClientInterceptor",
    "UnaryStreamMultiCallable",
    "UnaryUnaryClientInterceptor",
    "UnaryUnaryMultiCallable",
    "access_token_call_credentials",
    "alts_channel_credentials",
    "alts_server_credentials",
    "channel_ready_future",
    "composite_call_credentials",
    "composite_channel_credentials",
    "compute_engine_channel_credentials",
    "dynamic_ssl_server_credentials",
    "imported_as_grpc",
    "insecure_channel",
    "insecure_server_credentials",
    "install",
    "intercept_channel",
    "local_channel_credentials",
    "local_server_credentials",
    "metadata_call_credentials",
    "method_handlers_generic_handler",
    "protos",
    "protos_and_services",
    "secure_channel",
    "server",
    "services",
    "ssl_channel_credentials",
    "ssl_server_certificate_configuration",
    "ssl_server_credentials",
    "stream_stream_rpc_method_handler",
    "stream_unary_rpc_method_handler",
    "unary_stream_rpc_method_handler",
    "unary_unary_rpc_method_handler",
    "uninstall",
    "xds_channel_credentials",
    "xds_server_credentials",
]


def __getattr__(name: str) -> _typing.Any:
    """Imports some submodules at their first use, and finds the compatibility aliases."""
    if name in ("aio", "experimental"):
        return _importlib.import_module(f"{__name__}.{name}")
    if name in _ALIASES:
        return _alias_module(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

# SPDX-License-Identifier: MIT
# To type checkers trunkline.grpc has the types of grpcio, which are in the package types-grpcio, so that it goes together with
# other code that has them, such as what mypy-protobuf generates.
from contextlib import AbstractContextManager

from grpc import (
    AuthMetadataContext as AuthMetadataContext,
    AuthMetadataPlugin as AuthMetadataPlugin,
    AuthMetadataPluginCallback as AuthMetadataPluginCallback,
    Call as Call,
    CallCredentials as CallCredentials,
    Channel as Channel,
    ChannelConnectivity as ChannelConnectivity,
    ChannelCredentials as ChannelCredentials,
    ClientCallDetails as ClientCallDetails,
    Compression as Compression,
    Future as Future,
    FutureCancelledError as FutureCancelledError,
    FutureTimeoutError as FutureTimeoutError,
    GenericRpcHandler as GenericRpcHandler,
    HandlerCallDetails as HandlerCallDetails,
    LocalConnectionType as LocalConnectionType,
    RpcContext as RpcContext,
    RpcError as RpcError,
    RpcMethodHandler as RpcMethodHandler,
    Server as Server,
    ServerCertificateConfiguration as ServerCertificateConfiguration,
    ServerCredentials as ServerCredentials,
    ServerInterceptor as ServerInterceptor,
    ServiceRpcHandler as ServiceRpcHandler,
    ServicerContext as ServicerContext,
    Status as Status,
    StatusCode as StatusCode,
    StreamStreamClientInterceptor as StreamStreamClientInterceptor,
    StreamStreamMultiCallable as StreamStreamMultiCallable,
    StreamUnaryClientInterceptor as StreamUnaryClientInterceptor,
    StreamUnaryMultiCallable as StreamUnaryMultiCallable,
    UnaryStreamClientInterceptor as UnaryStreamClientInterceptor,
    UnaryStreamMultiCallable as UnaryStreamMultiCallable,
    UnaryUnaryClientInterceptor as UnaryUnaryClientInterceptor,
    UnaryUnaryMultiCallable as UnaryUnaryMultiCallable,
    access_token_call_credentials as access_token_call_credentials,
    alts_channel_credentials as alts_channel_credentials,
    alts_server_credentials as alts_server_credentials,
    channel_ready_future as channel_ready_future,
    composite_call_credentials as composite_call_credentials,
    composite_channel_credentials as composite_channel_credentials,
    compute_engine_channel_credentials as compute_engine_channel_credentials,
    dynamic_ssl_server_credentials as dynamic_ssl_server_credentials,
    insecure_channel as insecure_channel,
    insecure_server_credentials as insecure_server_credentials,
    intercept_channel as intercept_channel,
    local_channel_credentials as local_channel_credentials,
    local_server_credentials as local_server_credentials,
    metadata_call_credentials as metadata_call_credentials,
    method_handlers_generic_handler as method_handlers_generic_handler,
    protos as protos,
    protos_and_services as protos_and_services,
    secure_channel as secure_channel,
    server as server,
    services as services,
    ssl_channel_credentials as ssl_channel_credentials,
    ssl_server_certificate_configuration as ssl_server_certificate_configuration,
    ssl_server_credentials as ssl_server_credentials,
    stream_stream_rpc_method_handler as stream_stream_rpc_method_handler,
    stream_unary_rpc_method_handler as stream_unary_rpc_method_handler,
    unary_stream_rpc_method_handler as unary_stream_rpc_method_handler,
    unary_unary_rpc_method_handler as unary_unary_rpc_method_handler,
    xds_channel_credentials as xds_channel_credentials,
    xds_server_credentials as xds_server_credentials,
)

from . import aio as aio
from . import experimental as experimental

__version__: str

def imported_as_grpc() -> AbstractContextManager[None]: ...
def install() -> None: ...
def uninstall() -> None: ...

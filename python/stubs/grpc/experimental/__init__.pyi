# SPDX-License-Identifier: MIT
# The experimental interface, with the types of grpcio, whose own types do not have it.
import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn, TypeVar

from grpc import CallCredentials, ChannelCredentials, Compression

from .. import aio as aio

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")

class ChannelOptions:
    SingleThreadedUnaryStream: str

class UsageError(Exception): ...
class ExperimentalApiWarning(Warning): ...

class PrivateKeySignatureAlgorithm(enum.IntFlag):
    RSA_PKCS1_SHA256 = 0
    RSA_PKCS1_SHA384 = 1
    RSA_PKCS1_SHA512 = 2
    ECDSA_SECP256R1_SHA256 = 3
    ECDSA_SECP384R1_SHA384 = 4
    ECDSA_SECP521R1_SHA512 = 5
    RSA_PSS_RSAE_SHA256 = 6
    RSA_PSS_RSAE_SHA384 = 7
    RSA_PSS_RSAE_SHA512 = 8

def wrap_server_method_handler(wrapper: Callable[[Any], Any], handler: Any) -> Any: ...
def insecure_channel_credentials() -> ChannelCredentials: ...
def ssl_channel_credentials_with_custom_signer(
    *, private_key_sign_fn: Any, root_certificates: bytes | None = None, certificate_chain: bytes
) -> NoReturn: ...
def unary_unary(
    request: _Request,
    target: str,
    method: str,
    request_serializer: Callable[[_Request], bytes] | None = None,
    response_deserializer: Callable[[bytes], _Response] | None = None,
    options: Sequence[tuple[str, Any]] = (),
    channel_credentials: ChannelCredentials | None = None,
    insecure: bool = False,
    call_credentials: CallCredentials | None = None,
    compression: Compression | None = None,
    wait_for_ready: bool | None = None,
    timeout: float | None = 60.0,
    metadata: Sequence[tuple[str, str | bytes]] | None = None,
    _registered_method: bool | None = False,
) -> _Response: ...
def unary_stream(
    request: _Request,
    target: str,
    method: str,
    request_serializer: Callable[[_Request], bytes] | None = None,
    response_deserializer: Callable[[bytes], _Response] | None = None,
    options: Sequence[tuple[str, Any]] = (),
    channel_credentials: ChannelCredentials | None = None,
    insecure: bool = False,
    call_credentials: CallCredentials | None = None,
    compression: Compression | None = None,
    wait_for_ready: bool | None = None,
    timeout: float | None = 60.0,
    metadata: Sequence[tuple[str, str | bytes]] | None = None,
    _registered_method: bool | None = False,
) -> Iterator[_Response]: ...
def stream_unary(
    request_iterator: Iterable[_Request],
    target: str,
    method: str,
    request_serializer: Callable[[_Request], bytes] | None = None,
    response_deserializer: Callable[[bytes], _Response] | None = None,
    options: Sequence[tuple[str, Any]] = (),
    channel_credentials: ChannelCredentials | None = None,
    insecure: bool = False,
    call_credentials: CallCredentials | None = None,
    compression: Compression | None = None,
    wait_for_ready: bool | None = None,
    timeout: float | None = 60.0,
    metadata: Sequence[tuple[str, str | bytes]] | None = None,
    _registered_method: bool | None = False,
) -> _Response: ...
def stream_stream(
    request_iterator: Iterable[_Request],
    target: str,
    method: str,
    request_serializer: Callable[[_Request], bytes] | None = None,
    response_deserializer: Callable[[bytes], _Response] | None = None,
    options: Sequence[tuple[str, Any]] = (),
    channel_credentials: ChannelCredentials | None = None,
    insecure: bool = False,
    call_credentials: CallCredentials | None = None,
    compression: Compression | None = None,
    wait_for_ready: bool | None = None,
    timeout: float | None = 60.0,
    metadata: Sequence[tuple[str, str | bytes]] | None = None,
    _registered_method: bool | None = False,
) -> Iterator[_Response]: ...

# SPDX-License-Identifier: MIT
"""grpcio's experimental interface: the functions that generated classes of services call."""

from __future__ import annotations

import enum as _enum
import importlib as _importlib
import typing as _typing

from .. import _credentials
from .._simple_stubs import stream_stream, stream_unary, unary_stream, unary_unary

if _typing.TYPE_CHECKING:
    from .. import aio as aio

__all__ = [
    "ChannelOptions",
    "ExperimentalApiWarning",
    "PrivateKeySignatureAlgorithm",
    "UsageError",
    "insecure_channel_credentials",
    "ssl_channel_credentials_with_custom_signer",
    "stream_stream",
    "stream_unary",
    "unary_stream",
    "unary_unary",
    "wrap_server_method_handler",
]


class ChannelOptions:
    """Names of options that only the experimental interface has."""

    SingleThreadedUnaryStream = "SingleThreadedUnaryStream"


class UsageError(Exception):
    """The interface is not used as it must be."""


class ExperimentalApiWarning(Warning):
    """The interface may change."""


class PrivateKeySignatureAlgorithm(_enum.IntFlag):
    """The algorithms that the function of ``ssl_channel_credentials_with_custom_signer`` may be asked for."""

    RSA_PKCS1_SHA256 = 0
    RSA_PKCS1_SHA384 = 1
    RSA_PKCS1_SHA512 = 2
    ECDSA_SECP256R1_SHA256 = 3
    ECDSA_SECP384R1_SHA384 = 4
    ECDSA_SECP521R1_SHA512 = 5
    RSA_PSS_RSAE_SHA256 = 6
    RSA_PSS_RSAE_SHA384 = 7
    RSA_PSS_RSAE_SHA512 = 8


def wrap_server_method_handler(
    wrapper: _typing.Callable[[_typing.Any], _typing.Any], handler: _typing.Any
) -> _typing.Any:
    """Returns the handler, whose function is ``wrapper(function)``; None if there is no handler."""
    if not handler:
        return None
    requests = "stream" if handler.request_streaming else "unary"
    name = f"{requests}_{'stream' if handler.response_streaming else 'unary'}"
    return handler._replace(**{name: wrapper(getattr(handler, name))})


def insecure_channel_credentials() -> _credentials.ChannelCredentials:
    """Returns credentials of a channel without TLS."""
    return _credentials.local_channel_credentials()


def ssl_channel_credentials_with_custom_signer(
    *, private_key_sign_fn: _typing.Any, root_certificates: bytes | None = None, certificate_chain: bytes
) -> _typing.NoReturn:
    """Raises NotImplementedError, as this is not supported."""
    raise NotImplementedError("ssl_channel_credentials_with_custom_signer is not supported by Trunkline")


def __getattr__(name: str) -> _typing.Any:
    """Imports ``aio`` at its first use."""
    if name == "aio":
        return _importlib.import_module("..aio", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

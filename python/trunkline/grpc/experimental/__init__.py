# SPDX-License-Identifier: MIT
"""grpcio's experimental interface: the functions that generated classes of services call."""

from __future__ import annotations

import importlib as _importlib
import typing as _typing

from .._credentials import ChannelCredentials, local_channel_credentials
from .._simple_stubs import stream_stream, stream_unary, unary_stream, unary_unary

if _typing.TYPE_CHECKING:
    from .. import aio as aio

__all__ = [
    "ChannelOptions",
    "ExperimentalApiWarning",
    "UsageError",
    "insecure_channel_credentials",
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


def wrap_server_method_handler(
    wrapper: _typing.Callable[[_typing.Any], _typing.Any], handler: _typing.Any
) -> _typing.Any:
    """Returns the handler, whose function is ``wrapper(function)``; None if there is no handler."""
    if not handler:
        return None
    requests = "stream" if handler.request_streaming else "unary"
    name = f"{requests}_{'stream' if handler.response_streaming else 'unary'}"
    return handler._replace(**{name: wrapper(getattr(handler, name))})


def insecure_channel_credentials() -> ChannelCredentials:
    """Returns credentials of a channel without TLS."""
    return local_channel_credentials()


def __getattr__(name: str) -> _typing.Any:
    """Imports ``aio`` at its first use."""
    if name == "aio":
        return _importlib.import_module("..aio", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

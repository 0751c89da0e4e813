# SPDX-License-Identifier: MIT
"""grpcio's experimental interface: the functions that generated classes of services call."""

from __future__ import annotations

from .._credentials import ChannelCredentials, local_channel_credentials
from .._simple_stubs import stream_stream, stream_unary, unary_stream, unary_unary

__all__ = [
    "ChannelOptions",
    "ExperimentalApiWarning",
    "UsageError",
    "insecure_channel_credentials",
    "stream_stream",
    "stream_unary",
    "unary_stream",
    "unary_unary",
]


class ChannelOptions:
    """Names of options that only the experimental interface has."""

    SingleThreadedUnaryStream = "SingleThreadedUnaryStream"


class UsageError(Exception):
    """The interface is not used as it must be."""


class ExperimentalApiWarning(Warning):
    """The interface may change."""


def insecure_channel_credentials() -> ChannelCredentials:
    """Credentials of a channel without TLS."""
    return local_channel_credentials()

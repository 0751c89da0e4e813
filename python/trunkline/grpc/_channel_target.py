# SPDX-License-Identifier: MIT
"""ChannelTarget: the connection that a target, credentials and options describe for a channel."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._argument import text_argument
from ._call_request import ChannelTerms
from ._channel_options import send_limit
from ._credentials import ChannelCredentials
from ._target import channel_uri

#: The schemes of Trunkline's URIs: without TLS, with TLS, and for Unix sockets.
_SCHEMES = ("grpc", "grpcs", "grpc+unix")


class ChannelTarget(NamedTuple):
    """The connection of a channel."""

    #: The URI for ``trunkline.Channel``.
    uri: str
    #: The options of ``trunkline.Channel`` that concern TLS.
    options: dict[str, Any]
    terms: ChannelTerms

    @classmethod
    def of(cls, target: Any, credentials: ChannelCredentials | None, options: Any) -> ChannelTarget:
        """Makes the target. ``credentials`` is None for an insecure channel. ValueError if it cannot be reached."""
        text = target.decode() if isinstance(target, bytes) else str(target)
        tls = None if credentials is None else credentials.options
        plain, secure, local = _SCHEMES
        uri = channel_uri(text, plain if tls is None else secure, local)
        names = (text_argument(options, f"grpc.{name}") for name in ("default_authority", "ssl_target_name_override"))
        authority = next(filter(None, names), uri.partition("://")[2])
        call_credentials = None if credentials is None else credentials.call_credentials
        terms = ChannelTerms(authority, call_credentials, credentials is not None, send_limit(options))
        return cls(uri, dict(tls or {}), terms)

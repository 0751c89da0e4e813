# SPDX-License-Identifier: MIT
"""ChannelTarget: what a target, credentials and options say about the connection of a channel."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._call_request import ChannelTerms
from ._credentials import ChannelCredentials
from ._target import channel_uri

#: The schemes of Trunkline's URIs: without TLS, with TLS, of Unix sockets.
_SCHEMES = ("grpc", "grpcs", "grpc+unix")


class ChannelTarget(NamedTuple):
    """The connection of a channel."""

    #: Of Trunkline.
    uri: str
    #: Of Trunkline, for TLS.
    options: dict[str, Any]
    terms: ChannelTerms

    @classmethod
    def of(cls, target: Any, credentials: ChannelCredentials | None, options: Any) -> ChannelTarget:
        """``credentials``: None for an insecure channel. Raises ValueError for a target that cannot be reached."""
        text = target.decode() if isinstance(target, bytes) else str(target)
        tls = None if credentials is None else credentials.options
        plain, secure, local = _SCHEMES
        uri = channel_uri(text, plain if tls is None else secure, local)
        given = {str(name): value for name, value in options or ()}
        authority = given.get("grpc.default_authority") or given.get("grpc.ssl_target_name_override")
        name = uri.partition("://")[2] if authority is None else str(authority)
        call_credentials = None if credentials is None else credentials.call_credentials
        return cls(uri, dict(tls or {}), ChannelTerms(name, call_credentials, credentials is not None))

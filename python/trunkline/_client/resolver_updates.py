# SPDX-License-Identifier: MIT
"""ResolverUpdates: the object to which a resolver reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .. import _core
from .._errors import RpcError, Unavailable
from .resolved_server import ResolvedServer


class ResolverUpdates:
    """The object to which a resolver reports. Any thread may report at any time, in event loops too, since no function
    here waits for the channel. What comes after the end of the channel, or in a forked child, is ignored."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.ResolverUpdates) -> None:
        self._core = core

    def update(
        self, servers: Iterable[ResolvedServer | str], *, service_config: str | Mapping[str, Any] = ""
    ) -> None:
        """Replaces what was reported before. Servers that are no longer listed get no further calls; their open calls
        may finish. A str stands for a ``ResolvedServer`` of this endpoint. ``service_config``: gRPC's service config,
        as JSON or as what that stands for.

        Raises InvalidArgument for a malformed endpoint, ValueError for a weight or priority out of range.
        """
        listed = [ResolvedServer(server) if isinstance(server, str) else server for server in servers]
        for server in listed:
            if not isinstance(server, ResolvedServer):
                raise TypeError(f"update: a server is a {type(server).__name__}, not a ResolvedServer or str")
        config = service_config if isinstance(service_config, str) else json.dumps(service_config)
        self._core.update(listed, config)

    def fail(self, error: RpcError | str) -> None:
        """Reports that the name could not be resolved. Servers that are known stay. If none are known, calls that do
        not wait fail with ``error``; a text becomes an Unavailable."""
        status = Unavailable(error) if isinstance(error, str) else error
        if not isinstance(status, RpcError):
            raise TypeError(f"fail: the error is a {type(error).__name__}, not an RpcError or str")
        self._core.fail(int(status.code), status.message)

# SPDX-License-Identifier: MIT
"""Ports: the listening sockets of a server before it starts, grouped by their options."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._errors import RpcError as CoreError
from ._target import port_of, server_uri


class Port:
    """A server of the core that listens. Servers of Trunkline have one certificate, so ports with different ones belong
    to different servers."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.core = _core.Server(options)
        self.endpoints: list[str] = []


class Ports:
    """The ports of a server."""

    def __init__(self, options: dict[str, Any]) -> None:
        """``options`` are those of the server, without those of TLS."""
        self._options = options
        self._plain: Port | None = None
        self.all: list[Port] = []

    def make_inbox(self, has_descriptor: bool) -> _core.Inbox:
        """Makes an inbox of one of the servers. There must be a port."""
        return self.all[0].core.make_inbox(has_descriptor)

    def add(self, address: str, secure_options: dict[str, Any] | None) -> int:
        """Listens and returns the port. Raises RuntimeError if that fails. ``secure_options`` is None without TLS."""
        port = self._plain if secure_options is None else None
        if port is None:
            port = Port({**self._options, **(secure_options or {})})
        uri = server_uri(address, "tcp" if secure_options is None else "tls")
        try:
            endpoint = port.core.listen(uri)
        except (CoreError, ValueError) as error:
            raise RuntimeError(f"Failed to bind to address {address}: {error}") from error
        if port not in self.all:
            self.all.append(port)
            if secure_options is None:
                self._plain = port
        port.endpoints.append(endpoint)
        return port_of(endpoint)

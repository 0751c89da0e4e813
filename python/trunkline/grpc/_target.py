# SPDX-License-Identifier: MIT
"""Converts targets, addresses and names of peers between the forms of grpcio and Trunkline's URIs."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

_DEFAULT_PORT = "443"


def channel_uri(target: str, scheme: str, unix_scheme: str) -> str:
    """Returns the URI of a target: ``host:port``, ``dns:///host:port``, ``ipv4:...``, ``ipv6:...``, ``unix:path``,
    ``unix:///path``, ``unix-abstract:name``. ``scheme`` is one such as ``grpc``. Raises ValueError for what Trunkline
    cannot reach."""
    found = re.match(r"(dns|ipv4|ipv6|unix|unix-abstract|xds|vsock):", target)
    kind = found[1] if found and not re.fullmatch(r"\d+", target[found.end() :]) else ""
    rest = target[len(kind) + 1 :] if kind else target
    if kind in ("xds", "vsock"):
        raise ValueError(f"channel {target!r}: targets of {kind} are not supported")
    if kind == "unix":
        return f"{unix_scheme}://{_unix_path(rest)}"
    if kind == "unix-abstract":
        return f"{unix_scheme}:@{rest}"
    if kind == "dns" and rest.startswith("//"):
        rest = rest[2:].partition("/")[2]
    elif kind:
        rest = rest.lstrip("/")
    if kind in ("ipv4", "ipv6"):
        rest = unquote(rest)
    addresses = rest.split(",") if kind in ("ipv4", "ipv6") else [rest]
    if len(addresses) > 1:
        raise ValueError(f"channel {target!r}: one address is supported, not {len(addresses)}")
    return f"{scheme}://{_with_port(rest)}"


def _unix_path(rest: str) -> str:
    import os

    return rest[2:] if rest.startswith("///") else os.path.abspath(rest)


def _with_port(address: str) -> str:
    if re.fullmatch(r"\[[^\]]*\]:\d+|[^:\[\]]*:\d+", address):
        return address
    if address.startswith("[") or ":" not in address:
        return f"{address}:{_DEFAULT_PORT}"
    return f"[{address}]:{_DEFAULT_PORT}"


def server_uri(address: str, scheme: str) -> str:
    """Returns the URI to listen on for ``host:port``, ``[::]:port``, ``unix:path`` or ``unix-abstract:name``."""
    if address.startswith("unix-abstract:"):
        return f"unix:@{address.partition(':')[2]}"
    if address.startswith("unix:"):
        return f"unix://{_unix_path(address.partition(':')[2])}"
    address = re.sub(r"^(dns:///|dns:|ipv4:|ipv6:)", "", address)
    return f"{scheme}://{_with_port(unquote(address))}"


def port_of(endpoint: str) -> int:
    """Returns the port of an endpoint; 1 for a Unix socket, as grpcio reports it."""
    found = re.search(r":(\d+)$", endpoint)
    return int(found[1]) if found and "unix" not in endpoint[:10] else 1


def peer_name(endpoint: str) -> str:
    """Returns a peer's endpoint as grpcio names it: ``ipv4:127.0.0.1:4031``, ``ipv6:%5B::1%5D:4031``, ``unix:``."""
    scheme, _, rest = endpoint.partition("://")
    if not rest:
        return "unix:" if "unix" in scheme else endpoint
    if "unix" in scheme:
        return f"unix:{rest}"
    if rest.startswith("[::ffff:") and "." in rest:
        return f"ipv4:{rest.removeprefix('[::ffff:').replace(']', '', 1)}"  # a client over IPv4 of a socket for both
    if rest.startswith("["):
        return f"ipv6:{quote(rest, safe=':')}"
    return f"ipv4:{rest}"

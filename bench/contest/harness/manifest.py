# SPDX-License-Identifier: MIT
"""Contestant: what the file contestant.toml in a contestant's folder says."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.load import PROTOCOLS, Load, frame_bytes


class ManifestError(Exception):
    """A manifest lacks something, or has what nobody knows."""


@dataclass(frozen=True)
class Places:
    """Where things are. ``root``: the source tree; ``build``: what was installed for the contest."""

    root: Path

    @property
    def contestants(self) -> Path:
        return self.root / "bench/contest/contestants"

    @property
    def build(self) -> Path:
        return self.root / "build/contest"

    def words(self, folder: Path) -> dict[str, str]:
        """What a command of a manifest may name in braces."""
        return {
            "root": str(self.root),
            "folder": str(folder),
            "programs": str(self.root / "build/release/bench"),
            "binaries": str(self.build / "bin"),
            "modules": str(self.build / "node"),
            "python": str(self.root / "build/python/bin/python"),
            "build": str(self.build),
        }

    @property
    def neutral_client(self) -> tuple[str, ...]:
        """The command that calls any contestant's server by one of Load's protocols."""
        return (str(self.root / "bench/contest/drivers/neutral/call"), "{standard}")


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """One system. ``needs``: programs and files without which it is missing; ``can``: works and options of Load."""

    name: str
    title: str
    language: str
    settings: str
    server: tuple[str, ...]
    client: tuple[str, ...]
    version: tuple[str, ...]
    can: frozenset[str]
    needs: tuple[str, ...] = ()
    #: Of the system's package manager.
    packages: tuple[str, ...] = ()
    #: Commands that install and build it, one after the other; those that must succeed before it takes part.
    build: tuple[tuple[str, ...], ...] = ()
    checks: tuple[tuple[str, ...], ...] = ()
    #: It is the limit of loads by the protocols that it can do, or if these are none, of the loads without.
    is_limit: bool = False
    is_ours: bool = False
    #: How allocations are known: "preload" (the C library's are counted), "self" (it reports them), "" (not at all).
    allocations: str = ""
    max_connections: int = 100_000
    max_outstanding_per_connection: int = 100_000
    environment: dict[str, str] = field(default_factory=dict)
    #: Of loads by a protocol, instead of its own client; the same for all.
    neutral_client: tuple[str, ...] = ()

    def cannot(self, load: Load) -> str:
        """Why the load is beyond it; empty if it is not."""
        if self.is_limit:
            is_mine = load.protocol in self.can if load.protocol else not PROTOCOLS & self.can
            return "" if is_mine else "the limit of other loads"
        lacking = sorted(load.needs - self.can)
        if lacking:
            return f"has no {', '.join(lacking)}"
        if load.allocations and not self.allocations:
            return "allocations unknown"
        if load.protocol:
            return ""
        if load.connections > self.max_connections:
            connections = "connection" if self.max_connections == 1 else "connections"
            return f"the contest's client makes at most {self.max_connections} {connections}"
        if -(-load.outstanding // load.connections) > self.max_outstanding_per_connection:
            return f"at most {self.max_outstanding_per_connection} outstanding per connection"
        return ""

    def server_command(self, load: Load, extra: dict[str, str] | None = None) -> list[str]:
        return self._expanded(self.server, load, {"role": "serve", **(extra or {})})

    def client_command(self, load: Load, extra: dict[str, str]) -> list[str]:
        command = self.neutral_client if load.protocol else self.client
        return self._expanded(command, load, {"role": "call", **extra})

    def _expanded(self, command: tuple[str, ...], load: Load, extra: dict[str, str]) -> list[str]:
        words = {
            "bytes": str(load.bytes),
            "frame_bytes": str(frame_bytes(load)),
            "connections": str(load.connections),
            "outstanding": str(load.outstanding),
            **extra,
        }
        expanded: list[str] = []
        for part in command:
            if part == "{standard}":
                expanded += _standard(load, words)
            elif part == "{busy_poll}":
                expanded += ["--busy-poll"] if load.busy_poll else []
            else:
                expanded.append(part.format(**words) if "{" in part else part)
        return expanded


def _standard(load: Load, words: dict[str, str]) -> list[str]:
    """The command line that every program of the contest's own takes."""
    line = [words["role"], "--work", words.get("work", load.work), "--bytes", words["bytes"]]
    if words["role"] == "call":
        line += ["--target", words["target"]]
        line += ["--connections", words["connections"], "--outstanding", words["outstanding"]]
        line += ["--seconds", words["seconds"], "--warmup", words["warmup"]]
        line += ["--protocol", load.protocol] if load.protocol else []
    if load.tls:
        line += ["--certificate", words["certificate"], "--key", words["key"]]
    if load.codec:
        line += ["--codec", load.codec]
    if words.get("backend"):
        line += ["--backend", words["backend"]]
    line += ["--pipelined"] if load.pipelined else []
    line += ["--busy-poll"] if load.busy_poll else []
    return line


_LISTS = {"server", "client", "version", "can", "needs", "packages", "build", "checks"}
_REQUIRED = {"title", "language", "settings", "server", "client", "version", "can"}


def read_manifest(folder: Path, places: Places) -> Contestant:
    """Raises :class:`ManifestError`. Places in braces are filled in, what a load says is left for later."""
    path = folder / "contestant.toml"
    try:
        said: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(f"{path}: {error}") from None
    known = set(Contestant.__dataclass_fields__) - {"name", "neutral_client"}
    if unknown := sorted(set(said) - known):
        raise ManifestError(f"{path}: unknown {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    if lacking := sorted(_REQUIRED - set(said)):
        raise ManifestError(f"{path}: lacks {', '.join(lacking)}")
    words = places.words(folder)
    for key in _LISTS & set(said):
        if not isinstance(said[key], list):
            raise ManifestError(f"{path}: {key} is no list")
    for key in ("server", "client", "version", "needs", "packages"):
        if key in said:
            said[key] = tuple(_fill(str(part), words) for part in said[key])
    for key in ("build", "checks"):
        said[key] = tuple(tuple(_fill(part, words) for part in command) for command in said.get(key, []))
    said["environment"] = {name: _fill(value, words) for name, value in said.get("environment", {}).items()}
    said["can"] = frozenset(said["can"])
    return Contestant(name=folder.name, neutral_client=places.neutral_client, **said)


def _fill(part: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        part = part.replace("{" + word + "}", value)
    return part


def read_manifests(places: Places) -> list[Contestant]:
    """The limits first, then ours, then the others by name."""
    folders = sorted(path.parent for path in places.contestants.glob("*/contestant.toml"))
    found = [read_manifest(folder, places) for folder in folders]
    return sorted(found, key=lambda each: (not each.is_limit, not each.is_ours, each.name))

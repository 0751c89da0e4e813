# SPDX-License-Identifier: MIT
"""Supervisor: restarts the server when files of its application change."""

from __future__ import annotations

import contextlib
import os
import signal
from contextlib import ExitStack

from .._process.child import PortReservation, shares_ports
from .._process.signals import expecting
from ._arguments import Arguments
from ._console import announce, leave_at_once, say
from ._generation import Generation
from ._watched_files import WatchedFiles, files_of_target

#: Seconds between checks. A change takes effect once there was no further one for as long.
_INTERVAL = 0.15
#: Seconds in addition to the grace until a server is killed.
_EXTRA_GRACE = 5.0


class Supervisor:
    """Runs generations of the server, each in a process of its own.

    If the endpoints can be shared, the next generation listens before the last one ends, so the port is never without a
    server; connections that are still in their handshake with the last one are cut off. Otherwise the next one starts
    after the last one has ended.
    """

    def __init__(self, arguments: Arguments) -> None:
        self._arguments = arguments
        self._files = WatchedFiles()
        self._current: Generation | None = None
        self._next: Generation | None = None
        self._leaving: list[Generation] = []
        self._overlaps = all(map(shares_ports, arguments.endpoints))
        self._endpoints: list[str] = []

    def run(self) -> int:
        """Runs until a signal arrives; returns the exit status."""
        with ExitStack() as held, expecting((signal.SIGINT, signal.SIGTERM), self._kill) as wait:
            for endpoint in self._arguments.endpoints:
                try:
                    self._endpoints.append(self._held(endpoint, held))
                except (ValueError, OSError) as error:
                    say(f"listen on {endpoint}: {error}")
                    return 1
            try:
                self._begin()
                while wait(_INTERVAL) is None:
                    self._check()
            finally:
                self._end()
        return 0

    @staticmethod
    def _held(endpoint: str, held: ExitStack) -> str:
        """Yields the endpoint with its port, which stays reserved while no generation listens on it."""
        if not shares_ports(endpoint):
            return endpoint
        return held.enter_context(contextlib.closing(PortReservation(endpoint))).endpoint

    def _begin(self) -> None:
        self._files.leave_folders()
        self._next = Generation(_arguments_of(self._arguments, self._endpoints))
        # These files are watched from the start, as the import may hang.
        self._files.watch(filter(os.path.isfile, files_of_target(self._arguments)), self._next.begun)

    def _check(self) -> None:
        for generation in (self._current, self._next):
            if generation is not None:
                self._files.watch(generation.take_files(), generation.begun)
        self._settle()
        for each in self._leaving:
            if each.kill_if_late():
                say("the previous server did not end in time and is killed")
        self._leaving = [each for each in self._leaving if not _has_ended(each)]
        changed = self._files.take_changed()
        if changed:
            self._change(changed)

    def _settle(self) -> None:
        """Lets the next generation take over once it serves; reports generations that have ended."""
        if self._next is not None and self._next.is_serving:
            self._leave(self._current)
            self._current, self._next = self._next, None
            announce(self._current.endpoints or ())
        elif self._next is not None and self._next.exit_status is not None:
            self._failed(self._next)
            self._next = None
        if self._current is not None and self._current.exit_status is not None:
            status = self._current.exit_status
            say(f"the server has ended with status {status}; it is restarted when a file changes")
            self._leave(self._current)
            self._current = None

    def _failed(self, generation: Generation) -> None:
        files = generation.take_files()
        # A missing module may appear in these folders.
        folders = {os.path.abspath(self._arguments.app_dir), *map(os.path.dirname, files)}
        self._files.watch([*files, *folders], generation.begun)
        generation.begin_end(0.0)
        generation.end()
        still = "the previous one still serves; " if self._current is not None else ""
        say(f"the server could not be started; {still}the next attempt follows when a file changes")

    def _leave(self, generation: Generation | None) -> None:
        if generation is not None:
            generation.begin_end(self._arguments.grace + _EXTRA_GRACE)
            self._leaving.append(generation)

    def _change(self, changed: list[str]) -> None:
        say(f"{', '.join(map(_short, changed))} changed: restarting")
        self._leave(self._next)
        self._next = None
        if not self._overlaps:
            self._leave(self._current)
            self._current = None
            self._end_leaving()
        self._begin()

    def _end(self) -> None:
        self._leave(self._next)
        self._leave(self._current)
        self._end_leaving()

    def _end_leaving(self) -> None:
        while self._leaving:
            self._leaving[0].end()
            del self._leaving[0]

    def _kill(self, number: int) -> None:
        """Kills all generations and exits, at a second signal."""
        for generation in (self._current, self._next, *self._leaving):
            if generation is not None:
                generation.kill()
        leave_at_once(number)


def _has_ended(generation: Generation) -> bool:
    if generation.exit_status is None:
        return False
    generation.end()
    return True


def _short(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def _arguments_of(arguments: Arguments, endpoints: list[str]) -> list[str]:
    """Returns the arguments of a generation."""
    words = [arguments.target, "--workers", str(arguments.workers), "--grace", str(arguments.grace)]
    words += ["--log-level", arguments.log_level, "--app-dir", arguments.app_dir]
    for endpoint in endpoints:
        words += ["--endpoint", endpoint]
    if arguments.threads is not None:
        words += ["--threads", str(arguments.threads)]
    for name in ("health", "reflection", "statistics"):
        wanted: bool | None = getattr(arguments, name)
        if wanted is not None:
            words.append(f"--{name}" if wanted else f"--no-{name}")
    return words

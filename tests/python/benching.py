# SPDX-License-Identifier: MIT
"""Runs `trunkline bench` for tests, and servers for it to measure."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import trunkline

from . import commanding

ECHO = "trunkline.bench.Echo/Echo"
SHORT = ("--duration", "500ms", "--warmup", "0")


def bench(*arguments: str, **options: Any) -> tuple[commanding.Outcome, dict[str, Any]]:
    """Runs `trunkline bench` and returns the outcome and its report as JSON."""
    ended = commanding.run("bench", *arguments, "--format", "json", **options)
    return ended, json.loads(ended.output) if ended.output else {}


@contextlib.contextmanager
def served(echo: Callable[[bytes], bytes], threads: int = 16) -> Iterator[str]:
    """Serves a Python server that takes the place of the built-in echo service."""
    server = trunkline.Server(threads=threads)
    server.add(ECHO, echo)
    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


@contextlib.contextmanager
def built_in(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Runs `trunkline bench serve`."""
    process = commanding.start("bench", "serve", "tcp://127.0.0.1:0", *arguments)
    try:
        yield commanding.line_of(process).removeprefix("listening on ").strip(), process
    finally:
        process.kill()
        process.wait()
        commanding.close(process)


class Delays:
    """Echoes with delays: 10 ms for 90 % of the calls, 100 ms for 9 %, and 400 ms for 1 %."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def __call__(self, request: bytes) -> bytes:
        with self._lock:
            self._count += 1
            number = self._count
        time.sleep(0.400 if number % 100 == 0 else 0.100 if number % 10 == 0 else 0.010)
        return request


class Stall:
    """Echoes at once, except one call that stalls `after` this time from the first call."""

    def __init__(self, after: float, length: float) -> None:
        self._after = after
        self._length = length
        self._first: float | None = None
        self.has_been = False

    def __call__(self, request: bytes) -> bytes:
        now = time.monotonic()
        self._first = self._first or now
        if not self.has_been and now - self._first > self._after:
            self.has_been = True
            time.sleep(self._length)
        return request

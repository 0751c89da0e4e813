# SPDX-License-Identifier: MIT
"""``python -m trunkline.serve`` as a process of a test's."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path


class ServingCommand:
    """A running `trunkline serve`, and the lines that it writes to standard error."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "trunkline.serve", *arguments],
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        self.lines: list[str] = []
        self._coming: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._coming.put(line.rstrip("\n"))

    def until(self, pattern: str, timeout: float = 100.0) -> str:
        """Waits for the next line that matches and returns its first group."""
        end = time.monotonic() + timeout
        while True:
            try:
                line = self._coming.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no line {pattern!r} in {self.lines}") from None
            self.lines.append(line)
            found = re.search(pattern, line)
            if found is not None:
                return found.group(found.re.groups and 1)

    def endpoint(self) -> str:
        return self.until("^listening on (.*)")

    def rest(self) -> list[str]:
        """Returns the lines that no test has waited for. Call it after ``close``."""
        return list(self._coming.queue)

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(100)


@contextlib.contextmanager
def serving(folder: Path, *arguments: str, at: str = "tcp://127.0.0.1:0") -> Iterator[ServingCommand]:
    started = ServingCommand(folder, *arguments, "--endpoint", at)
    try:
        yield started
    finally:
        started.close()

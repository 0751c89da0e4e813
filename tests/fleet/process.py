# SPDX-License-Identifier: MIT
"""A program that is started, sent signals, and started again."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time


class ProcessError(Exception):
    pass


class Process:
    """Its output goes to `FOLDER/NAME.log`. With `first_line` it says that line once it is ready."""

    def __init__(self, name: str, command: list[str], folder: str, first_line: str = "") -> None:
        self.name = name
        self._command = command
        self._log = os.path.join(folder, f"{name}.log")
        self._first_line = first_line
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, ready_within: float = 30.0) -> None:
        with open(self._log, "ab") as log:
            log.write(f"--- started at {time.monotonic():.3f}\n".encode())
            log.flush()
            out = subprocess.PIPE if self._first_line else log
            self._process = subprocess.Popen(self._command, stdout=out, stderr=log, stdin=subprocess.DEVNULL)
        if not self._first_line:
            return
        assert self._process.stdout is not None
        # What does not say its line in time ends, and then its output does.
        timer = threading.Timer(ready_within, self._process.kill)
        timer.start()
        line = self._process.stdout.readline().decode().strip()
        timer.cancel()
        if line != self._first_line:
            raise ProcessError(f"{self.name} does not start; its log:\n{self.log()}")

    def wait_for_log(self, text: str, seconds: float) -> None:
        until = time.monotonic() + seconds
        while text not in self.log():
            if not self.is_running or time.monotonic() > until:
                raise ProcessError(f"{self.name} has not logged '{text}'; its log:\n{self.log()}")
            time.sleep(0.01)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """Returns once the process is gone."""
        self.send(signal.SIGKILL)
        self.wait(10.0)

    def wait(self, seconds: float) -> int:
        """Its exit code; negative: the signal that has ended it."""
        assert self._process is not None
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise ProcessError(f"{self.name} has not ended within {seconds:g} s; its log:\n{self.log()}") from None
        if self._process.stdout is not None:
            self._process.stdout.close()
        return code

    def end(self) -> None:
        if self.is_running:
            with contextlib.suppress(ProcessLookupError):
                self.send(signal.SIGKILL)
        if self._process is not None:
            self.wait(10.0)

    def log(self) -> str:
        with contextlib.suppress(OSError), open(self._log, errors="replace") as log:
            return log.read()[-4000:]
        return ""

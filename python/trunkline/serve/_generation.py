# SPDX-License-Identifier: MIT
"""One generation of a server that is started anew at changes: a process that serves until its supervisor ends it.

Run as ``python -m trunkline.serve._generation REPORTS CONTROL ARGUMENTS...``, with two descriptors: JSON lines for the
supervisor are written to one; the end of the other is the end of the supervisor, or its wish.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from ._arguments import Arguments, parse
from ._run import run
from ._watched_files import files_of_modules

#: Seconds between looks for modules that have been imported since.
_INTERVAL = 0.5


class _Reports:
    def __init__(self, descriptor: int, arguments: Arguments) -> None:
        self._descriptor = descriptor
        self._folders = (os.getcwd(), arguments.app_dir)
        self._files: list[str] = []
        self._lock = threading.Lock()

    def send(self, **report: Any) -> None:
        data = json.dumps(report).encode() + b"\n"
        with self._lock, contextlib.suppress(OSError):  # the supervisor is gone
            while data:
                data = data[os.write(self._descriptor, data) :]

    def send_files(self, more: Sequence[str] = ()) -> None:
        """If there are others than before."""
        found = [*files_of_modules(self._folders), *more]
        if found != self._files:
            self._files = found
            self.send(files=found)

    def send_files_for_ever(self) -> None:
        while True:
            self.send_files()
            time.sleep(_INTERVAL)


def _follow(control: int) -> None:
    os.read(control, 1)  # its end
    os.kill(os.getpid(), signal.SIGTERM)


def main(given: Sequence[str]) -> int:
    """The exit status."""
    reports, control = int(given[0]), int(given[1])
    for descriptor in (reports, control):
        os.set_inheritable(descriptor, False)
    arguments = parse(given[2:])
    told = _Reports(reports, arguments)

    def ready(endpoints: Sequence[str]) -> None:
        told.send(endpoints=list(endpoints))
        # Not before, as worker processes are forked while there are no threads.
        for target, parameters in ((told.send_files_for_ever, ()), (_follow, (control,))):
            threading.Thread(target=target, args=parameters, daemon=True).start()

    return run(arguments, ready, lambda error: told.send_files(error.files()), shares_port=True)


class Generation:
    """The process, as its supervisor has it."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.begun = time.time()
        self.endpoints: list[str] | None = None
        self._rest = b""
        self._reports, reports = os.pipe()
        control, self._control = os.pipe()
        os.set_blocking(self._reports, False)
        command = [sys.executable, "-m", "trunkline.serve._generation", str(reports), str(control), *arguments]
        try:
            # Signals of the terminal are for the supervisor.
            self._process = subprocess.Popen(command, pass_fds=(reports, control), start_new_session=True)
        except BaseException:
            self._close()
            raise
        finally:
            os.close(reports)
            os.close(control)

    @property
    def is_serving(self) -> bool:
        return self.endpoints is not None and self.exit_status is None

    @property
    def exit_status(self) -> int | None:
        return self._process.poll()

    def take_files(self) -> list[str]:
        """What it has reported since; ``endpoints`` are set by that as well."""
        files: list[str] = []
        with contextlib.suppress(OSError):  # nothing there, or closed
            while data := os.read(self._reports, 65536):
                self._rest += data
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            report = json.loads(line)
            files += report.get("files", [])
            self.endpoints = report.get("endpoints", self.endpoints)
        return files

    def begin_end(self) -> None:
        """It drains, or if it does not serve yet, ends."""
        if self.endpoints is None:
            self._process.terminate()
        self._close_control()

    def end(self, timeout: float) -> None:
        """Waits for it; kills it if it does not end in time."""
        self.begin_end()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._close()

    def _close_control(self) -> None:
        descriptor, self._control = self._control, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _close(self) -> None:
        self._close_control()
        descriptor, self._reports = self._reports, -1
        if descriptor >= 0:
            os.close(descriptor)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

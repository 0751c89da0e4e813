# SPDX-License-Identifier: MIT
"""One generation of a server that is started anew at changes: a process that serves until its supervisor ends it.

Run as ``python -m trunkline.serve._generation REPORTS CONTROL ARGUMENTS...``, with two descriptors: JSON lines for the
supervisor are written to one; the end of the other is the end of the supervisor, or its wish.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from ._arguments import Arguments, parse
from ._run import Hooks, run
from ._target import TargetError
from ._watched_files import files_of_modules

#: Seconds between looks for modules that have been imported since.
_INTERVAL = 0.5


class _Reports:
    """Of this process, or of a worker that it has forked."""

    def __init__(self, descriptor: int, arguments: Arguments) -> None:
        self._descriptor = descriptor
        self._folders = (os.getcwd(), arguments.app_dir)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._lock = threading.Lock()  # a thread of the parent may have held it
        self._told: set[str] = set()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def send(self, **report: Any) -> None:
        data = json.dumps(report).encode() + b"\n"
        with self._lock, contextlib.suppress(OSError):  # the supervisor is gone
            while data:
                data = data[os.write(self._descriptor, data) :]

    def send_files(self, more: Sequence[str] = ()) -> None:
        """Those that have not been told yet: one a line, as lines of workers must not mix."""
        for file in (*files_of_modules(self._folders), *more):
            if file not in self._told:
                self._told.add(file)
                self.send(file=file)

    def begin_to_follow(self) -> None:
        """Sends files of modules as they are imported."""
        self._thread = threading.Thread(target=self._follow, args=(self._over,), daemon=True)
        self._thread.start()

    def pause(self) -> None:
        """No thread is left."""
        if self._thread is not None:
            self._over.set()
            self._thread.join()
            self._over, self._thread = threading.Event(), None

    def _follow(self, over: threading.Event) -> None:
        while not over.is_set():
            self.send_files()
            over.wait(_INTERVAL)

    def follow_in_child(self) -> None:
        self._begin_anew()
        self.begin_to_follow()


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
    told.begin_to_follow()  # the application's modules may take long, or hang

    def loaded() -> None:
        told.pause()  # workers are forked while there are no threads
        os.register_at_fork(after_in_child=told.follow_in_child)

    def ready(endpoints: Sequence[str]) -> None:
        told.send(endpoints=list(endpoints))
        if arguments.workers == 1:  # otherwise those do, and this process remains without threads
            told.begin_to_follow()
            threading.Thread(target=_follow, args=(control,), daemon=True).start()

    def failed(error: TargetError) -> None:
        told.pause()
        told.send_files(error.files())

    def is_over() -> bool:
        return bool(select.select([control], [], [], 0)[0])

    return run(arguments, Hooks(ready, failed, loaded, is_over), shares_port=True)


class Generation:
    """The process, as its supervisor has it."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.begun = time.time()
        self.endpoints: list[str] | None = None
        self._rest = b""
        self._deadline = math.inf
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
            files += filter(None, [report.get("file")])
            self.endpoints = report.get("endpoints", self.endpoints)
        return files

    def begin_end(self, grace: float) -> None:
        """It drains, or if it does not serve yet, ends. ``grace``: seconds until it may be killed."""
        if self.endpoints is None:
            # It may serve by now, and would take the end of the control for a second signal.
            self._process.terminate()
        else:
            self._close_control()
        self._deadline = min(self._deadline, time.monotonic() + grace)

    def kill_if_late(self) -> bool:
        """After ``begin_end``: True if its time was over."""
        is_late = self.exit_status is None and time.monotonic() >= self._deadline
        if is_late:
            self.kill()
        return is_late

    def kill(self) -> None:
        """With its workers."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """After ``begin_end``: waits for it; kills it if it does not end in time."""
        try:
            self._process.wait(max(0.0, self._deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.kill()
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

# SPDX-License-Identifier: MIT
"""Generation: one server process of a supervisor, which starts the next one when files change.

The process runs ``python -m trunkline.serve._generation REPORTS CONTROL ARGUMENTS...`` with two descriptors. It writes
reports to the supervisor to the first one, as lines of JSON. End of file on the second one tells it to shut down: the
supervisor has closed it, or is gone.
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

#: Seconds between checks for newly imported modules.
_INTERVAL = 0.5


class _Reports:
    """Reports of this process, or of a worker that it has forked, to the supervisor."""

    def __init__(self, descriptor: int, arguments: Arguments) -> None:
        self._descriptor = descriptor
        self._folders = (os.getcwd(), arguments.app_dir)
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()  # after a fork, as a thread of the parent may have held the old one
        self._sent: set[str] = set()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def send(self, **report: Any) -> None:
        data = json.dumps(report).encode() + b"\n"
        with self._lock, contextlib.suppress(OSError):  # the supervisor is gone
            while data:
                data = data[os.write(self._descriptor, data) :]

    def send_files(self, more: Sequence[str] = ()) -> None:
        """Reports files that were not reported before: one per line, as short writes of several workers do not mix."""
        for file in (*files_of_modules(self._folders), *more):
            if file not in self._sent:
                self._sent.add(file)
                self.send(file=file)

    def begin_to_follow(self) -> None:
        """Starts a thread that reports the files of modules as they are imported."""
        self._thread = threading.Thread(target=self._follow, args=(self._over,), daemon=True)
        self._thread.start()

    def pause(self) -> None:
        """Ends the thread."""
        if self._thread is not None:
            self._over.set()
            self._thread.join()
            self._over, self._thread = threading.Event(), None

    def _follow(self, over: threading.Event) -> None:
        while not over.is_set():
            self.send_files()
            over.wait(_INTERVAL)

    def follow_in_child(self) -> None:
        self._reset()
        self.begin_to_follow()


def _terminate_at_end_of(control: int) -> None:
    os.read(control, 1)  # returns at end of file
    os.kill(os.getpid(), signal.SIGTERM)


def main(given: Sequence[str]) -> int:
    """Runs the process; returns the exit status."""
    reports, control = int(given[0]), int(given[1])
    for descriptor in (reports, control):
        os.set_inheritable(descriptor, False)
    arguments = parse(given[2:])
    reporter = _Reports(reports, arguments)
    reporter.begin_to_follow()  # importing the application may take long, or hang

    def loaded() -> None:
        reporter.pause()  # workers are forked while there are no threads
        os.register_at_fork(after_in_child=reporter.follow_in_child)

    def ready(endpoints: Sequence[str]) -> None:
        reporter.send(endpoints=list(endpoints))
        if arguments.workers == 1:  # workers follow by themselves; their parent must have no threads
            reporter.begin_to_follow()
            threading.Thread(target=_terminate_at_end_of, args=(control,), daemon=True).start()

    def failed(error: TargetError) -> None:
        reporter.pause()
        reporter.send_files(error.files())

    def is_over() -> bool:
        return bool(select.select([control], [], [], 0)[0])

    return run(arguments, Hooks(ready, failed, loaded, is_over), shares_port=True)


class Generation:
    """The server process as its supervisor sees it."""

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
            # The process has a session of its own: signals of the terminal go to the supervisor only.
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
        """Returns the files reported since the last call, and updates ``endpoints``."""
        files: list[str] = []
        with contextlib.suppress(OSError):  # nothing to read, or closed
            while data := os.read(self._reports, 65536):
                self._rest += data
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            report = json.loads(line)
            files += filter(None, [report.get("file")])
            self.endpoints = report.get("endpoints", self.endpoints)
        return files

    def begin_end(self, grace: float) -> None:
        """Tells the process to shut down, or to exit if it does not serve yet. ``grace``: seconds until it may be
        killed."""
        if self.endpoints is None:
            # The descriptor stays open: if the process serves by now, it would see two signals and exit at once.
            self._process.terminate()
        else:
            self._close_control()
        self._deadline = min(self._deadline, time.monotonic() + grace)

    def kill_if_late(self) -> bool:
        """Kills the process if its time is over; returns True then. Call it after ``begin_end``."""
        is_late = self.exit_status is None and time.monotonic() >= self._deadline
        if is_late:
            self.kill()
        return is_late

    def kill(self) -> None:
        """Kills the process with its workers."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Waits for the process and kills it if it does not end in time. Call it after ``begin_end``."""
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

# SPDX-License-Identifier: MIT
"""Processes of contestants: started on the cores of their side, watched by /proc, always ended."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import select
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")


class RunFailed(Exception):
    """A program did not start, failed, hung or answered wrongly; the text says which."""


class RunTooSlow(RunFailed):
    """It took longer than there is time, which it would take again."""


def cores_of_side(side: str, pin: bool) -> set[int]:
    """Half of the allowed cores for each side, if there are two; all of them without ``pin``."""
    cores = sorted(os.sched_getaffinity(0))
    if not pin or len(cores) < 2:
        return set(cores)
    half = len(cores) // 2
    return set(cores[:half] if side == "server" else cores[half:])


def allow_many_descriptors() -> None:
    """As many as the system lets this process and its children have."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def cpu_seconds(pid: int) -> float:
    """Time on a processor of all threads of a process so far, the ended ones included, in ticks or better."""
    ticks = 0.0
    precise = 0
    with contextlib.suppress(OSError, IndexError, ValueError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks = (int(fields[11]) + int(fields[12])) / _TICKS
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                precise += int((task / "schedstat").read_text().split()[0])
    return max(ticks, precise / 1e9)


def peak_bytes(pid: int) -> int:
    """The most memory that the process has had resident; 0 if it has gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


class Program:
    """A process with a context: ended when that is left. ``said``: lines of its standard output, one by one."""

    def __init__(self, command: list[str], *, cores: Iterable[int], environment: dict[str, str] | None = None) -> None:
        self.command = command
        # A child inherits the cores of the thread that starts it.
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, set(cores))
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            raise RunFailed(f"{command[0]}: {error.strerror}") from None
        finally:
            os.sched_setaffinity(0, before)
        self.pid = self._process.pid
        self._errors = bytearray()
        self._unread = b""
        self._drain = threading.Thread(target=self._read_errors, daemon=True)
        self._drain.start()

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        while piece := os.read(self._process.stderr.fileno(), 4096):
            if len(self._errors) < 16384:
                self._errors += piece

    @property
    def errors(self) -> str:
        """The last line with a word that it said on standard error."""
        self._drain.join(1)
        lines = self._errors.decode(errors="replace").splitlines()
        return next((line.strip()[:300] for line in reversed(lines) if re.search("[A-Za-z]{2}", line)), "")

    def line(self, seconds: float) -> str:
        """The next line of its output. Raises :class:`RunTooSlow` if none comes in time, :class:`RunFailed` if it
        ends."""
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        end = time.monotonic() + seconds
        while b"\n" not in self._unread:
            left = end - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise RunTooSlow(f"said nothing within {seconds:.3g} s")
            piece = os.read(pipe, 65536)
            if not piece:
                code = self._process.wait()
                raise RunFailed(f"ended with {code}: {self.errors}" if self.errors else f"ended with {code}")
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode(errors="replace").strip()

    def end_code(self, seconds: float) -> int:
        """Waits until it ends by itself."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise RunTooSlow(f"did not end within {seconds:g} s") from None

    def stop(self, grace: float = 0.0) -> str:
        """Ends it; with ``grace`` the end of its input tells it first; it may say a last line, which is returned."""
        last = ""
        if self._process.poll() is None and grace > 0:
            assert self._process.stdin is not None
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            with contextlib.suppress(RunFailed):
                last = self.line(grace)
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._drain.join(1)
        if self._process.stderr is not None and not self._drain.is_alive():
            self._process.stderr.close()
        return last


class Watch:
    """Looks at a process every 20 ms until it is left: its peak of memory and its time on a processor."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.peak_bytes = 0
        self.cpu_seconds = 0.0

    def _look(self) -> None:
        while True:
            self.peak_bytes = max(self.peak_bytes, peak_bytes(self._pid))
            self.cpu_seconds = max(self.cpu_seconds, cpu_seconds(self._pid))
            if self._over.wait(0.02):
                return

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._over.set()
        self._thread.join()

# SPDX-License-Identifier: MIT
"""Program: a process that obeys lines of commands, and what the system knows about it."""

import json
import os
import pathlib
import select
import subprocess
import sys
import time

KIB, MIB = 1 << 10, 1 << 20
FOLDER = pathlib.Path(__file__).resolve().parent


class Program:
    def __init__(self, *command, patience=120.0):
        self.patience = patience
        self.name = pathlib.Path(str(command[0])).name
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.buffer = b""

    @classmethod
    def python(cls, script, *arguments, **options):
        return cls(sys.executable, FOLDER / script, *arguments, **options)

    def read_line(self):
        end = time.monotonic() + self.patience
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError(f"{self.name} has not responded for {self.patience:g} s")
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            if not part:
                raise ConnectionError(f"{self.name} has ended with code {self.process.wait()}")
            self.buffer += part
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode()

    def ask(self, command):
        try:
            self.process.stdin.write(command.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self.read_line()

    def report(self, command="report"):
        return json.loads(self.ask(command))

    def stop(self):
        """Its last line and its exit code."""
        line = self.ask("stop")
        self.process.stdin.close()
        code = self.process.wait(self.patience)
        self.process.stdout.close()
        return line, code

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:
                pass

    # --- what the system says ---

    def _status(self, key):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii", errors="replace")
        for line in text.splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) * KIB
        raise LookupError(f"the status of the process has no {key}")

    def resident_bytes(self):
        return self._status("VmRSS")

    def peak_bytes(self):
        """The most that was resident since reset_peak()."""
        return self._status("VmHWM")

    def reset_peak(self):
        """Where the system does not permit it, peak_bytes() counts from the start of the process."""
        try:
            pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5", encoding="ascii")
        except OSError:
            pass

    def cpu_seconds(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii", errors="replace")
        words = text.rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

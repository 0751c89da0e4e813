# SPDX-License-Identifier: MIT
"""Servers behind a proxy: processes that can be killed, drained, and started again on the same port."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import trunkline
from google.protobuf.wrappers_pb2 import Int64Value

from .proxies import free_ports

#: The folder with grpc_server, the one in C++.
BUILT = os.environ.get("TRUNKLINE_BUILT_INTEROP")


def command_of(language: str) -> list[str]:
    if language == "cpp":
        return [f"{BUILT}/grpc_server"]
    return [sys.executable, "-W", "error", str(Path(__file__).with_name("backend.py"))]


class Backend:
    def __init__(self, language: str) -> None:
        self._command = command_of(language)
        self._process: subprocess.Popen[str] | None = None
        # A port that nobody else is given between two processes of this server.
        self.address = f"127.0.0.1:{free_ports(1)[0]}"
        self.start()

    def start(self) -> None:
        """Again on the same port, after the first time."""
        process = subprocess.Popen([*self._command, f"tcp://{self.address}"], stdout=subprocess.PIPE, text=True)
        self._process = process
        assert process.stdout is not None
        self.address = process.stdout.readline().split()[-1].removeprefix("tcp://")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def cancelled(self) -> int:
        """How many calls of Hang have been cancelled, asked past the proxy."""
        return self._count("Cancelled")

    def hanging(self) -> int:
        """How many calls of Hang run, asked past the proxy."""
        return self._count("Hanging")

    def _count(self, method: str) -> int:
        with trunkline.Channel(f"tcp://{self.address}") as channel:
            return int(channel.call(f"interop.Grpc/{method}", Int64Value(), Int64Value, timeout=20).value)

    def begin_to_drain(self) -> None:
        assert self._process is not None
        self._process.terminate()

    def wait_until_drained(self) -> None:
        """Fails if a call was cut off."""
        assert self._process is not None and self._process.stdout is not None
        assert self._process.stdout.readline() == "stopped: ok\n"
        assert self._process.wait(100) == 0
        self._close()

    def kill(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self._close()

    def _close(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        self._process.stdout.close()
        self._process = None

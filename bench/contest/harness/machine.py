# SPDX-License-Identifier: MIT
"""What a figure depends on beside the contestants: machine, kernel, compiler, and each contestant's version."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from harness.manifest import Contestant


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.strip().splitlines()
    return lines[0].strip() if lines and done.returncode == 0 else ""


def _proc_value(path: str, key: str) -> str:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "")


def _kernel_value(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def describe() -> dict[str, str | int]:
    try:
        system = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        system = ""
    return {
        "processor": _proc_value("/proc/cpuinfo", "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "memory": _proc_value("/proc/meminfo", "MemTotal"),
        "virtual": "hypervisor" in _proc_value("/proc/cpuinfo", "flags").split(),
        "kernel": platform.release(),
        "system": system,
        "congestion_control": _kernel_value("/proc/sys/net/ipv4/tcp_congestion_control"),
        "compiler": _first_line(["c++", "--version"]),
        "python": platform.python_version(),
        "go": _first_line(["go", "version"]),
        "node": _first_line(["node", "--version"]),
    }


def load_average() -> float:
    return os.getloadavg()[0]


def version_of(contestant: Contestant) -> str:
    return _first_line(list(contestant.version))

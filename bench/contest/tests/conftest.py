# SPDX-License-Identifier: MIT
"""Puts the harness on the path, and makes contestants of a few lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

CONTEST = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CONTEST))

#: The contest reads TOML by the standard library, which can from 3.11 on.
collect_ignore_glob = [] if sys.version_info >= (3, 11) else ["test_*.py"]
if TYPE_CHECKING or not collect_ignore_glob:
    from harness.manifest import Contestant, Places, read_manifest

#: Echoes bytes; the client compares them, says what it has measured and notes that it ran.
SERVER = """
import socket, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
print("listening on", "127.0.0.1:%d" % listener.getsockname()[1], flush=True)
def serve():
    while True:
        connection, _ = listener.accept()
        data = connection.recv(64)
        connection.sendall(data if "ANSWER" == "right" else b"wrong")
        connection.close()
threading.Thread(target=serve, daemon=True).start()
sys.stdin.read()
"""
CLIENT = """
import json, pathlib, socket, sys
target, rate = sys.argv[1], float(sys.argv[2])
with pathlib.Path(r"LOG").open("a") as log:
    log.write("NAME\\n")
host, _, port = target.rpartition(":")
with socket.create_connection((host, int(port))) as connection:
    connection.sendall(b"known payload")
    if connection.recv(64) != b"known payload":
        sys.exit("an answer is wrong")
CRASH
runs = len([line for line in pathlib.Path(r"LOG").read_text().split() if line == "NAME"])
report = {"calls": 100, "seconds": 1, "calls_per_second": rate * runs, "p99_us": 5.0, "cpu_seconds": 0.1}
print(json.dumps(report), flush=True)
"""
MANIFEST = """
title = "NAME"
language = "Python"
settings = "a test"
server = ["{python_here}", "{folder}/server.py"]
client = ["{python_here}", "{folder}/client.py", "{target}", "RATE"]
version = ["{python_here}", "--version"]
can = ["echo"]
"""

Make = Callable[..., "Contestant"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A line for each run of a client, in order."""
    return tmp_path / "log"


@pytest.fixture
def make(tmp_path: Path, log: Path) -> Make:
    """A contestant whose rate is ``rate`` in its first run, twice that in its second and so on."""

    def made(name: str, *, rate: float = 1000, answer: str = "right", crash: str = "", extra: str = "") -> Contestant:
        folder = tmp_path / name
        folder.mkdir()
        words = {"CRASH": crash, "NAME": name, "RATE": str(rate), "ANSWER": answer, "LOG": str(log)}
        texts: dict[str, Any] = {"server.py": SERVER, "client.py": CLIENT, "contestant.toml": MANIFEST + extra}
        for file, text in texts.items():
            for word, value in words.items():
                text = text.replace(word, value)
            (folder / file).write_text(text.replace("{python_here}", sys.executable), encoding="utf-8")
        return read_manifest(folder, Places(tmp_path))

    return made

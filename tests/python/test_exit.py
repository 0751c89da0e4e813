# SPDX-License-Identifier: MIT
"""The end of the interpreter while daemon threads are in the middle of calls."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .test_life import TIMES, scenarios

pytestmark = scenarios

SCRIPT = """
import threading, time
import trunkline

server = trunkline.Server(threads=4)

@server.method
def echo(request: bytes) -> bytes:
    return request

BEGIN
channel = trunkline.Channel(endpoint)

calls = threading.Semaphore(0)

def call() -> None:
    while True:
        try:
            channel.call("echo", b"y")
            calls.release()
        except BaseException:
            return

for _ in range(4):
    threading.Thread(target=call, daemon=True).start()
for _ in range(100):
    assert calls.acquire(timeout=20)
"""


@pytest.mark.parametrize(
    "begin",
    [
        'running = server.serve("tcp://127.0.0.1:0"); endpoint = running.endpoint',
        'endpoint = server.serve("tcp://127.0.0.1:0").endpoint',
    ],
    ids=["kept", "dropped"],
)
def test_exit_amid_calls_of_daemon_threads(begin: str) -> None:
    for _ in range(max(5, TIMES)):
        script = SCRIPT.replace("BEGIN", begin)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=200)
        assert (done.returncode, done.stderr) == (0, "")

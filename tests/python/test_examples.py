# SPDX-License-Identifier: MIT
"""Examples 01 to 05: servers and clients in both languages, in all pairs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Where the C++ examples have been built; without it only Python's are played.
BUILT = os.environ.get("TRUNKLINE_BUILT_EXAMPLES", "")

SERVERS = {"python": [sys.executable, str(EXAMPLES / "example_server.py")]}
CLIENTS = {"python": [sys.executable, str(EXAMPLES / "quickstart_client.py")]}
if BUILT:
    SERVERS["cpp"] = [f"{BUILT}/example_server"]
    CLIENTS["cpp"] = [f"{BUILT}/quickstart_client"]

pytestmark = pytest.mark.skipif(shutil.which("protoc") is None, reason="needs protoc")


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("client", CLIENTS)
def test_pair(server: str, client: str) -> None:
    serving = subprocess.Popen([*SERVERS[server], "tcp://127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        endpoint = serving.stdout.readline().removeprefix("listening on ").strip()
        files = sorted(str(path) for path in (EXAMPLES / "01_hello").glob("*.cpp"))
        called = subprocess.run([*CLIENTS[client], endpoint, *files], capture_output=True, text=True, timeout=60)
        assert called.returncode == 0, called.stdout + called.stderr
        assert "all answers are right" in called.stdout
        serving.send_signal(signal.SIGTERM)
        assert "stopped: ok" in serving.communicate(timeout=20)[0]
        assert serving.returncode == 0
    finally:
        serving.kill()
        serving.wait()

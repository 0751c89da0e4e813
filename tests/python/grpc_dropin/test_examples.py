# SPDX-License-Identifier: MIT
"""Programs as grpcio's examples are: servers and clients of either implementation, in processes of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .pairs import PAIRS

TESTS = Path(__file__).parents[2]
DEFINITIONS = Path(__file__).parent / "examples"

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")

#: What the client of each example sees.
EXPECTED = {
    "async_greeter": ["Hello, first!", "Hello, stop!", "refused: True", "Hello, last!", "OK"],
    "async_streaming": ["x 0", "x 1", "x 2", "A", "B", "y 0", "y 1", "y 2", "OK"],
    "auth": ["Hello, signed! ssl", "UNAUTHENTICATED: no valid signature"],
    "cancellation": [
        "begun: True",
        "once",
        "CANCELLED",
        "cancelled: True, True",
        "FutureCancelledError",
        "both were cancelled: True",
    ],
    "compression": ["True"] * 12,
    "errors": ["RESOURCE_EXHAUSTED: no more greetings: you", "UNKNOWN"],
    "health": ["SERVING", "NOT_SERVING", "NOT_SERVING", "NOT_FOUND"],
    "helloworld": ["Hello, you!"],
    "interceptors": ["Hello, you!", "HELLO, YOU!", "HELLO, YOU!", "UNAUTHENTICATED: access denied"],
    "keep_alive": ["Hello, you!"],
    "metadata": ["first b'\\x01\\x02'", "1", "b'\\x00\\xff'", "false"],
    "multiplex": ["Hello, you!", "bridge"],
    "retry": ["Hello, you, attempt 3"],
    "route_guide": ["mill", "", "bridge", "mill", "3 points, 2 features", "0", "1"],
    "timeout": ["has a deadline: True", "DEADLINE_EXCEEDED", "first", "DEADLINE_EXCEEDED"],
    "wait_for_ready": ["UNAVAILABLE", "done: False", "started", "Hello, late!"],
}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[str]]]:
    """What the clients have seen: pair, example, lines."""
    folder = tmp_path_factory.mktemp("examples")
    certificate = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", "server.key", "-out", "server.pem"]
    command = ["openssl", "req", "-x509", *certificate, *names, *files]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    path = os.pathsep.join([str(DEFINITIONS), *sys.path])
    environment = {**os.environ, "EXAMPLES_FOLDER": str(folder), "PYTHONPATH": path}

    def start(side: str, implementation: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "python.grpc_dropin.examples.processes", side, implementation]
        return subprocess.Popen(
            command, cwd=TESTS, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    running = {}
    for name in PAIRS:
        client, _, server = name.partition("-to-")
        running[name] = start("servers", server), start("clients", client)
    try:
        lines = {}
        for servers, clients in running.values():
            assert servers.stdout is not None and clients.stdin is not None
            clients.stdin.write(servers.stdout.readline())
            clients.stdin.flush()
        for name, (servers, clients) in running.items():
            lines[name] = json.loads(clients.communicate(timeout=200)[0])
            servers.communicate(timeout=200)
            assert (clients.returncode, servers.returncode) == (0, 0), name
        return lines
    finally:
        for process in [each for both in running.values() for each in both]:
            process.kill()
            process.wait()


@pytest.mark.parametrize("example", EXPECTED)
@pytest.mark.parametrize("pair_name", PAIRS)
def test_example(seen: dict[str, dict[str, list[str]]], pair_name: str, example: str) -> None:
    assert seen[pair_name][example] == EXPECTED[example]

# SPDX-License-Identifier: MIT
"""The programs of the READMEs, and how those of the repository's are run: a server, then its clients."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
from pathlib import Path

from . import pages

ROOT = pages.ROOT


def programs(readme: Path) -> list[str]:
    return [program.text for program in pages.programs(readme, "python")]


def shown_by_curl(port: str) -> list[tuple[str, str]]:
    """What the commands with ``curl`` print that the README gives an output for, beside that output."""
    [block] = [shown.text for shown in pages.programs(ROOT / "README.md", "sh") if shown.text.startswith("curl ")]
    found = []
    for line in block.replace("8888", port).splitlines():
        command, _, output = line.partition("   #")
        if output.lstrip(" #").startswith("{"):
            done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=250)
            found.append((done.stdout.strip(), output.lstrip(" #")))
    return found


def serve_and_call(python: str, folder: Path) -> None:
    """Runs a server and its clients with the interpreter ``python``, from copies of the programs in the empty
    ``folder``. Raises AssertionError."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    for text in programs(ROOT / "README.md"):
        name = text.splitlines()[0].removeprefix("# ")
        (folder / name).write_text(text.replace("8888", port))
    assert {path.name for path in folder.iterdir()} == {"server.py", "client.py", "async_client.py", "grpc_client.py"}

    def command(name: str) -> list[str]:
        return [python, "-W", "error", str(folder / name)]

    serving = subprocess.Popen(
        command("server.py"), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert serving.stdout is not None
        assert serving.stdout.readline() == f"listening on tcp://127.0.0.1:{port}\n"
        blocking = subprocess.run(command("client.py"), cwd=folder, capture_output=True, text=True, timeout=250)
        asynchronous = subprocess.run(
            command("async_client.py"), cwd=folder, capture_output=True, text=True, timeout=250
        )
        over_grpc = subprocess.run(command("grpc_client.py"), cwd=folder, capture_output=True, text=True, timeout=250)
        by_curl = shown_by_curl(port) if shutil.which("curl") else None
    finally:
        serving.send_signal(signal.SIGTERM)
        errors = serving.communicate(timeout=100)[1]

    assert blocking.stdout == "hello, world\n1000\ninvalid_argument: greet: name is empty\n", blocking.stderr
    assert asynchronous.stdout == "['hello, ann', 'hello, bob']\n", asynchronous.stderr
    assert over_grpc.stdout == "hello, gRPC\ninvalid_argument: greet: name is empty\n", over_grpc.stderr
    if by_curl is not None:
        assert len(by_curl) == 2
        assert all(printed == shown for printed, shown in by_curl), by_curl
    assert (serving.returncode, errors) == (0, "")

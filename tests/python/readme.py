# SPDX-License-Identifier: MIT
"""The programs of the READMEs, and how those of the repository's are run: a server, then its clients."""

from __future__ import annotations

import signal
import socket
import subprocess
from pathlib import Path

from . import pages

ROOT = pages.ROOT


def programs(readme: Path) -> list[str]:
    return [program.text for program in pages.programs(readme, "python")]


def serve_and_call(python: str, folder: Path) -> None:
    """Runs a server and its clients with the interpreter ``python``, from copies of the programs in the empty
    ``folder``. Raises AssertionError."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    for text in programs(ROOT / "README.md"):
        name = text.splitlines()[0].removeprefix("# ")
        (folder / name).write_text(text.replace("8888", port))
    assert {path.name for path in folder.iterdir()} == {"server.py", "client.py", "async_client.py"}

    def command(name: str) -> list[str]:
        return [python, "-W", "error", str(folder / name)]

    serving = subprocess.Popen(
        command("server.py"), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert serving.stdout is not None
        assert serving.stdout.readline() == f"listening on tcp://127.0.0.1:{port}\n"
        blocking = subprocess.run(command("client.py"), cwd=folder, capture_output=True, text=True, timeout=60)
        asynchronous = subprocess.run(
            command("async_client.py"), cwd=folder, capture_output=True, text=True, timeout=60
        )
    finally:
        serving.send_signal(signal.SIGTERM)
        errors = serving.communicate(timeout=20)[1]

    assert blocking.stdout == "hello, world\n1000\ninvalid_argument: greet: name is empty\n", blocking.stderr
    assert asynchronous.stdout == "['hello, ann', 'hello, bob']\n", asynchronous.stderr
    assert (serving.returncode, errors) == (0, "")

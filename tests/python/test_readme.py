# SPDX-License-Identifier: MIT
"""The programs that both READMEs show, each in a process of its own."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def programs(readme: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", readme.read_text(), re.DOTALL)


PRINTED = ["hello, world\n['hello, ann', 'hello, bob']\n", "hello, world\n", "", "stalled\nTrue\n", "42\n"]


@pytest.mark.parametrize("number", range(len(PRINTED)))
def test_program(number: int, tmp_path: Path) -> None:
    shown = programs(ROOT / "python" / "README.md")
    assert len(shown) == len(PRINTED)
    program = tmp_path / "program.py"
    program.write_text(shown[number])

    done = subprocess.run([sys.executable, "-W", "error", str(program)], capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED[number], "")


def test_a_server_and_its_clients(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    for text in programs(ROOT / "README.md"):
        name = text.splitlines()[0].removeprefix("# ")
        (tmp_path / name).write_text(text.replace("8888", port))
    assert {path.name for path in tmp_path.iterdir()} == {"server.py", "client.py", "async_client.py"}

    def command(name: str) -> list[str]:
        return [sys.executable, "-W", "error", str(tmp_path / name)]

    serving = subprocess.Popen(command("server.py"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        assert serving.stdout.readline() == f"listening on tcp://127.0.0.1:{port}\n"
        blocking = subprocess.run(command("client.py"), capture_output=True, text=True, timeout=60)
        asynchronous = subprocess.run(command("async_client.py"), capture_output=True, text=True, timeout=60)
    finally:
        serving.send_signal(signal.SIGTERM)
        errors = serving.communicate(timeout=20)[1]

    assert blocking.stdout == "hello, world\n1000\ninvalid_argument: greet: name is empty\n", blocking.stderr
    assert asynchronous.stdout == "['hello, ann', 'hello, bob']\n", asynchronous.stderr
    assert (serving.returncode, errors) == (0, "")

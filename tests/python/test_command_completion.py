# SPDX-License-Identifier: MIT
"""Completion in the shells that are installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .commanding import COMMAND, needs_command, run

pytestmark = needs_command

#: Completes the words given, the last of which is being typed, and prints what may stand there.
COMPLETE = """
source <("$0" completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
COMPREPLY=()
_trunkline
printf '%s\\n' "${COMPREPLY[@]}"
"""


def complete(*words: str, folder: Path | None = None) -> list[str]:
    script = ["bash", "--norc", "-c", COMPLETE, COMMAND, "trunkline", *words]
    completed = subprocess.run(script, capture_output=True, text=True, check=True, cwd=folder)
    assert completed.stderr == ""
    return completed.stdout.split()


def test_commands() -> None:
    commands = ["list", "call", "health", "stats", "bench", "serve", "completion"]
    assert complete("") == [*commands, "-h", "--help", "--version"]
    assert complete("s") == ["stats", "serve"]


def test_options_of_a_command() -> None:
    assert complete("call", "tcp://localhost:1", "--j") == ["--json"]
    assert complete("stats", "--wat") == ["--watch"]
    assert complete("list", "--json", "--j") == []


def test_all_options_that_help_lists() -> None:
    for command in ("list", "call", "health", "stats", "serve", "completion"):
        options = run(command, "--help").output.split("Examples:")[0]
        listed = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", options, re.MULTILINE))
        assert "--help" in listed
        assert listed <= set(complete(command, "-"))


def test_values() -> None:
    assert complete("call", "x", "y", "--codec", "") == ["protobuf", "json", "msgpack", "bytes"]
    assert complete("call", "x", "y", "--compressor", "z") == ["zstd"]
    assert complete("completion", "") == ["-h", "--help", "bash", "zsh", "fish"]


def test_files(tmp_path: Path) -> None:
    (tmp_path / "some.proto").touch()
    (tmp_path / "folder").mkdir()

    assert complete("list", "x", "--proto", "so", folder=tmp_path) == ["some.proto"]
    assert complete("list", "x", "-I", "", folder=tmp_path) == ["folder"]
    assert complete("list", "x", "--server-name", "", folder=tmp_path) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_takes_its_script(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    script = tmp_path / "script"
    script.write_text(run("completion", shell).output)

    checked = subprocess.run([program, "-n", str(script)], capture_output=True, text=True)

    assert (checked.returncode, checked.stderr) == (0, "")

# SPDX-License-Identifier: MIT
"""The manual page of the command: made of its help, and complete."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .commanding import COMMAND, needs_command, run
from .pages import ROOT

SCRIPT = ROOT / "src/cli/man_page.py"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("man") / "trunkline.1"
    subprocess.run([sys.executable, SCRIPT, COMMAND, "1.2.3", path], check=True)
    return path


@needs_command
@pytest.mark.parametrize("command", ["list", "call", "health", "stats", "bench", "bench serve", "serve", "completion"])
def test_the_page_has_every_option_of_a_command(page: Path, command: str) -> None:
    text = page.read_text().replace("\\-", "-")
    section = text.partition(f'.SS "trunkline {command}"\n')[2].partition("\n.SS ")[0]

    options = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", run(*command.split(), "--help").output, re.MULTILINE))

    assert options - {"--help"} == {name for name in options if re.search(rf"^\.B .*{name}\b", section, re.MULTILINE)}


@needs_command
def test_the_page_names_the_version_and_every_command(page: Path) -> None:
    text = page.read_text()

    commands = re.findall(r"^  ([a-z]+)  ", run("--help").output.partition("Subcommands:")[2], re.MULTILINE)

    assert commands
    assert text.startswith('.TH TRUNKLINE 1 "" "trunkline 1.2.3"')
    assert all(f'.SS "trunkline {command}"' in text for command in commands)


@needs_command
@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_page_is_formatted_without_a_warning(page: Path) -> None:
    done = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")

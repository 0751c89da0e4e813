# SPDX-License-Identifier: MIT
"""The programs that both READMEs show, each in its own process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .readme import ROOT, programs, serve_and_call

PRINTED = [
    "hello, world\n['hello, ann', 'hello, bob']\n",
    "hello, world\n",
    "(2, 500000) 2.0\n4000000\n",
    "",
    "SERVING\nNOT_SERVING\n",
    "stalled\nTrue\n",
    "42\n",
]


@pytest.mark.parametrize("number", range(len(PRINTED)))
def test_program(number: int, tmp_path: Path) -> None:
    shown = programs(ROOT / "python" / "README.md")
    assert len(shown) == len(PRINTED)
    program = tmp_path / "program.py"
    program.write_text(shown[number])

    done = subprocess.run([sys.executable, "-W", "error", str(program)], capture_output=True, text=True, timeout=250)

    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED[number], "")


def test_a_server_and_its_clients(tmp_path: Path) -> None:
    serve_and_call(sys.executable, tmp_path)

# SPDX-License-Identifier: MIT
"""The README's programs, each in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "python" / "README.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
PRINTED = ["hello, world\n['hello, ann', 'hello, bob']\n", "hello, world\n", ""]


@pytest.mark.parametrize("number", range(len(PRINTED)))
def test_program(number: int, tmp_path: Path) -> None:
    assert len(PROGRAMS) == len(PRINTED)
    program = tmp_path / "program.py"
    program.write_text(PROGRAMS[number])

    done = subprocess.run([sys.executable, "-W", "error", str(program)], capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED[number], "")

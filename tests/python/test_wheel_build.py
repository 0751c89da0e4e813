# SPDX-License-Identifier: MIT
"""A wheel is not built without TLS unless that is asked for."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .pages import ROOT


def defines() -> list[str]:
    """What pyproject.toml passes to CMake."""
    table = (ROOT / "pyproject.toml").read_text().partition("[tool.scikit-build.cmake.define]")[2].partition("\n[")[0]
    return [f"-D{name}={value}" for name, value in re.findall(r'^(\w+) = "(\w+)"$', table, re.MULTILINE)]


@pytest.mark.skipif(shutil.which("cmake") is None or shutil.which("ninja") is None, reason="needs cmake and ninja")
def test_a_build_without_tls_fails(tmp_path: Path) -> None:
    configure = ["cmake", "-S", str(ROOT), "-B", str(tmp_path), "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}"]

    done = subprocess.run(
        [*configure, *defines(), "-DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON"], capture_output=True, text=True
    )

    assert "-DTRUNKLINE_BUILD_PYTHON=ON" in defines()
    assert done.returncode != 0
    assert "TRUNKLINE_WITH_TLS=ON, but openssl was not found" in done.stderr

# SPDX-License-Identifier: MIT
"""grpcio calls a server in C++, and a client in C++ calls grpcio (tests/interop/README.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

INTEROP = Path(__file__).parents[1] / "interop"
#: Where the C++ programs have been built.
BUILT = os.environ.get("TRUNKLINE_BUILT_INTEROP", "")

pytestmark = pytest.mark.skipif(not BUILT, reason="the C++ programs are not built")


@pytest.mark.parametrize(
    ("script", "program"), [("grpc_client.py", "grpc_server"), ("grpcio_server.py", "grpcio_client")]
)
def test_every_case_passes(script: str, program: str) -> None:
    done = subprocess.run(
        [sys.executable, INTEROP / script, f"{BUILT}/{program}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=180,
    )

    assert done.returncode == 0, done.stdout

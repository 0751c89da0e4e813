# SPDX-License-Identifier: MIT
"""Every case of tests/interop that leaves the server alive, through proxies that pass connections on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .backends import BUILT
from .proxies import Proxy

TESTS = Path(__file__).parents[1]


def program(side: str, role: str) -> list[str]:
    if side == "cpp":
        return [f"{BUILT}/interop_{role}"]
    return [sys.executable, "-W", "error", "-m", f"python.interop.{role}", side]


@contextmanager
def serving(side: str) -> Iterator[str]:
    """The address of a server."""
    command = [*program(side, "server"), "tcp://127.0.0.1:0"]
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1].removeprefix("tcp://")
        finally:
            process.kill()


@pytest.mark.parametrize("side", ["cpp", "blocking", "asyncio"])
def test_every_case(proxy_name: str, side: str, tmp_path: Path) -> None:
    if side == "cpp" and BUILT is None:
        pytest.skip("TRUNKLINE_BUILT_INTEROP is not set")
    # The cases of one client share what the server keeps, so that both entries are the same server.
    with serving(side) as address, Proxy(proxy_name, (address, address), tmp_path) as proxy:
        done = subprocess.run(
            [*program(side, "client"), f"tcp://{proxy.native}"], cwd=TESTS, capture_output=True, text=True, timeout=50
        )

    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith("ok ")] == [], done.stderr
    assert len(lines) > 40
    assert done.returncode == 0

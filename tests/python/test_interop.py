# SPDX-License-Identifier: MIT
"""Conformance across languages: every client plays every case against every server (tests/interop/README.md)."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .interop.all_cases import CASES

TESTS = Path(__file__).parents[1]
#: Where the C++ programs have been built; without it only Python's are played.
BUILT = os.environ.get("TRUNKLINE_BUILT_INTEROP", "")
SIDES = ["blocking", "asyncio", *(["cpp"] if BUILT else [])]

ENDING_CASES = [name for name, case in CASES.items() if case.ends_server]
OTHER_CASES = [name for name in CASES if name not in ENDING_CASES]


def program(side: str, role: str) -> list[str]:
    if side == "cpp":
        return [f"{BUILT}/interop_{role}"]
    return [sys.executable, "-W", "error", "-m", f"python.interop.{role}", side]


class Server:
    def __init__(self, side: str) -> None:
        self.process = subprocess.Popen(
            [*program(side, "server"), "tcp://127.0.0.1:0"],
            cwd=TESTS,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.endpoint = self.process.stdout.readline().removeprefix("listening on ").strip()

    def wait(self) -> tuple[int, str]:
        """Waits for the end of the server. Returns its exit status and its output since it began to listen."""
        said, errors = self.process.communicate(timeout=30)
        return self.process.returncode, said if self.process.returncode == 0 else said + errors


@contextmanager
def serving(side: str) -> Iterator[Server]:
    server = Server(side)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


def play(side: str, endpoint: str, *cases: str) -> dict[str, str]:
    """Returns the outcome of each case: "ok", or the error."""
    done = subprocess.run(
        [*program(side, "client"), endpoint, *cases], cwd=TESTS, capture_output=True, text=True, timeout=50
    )
    results = {}
    for line in done.stdout.splitlines():
        outcome, name = line.split(": ")[0].split(" ", 1)
        results[name] = "ok" if outcome == "ok" else line
    reported = f"client ended with {done.returncode}: {done.stderr}"
    if done.returncode not in (0, 1) or not results:
        raise AssertionError(reported)
    return {name: result if result == "ok" else f"{result}\n{reported}" for name, result in results.items()}


@functools.lru_cache(maxsize=None)
def played(server: str, client: str) -> dict[str, str]:
    """Plays all cases that leave the server alive, for one pair of client and server, then shuts the server down."""
    try:
        with serving(server) as running:
            results = play(client, running.endpoint)
            running.process.send_signal(signal.SIGTERM)
            code, said = running.wait()
        assert (code, said) == (0, "stopped: ok\n"), said
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return dict.fromkeys(OTHER_CASES, f"{type(error).__name__}: {error}")
    return results


pairs = pytest.mark.parametrize(("server", "client"), [(server, client) for server in SIDES for client in SIDES])


@pytest.mark.parametrize("case", OTHER_CASES)
@pairs
def test_case(server: str, client: str, case: str) -> None:
    assert played(server, client).get(case, "was not played") == "ok"


@pairs
def test_drain(server: str, client: str) -> None:
    with serving(server) as running:
        results = play(client, running.endpoint, "drain")
        code, said = running.wait()

    assert results == {"drain": "ok"}
    assert (code, said) == (0, "stopped: ok\n"), said


@pairs
def test_killed_server(server: str, client: str) -> None:
    with serving(server) as running:
        results = play(client, running.endpoint, "killed_server")
        code, _ = running.wait()

    assert results == {"killed_server": "ok"}
    assert code == -signal.SIGKILL


@pytest.mark.skipif(not BUILT, reason="needs the C++ programs")
def test_both_languages_have_the_same_cases() -> None:
    listed = subprocess.run(
        [*program("cpp", "client"), "--list"], capture_output=True, text=True, check=True, timeout=20
    )
    assert sorted(listed.stdout.split()) == sorted(CASES)

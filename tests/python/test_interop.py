# SPDX-License-Identifier: MIT
"""Conformance across languages: every client plays every case against every server (tests/interop/README.md)."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from .interop.all_cases import CASES

TESTS = Path(__file__).parents[1]
#: Where the C++ programs have been built; without it only Python's are played.
BUILT = os.environ.get("TRUNKLINE_BUILT_INTEROP", "")
SIDES = ["blocking", "asyncio", *(["cpp"] if BUILT else [])]

ENDING_CASES = [name for name, case in CASES.items() if case.ends_server]
#: What clients call, and where the server listens for it: it answers every protocol there.
LISTENS = {
    **dict.fromkeys(("tcp", "grpc", "ws"), "tcp"),
    **(dict.fromkeys(("tls", "grpcs", "wss"), "tls") if shutil.which("openssl") else {}),
}
Ending = Callable[[str, str, str], tuple[dict[str, str], int, str]]
#: As many as there are usually cores.
PLAYERS = ThreadPoolExecutor(2)

OTHER_CASES = [name for name in CASES if name not in ENDING_CASES]


def program(side: str, role: str) -> list[str]:
    if side == "cpp":
        return [f"{BUILT}/interop_{role}"]
    return [sys.executable, "-W", "error", "-m", f"python.interop.{role}", side]


@pytest.fixture(scope="session", autouse=True)
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Certificates for both sides of TLS, where the programs look for them."""
    folder = str(tmp_path_factory.mktemp("certificates"))
    if "tls" in LISTENS:
        subprocess.run([TESTS.parent / "examples" / "06_tls" / "make_certificates", folder], check=True)
    with pytest.MonkeyPatch.context() as patch:
        if "tls" in LISTENS:
            patch.setenv("INTEROP_CERTIFICATES", folder)
        yield


def environment() -> dict[str, str]:
    """A copy of the environment, for programs that the threads of ``PLAYERS`` start: pytest changes the environment for
    each test, and where subprocess is given none, a program that is just being started may find it half changed."""
    return dict(os.environ)


class Server:
    def __init__(self, side: str, *schemes: str) -> None:
        transports = sorted({LISTENS[scheme] for scheme in schemes})
        self.process = subprocess.Popen(
            [*program(side, "server"), *(f"{transport}://127.0.0.1:0" for transport in transports)],
            cwd=TESTS,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self._addresses = {}
        for transport in transports:
            endpoint = self.process.stdout.readline().removeprefix("listening on ").strip()
            self._addresses[transport] = endpoint.removeprefix(f"{transport}://")

    def endpoint(self, scheme: str) -> str:
        """The URI by which a client calls it."""
        return f"{scheme}://{self._addresses[LISTENS[scheme]]}"

    def wait(self) -> tuple[int, str]:
        """Waits for the end of the server. Returns its exit status and its output since it began to listen."""
        said, errors = self.process.communicate(timeout=60)
        return self.process.returncode, said if self.process.returncode == 0 else said + errors


@contextmanager
def serving(side: str, *schemes: str) -> Iterator[Server]:
    server = Server(side, *schemes)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


def play(side: str, endpoint: str, *cases: str) -> dict[str, str]:
    """Returns the outcome of each case: "ok", or the error."""
    done = subprocess.run(
        [*program(side, "client"), endpoint, *cases],
        cwd=TESTS,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=250,
    )
    results = {}
    for line in done.stdout.splitlines():
        outcome, name = line.split(": ")[0].split(" ", 1)
        results[name] = "ok" if outcome == "ok" else line
    reported = f"client ended with {done.returncode}: {done.stderr}"
    if done.returncode not in (0, 1) or not results:
        raise AssertionError(reported)
    return {name: result if result == "ok" else f"{result}\n{reported}" for name, result in results.items()}


def play_through(server: str, client: str) -> dict[str, dict[str, str]]:
    """Plays all cases that leave the server alive, over every scheme, then shuts the server down. The outcomes, by
    scheme and case."""
    try:
        with serving(server, *LISTENS) as running:
            results = {scheme: play(client, running.endpoint(scheme)) for scheme in LISTENS}
            running.process.send_signal(signal.SIGTERM)
            code, said = running.wait()
        assert (code, said) == (0, "stopped: ok\n"), said
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return {scheme: dict.fromkeys(OTHER_CASES, f"{type(error).__name__}: {error}") for scheme in LISTENS}
    return results


def drain(server: str, client: str, scheme: str) -> tuple[dict[str, str], int, str]:
    """Plays the case `drain`. Returns its outcome, and the end of the server."""
    with serving(server, scheme) as running:
        results = play(client, running.endpoint(scheme), "drain")
        return (results, *running.wait())


def kill(server: str, client: str, scheme: str) -> tuple[dict[str, str], int, str]:
    """The same for `killed_server`."""
    with serving(server, scheme) as running:
        results = play(client, running.endpoint(scheme), "killed_server")
        return (results, *running.wait())


PAIRS = [(server, client) for server in SIDES for client in SIDES]


# The programs of one pair wait most of the time, so two of them play at once.
@functools.lru_cache(maxsize=None)
def all_played() -> dict[tuple[str, str], Future[dict[str, dict[str, str]]]]:
    return {pair: PLAYERS.submit(play_through, *pair) for pair in PAIRS}


@functools.lru_cache(maxsize=None)
def all_ended(ending: Ending) -> dict[tuple[str, str, str], Future[tuple[dict[str, str], int, str]]]:
    return {(*pair, scheme): PLAYERS.submit(ending, *pair, scheme) for pair in PAIRS for scheme in LISTENS}


schemes = pytest.mark.parametrize("scheme", LISTENS)
pairs = pytest.mark.parametrize(("server", "client"), PAIRS)


@pytest.mark.parametrize("case", OTHER_CASES)
@schemes
@pairs
def test_case(server: str, client: str, scheme: str, case: str) -> None:
    assert all_played()[server, client].result()[scheme].get(case, "was not played") == "ok"


@schemes
@pairs
def test_drain(server: str, client: str, scheme: str) -> None:
    results, code, said = all_ended(drain)[server, client, scheme].result()

    assert results == {"drain": "ok"}
    assert (code, said) == (0, "stopped: ok\n"), said


@schemes
@pairs
def test_killed_server(server: str, client: str, scheme: str) -> None:
    results, code, _ = all_ended(kill)[server, client, scheme].result()

    assert results == {"killed_server": "ok"}
    assert code == -signal.SIGKILL


@pytest.mark.skipif(not BUILT, reason="needs the C++ programs")
def test_both_languages_have_the_same_cases() -> None:
    listed = subprocess.run(
        [*program("cpp", "client"), "--list"], capture_output=True, text=True, check=True, timeout=20
    )
    assert sorted(listed.stdout.split()) == sorted(CASES)

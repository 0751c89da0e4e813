# SPDX-License-Identifier: MIT
"""One run of one contestant under one load: server, client, what the client reports and what /proc says of both."""

from __future__ import annotations

import contextlib
import json
import shlex
import struct
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.load import Load
from harness.manifest import Contestant
from harness.process import Program, RunFailed, RunTooSlow, Watch, cores_of_side, cpu_seconds, peak_bytes
from harness.results import few_windows

#: Seconds for a server to listen.
START_SECONDS = 30.0
#: Seconds for a client to connect, and for what it has under way to be answered, beyond the time that it is told to
#: call.
END_SECONDS = 15.0
#: Of the stream that a slow reader reads.
SLOW_BYTES = 65536
#: Beyond which no run is made longer for a deep window to go round.
LONGEST_SECONDS = 3.0

ROOT = Path(__file__).resolve().parents[3]
Run = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Timing:
    seconds: float = 1.0
    warmup: float = 0.3
    rounds: int = 5
    #: Each side on its half of the cores.
    pin: bool = True


@dataclass(frozen=True)
class Tools:
    """What a run needs beside the contestant; files that need not be there unless a load asks for them."""

    certificate: Path
    key: Path
    #: The library that counts allocations of the C library.
    counter: Path


def measure(contestant: Contestant, load: Load, timing: Timing, tools: Tools) -> Run:
    """Raises :class:`RunFailed`. The commands are part of the result."""
    timing = replace(timing, seconds=timing.seconds * load.stretch, warmup=timing.warmup * load.stretch)
    run = _windows(contestant, load, timing, tools)
    if load.allocations and not contestant.is_limit:
        run |= _allocations(contestant, load, timing, tools)
    return run


def _windows(contestant: Contestant, load: Load, timing: Timing, tools: Tools) -> Run:
    """Measured again, for the time of three windows, while fewer than two are answered; at last it is too slow."""
    seconds = timing.seconds
    while True:
        run = _run(contestant, load, seconds, timing, tools)
        if run["calls"] >= 2 * load.outstanding:
            return run
        if seconds >= LONGEST_SECONDS:
            raise RunTooSlow(few_windows(seconds))
        needed = seconds * 3 * load.outstanding / run["calls"] if run["calls"] else LONGEST_SECONDS
        seconds = min(LONGEST_SECONDS, max(2 * seconds, needed))


def _words(tools: Tools) -> dict[str, str]:
    return {"certificate": str(tools.certificate), "key": str(tools.key)}


def _target(server: Program) -> str:
    """Every server's first line ends with where it listens."""
    words = server.line(START_SECONDS).split()
    if not words:
        raise RunFailed("the server's first line names no target")
    return words[-1]


def _named(side: str, error: RunFailed) -> RunFailed:
    return type(error)(f"{side}: {error}")


def _run(
    contestant: Contestant,
    load: Load,
    seconds: float,
    timing: Timing,
    tools: Tools,
    preloads: dict[str, dict[str, str]] | None = None,
) -> Run:
    environment = {side: {**contestant.environment, **(preloads or {}).get(side, {})} for side in ("server", "client")}
    cores = {side: cores_of_side(side, timing.pin) for side in ("server", "client")}

    def start(side: str, command: list[str]) -> Program:
        return Program(command, cores=cores[side], environment=environment[side])

    with contextlib.ExitStack() as stack:
        words = _words(tools)
        try:
            if load.work == "fan_out":
                command = contestant.server_command(load, {**words, "work": "echo"})
                words["backend"] = _target(stack.enter_context(start("server", command)))
            server = stack.enter_context(start("server", contestant.server_command(load, words)))
            words["target"] = _target(server)
        except RunFailed as error:
            raise _named("server", error) from None
        words |= {"seconds": f"{seconds:.3g}", "warmup": f"{timing.warmup:.3g}"}
        slowly = {"work": "slow_reader", "bytes": str(SLOW_BYTES), "connections": "1", "outstanding": "1"}
        try:
            if load.slow_reader:
                command = contestant.client_command(load, {**words, **slowly})
                stack.enter_context(start("client", command)).line(START_SECONDS)
            client = stack.enter_context(start("client", contestant.client_command(load, words)))
            run = _watched(server, client, seconds + timing.warmup + END_SECONDS)
        except RunFailed as error:
            raise _named("client", error) from None
        if contestant.allocations == "self":
            run |= _self_told(server.stop(grace=2.0), run)
    return run


def _watched(server: Program, client: Program, seconds: float) -> Run:
    before = cpu_seconds(server.pid)
    with Watch(server.pid) as server_watch, Watch(client.pid) as client_watch:
        report = _report(client.line(seconds))
        if code := client.end_code(END_SECONDS):
            raise RunFailed(f"ended with {code}: {client.errors}")
    server_cpu = max(cpu_seconds(server.pid), server_watch.cpu_seconds) - before
    all_calls = max(1, int(report.get("all_calls") or report["calls"]))
    if "cpu_seconds" in report:
        client_cpu = report["cpu_seconds"] / max(1, report["calls"])
    else:
        client_cpu = client_watch.cpu_seconds / all_calls
    run: Run = {
        **report,
        "client_cpu_us_per_call": report.get("cpu_us_per_call", client_cpu * 1e6),
        "server_cpu_us_per_call": server_cpu * 1e6 / all_calls,
        "server_peak_bytes": max(server_watch.peak_bytes, peak_bytes(server.pid)),
        "client_peak_bytes": client_watch.peak_bytes,
        "commands": {"server": shown(server.command), "client": shown(client.command)},
    }
    return run


def shown(command: list[str]) -> str:
    """As it would be typed at the root of the source tree."""
    return shlex.join(part.replace(f"{ROOT}/", "") for part in command)


def _report(line: str) -> Run:
    """The client's line of JSON; raises :class:`RunFailed` if it does not count calls, or one failed."""
    try:
        report = json.loads(line)
    except json.JSONDecodeError:
        raise RunFailed(f"printed no report: {line[:200]!r}") from None
    if not isinstance(report, dict) or not isinstance(report.get("calls"), int):
        raise RunFailed(f"the report counts no calls: {line[:200]!r}")
    if report.get("errors"):
        raise RunFailed(f"{report['errors']} calls failed or were answered wrongly")
    if "calls_per_second" not in report:
        if report["calls"] and not report.get("seconds"):
            raise RunFailed(f"the report has neither calls_per_second nor seconds: {line[:200]!r}")
        report["calls_per_second"] = report["calls"] / report["seconds"] if report["calls"] else 0.0
    return report


def _self_told(line: str, run: Run) -> Run:
    """Sums what server and client say of their own heaps since they started."""
    try:
        told = json.loads(line)
        return {key: int(run[key]) + int(told[key]) for key in ("allocations", "allocated_bytes", "collections")}
    except (json.JSONDecodeError, KeyError, TypeError):
        return {}


def _allocations(contestant: Contestant, load: Load, timing: Timing, tools: Tools) -> Run:
    """Per call, of both sides: the slope between a short and a long run, so that starting and ending count nothing."""
    counts = []
    for share in (0.25, 1.0):
        with tempfile.TemporaryDirectory() as folder:
            files = {side: Path(folder) / side for side in ("server", "client")}
            preloads = None
            if contestant.allocations == "preload":
                preloads = {
                    side: {"LD_PRELOAD": str(tools.counter), "CONTEST_ALLOCATIONS": str(file)}
                    for side, file in files.items()
                }
            run = _run(contestant, load, timing.seconds * share, timing, tools, preloads)
            if preloads:
                run |= _counted(files.values())
            if "allocations" not in run:
                raise RunFailed("did not tell its allocations")
            counts.append((run["all_calls"], run["allocations"], run["allocated_bytes"]))
    calls = max(1, counts[1][0] - counts[0][0])
    return {
        "allocations_per_call": max(0.0, (counts[1][1] - counts[0][1]) / calls),
        "allocated_bytes_per_call": max(0.0, (counts[1][2] - counts[0][2]) / calls),
    }


def _counted(files: Any) -> Run:
    """What the preloaded library has written: two numbers of 64 bits."""
    totals = [0, 0]
    for file in files:
        try:
            number, size = struct.unpack("<QQ", file.read_bytes()[:16])
        except (OSError, struct.error):
            raise RunFailed("its allocations were not counted; is the counting library built?") from None
        totals[0] += number
        totals[1] += size
    return {"allocations": totals[0], "allocated_bytes": totals[1]}

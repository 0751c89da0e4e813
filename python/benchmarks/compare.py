# SPDX-License-Identifier: MIT
"""Calls per second of trunkline in Python beside a limit and its peers, as ratios within one interleaved run.

Every contestant is two processes over loopback, and every response is checked before it is counted. The limit is plain
Python sockets that move the same messages without any protocol; for a MiB of bytes it is trunkline in C++, where it is
built (--programs).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent


class Cell(NamedTuple):
    """One measurement: payload bytes, concurrent calls, and the contestants by their names in peers.py."""

    size: int
    outstanding: int
    limit: str
    ours: str
    #: The first one is gRPC.
    peers: tuple[str, ...]


CELLS = {
    "blocking/8/1/1": Cell(8, 1, "sockets", "trunkline", ("grpcio", "rpyc", "Pyro5", "zerorpc", "pycapnp")),
    "blocking_busy_poll/8/1/1": Cell(8, 1, "sockets", "trunkline busy_poll", ("grpcio",)),
    "map/8/1/512": Cell(8, 512, "messages", "trunkline map", ("grpcio futures", "pycapnp")),
    "asyncio/8/1/64": Cell(8, 64, "messages", "trunkline.aio", ("grpc.aio", "pycapnp", "rpyc")),
    "uvloop/8/1/64": Cell(8, 64, "messages", "trunkline.aio uvloop", ("grpc.aio uvloop",)),
    "asyncio/1024/1/64": Cell(1024, 64, "messages", "trunkline.aio", ("grpc.aio", "pycapnp", "rpyc")),
    "bytes/1048576/1/1": Cell(1 << 20, 1, "bytes_echo", "trunkline bytes", ("grpcio",)),
}

Row = dict[str, Any]


class Contestant:
    """A server process, which runs for all rounds of a cell, and its clients."""

    def __init__(self, name: str, programs: Path | None) -> None:
        self.name = name
        self._program = None if programs is None else programs / name
        serve = [sys.executable, str(HERE / "peers.py"), "serve", name]
        if name == "bytes_echo":
            serve = [str(self._program), "serve"]
        self._process = subprocess.Popen(serve, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self._target = self._process.stdout.readline().strip()
        if not self._target:
            self.stop()
            raise SystemExit(f"compare: {name}: the server did not start")

    def run(self, cell: Cell, seconds: float) -> float:
        load = [str(cell.size), str(cell.outstanding), str(seconds)]
        call = [sys.executable, str(HERE / "peers.py"), "call", self.name, self._target, *load]
        if self.name == "bytes_echo":
            call = [str(self._program), "call", self._target, str(cell.size), str(seconds)]
        done = subprocess.run(call, capture_output=True, text=True, timeout=60 + 2 * seconds)
        if done.returncode != 0:
            raise SystemExit(f"compare: {self.name}: {done.stderr}")
        return float(done.stdout)

    def stop(self) -> str:
        """Ends the server; returns what it printed."""
        try:
            return self._process.communicate(timeout=20)[0].strip()
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise SystemExit(f"compare: {self.name}: the server did not end within 20 s") from None


@contextlib.contextmanager
def contestants_of(cell: Cell, programs: Path | None, said: dict[str, str]) -> Iterator[dict[str, Contestant]]:
    """Starts the contestants, which run in this order. The limit takes part only if its program exists. ``said`` gets
    what each server printed at its end."""
    running: dict[str, Contestant] = {}
    try:
        for name in (cell.limit, cell.ours, *cell.peers):
            if name != "bytes_echo" or programs is not None:
                running[name] = Contestant(name, programs)
        yield running
    finally:
        for name, contestant in running.items():
            said[name] = contestant.stop()


def measure(name: str, programs: Path | None, rounds: int, seconds: float) -> tuple[Row, str]:
    """Returns the row of a cell: medians over rounds in which every contestant runs once, and our server's output."""
    cell = CELLS[name]
    said: dict[str, str] = {}
    with contestants_of(cell, programs, said) as contestants:
        rates: dict[str, list[float]] = {each: [] for each in contestants}
        for _ in range(rounds):
            for each, contestant in contestants.items():
                rates[each].append(contestant.run(cell, seconds))
    medians = {each: statistics.median(values) for each, values in rates.items()}
    ours, limit = medians[cell.ours], medians.get(cell.limit)
    peers = {each: {"rate": round(medians[each]), "times": round(ours / medians[each], 2)} for each in cell.peers}
    row: Row = {
        "cell": f"python {name}",
        "ours": round(ours),
        "limit": None if limit is None else round(limit),
        "peer": peers[cell.peers[0]]["rate"],
        "share_of_limit": None if limit is None else round(ours / limit, 3),
        "times_peer": peers[cell.peers[0]]["times"],
        "peers": peers,
    }
    return row, said[cell.ours]


def line_of(name: str, row: Row, said: str) -> str:
    limit = "-" if row["limit"] is None else format(row["limit"], ",d")
    share = "-" if row["share_of_limit"] is None else format(row["share_of_limit"], ".0%")
    peers = ", ".join(f"{each} {peer['rate']:,d} ({peer['times']:.1f}x)" for each, peer in row["peers"].items())
    return f"{name:<26}{limit:>10}{row['ours']:>10,d}{share:>10}{said:>12}  {peers}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each run")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    parser.add_argument("--programs", type=Path, help="folder of the C++ load programs")
    parser.add_argument("--cells", default=" ".join(CELLS), help="e.g. 'map/8/1/512 asyncio/8/1/64'")
    options = parser.parse_args()
    cells = options.cells.split()
    unknown = [cell for cell in cells if cell not in CELLS]
    if unknown or not cells:
        parser.error(f"cells {unknown} are not among {', '.join(CELLS)}")
    if options.rounds < 1 or not 0 < options.seconds <= 60:
        parser.error("needs rounds >= 1, 0 < seconds <= 60")
    print(f"calls per second, medians of {options.rounds} interleaved rounds of {options.seconds:g} s")
    print("cell: how it is called, payload bytes / connections / outstanding calls")
    print("calls/GIL: calls that our server runs per acquisition of the GIL; peers: how often as fast we are")
    print(f"{'cell':<26}{'limit':>10}{'ours':>10}{'of limit':>10}{'calls/GIL':>12}  peers")
    rows = []
    for name in cells:
        row, said = measure(name, options.programs, options.rounds, options.seconds)
        rows.append(row)
        print(line_of(name, row, said), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

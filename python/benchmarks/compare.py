# SPDX-License-Identifier: MIT
"""Calls per second of trunkline in Python beside a limit and grpcio, as ratios within one interleaved run.

Every contestant is two processes over loopback, and every answer is checked before it is counted. The limit is plain Python
sockets that move the same messages without any protocol; for a MiB of bytes it is trunkline in C++, where it is built
(--programs).
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
    """What is measured: payload bytes, calls outstanding, and the contestants by their names in peers.py."""

    size: int
    outstanding: int
    limit: str
    ours: str
    peer: str


CELLS = {
    "blocking/8/1/1": Cell(8, 1, "sockets", "trunkline", "grpcio"),
    "map/8/1/512": Cell(8, 512, "messages", "trunkline_map", "grpcio_futures"),
    "asyncio/8/1/64": Cell(8, 64, "messages", "trunkline_aio", "grpc_aio"),
    "uvloop/8/1/64": Cell(8, 64, "messages", "trunkline_aio_uvloop", "grpc_aio_uvloop"),
    "asyncio/1024/1/64": Cell(1024, 64, "messages", "trunkline_aio", "grpc_aio"),
    "bytes/1048576/1/1": Cell(1 << 20, 1, "bytes_echo", "trunkline_bytes", "grpcio"),
}

Row = dict[str, Any]


class Contestant:
    """A server process that stays for all rounds of a cell, and its clients."""

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
        """Ends the server; what it has to say about itself."""
        try:
            return self._process.communicate(timeout=20)[0].strip()
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise SystemExit(f"compare: {self.name}: the server did not end within 20 s") from None


@contextlib.contextmanager
def contestants_of(cell: Cell, programs: Path | None, said: dict[str, str]) -> Iterator[dict[str, Contestant]]:
    """By role: limit, ours, peer; the limit only if there is its program. ``said``: what each server says at its end."""
    running: dict[str, Contestant] = {}
    try:
        for role, name in (("limit", cell.limit), ("ours", cell.ours), ("peer", cell.peer)):
            if name != "bytes_echo" or programs is not None:
                running[role] = Contestant(name, programs)
        yield running
    finally:
        for role, contestant in running.items():
            said[role] = contestant.stop()


def measure(name: str, programs: Path | None, rounds: int, seconds: float) -> tuple[Row, str]:
    """The row of a cell, medians of rounds in which every contestant runs once; and what our server said."""
    cell = CELLS[name]
    said: dict[str, str] = {}
    with contestants_of(cell, programs, said) as contestants:
        rates: dict[str, list[float]] = {role: [] for role in contestants}
        for _ in range(rounds):
            for role, contestant in contestants.items():
                rates[role].append(contestant.run(cell, seconds))
    medians = {role: statistics.median(values) for role, values in rates.items()}
    ours, limit, peer = medians["ours"], medians.get("limit"), medians["peer"]
    row: Row = {
        "cell": f"python {name}",
        "ours": round(ours),
        "limit": None if limit is None else round(limit),
        "peer": round(peer),
        "share_of_limit": None if limit is None else round(ours / limit, 3),
        "times_peer": round(ours / peer, 2),
    }
    return row, said["ours"]


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
    print("cell: how it is called, payload bytes / connections / outstanding calls; peer: grpcio")
    print(f"{'cell':<30}{'limit':>12}{'ours':>12}{'peer':>10}{'of limit':>10}{'x peer':>8}  calls per GIL acquisition")
    rows = []
    for name in cells:
        row, said = measure(name, options.programs, options.rounds, options.seconds)
        rows.append(row)
        limit = "-" if row["limit"] is None else format(row["limit"], ",d")
        share = "-" if row["share_of_limit"] is None else format(row["share_of_limit"], ".0%")
        figures = f"{limit:>12}{row['ours']:>12,d}{row['peer']:>10,d}{share:>10}{row['times_peer']:>8.1f}"
        print(f"{name:<30}{figures}  {said}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

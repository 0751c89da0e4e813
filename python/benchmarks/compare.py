# SPDX-License-Identifier: MIT
"""Calls per second of trunkline beside grpcio, both sides in Python, two processes over loopback, in one interleaved run.

Usage: python compare.py [--rounds N] [--seconds S] [--json FILE] [CELL...]
Every answer is checked. `floor` is plain Python sockets that echo as many bytes, without any protocol.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

#: Cell: (payload bytes, outstanding calls, contestants, the first the one that ratios are against).
CELLS = {
    "blocking/8/1": (8, 1, ["floor", "trunkline", "grpcio"]),
    "map/8/512": (8, 512, ["grpcio_futures", "trunkline_map"]),
    "asyncio/8/64": (8, 64, ["grpc_aio", "trunkline_aio", "trunkline_aio_uvloop"]),
    "asyncio/1024/64": (1024, 64, ["grpc_aio", "trunkline_aio"]),
    "bytes/1048576/1": (1 << 20, 1, ["grpcio", "trunkline_bytes"]),
}


class Peer:
    """A server process that stays for all rounds."""

    def __init__(self, name: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, HERE / "peers.py", "serve", name], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.target = self.process.stdout.readline().strip()
        if not self.target:
            raise SystemExit(f"{name}: the server did not start")

    def run(self, name: str, size: int, outstanding: int, seconds: float) -> float:
        done = subprocess.run(
            [sys.executable, HERE / "peers.py", "call", name, self.target, str(size), str(outstanding), str(seconds)],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise SystemExit(f"{name}: {done.stderr}")
        return float(done.stdout)

    def stop(self) -> None:
        self.process.communicate(timeout=20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("cells", nargs="*", default=list(CELLS))
    options = parser.parse_args()
    results = []
    for cell in options.cells:
        size, outstanding, names = CELLS[cell]
        peers = {name: Peer(name) for name in names}
        rates: dict[str, list[float]] = {name: [] for name in names}
        try:
            for _ in range(options.rounds):
                for name in names:
                    rates[name].append(peers[name].run(name, size, outstanding, options.seconds))
        finally:
            for peer in peers.values():
                peer.stop()
        base = statistics.median(rates[names[0]])
        for name in names:
            rate = statistics.median(rates[name])
            results.append({"cell": cell, "peer": name, "calls_per_second": rate, f"ratio_to_{names[0]}": rate / base})
            print(f"{cell:18} {name:22} {rate:10.0f} calls/s   {rate / base:6.2f} x {names[0]}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Three servers of ours, the third of them ten times slower, called in turn at the same rate by channels of Trunkline
and of gRPC. Prints a table with the latencies of each.

Usage: compare.py GRPC_GO [--rounds N] [--seconds N] [--rate N] [--mean-ms N]    (GRPC_GO: the program of grpc_go/)
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
#: By how much the third server is slower.
SLOWER = 10


@dataclass
class Contestant:
    name: str
    policy: str
    #: What precedes rate, seconds and seed. SERVERS stands for the list of addresses.
    command: list[str]
    latencies_ms: list[float] = field(default_factory=list)
    at_slow_server: int = 0
    failures: list[str] = field(default_factory=list)

    def run(self, servers: str, rate: float, seconds: float, seed: int) -> None:
        command = [servers if part == "SERVERS" else part for part in self.command]
        command += [str(rate), str(seconds), str(seed)]
        told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        for line in told.stdout.splitlines():
            latency, server = line.split(maxsplit=1)
            if latency == "failed":
                self.failures.append(server)
                continue
            self.latencies_ms.append(int(latency) / 1000)
            self.at_slow_server += server == "3"

    def row(self) -> str:
        ordered = sorted(self.latencies_ms)
        percentiles = " | ".join(f"{ordered[int(share * len(ordered))]:.0f}" for share in (0.5, 0.99, 0.999))
        slow = f"{100 * self.at_slow_server / len(ordered):.1f} %"
        return f"| {self.name} | {self.policy} | {len(ordered)} | {len(self.failures)} | {slow} | {percentiles} |"


def contestants(grpc_go: str) -> list[Contestant]:
    client = [sys.executable, f"{HERE}/client.py"]
    ours = [
        Contestant(f"Trunkline, {name}", policy, [*client, scheme, "SERVERS", policy])
        for policy in ("two_choices", "round_robin")
        for name, scheme in (("native protocol", "tcp"), ("gRPC", "grpc"))
    ]
    return [
        *ours,
        Contestant("gRPC C++ (by grpcio)", "round_robin", [*client, "grpcio", "SERVERS", "round_robin"]),
        Contestant("gRPC Go", "round_robin", [grpc_go, "SERVERS"]),
    ]


class Servers:
    """Run from the beginning of the `with` block to its end."""

    def __init__(self, mean_ms: float) -> None:
        self._mean_ms = mean_ms
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> str:
        """Their addresses, separated by commas."""
        addresses = []
        for number, factor in ((1, 1), (2, 1), (3, SLOWER)):
            command = [sys.executable, f"{HERE}/paced_server.py", str(number), str(factor * self._mean_ms)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            self._processes.append(process)
            assert process.stdout is not None
            addresses.append(process.stdout.readline().split()[-1].removeprefix("tcp://"))
        return ",".join(addresses)

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("grpc_go")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rate", type=float, default=240)
    parser.add_argument("--mean-ms", type=float, default=5)
    arguments = parser.parse_args()
    all_of_them = contestants(arguments.grpc_go)
    with Servers(arguments.mean_ms) as servers:
        for seed in range(1, arguments.rounds + 1):
            for contestant in all_of_them:
                contestant.run(servers, arguments.rate, arguments.seconds, seed)
    print(f"Three servers with eight workers each; a call takes {arguments.mean_ms:g} ms on average, at the third")
    print(f"server {SLOWER * arguments.mean_ms:g} ms. {arguments.rate:g} calls/s,")
    print(f"{arguments.rounds} interleaved rounds of {arguments.seconds:g} s.\n")
    print("| client | policy | calls | failed | at the slow server | p50 ms | p99 ms | p99.9 ms |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for contestant in all_of_them:
        print(contestant.row())
    return 1 if any(contestant.failures for contestant in all_of_them) else 0


if __name__ == "__main__":
    sys.exit(main())

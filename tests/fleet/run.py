# SPDX-License-Identifier: MIT
"""Runs three servers and four clients of both languages on a network of their own, makes events happen under load, and
prints a table of failed calls and of the time until traffic is level again.

Usage: run.py --programs FOLDER [--short] [--seed S] [--keep] [EVENT...]
README.md says what it does and how its table is to be read.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

from event import EVENTS, Event
from fleet import CALLS_PER_SECOND, CLIENTS, Fleet
from network import DELAY_MS, LOSS_PERCENT, Network, NetworkError
from process import ProcessError
from traffic import Traffic, measure

COLUMNS = (
    "event",
    "names",
    "policy",
    "calls",
    "idempotent: failed",
    "others: possibly run",
    "others: not run",
    "slowest call",
    "held up for",
    "level again after",
)


@dataclass(frozen=True)
class Case:
    """One row of the table: a run of its own."""

    event: Event
    target: str
    policy: str

    def __str__(self) -> str:
        return f"{self.event.name}, {self.target}, {self.policy}"

    def row(self, traffic: Traffic) -> str:
        level = "never" if traffic.level_after is None else f"{traffic.level_after:.1f} s"
        counts = (traffic.calls, traffic.failed_idempotent, traffic.possibly_run, traffic.not_run)
        times = (f"{traffic.slowest:.2f} s", f"{traffic.disturbed:.2f} s", level)
        return f"| {' | '.join([self.event.name, self.target, self.policy, *map(str, counts), *times])} |"


#: An event with each way to find servers.
SHORT = (("kill", "list"), ("stop", "file"), ("cut", "dns"), ("roll", "list"), ("names", "file"))


def cases_of(names: Sequence[str], is_short: bool) -> list[Case]:
    """Of the events named, or of all."""
    events = [event for event in EVENTS if not names or event.name in names]
    if is_short:
        return [Case(event, target, "round_robin") for event in events for name, target in SHORT if name == event.name]
    cases = []
    for event in events:
        cases += [Case(event, target, "round_robin") for target in event.targets]
        if len(event.targets) > 1:
            cases.append(Case(event, event.targets[0], "two_choices"))
    return cases


class Runner:
    def __init__(self, programs: str, folder: str, seed: int, is_short: bool) -> None:
        self._programs = os.path.abspath(programs)
        self._folder = folder
        self._seed = seed
        self._warm_up = 3.0 if is_short else 4.0
        self._outage = 3.0 if is_short else 5.0
        self._settle = 5.0 if is_short else 12.0

    def run(self, case: Case) -> Traffic:
        folder = f"{self._folder}/{case.event.name}-{case.target}-{case.policy}"
        with Network(self._seed) as network:
            with Fleet(network, self._programs, folder, case.target, case.policy) as fleet:
                time.sleep(self._warm_up)
                span = case.event.run(fleet, self._outage)
                time.sleep(self._settle)
                fleet.end_clients()
                servers = len(fleet.servers)
                return measure(fleet.calls(), case.event, span, servers, case.policy, fleet.times_run)


#: The exit code of a run for which the machine has no means.
SKIPPED = 77


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("events", nargs="*", metavar="EVENT")
    arguments = parser.parse_args()
    known = [event.name for event in EVENTS]
    for unknown in set(arguments.events).difference(known):
        parser.error(f"there is no event '{unknown}'; they are: {' '.join(known)}")
    try:
        with Network(arguments.seed) as network:
            means = network.means
    except NetworkError as error:
        print(f"the fleet is not run: network namespaces, which take root or CAP_NET_ADMIN, cannot be made: {error}")
        return SKIPPED
    folder = tempfile.mkdtemp(prefix="fleet-")
    runner = Runner(arguments.programs, folder, arguments.seed, arguments.short)
    print(f"{len(CLIENTS)} clients with {CALLS_PER_SECOND} calls/s each; {DELAY_MS:g} ms of delay and")
    print(f"{LOSS_PERCENT:g} % of loss in each direction by {means}.\n")
    print(f"| {' | '.join(COLUMNS)} |\n|---|---|---|{'---:|' * (len(COLUMNS) - 3)}", flush=True)
    problems: list[str] = []
    for case in cases_of(arguments.events, arguments.short):
        try:
            traffic = runner.run(case)
        except (ProcessError, NetworkError) as error:
            problems.append(f"{case}: {error}")
            continue
        print(case.row(traffic), flush=True)
        problems += [f"{case}: {problem}" for problem in traffic.problems]
    if problems:
        print(f"\n{len(problems)} problems; logs and records: {folder}")
        for problem in problems[:40]:
            print(f"- {problem}")
    elif not arguments.keep:
        shutil.rmtree(folder)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

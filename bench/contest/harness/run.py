# SPDX-License-Identifier: MIT
"""The command bench/contest/run: measures tables and writes the results."""

from __future__ import annotations

import argparse
import datetime
import shlex
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from harness import machine, results
from harness.contest import count_runs, run_tables
from harness.installation import certificate, missing_contestants
from harness.load import Load
from harness.manifest import Contestant, ManifestError, Places, read_manifests
from harness.measurement import Run, Timing, Tools, measure
from harness.process import allow_many_descriptors
from harness.summary import print_table
from harness.tables import FULL, TABLES, Table

ROOT = Path(__file__).resolve().parents[3]


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/contest/run", description=__doc__)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--full", action="store_true", help="every table")
    how.add_argument("--quick", action="store_true", help="the main cells in five minutes")
    parser.add_argument("--table", action="append", choices=list(TABLES), help="only this one; may be given again")
    parser.add_argument("--contestants", help="e.g. 'trunkline,grpc_cpp'; the limit is always there")
    parser.add_argument("--cells", help="only these cells of the tables, e.g. '8/1/1,8/1/50'")
    parser.add_argument("--rounds", type=int, help="default 5; 2 with --quick and --full")
    parser.add_argument("--seconds", type=float, help="of each run; default 1; 0.4 with --quick, 0.3 with --full")
    parser.add_argument(
        "--warmup", type=float, help="seconds before counting; default 0.3; 0.15 with --quick and --full"
    )
    parser.add_argument("--json", type=Path, help="default build/contest/results-DATE.json")
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="JSON",
        help="go on with the run that was interrupted, by its results; goes alone",
    )
    parser.add_argument("--no-pin", dest="pin", action="store_false", help="let the scheduler place the processes")
    parser.add_argument("--list", action="store_true", help="say which contestants there are and what is missing")
    chosen = parser.parse_args(arguments)
    if chosen.resume is not None and chosen != parser.parse_args(["--resume", str(chosen.resume)]):
        parser.error("--resume goes alone: the rest is as in the run that it goes on with")
    if (chosen.full or chosen.quick) and chosen.table:
        parser.error("--table names single tables, --full and --quick choose them")
    if chosen.rounds is not None and chosen.rounds < 1:
        parser.error(f"--rounds {chosen.rounds} is less than 1")
    if chosen.seconds is not None and not 0 < chosen.seconds <= 60:
        parser.error(f"--seconds {chosen.seconds:g} is not in (0, 60]")
    if chosen.warmup is not None and not 0 <= chosen.warmup <= 60:
        parser.error(f"--warmup {chosen.warmup:g} is not in [0, 60]")
    return chosen


def timing_of(chosen: argparse.Namespace) -> Timing:
    seconds, warmup, rounds = (0.4, 0.15, 2) if chosen.quick else (0.3, 0.15, 2) if chosen.full else (1.0, 0.3, 5)
    return Timing(
        seconds=seconds if chosen.seconds is None else chosen.seconds,
        warmup=warmup if chosen.warmup is None else chosen.warmup,
        rounds=rounds if chosen.rounds is None else chosen.rounds,
        pin=chosen.pin,
    )


def tables_of(chosen: argparse.Namespace) -> list[Table]:
    """Raises ValueError if a cell named is in none of them."""
    names = ("quick",) if chosen.quick else FULL if chosen.full else chosen.table or ("main",)
    tables = [TABLES[name] for name in names]
    if chosen.cells is None:
        return tables
    wanted = {name.strip() for name in chosen.cells.split(",")}
    if unknown := wanted - {cell.name for table in tables for cell in table.cells}:
        raise ValueError(f"cells {', '.join(sorted(unknown))} are in none of the tables {', '.join(names)}")
    kept = []
    for table in tables:
        cells = tuple(cell for cell in table.cells if cell.name in wanted)
        if cells:
            kept.append(Table(**{**table.__dict__, "cells": cells}))
    return kept


def contestants_of(chosen: argparse.Namespace, found: list[Contestant]) -> list[Contestant]:
    """Raises ValueError if one named is not there."""
    if chosen.contestants is None:
        return found
    wanted = {name.strip() for name in chosen.contestants.split(",")}
    if unknown := wanted - {each.name for each in found}:
        known = ", ".join(each.name for each in found)
        raise ValueError(f"contestants {', '.join(sorted(unknown))} are not among {known}")
    return [each for each in found if each.name in wanted or each.is_limit]


def describe(each: Contestant, missing: dict[str, str]) -> dict[str, Any]:
    return {
        "title": each.title,
        "language": each.language,
        "settings": each.settings,
        "is_limit": each.is_limit,
        "is_ours": each.is_ours,
        "version": "" if each.name in missing else machine.version_of(each),
        "missing": missing.get(each.name, ""),
    }


def without_path(arguments: list[str]) -> list[str]:
    """Where somebody's results went says nothing about them."""
    kept = [word for word in arguments if not word.startswith("--json=")]
    if "--json" in kept:
        place = kept.index("--json")
        del kept[place : place + 2]
    return kept


def start_of(
    arguments: list[str], contestants: list[Contestant], missing: dict[str, str], timing: Timing
) -> dict[str, Any]:
    return {
        "format": results.FORMAT,
        "command": shlex.join(["bench/contest/run", *without_path(arguments)]),
        "started": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "timing": timing.__dict__,
        "machine": machine.describe(),
        "load_average_before": machine.load_average(),
        "contestants": {each.name: describe(each, missing) for each in contestants},
        "tables": {},
    }


def resumed(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """What was measured, to go on with. Raises ValueError if it would be of other programs or another machine."""
    for what in ("machine", "contestants"):
        if before[what] != now[what]:
            changed = sorted(name for name in before[what] if before[what][name] != now[what].get(name))
            raise ValueError(f"--resume: {', '.join(changed) or what} changed since, which would make two runs of one")
    return {**before, "resumed": [*before.get("resumed", []), now["started"]]}


def without_done(tables: list[Table], done: dict[str, Any]) -> list[Table]:
    """The tables with the cells that are still to be measured."""
    names = {name: {cell["name"] for cell in table["cells"]} for name, table in done.items()}
    return [
        Table(
            **{**table.__dict__, "cells": tuple(c for c in table.cells if c.name not in names.get(table.name, set()))}
        )
        for table in tables
    ]


def show(contestants: list[Contestant], missing: dict[str, str], console: Console) -> None:
    for each in contestants:
        state = f"missing: {missing[each.name]}" if each.name in missing else machine.version_of(each)
        console.print(f"{each.name:<18} {each.language:<8} {state}", highlight=False, markup=False)


def tools_of(places: Places) -> Tools:
    counter = places.root / "build/release/bench/contest/drivers/libcontest_allocations.so"
    return Tools(*certificate(places), counter)


def warn_of_load(average: float) -> None:
    if average > 1:
        print(f"contest: the load average is {average:.1f}: what else runs will show in the figures", file=sys.stderr)


def run(
    arguments: list[str],
    tables: list[Table],
    contestants: list[Contestant],
    timing: Timing,
    path: Path,
    console: Console,
    before: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """``before``: of the same run, interrupted. Raises ValueError if it cannot be gone on with."""
    places = Places(ROOT)
    missing = missing_contestants(contestants, places)
    for name, reason in missing.items():
        console.print(f"missing: {name}: {reason}", highlight=False, markup=False)
    found = start_of(arguments, contestants, missing, timing)
    if before is not None:
        found = resumed(before, found)
    kept = found["tables"]
    warn_of_load(machine.load_average())
    tools = tools_of(places)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        total = count_runs(without_done(tables, kept), contestants, missing, timing.rounds)
        task = bar.add_task("", total=total)
        first = True

        def progress(table: str, cell: str, contestant: str) -> None:
            nonlocal first
            bar.update(task, advance=0 if first else 1, description=f"{table} {cell} {contestant}")
            first = False

        def save(done: dict[str, Any]) -> None:
            found["tables"] = done
            results.write(found, path)

        def measured(contestant: Contestant, load: Load) -> Run:
            return measure(contestant, load, timing, tools)

        run_tables(tables, contestants, missing, timing, measured, progress, save, kept)
        bar.update(task, completed=total, description="done")
    return found


def main(arguments: list[str]) -> int:
    chosen = parse_arguments(arguments)
    before = None
    if chosen.resume is not None:
        try:
            before = results.read(chosen.resume)
        except results.ResultsError as error:
            print(f"contest: {error}", file=sys.stderr)
            return 2
        path = chosen.resume
        arguments = shlex.split(before["command"])[1:]
        chosen = parse_arguments(arguments)
        chosen.json = path
    console = Console() if sys.stdout.isatty() else Console(width=140)
    places = Places(ROOT)
    try:
        contestants = contestants_of(chosen, read_manifests(places))
        tables = tables_of(chosen)
    except (ManifestError, ValueError) as error:
        print(f"contest: {error}", file=sys.stderr)
        return 2
    if chosen.list:
        show(contestants, missing_contestants(contestants, places), console)
        return 0
    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d-%H%M%S")
    path = chosen.json or places.build / f"results-{stamp}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    allow_many_descriptors()
    try:
        found = run(arguments, tables, contestants, timing_of(chosen), path, console, before)
    except ValueError as error:
        print(f"contest: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"contest: interrupted; go on with bench/contest/run --resume {path}", file=sys.stderr)
        return 130
    for table in tables:
        print_table(found, table, console)
    console.print(f"results: {path}", highlight=False, markup=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: MIT
"""The contest itself: every contestant in every cell, one after the other in each round, whatever becomes of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from harness.load import Load
from harness.manifest import Contestant
from harness.measurement import Run, Timing
from harness.process import RunFailed, RunTooSlow
from harness.tables import Cell, Table

Measure = Callable[[Contestant, Load], Run]
#: Table, cell and contestant that are measured next; called once more for each run that is left out.
Progress = Callable[[str, str, str], None]


def entrants(table: Table, contestants: Iterable[Contestant], missing: dict[str, str]) -> list[Contestant]:
    """A limit takes part only where it can limit a cell."""
    return [
        each
        for each in contestants
        if each.name not in missing
        and (table.languages is None or each.language in table.languages)
        and not (each.is_limit and all(each.cannot(cell.load) for cell in table.cells))
    ]


def count_runs(tables: Iterable[Table], contestants: list[Contestant], missing: dict[str, str], rounds: int) -> int:
    return sum(
        rounds
        for table in tables
        for cell in table.cells
        for each in entrants(table, contestants, missing)
        if not each.cannot(cell.load)
    )


def run_cell(
    cell: Cell, contestants: list[Contestant], rounds: int, measure: Measure, progress: Callable[[str], None]
) -> dict[str, Any]:
    """Rounds of every contestant once, the first of which begins with the limit, and each other one with another one.

    Who failed twice, or was too slow once, is not asked again, and nobody is where the limit is too slow.
    """
    cannot = {each.name: reason for each in contestants if (reason := each.cannot(cell.load))}
    able = sorted((each for each in contestants if each.name not in cannot), key=lambda each: not each.is_limit)
    runs: dict[str, list[Run]] = {each.name: [] for each in able}
    failures = dict.fromkeys(runs, 0)
    for number in range(rounds):
        first = number % max(1, len(able))
        for each in able[first:] + able[:first]:
            progress(each.name)
            if failures[each.name] >= 2 or each.name in cannot:
                continue
            try:
                runs[each.name].append(measure(each, cell.load))
            except RunFailed as error:
                too_slow = isinstance(error, RunTooSlow)
                runs[each.name].append({"failed": str(error)})
                failures[each.name] += 2 if too_slow else 1
                if each.is_limit and too_slow and number == 0:
                    cannot |= {other.name: f"not asked, for the limit: {error}" for other in able if other is not each}
    for name in cannot:
        runs.pop(name, None)
    return {"name": cell.name, "load": cell.load.to_json(), "runs": runs, "cannot": cannot}


def run_tables(
    tables: list[Table],
    contestants: list[Contestant],
    missing: dict[str, str],
    timing: Timing,
    measure: Measure,
    progress: Progress,
    save: Callable[[dict[str, Any]], None],
    before: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """By table's name. ``save`` is given all there is after every cell; cells that are there ``before`` are kept."""
    done: dict[str, Any] = {}
    for table in tables:
        kept = {cell["name"]: cell for cell in (before or {}).get(table.name, {"cells": []})["cells"]}
        done[table.name] = {"cells": []}
        for cell in table.cells:
            if cell.name in kept:
                done[table.name]["cells"].append(kept[cell.name])
                continue

            def tell(name: str, table: Table = table, cell: Cell = cell) -> None:
                progress(table.name, cell.name, name)

            chosen = entrants(table, contestants, missing)
            done[table.name]["cells"].append(run_cell(cell, chosen, timing.rounds, measure, tell))
            save(done)
    return done

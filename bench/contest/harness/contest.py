# SPDX-License-Identifier: MIT
"""The contest itself: every contestant in every cell, one after the other in each round, whatever becomes of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from harness.load import Load
from harness.manifest import Contestant
from harness.measurement import Run, Timing
from harness.process import RunFailed
from harness.tables import Cell, Table

Measure = Callable[[Contestant, Load], Run]
#: Table, cell and contestant that are measured next; called once more for each run that is left out.
Progress = Callable[[str, str, str], None]


def entrants(table: Table, contestants: Iterable[Contestant], missing: dict[str, str]) -> list[Contestant]:
    return [
        each
        for each in contestants
        if each.name not in missing and (table.languages is None or each.language in table.languages)
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
    """Rounds of every contestant once; each round begins with another one. Who failed twice is not asked again."""
    cannot = {each.name: reason for each in contestants if (reason := each.cannot(cell.load))}
    able = [each for each in contestants if each.name not in cannot]
    runs: dict[str, list[Run]] = {each.name: [] for each in able}
    for number in range(rounds):
        first = number % max(1, len(able))
        for each in able[first:] + able[:first]:
            progress(each.name)
            mine = runs[each.name]
            if sum("failed" in run for run in mine) >= 2:
                continue
            try:
                mine.append(measure(each, cell.load))
            except RunFailed as error:
                mine.append({"failed": str(error)})
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

# SPDX-License-Identifier: MIT
"""Two runs of the same tables: how far the ratios between Trunkline and the others differ from one to the other."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.results import figure, ours_of
from harness.summary import percent

Results = dict[str, Any]


class Ratio(NamedTuple):
    """How often as fast ours is as another contestant, in one cell of either run."""

    table: str
    cell: str
    contestant: str
    first: float
    second: float

    @property
    def change(self) -> float:
        """Of the second against the first, as a share of it."""
        return self.second / self.first - 1


def _rate(cell: dict[str, Any], name: str) -> float | None:
    found = figure(cell, name, "calls_per_second")
    return found.median if found else None


def ratios(first: Results, second: Results) -> list[Ratio]:
    """Of every cell that both runs have."""
    found = []
    ours = ours_of(first)
    for table in first["tables"]:
        cells = {cell["name"]: cell for cell in second["tables"].get(table, {"cells": []})["cells"]}
        for cell in first["tables"][table]["cells"]:
            again = cells.get(cell["name"])
            if again is None:
                continue
            mine = _rate(cell, ours), _rate(again, ours)
            for name in first["contestants"]:
                theirs = _rate(cell, name), _rate(again, name)
                if name != ours and mine[0] and mine[1] and theirs[0] and theirs[1]:
                    found.append(Ratio(table, cell["name"], name, mine[0] / theirs[0], mine[1] / theirs[1]))
    return found


def lines(first: Results, second: Results) -> Iterator[str]:
    """Markdown: the differences in short, then every ratio."""
    found = ratios(first, second)
    if not found:
        yield "The two runs have no cell in common."
        return
    changes = sorted(abs(each.change) for each in found)
    tenth = changes[int(0.9 * (len(changes) - 1))]
    worst = max(found, key=lambda each: abs(each.change))
    title = first["contestants"][worst.contestant]["title"]
    yield (
        f"{len(found)} ratios of Trunkline to another: they differ by {percent(statistics.median(changes))} in "
        f"the median, {percent(tenth)} at nine in ten, and {percent(changes[-1])} at most "
        f"({title} in {worst.table} {worst.cell})."
    )
    yield ""
    yield "| table | cell | contestant | first run | second run | difference |"
    yield "|---|---|---|---:|---:|---:|"
    for each in found:
        title = first["contestants"][each.contestant]["title"]
        times = f"{each.first:#.3g} x | {each.second:#.3g} x"
        yield f"| {each.table} | {each.cell} | {title} | {times} | {each.change:+.0%} |"

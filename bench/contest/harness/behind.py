# SPDX-License-Identifier: MIT
"""Where Trunkline is behind: the cells in which another contestant has the better rate or the better tail."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.markdown import wrapped
from harness.results import figure, ours_of
from harness.summary import HEADINGS, number, short
from harness.tables import TABLES

Results = dict[str, Any]
#: The front page lists this many figures.
MAX_ON_FRONT_PAGE = 12
HEAD = ("| table, cell | figure | Trunkline | systems ahead |", "|---|---|---:|---|")


class Behind(NamedTuple):
    """``ahead``: how many times better each of the others is, the best first. ``mine``: None if ours has no figure."""

    table: str
    cell: str
    figure: str
    mine: float | None
    ahead: list[tuple[float, str]]


def _figures(table: str) -> list[str]:
    """The rate, and the highest percentile that the table shows."""
    tails = [name for name in TABLES[table].figures if name.startswith("p9")]
    return ["calls_per_second", *tails[-1:]]


def _times_better(theirs: float, mine: float, name: str) -> float:
    return theirs / mine if name == "calls_per_second" else mine / theirs


def found_behind(shown: dict[str, Results]) -> list[Behind]:
    """Of the newest results by table; the farthest behind first."""
    found = []
    for table, results in shown.items():
        ours = ours_of(results)
        others = {
            name: about["title"]
            for name, about in results["contestants"].items()
            if not about["is_limit"] and not about["is_ours"]
        }
        for cell in results["tables"][table]["cells"]:
            for name in _figures(table):
                mine = figure(cell, ours, name)
                if mine is None and name != "calls_per_second":
                    continue
                ratios = [
                    (_times_better(theirs.median, mine.median, name) if mine else math.inf, title)
                    for other, title in others.items()
                    if (theirs := figure(cell, other, name)) and theirs.median
                ]
                if ahead := sorted((each for each in ratios if each[0] > 1), reverse=True):
                    found.append(Behind(table, cell["name"], name, mine.median if mine else None, ahead))
    return sorted(found, key=lambda each: -each.ahead[0][0])


def _line(each: Behind) -> str:
    shown = short if each.figure == "calls_per_second" else number
    names = [title if each.mine is None else f"{title} {ratio:.3g} x" for ratio, title in each.ahead[:3]]
    more = [f"{len(each.ahead) - 3} more"] if len(each.ahead) > 3 else []
    return f"| {each.table}, {each.cell} | {HEADINGS[each.figure]} | {shown(each.mine)} | {'; '.join(names + more)} |"


def behind_section(found: list[Behind], link: str) -> Iterator[str]:
    """The worst cases, for the front page. ``link``: the page that lists all of them."""
    yield "## Where Trunkline is behind"
    yield ""
    if not found:
        yield "No other contestant has a better rate or a better tail in any cell of these tables."
        yield ""
        return
    figures = "one figure" if len(found) == 1 else f"{len(found)} figures"
    rest = f" The table lists the worst {MAX_ON_FRONT_PAGE}; [all of them]({link}) are on a page of their own."
    yield from wrapped(
        f"Another system has the better rate, or the better tail latency, in {figures}. A ratio slightly above 1 is "
        f"within the spread of the rounds.{rest if len(found) > MAX_ON_FRONT_PAGE else ''}"
    )
    yield ""
    yield from (*HEAD, *(_line(each) for each in found[:MAX_ON_FRONT_PAGE]), "")


def behind_page(found: list[Behind]) -> Iterator[str]:
    """Every case."""
    yield "# Where Trunkline is behind"
    yield ""
    yield from wrapped(
        "Every figure in which another system has the better rate, or the better tail latency where the table has one. "
        "The figures come from the newest results of each table, and the largest ratio comes first. The limit and "
        "Trunkline's Python clients do not count as other systems. [Benchmarks](../benchmarks.md) describes the "
        "measurements; [optimisations](../optimisations.md#where-it-is-behind) names the known causes."
    )
    yield ""
    yield from (*HEAD, *(_line(each) for each in found), "")

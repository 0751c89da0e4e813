# SPDX-License-Identifier: MIT
"""The command bench/contest/page: writes docs/benchmarks.md and its pictures from results, or compares two of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import comparison, plots
from harness.behind import behind_section
from harness.page_text import (
    INTRODUCTION,
    contestants_section,
    folded,
    machine_section,
    missing_section,
    table_section,
)
from harness.results import ResultsError, read
from harness.tables import TABLES

ROOT = Path(__file__).resolve().parents[3]


def in_time(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As they were started."""
    return sorted(found, key=lambda results: str(results["started"]))


def latest(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """By table, the last of the results that have it; in the order of the tables."""
    by_table = {name: results for results in found for name in results["tables"]}
    return {name: by_table[name] for name in TABLES if name in by_table}


def described(found: list[dict[str, Any]]) -> dict[str, Any]:
    """The last results, with the contestants of all: each as the last that could run it has it."""
    contestants: dict[str, Any] = {}
    for results in found:
        for name, about in results["contestants"].items():
            if name not in contestants or not about["missing"]:
                contestants[name] = about
    return {**found[-1], "contestants": contestants}


def compose(found: list[dict[str, Any]], page: Path, pictures: Path, kind: str) -> str:
    """The text of the page; draws its pictures on the way."""
    found = in_time(found)
    parts: list[str] = [INTRODUCTION]
    head = described(found)
    shown = latest(found)
    parts += [*machine_section(head), *contestants_section(head), *missing_section(shown), *behind_section(shown)]
    for name, results in shown.items():
        picture = pictures / f"{name}.{kind}"
        plots.draw(results, name, picture)
        parts += table_section(results, name, picture.relative_to(page.parent).as_posix())
    parts += repeated(found)
    return "\n".join(parts).rstrip() + "\n"


def occasions(found: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of every table that more than one of the results has, the first time and the last."""
    contestants = described(found)["contestants"]
    first: dict[str, Any] = {"contestants": contestants, "tables": {}, "started": []}
    last: dict[str, Any] = {"contestants": contestants, "tables": {}, "started": []}
    for name in TABLES:
        having = [results for results in found if name in results["tables"]]
        if len(having) < 2:
            continue
        for side, results in ((first, having[0]), (last, having[-1])):
            side["tables"][name] = results["tables"][name]
            side["started"].append(results["started"].replace("T", " ")[:16])
    return first, last


def repeated(found: list[dict[str, Any]]) -> Iterator[str]:
    """How far the figures of tables that were measured on several occasions differ."""
    first, last = occasions(found)
    if not comparison.ratios(first, last):
        return
    yield "## Two occasions"
    yield ""
    yield (
        f"The tables {', '.join(first['tables'])} were measured on more than one occasion: first from {min(first['started'])}, "
        f"last until {max(last['started'])} UTC. How far the ratios differ, what was made faster meanwhile included:"
    )
    yield ""
    head, *rest = comparison.lines(first, last)
    yield head
    yield ""
    yield from folded("every ratio", rest[1:])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench/contest/page", description=__doc__)
    parser.add_argument(
        "results", nargs="+", type=Path, metavar="RESULTS.json", help="who started later wins where two have a table"
    )
    parser.add_argument(
        "--compare", action="store_true", help="print how far the ratios of two results differ, write nothing"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "docs/benchmarks.md")
    parser.add_argument("--kind", choices=("svg", "png"), default="svg", help="of the pictures")
    chosen = parser.parse_args(arguments)
    if chosen.compare and len(chosen.results) != 2:
        parser.error("--compare takes two results")
    try:
        found = [read(path) for path in chosen.results]
    except ResultsError as error:
        print(f"page: {error}", file=sys.stderr)
        return 1
    if chosen.compare:
        print("\n".join(comparison.lines(*found)))
        return 0
    page = chosen.out.resolve()
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(compose(found, page, page.with_suffix(""), chosen.kind), encoding="utf-8")
    print(f"wrote {chosen.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: MIT
"""The command bench/contest/page: writes docs/benchmarks.md and docs/benchmarks/ from results, or compares two."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from harness import comparison, plots
from harness.behind import behind_page, found_behind
from harness.contestants_page import contestants_page
from harness.front_page import front_page
from harness.markdown import folded, wrapped
from harness.results import ResultsError, read
from harness.table_page import table_page
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


def picture_of(table: str, kind: str) -> str:
    """The file's name, beside the page of the table."""
    return f"{table}.{kind}"


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


def compose(found: list[dict[str, Any]], folder: str, kind: str) -> dict[str, str]:
    """The texts of the pages by name. The front page is ``""``, the names of the others are those of ``folder``."""
    found = in_time(found)
    head, shown = described(found), latest(found)
    behind, again = found_behind(shown), list(occasions_page(found))
    pictures = {name: f"{folder}/{picture_of(name, kind)}" for name in shown}
    pages = {
        "": _text(front_page(head, shown, pictures, folder, bool(again))),
        "contestants.md": _text(contestants_page(head)),
        "behind.md": _text(behind_page(behind)),
    }
    for name, results in shown.items():
        pages[f"{name}.md"] = _text(table_page(results, name, picture_of(name, kind)))
    if again:
        pages["occasions.md"] = _text(again)
    return pages


def write(found: list[dict[str, Any]], page: Path, kind: str) -> None:
    """The pages and their pictures. Pages and pictures of an earlier run that these results do not make are removed."""
    folder = page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    pages = compose(found, folder.name, kind)
    for name, text in pages.items():
        (folder / name if name else page).write_text(text, encoding="utf-8")
    shown = latest(in_time(found))
    for name, results in shown.items():
        plots.draw(results, name, folder / picture_of(name, kind))
    made = {*pages, *(picture_of(name, kind) for name in shown)}
    for path in folder.iterdir():
        if path.suffix in (".md", ".svg", ".png") and path.name not in made:
            path.unlink()


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


def occasions_page(found: list[dict[str, Any]]) -> Iterator[str]:
    """How far the figures of tables that were measured more than once differ; no lines if none was."""
    first, last = occasions(found)
    if not comparison.ratios(first, last):
        return
    yield "# Measured more than once"
    yield ""
    tables = ", ".join(first["tables"])
    yield from wrapped(
        f"These tables of [the benchmarks](../benchmarks.md) were measured on more than one occasion: {tables}. The "
        f"first measurement began at {min(first['started'])} UTC and the last one at {max(last['started'])} UTC. The "
        "ratios include what became faster between the two."
    )
    yield ""
    head, *rest = comparison.lines(first, last)
    yield from wrapped(head)
    yield ""
    yield from folded("every ratio", rest[1:])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench/contest/page", description=__doc__)
    parser.add_argument(
        "results",
        nargs="+",
        type=Path,
        metavar="RESULTS.json",
        help="of two files with a table, the one that was started later wins",
    )
    parser.add_argument(
        "--compare", action="store_true", help="print how far the ratios of two results differ, write nothing"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "docs/benchmarks.md", help="the front page")
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
    write(found, chosen.out.resolve(), chosen.kind)
    print(f"wrote {chosen.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

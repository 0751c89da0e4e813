# SPDX-License-Identifier: MIT
"""The page as Markdown: machine, contestants, and of each table its picture, its figures and their commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from harness.plots import caption_of, unit_of
from harness.results import failure, figure, ours_of, share_of_limit
from harness.summary import HEADINGS, number, percent, short
from harness.tables import TABLES, Published, Table

Results = dict[str, Any]
Cell = dict[str, Any]

INTRODUCTION = """# Benchmarks

Trunkline beside other RPC systems on one machine, written by `bench/contest/page`; nothing here is typed by hand. To
make it again:

    bench/contest/install        # the contestants, from packages only; who cannot be installed is listed as missing
    bench/contest/run --quick    # the main cells in five minutes, or
    bench/contest/run --full     # every table
    bench/contest/page build/contest/results-*.json

The results that this page was made of are kept in `bench/contest/results`. Of two files with a table the one that was
started later is shown; the order in which they are given means nothing.

Server and client are two processes over loopback TCP. In every round each contestant runs once, right after the
others, and a figure is the median of the rounds. Every client compares the answers with what it asked, before and
while it is timed; one wrong answer and the run counts for nothing, and so does a run in which fewer than two windows
(twice the calls under way at once) were answered.

A **limit** stands beside every cell: a program that moves frames of the request's size in both directions, whatever the
answer has, by plain epoll and with no RPC at all. Its rounds differ, so that shares are of its best round, which the
pictures draw as well; one-way calls have no share, since the limit echoes. Absolute figures move with the machine and
the hour: trust the ratios within one run. How the contestants are set up, and what a cell asks of them, is in
[bench/contest](../bench/contest/README.md).
"""


def escaped(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def rows_of(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """A Markdown table; the first row is its head, and all but the first column are numbers."""
    for index, row in enumerate(rows):
        cells = [escaped(cell) for cell in row]
        yield "| " + " | ".join(cells) + " |"
        if index == 0:
            yield "|" + "---|" + "---:|" * (len(cells) - 1)


def machine_of(results: Results) -> str:
    """One line."""
    machine = results["machine"]
    kind = "virtual machine, " if machine["virtual"] else ""
    return f"{kind}{machine['cores']} cores of {machine['processor']}, Linux {machine['kernel']}, {machine['system']}"


def machine_section(results: Results) -> Iterator[str]:
    machine = results["machine"]
    yield "## Machine"
    yield ""
    yield from rows_of(
        [["what", "value"], *((key.replace("_", " "), value) for key, value in machine.items() if value != "")]
    )
    yield ""


def made_by(results: Results) -> str:
    """One line: command, machine, time, rounds, which Trunkline and how busy the machine was before."""
    timing, ours = results["timing"], ours_of(results)
    rounds = "one round" if timing["rounds"] == 1 else f"{timing['rounds']} rounds"
    parts = [
        f"Made by `{results['command']}` on {machine_of(results)}, {results['started'].replace('T', ' ')[:16]} UTC",
        f"{rounds} of {timing['seconds']:g} s after {timing['warmup']:g} s of warm-up",
        "each side on its half of the cores" if timing["pin"] else "the scheduler places both sides",
        *([f"{about['title']} {about['version']}"] if (about := results["contestants"].get(ours)) else []),
        f"load average {results['load_average_before']:.1f} before",
    ]
    return "; ".join(parts) + "."


def contestants_section(results: Results) -> Iterator[str]:
    yield "## Contestants"
    yield ""
    yield "| contestant | language | version | how it is set up |"
    yield "|---|---|---|---|"
    for name, about in results["contestants"].items():
        version = f"**missing**: {about['missing']}" if about["missing"] else about["version"]
        row = (about["title"], about["language"], version, f"{about['settings']} (`bench/contest/contestants/{name}`)")
        yield "| " + " | ".join(escaped(each) for each in row) + " |"
    yield ""


def missing_section(shown: dict[str, Results]) -> Iterator[str]:
    """Tables that no results have, cells that the newest of a table lack; beside ``main`` nobody misses ``quick``."""
    lines = []
    for name, table in TABLES.items():
        if name not in shown:
            if not (name == "quick" and "main" in shown):
                lines.append(f"- {table.title} (`{name}`): not measured")
            continue
        measured = {cell["name"] for cell in shown[name]["tables"][name]["cells"]}
        if lacking := [cell.name for cell in table.cells if cell.name not in measured]:
            count = f"{len(lacking)} of {len(table.cells)} cells"
            lines.append(f"- {table.title} (`{name}`): {count}: {', '.join(lacking)}")
    if lines:
        yield from ("## What is missing", "", *lines, "")


def groups_of(cells: list[Cell]) -> list[tuple[str, list[Cell]]]:
    """At most a dozen cells stand side by side; more are parted by payload."""
    if len(cells) <= 12:
        return [("", cells)]
    groups: dict[int, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell["load"]["bytes"], []).append(cell)
    return [(f"{size:,} bytes", group) for size, group in groups.items()]


def named(results: Results, name: str) -> str:
    about = results["contestants"][name]
    if about["is_limit"]:
        return f"*limit: {about['title']}*"
    return f"**{about['title']}**" if about["is_ours"] else str(about["title"])


def figure_rows(results: Results, cells: list[Cell], name: str) -> Iterator[list[str]]:
    """Contestants that have the figure in any cell, of latencies all that have a rate; a dash where they have none."""
    yield ["contestant", *(cell["name"] for cell in cells)]
    is_latency = name.endswith(("_us", "_ms"))
    if not any(figure(cell, contestant, name) for contestant in results["contestants"] for cell in cells):
        return
    for contestant in results["contestants"]:
        found = [figure(cell, contestant, name) for cell in cells]
        if any(found) or (is_latency and any(figure(cell, contestant, "calls_per_second") for cell in cells)):
            write = short if name == "calls_per_second" else number
            yield [named(results, contestant), *(write(each.median if each else None) for each in found)]


def share_rows(results: Results, cells: list[Cell]) -> Iterator[list[str]]:
    yield ["contestant", *(cell["name"] for cell in cells)]
    for contestant, about in results["contestants"].items():
        shares = [share_of_limit(results, cell, contestant) for cell in cells]
        if not about["is_limit"] and any(share is not None for share in shares):
            yield [named(results, contestant), *(percent(share) for share in shares)]


def has_rounds(results: Results, cells: list[Cell]) -> bool:
    rates = (figure(cell, name, "calls_per_second") for cell in cells for name in results["contestants"])
    return any(rate.rounds > 1 for rate in rates if rate)


def spread_rows(results: Results, cells: list[Cell]) -> Iterator[list[str]]:
    yield ["contestant", *(cell["name"] for cell in cells)]
    for contestant in results["contestants"]:
        rates = [figure(cell, contestant, "calls_per_second") for cell in cells]
        if any(rates):
            yield [
                named(results, contestant),
                *(percent(rate.spread if rate and rate.rounds > 1 else None) for rate in rates),
            ]


def published_rows(table: Table, cells: list[Cell], figure_name: str) -> Iterator[list[str]]:
    """Rates that others have published, from their hardware; none for figures that they cannot be turned into."""
    if figure_name not in ("calls_per_second", "us_per_call"):
        return

    def shown(rate: float) -> str:
        return short(rate) if figure_name == "calls_per_second" else number(1e6 / rate)

    by_system: dict[str, dict[str, Published]] = {}
    for each in table.published:
        by_system.setdefault(each.system, {})[each.cell] = each
    for system, figures in by_system.items():
        if any(cell["name"] in figures for cell in cells):
            rates = [figures.get(cell["name"]) for cell in cells]
            yield [f"*{system}, as published*", *(shown(each.calls_per_second) if each else "-" for each in rates)]


def folded(summary: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"<details><summary>{summary}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"
    yield ""


def failures(results: Results, cells: list[Cell]) -> list[str]:
    """What went wrong, and what a contestant has not got; those with the same reason in the same cells together."""
    where: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        for contestant, about in results["contestants"].items():
            reason = failure(cell, contestant)
            if reason and (contestant in cell["runs"] or contestant in cell["cannot"]):
                where.setdefault((about["title"], reason), []).append(cell["name"])
    who: dict[tuple[str, str], list[str]] = {}
    for (title, reason), names in where.items():
        shown = "every cell" if len(names) == len(cells) else "; ".join(names)
        who.setdefault((reason, shown), []).append(title)
    return [f"- {'; '.join(titles)}: {escaped(reason)} ({shown})" for (reason, shown), titles in who.items()]


def commands(results: Results, cells: list[Cell]) -> Iterator[str]:
    """Of every contestant, in the first cell in which it ran."""
    for contestant, about in results["contestants"].items():
        for cell in cells:
            runs = [run for run in cell["runs"].get(contestant, []) if "commands" in run]
            if runs:
                made = runs[0]["commands"]
                yield f"- {about['title']}, {cell['name']}: `{made['server']}` and `{made['client']}`"
                break


def table_section(results: Results, name: str, picture: str) -> Iterator[str]:
    table = TABLES[name]
    cells = results["tables"][name]["cells"]
    yield f"## {table.title}"
    yield ""
    yield table.note
    yield ""
    yield f"![{table.title}: {unit_of(name)}]({picture})"
    yield ""
    if caption := caption_of(name, cells):
        yield caption
        yield ""
    for heading, group in groups_of(cells):
        if heading:
            yield f"### {heading}"
            yield ""
        first = table.figures[0]
        yield f"{HEADINGS[first]}{', median of the rounds' if has_rounds(results, group) else ''}:"
        yield ""
        yield from rows_of([*figure_rows(results, group, first), *published_rows(table, group, first)])
        yield ""
        for other in table.figures[1:]:
            rows = [*figure_rows(results, group, other), *published_rows(table, group, other)]
            if len(rows) > 1:
                yield from folded(HEADINGS[other], rows_of(rows))
        shares = list(share_rows(results, group))
        if len(shares) > 1:
            yield from folded("share of the limit's best round", rows_of(shares))
        if has_rounds(results, group):
            yield from folded("spread of the rounds, (most - least) / median", rows_of(spread_rows(results, group)))
    if table.published:
        yield f"Published figures are from other hardware ({table.hardware}): not to be set against ours."
        yield ""
    if lines := failures(results, cells):
        yield from folded("who is not in every cell, and why", lines)
    yield from folded("commands of server and client", commands(results, cells))
    yield made_by(results)
    yield ""

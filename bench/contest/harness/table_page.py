# SPDX-License-Identifier: MIT
"""The page of one table: its picture, every figure, the commands, and who has no figure and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.markdown import escaped, folded, rows_of, wrapped
from harness.plots import caption_of, unit_of
from harness.results import failure, figure, ours_of, share_of_limit
from harness.summary import HEADINGS, number, percent, short
from harness.tables import TABLES, Published, Table

Results = dict[str, Any]
Cell = dict[str, Any]


def machine_of(results: Results) -> str:
    """One line."""
    machine = results["machine"]
    kind = "virtual machine, " if machine["virtual"] else ""
    return f"{kind}{machine['cores']} cores of {machine['processor']}, Linux {machine['kernel']}, {machine['system']}"


def made_by(results: Results) -> str:
    """The command, the machine, the time, the rounds, the version of Trunkline and the load before the run."""
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


def groups_of(cells: list[Cell]) -> list[tuple[str, list[Cell]]]:
    """At most a dozen cells stand side by side; more are grouped by payload."""
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
    """A row for each contestant with the figure in any cell, or, for latencies, with a rate in any cell."""
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


def ratio_rows(results: Results, cells: list[Cell], name: str) -> Iterator[list[str]]:
    """Each contestant's figure, divided by Trunkline's."""
    ours = [figure(cell, ours_of(results), name) for cell in cells]
    yield ["contestant", *(cell["name"] for cell in cells)]
    for contestant in results["contestants"]:
        found = [figure(cell, contestant, name) for cell in cells]
        ratios = [one.median / mine.median if one and mine else None for one, mine in zip(found, ours, strict=True)]
        if contestant != ours_of(results) and any(ratios):
            yield [named(results, contestant), *(number(ratio) for ratio in ratios)]


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
    """Rates that others have published, from their hardware. Only rates and times per call can be converted."""
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


def failures(results: Results, cells: list[Cell]) -> list[str]:
    """Why contestants have no figure; those with the same reason in the same cells share a line."""
    where: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        for contestant, about in results["contestants"].items():
            reason = failure(cell, contestant)
            if reason and (contestant in cell["runs"] or contestant in cell["cannot"]):
                where.setdefault((about["title"], reason), []).append(cell["name"])
    titles_by_reason: dict[tuple[str, str], list[str]] = {}
    for (title, reason), names in where.items():
        shown = "every cell" if len(names) == len(cells) else "; ".join(names)
        titles_by_reason.setdefault((reason, shown), []).append(title)
    return [
        f"- {'; '.join(titles)}: {escaped(reason)} ({shown})" for (reason, shown), titles in titles_by_reason.items()
    ]


def commands(results: Results, cells: list[Cell]) -> Iterator[str]:
    """Of every contestant, in the first cell in which it ran."""
    for contestant, about in results["contestants"].items():
        for cell in cells:
            runs = [run for run in cell["runs"].get(contestant, []) if "commands" in run]
            if runs:
                made = runs[0]["commands"]
                yield f"- {about['title']}, {cell['name']}: `{made['server']}` and `{made['client']}`"
                break


def _group(results: Results, table: Table, cells: list[Cell]) -> Iterator[str]:
    """The figures of cells that stand side by side: the first of the table's, then the others folded."""
    first = table.figures[0]
    yield f"{HEADINGS[first]}{', median of the rounds' if has_rounds(results, cells) else ''}:"
    yield ""
    yield from rows_of([*figure_rows(results, cells, first), *published_rows(table, cells, first)])
    yield ""
    if first.endswith("_cpu_us_per_call"):
        rows = list(ratio_rows(results, cells, first))
        yield from (f"{HEADINGS[first]}, times Trunkline's:", "", *rows_of(rows), "")
    for other in table.figures[1:]:
        rows = [*figure_rows(results, cells, other), *published_rows(table, cells, other)]
        if len(rows) > 1:
            yield from folded(HEADINGS[other], rows_of(rows))
    shares = list(share_rows(results, cells))
    if len(shares) > 1:
        yield from folded("share of the limit's best round", rows_of(shares))
    if has_rounds(results, cells):
        yield from folded("spread of the rounds: (highest - lowest) / median", rows_of(spread_rows(results, cells)))


def table_page(results: Results, name: str, picture: str) -> Iterator[str]:
    """``picture``: its link as seen from the page."""
    table = TABLES[name]
    cells = results["tables"][name]["cells"]
    yield f"# {table.title}"
    yield ""
    yield from wrapped(table.note)
    yield ""
    yield from wrapped(
        "[Benchmarks](../benchmarks.md) says how everything is measured, and [contestants](contestants.md) how each "
        "system is set up."
    )
    yield ""
    yield f"![{table.title}: {unit_of(name)}]({picture})"
    yield ""
    if caption := caption_of(name, cells):
        yield from (*wrapped(caption), "")
    for heading, group in groups_of(cells):
        if heading:
            yield from (f"## {heading}", "")
        yield from _group(results, table, group)
    if table.published:
        yield from wrapped(
            f"Published figures come from other hardware ({table.hardware}). Do not compare them with ours."
        )
        yield ""
    if lines := failures(results, cells):
        yield from folded("contestants without a figure, and why", lines)
    yield from folded("commands of server and client", commands(results, cells))
    yield from (*wrapped(made_by(results)), "")

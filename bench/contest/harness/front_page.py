# SPDX-License-Identifier: MIT
"""The front page: what was measured and how, where Trunkline is behind, and one picture for each table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.behind import behind_section, found_behind
from harness.markdown import wrapped
from harness.plots import unit_of
from harness.results import figure, ours_of
from harness.table_page import machine_of
from harness.tables import TABLES

Results = dict[str, Any]
#: The longest that the page may be.
MAX_LINES = 200

INTRODUCTION = """# Benchmarks

Trunkline is measured beside other RPC systems, on one machine and in one run. `bench/contest/page` writes this page and
the pages that it links to from the results in `bench/contest/results`. Only the section *Other machines* is typed by
hand. To measure again:

    bench/contest/install        # the contestants, from packages only; what cannot be installed is listed as missing
    bench/contest/run --quick    # the main cells in five minutes, or
    bench/contest/run --full     # every table
    bench/contest/page build/contest/results-*.json

## How it is measured

- Server and client are two processes that talk TCP over loopback, each on its half of the cores.
- In every round each contestant runs once, one after the other. A figure is the median of the rounds.
- Every client compares the responses with what it asked for, before and while it is timed. A single wrong response
  invalidates the run. So does a run that completes fewer than two windows (twice the calls in flight).
- The **limit** of a cell is a program that moves frames of the request's size in both directions with plain epoll and
  no RPC. Shares refer to its best round. One-way calls have no share, because the limit echoes.
- Absolute figures change with the machine and the hour, and so do shares of the limit, as the next section shows. Trust
  the ratios between systems within one run.

## Other machines

Rates, and shares of the limit, belong to the machine and the hour that made them. The cell that moves most is 8/1/500,
in which many small calls share each write:

| machine | calls/s | share of the limit | CPU us/call, client + server |
|---|---:|---:|---:|
| that of the five minutes (`quick`) | 5.39 M | 65% | 0.16 + 0.16 |
| that of the main cells (`main`), at half its usual speed | 1.44 M | 41% | 0.54 + 0.51 |
| a third one of the same kind, with nothing else to do | 2.1 M | 16% | not measured |

The third machine has a faster kernel and slower user-space code, so its limit is higher and its rate lower. The share
thus says as much about a machine as about an RPC system. What moves less:

- **Instructions per call** do not depend on the machine. At 8/1/500 the client needs 1,901 and the server 1,651
  ([optimisations](optimisations.md)).
- **Copies per message** do not either. A protobuf message is copied once by its sender, into the output, and once by
  its receiver, out of the input: four copies in an echo call, beside those of the kernel.
- **CPU time per call** depends on the speed of the machine, but little on what else runs there, as long as the caches
  are not shared. The pages of the tables have it for both sides.

To measure them on a machine:

    scripts/bench --load --cells 8/1/500      # rate, share, and CPU time per call of both sides, in one run
    perf stat -e instructions:u COMMAND       # where the machine has performance counters; divide by the calls
    valgrind --tool=callgrind COMMAND         # where it has none; the program is then much slower
    bench/micro/instructions                  # the same for single operations, such as decoding a frame

COMMAND is `load_server` or `load_client` of `build/release/bench/load`. The difference between two runs of different
length leaves out what the start needs.
"""


def _rate_of(results: Results, cell: dict[str, Any], name: str) -> float:
    found = figure(cell, name, "calls_per_second")
    return found.median if found else 0.0


def _standing(results: Results, name: str) -> str:
    """In how many cells of the table ours has the highest rate."""
    cells = results["tables"][name]["cells"]
    ours = ours_of(results)
    others = [each for each, about in results["contestants"].items() if not about["is_limit"] and not about["is_ours"]]
    compared = [cell for cell in cells if any(_rate_of(results, cell, each) for each in (ours, *others))]
    first = [
        cell
        for cell in compared
        if _rate_of(results, cell, ours) >= max((_rate_of(results, cell, each) for each in others), default=0.0)
    ]
    unit = "cell" if len(compared) == 1 else "cells"
    return f"Trunkline has the highest rate in {len(first)} of {len(compared)} {unit}."


def table_section(results: Results, name: str, folder: str, picture: str) -> Iterator[str]:
    table = TABLES[name]
    yield f"## {table.title}"
    yield ""
    yield from wrapped(f"{table.summary} {_standing(results, name)} [All figures]({folder}/{name}.md).")
    yield ""
    yield f"![{table.title}: {unit_of(name)}]({picture})"
    yield ""


def missing_section(shown: dict[str, Results]) -> Iterator[str]:
    """Tables without results, and cells that the newest results of a table lack; ``main`` includes ``quick``."""
    lines: list[str] = []
    for name, table in TABLES.items():
        if name not in shown:
            if not (name == "quick" and "main" in shown):
                lines.append(f"- {table.title} (`{name}`): not measured")
            continue
        measured = {cell["name"] for cell in shown[name]["tables"][name]["cells"]}
        if lacking := [cell.name for cell in table.cells if cell.name not in measured]:
            count = f"{len(lacking)} of {len(table.cells)} cells"
            lines += wrapped(f"- {table.title} (`{name}`): {count}: {', '.join(lacking)}", indent="  ")
    if lines:
        yield from ("## What is missing", "", *lines, "")


def machine_section(results: Results, folder: str, has_occasions: bool) -> Iterator[str]:
    titles = [about["title"] for about in results["contestants"].values() if about["is_ours"] and not about["missing"]]
    others = [about for about in results["contestants"].values() if not about["is_limit"] and not about["is_ours"]]
    present = sum(1 for about in others if not about["missing"])
    yield "## Machine and contestants"
    yield ""
    text = (
        f"The machine: {machine_of(results)}. Trunkline ran in {len(titles)} forms ({'; '.join(titles)}) "
        f"beside {present} other systems: [versions and settings]({folder}/contestants.md). "
        "[bench/contest](../bench/contest/README.md) explains what a cell asks of a contestant."
    )
    if has_occasions:
        text += f" Some tables were measured [more than once]({folder}/occasions.md)."
    yield from wrapped(text)
    yield ""


def front_page(
    results: Results, shown: dict[str, Results], pictures: dict[str, str], folder: str, has_occasions: bool
) -> Iterator[str]:
    """``results``: with all contestants. ``shown``: the newest results by table. ``pictures``: their links by table."""
    yield INTRODUCTION
    yield from machine_section(results, folder, has_occasions)
    yield from missing_section(shown)
    yield from behind_section(found_behind(shown), f"{folder}/behind.md")
    for name, picture in pictures.items():
        yield from table_section(shown[name], name, folder, picture)

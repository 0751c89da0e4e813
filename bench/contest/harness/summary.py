# SPDX-License-Identifier: MIT
"""Figures as text, and a table of results for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from harness.results import failure, figure, share_of_limit
from harness.tables import Table

#: By figure: heading with its unit.
HEADINGS = {
    "calls_per_second": "calls/s",
    "us_per_call": "us/call",
    "mib_per_second": "MiB/s",
    "mean_us": "mean us",
    "p50_us": "p50 us",
    "p95_us": "p95 us",
    "p99_us": "p99 us",
    "max_us": "max us",
    "p50_ms": "p50 ms",
    "p95_ms": "p95 ms",
    "p99_ms": "p99 ms",
    "max_ms": "max ms",
    "client_cpu_us_per_call": "client CPU us/call",
    "server_cpu_us_per_call": "server CPU us/call",
    "server_peak_mib": "server memory MiB",
    "allocations_per_call": "allocations/call",
    "allocated_bytes_per_call": "bytes allocated/call",
    "allocated_bytes": "bytes allocated",
    "collections": "collections",
    "large_calls_per_second": "16 MiB calls/s",
}


def number(value: float | None) -> str:
    """Three or more significant digits, thousands apart."""
    if value is None:
        return "-"
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3g}"


def short(value: float | None) -> str:
    """With k or M: three significant digits at most."""
    if value is None:
        return "-"
    for unit, size in ((" M", 1e6), (" k", 1e3)):
        if value >= 0.9995 * size:
            scaled = value / size
            return (
                f"{scaled:.0f}{unit}"
                if scaled >= 99.95
                else f"{scaled:.1f}{unit}"
                if scaled >= 9.995
                else f"{scaled:.2f}{unit}"
            )
    return f"{value:.0f}" if value >= 9.995 else f"{value:.1f}" if value >= 0.995 else f"{value:.2g}"


def percent(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0%}" if value >= 0.1 else f"{value:.1%}"


def print_table(results: dict[str, Any], table: Table, console: Console) -> None:
    """A line for each contestant in each cell."""
    shown = RichTable(title=f"{table.name}: {table.title}", title_justify="left")
    for heading in ("cell", "contestant"):
        shown.add_column(heading)
    for name in table.figures:
        shown.add_column(HEADINGS[name], justify="right")
    for heading in ("spread", "of limit"):
        shown.add_column(heading, justify="right")
    for cell in results["tables"][table.name]["cells"]:
        for contestant, about in results["contestants"].items():
            if contestant not in cell["runs"] and contestant not in cell["cannot"]:
                continue
            rate = figure(cell, contestant, "calls_per_second")
            if rate is None:
                shown.add_row(cell["name"], about["title"], failure(cell, contestant))
                continue
            medians = [figure(cell, contestant, name) for name in table.figures]
            cells = [number(None if each is None else each.median) for each in medians]
            share = share_of_limit(results, cell, contestant)
            shown.add_row(
                cell["name"], about["title"], *cells, percent(rate.spread if rate.rounds > 1 else None), percent(share)
            )
        shown.add_section()
    console.print(shown)

# SPDX-License-Identifier: MIT
"""Pictures of a table's results: bars for each cell, or lines where one number grows; the limit is always drawn in."""

from __future__ import annotations

import math
import re
import textwrap
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from harness.results import best_of_limit, figure, share_of_limit
from harness.summary import number, percent, short
from harness.tables import TABLES

OURS = "#c2410c"
LIMIT = "#111827"
OTHERS = "#64748b"
#: Of the lines that are told apart, by hue and marker; the rest are thin and grey.
LINES = (
    "#1d4ed8",
    "#16a34a",
    "#9333ea",
    "#eab308",
    "#06b6d4",
    "#ec4899",
    "#7c4a1e",
    "#84cc16",
    "#5b6b00",
    "#c4a7f5",
    "#0b5351",
    "#f87171",
)
MARKERS = "os^Dv<>pPX*h"
#: Of a line of a panel's title, beside which the limit is told.
TITLE_CHARACTERS = 34

Results = dict[str, Any]
Cell = dict[str, Any]


def draw(results: Results, name: str, path: Path) -> None:
    """One file of SVG, the same for the same results."""
    plt.rcParams.update(
        {
            "svg.hashsalt": "contest",
            "svg.fonttype": "none",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )
    cells = results["tables"][name]["cells"]
    picture = _lines(results, cells, _axis_of(name)) if _axis_of(name) else _bars(results, cells, unit_of(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.savefig(
        path, format=path.suffix.removeprefix("."), metadata={"Date": None} if path.suffix == ".svg" else None, dpi=90
    )
    plt.close(picture)


def unit_of(name: str) -> str:
    """What the picture of a table draws: its first figure, a rate or a time."""
    return "us per call" if TABLES[name].figures[0] == "us_per_call" else "calls per second"


def caption_of(name: str, cells: list[Cell]) -> str:
    """What of the table is not drawn; empty if all of it is."""
    if _axis_of(name) != "outstanding":
        return ""
    left = sorted({cell["load"]["connections"] for cell in cells} - {1})
    if not left:
        return ""
    others = " and ".join(map(str, left))
    return f"The picture shows the calls over one connection; those over {others} are in the tables only."


def _axis_of(name: str) -> str:
    """Which number of the load grows in a table that is drawn as lines."""
    return {"exposed": "outstanding", "connections": "connections"}.get(name, "")


def _rate(results: Results, cell: Cell, name: str) -> float | None:
    """Of the limit the best round."""
    if results["contestants"][name]["is_limit"]:
        return best_of_limit(results, cell)
    found = figure(cell, name, "calls_per_second")
    return found.median if found else None


def _count(number_of: int, thing: str) -> str:
    return f"{number_of:,} {thing}" if number_of == 1 else f"{number_of:,} {thing}s"


def _size(size: int) -> str:
    return f"{size // 1024:,} KiB" if size and size % 1024 == 0 else f"{size:,} B"


def panel_title(cell: Cell) -> str:
    """In words where the cell's name is three numbers, and what follows them."""
    load, parts = cell["load"], re.fullmatch(r"\d+/\d+/\d+(.*)", cell["name"])
    if not parts:
        return str(cell["name"])
    words = [_size(load["bytes"]), _count(load["connections"], "connection"), _count(load["outstanding"], "call")]
    return ", ".join([*words, *parts[1].split(" ", 1)[1:]])


def _bars(results: Results, cells: list[Cell], unit: str) -> Picture:
    """A panel for each cell; bars by rate, so that the fastest is on top."""
    rows: list[list[tuple[str, float]]] = []
    for cell in cells:
        others = [name for name, about in results["contestants"].items() if not about["is_limit"]]
        rates = [(name, rate) for name in others if (rate := _rate(results, cell, name))]
        rows.append(sorted(rates, key=lambda each: each[1]))
    columns = min(2, len(cells))
    lines = math.ceil(len(cells) / columns)
    heights = [
        max(len(row) for row in rows[line * columns : (line + 1) * columns]) * 0.2 + 0.9 for line in range(lines)
    ]
    picture, axes = plt.subplots(
        lines,
        columns,
        figsize=(5.6 * columns, sum(heights) + 0.2),
        squeeze=False,
        layout="constrained",
        height_ratios=heights,
    )
    panels = list(axes.flat)
    for axis, cell, row in zip(panels, cells, rows, strict=False):
        _bar_panel(axis, results, cell, row, unit)
    for axis in panels[len(cells) :]:
        axis.set_visible(False)
    return picture


def _bar_panel(axis: Axes, results: Results, cell: Cell, row: list[tuple[str, float]], unit: str) -> None:
    """The values stand in a column at the right, where neither bars nor the limit's line come."""
    about = results["contestants"]
    is_time = unit == "us per call"

    def drawn(rate: float) -> float:
        return 1e6 / rate if is_time else rate

    write = number if is_time else short
    colours = [OURS if about[name]["is_ours"] else OTHERS for name, _ in row]
    values = [drawn(rate) for _, rate in row]
    best = best_of_limit(results, cell)
    limit = drawn(best) if best else None
    axis.barh(range(len(row)), values, color=colours, height=0.72)
    axis.set_yticks(range(len(row)), [about[name]["title"] for name, _ in row])
    axis.set_ylim(-0.6, max(len(row), 2) - 0.4)
    axis.set_xscale("log")
    known = [*values, *([limit] if limit else [])] or [1.0]
    least = 10 ** math.floor(math.log10(min(known)) - 0.3)
    axis.set_xlim(least, least * (max(known) / least) ** (1 / 0.72))
    for place, ((name, _), value) in enumerate(zip(row, values, strict=True)):
        share = share_of_limit(results, cell, name) if about[name]["is_ours"] else None
        text = write(value) + (f"  {percent(share)}" if share is not None else "")
        axis.annotate(text, (1.0, place), xycoords=("axes fraction", "data"), ha="right", va="center", fontsize=8)
    if limit:
        axis.axvline(limit, color=LIMIT, linestyle="--", linewidth=1)
        axis.set_title(f"- - limit {write(limit)}", loc="right", fontsize=8, color=LIMIT)
    _format(axis.xaxis)
    axis.tick_params(axis="y", length=0)
    axis.set_title(textwrap.fill(panel_title(cell), TITLE_CHARACTERS), loc="left", fontweight="bold")
    axis.set_xlabel(f"{unit}, less is better" if is_time else unit)


def _tick(value: float, _: object) -> str:
    """Powers of ten without decimals."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def _format(axis: Any) -> None:
    low, high = axis.get_view_interval()
    is_narrow = high / max(low, 1e-9) < 300
    axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5) if is_narrow else (1,), numticks=8 if is_narrow else 6))
    axis.set_major_formatter(FuncFormatter(_tick))
    axis.set_minor_formatter(NullFormatter())


def _lines(results: Results, cells: list[Cell], grows: str) -> Picture:
    """A panel for each payload, the calls over one connection if the connections are not what grows."""
    groups: dict[int, list[Cell]] = {}
    for cell in cells:
        if grows == "connections" or cell["load"]["connections"] == 1:
            groups.setdefault(cell["load"]["bytes"], []).append(cell)
    columns = min(2, len(groups))
    lines = math.ceil(len(groups) / columns)
    picture, axes = plt.subplots(
        lines, columns, figsize=(5.6 * columns, 3.6 * lines + 1.0), squeeze=False, layout="constrained"
    )
    named = _named(results, [cell for group in groups.values() for cell in group])
    panels = list(axes.flat)
    for axis, (size, group) in zip(panels, groups.items(), strict=False):
        _line_panel(axis, results, group, grows, named)
        axis.set_title(
            _size(size) + ("" if grows == "connections" else ", 1 connection"), loc="left", fontweight="bold"
        )
    for axis in panels[len(groups) :]:
        axis.set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside lower center", ncols=4 if columns > 1 else 2, frameon=False)
    return picture


def _named(results: Results, cells: list[Cell]) -> dict[str, str]:
    """The fastest others by their best share of the limit, with their colours."""

    def best(name: str) -> float:
        return max((share_of_limit(results, cell, name) or 0.0 for cell in cells), default=0.0)

    others = [name for name, about in results["contestants"].items() if not about["is_limit"] and not about["is_ours"]]
    fastest = sorted((name for name in others if best(name) > 0), key=best, reverse=True)[: len(LINES)]
    return dict(zip(fastest, LINES, strict=False))


def _line_panel(axis: Axes, results: Results, cells: list[Cell], grows: str, named: dict[str, str]) -> None:
    others_labelled = False
    for name, about in results["contestants"].items():
        points = [(cell["load"][grows], rate) for cell in cells if (rate := _rate(results, cell, name))]
        if not points:
            continue
        style: dict[str, Any] = {"color": OTHERS, "linewidth": 0.7, "alpha": 0.6, "marker": "."}
        label = about["title"]
        if about["is_limit"]:
            style = {"color": LIMIT, "linewidth": 1.2, "linestyle": "--", "marker": "_"}
            label = f"limit ({about['title']})"
        elif about["is_ours"]:
            style = {
                "color": OURS,
                "linewidth": 2.2 if about["language"] == "C++" else 1.2,
                "marker": "o",
                "markersize": 4,
            }
            style["linestyle"] = "-" if about["language"] == "C++" else ":"
        elif name in named:
            marker = MARKERS[list(named).index(name) % len(MARKERS)]
            style = {"color": named[name], "linewidth": 1.2, "marker": marker, "markersize": 4}
        else:
            label = "_" if others_labelled else "others"
            others_labelled = True
        axis.plot(*zip(*points, strict=True), label=label, **style)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks(sorted({cell["load"][grows] for cell in cells}))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.xaxis.set_minor_locator(LogLocator(numticks=1))
    _format(axis.yaxis)
    axis.grid(axis="y", linewidth=0.3)
    axis.set_xlabel("connections, one call each" if grows == "connections" else "outstanding calls")
    axis.set_ylabel("calls per second")

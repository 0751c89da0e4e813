# SPDX-License-Identifier: MIT
"""Pictures of a table's results: bars for each cell, or lines where one number grows; the limit is always drawn in."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from harness.results import figure
from harness.summary import percent, short

OURS = "#c2410c"
LIMIT = "#111827"
OTHERS = "#64748b"
#: Of the lines that are told apart; the rest are thin and grey.
LINES = ("#1d4ed8", "#15803d", "#7c3aed", "#a16207", "#0891b2", "#be185d", "#334155", "#65a30d", "#9333ea", "#0f766e")
MARKERS = "os^Dv"

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
    picture = _lines(results, cells, _axis_of(name)) if _axis_of(name) else _bars(results, cells)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.savefig(
        path, format=path.suffix.removeprefix("."), metadata={"Date": None} if path.suffix == ".svg" else None, dpi=90
    )
    plt.close(picture)


def _axis_of(name: str) -> str:
    """Which number of the load grows in a table that is drawn as lines."""
    return {"exposed": "outstanding", "connections": "connections"}.get(name, "")


def _rate(cell: Cell, name: str) -> float | None:
    found = figure(cell, name, "calls_per_second")
    return found.median if found else None


def _limit_of(results: Results) -> str:
    return next((name for name, about in results["contestants"].items() if about["is_limit"]), "")


def _bars(results: Results, cells: list[Cell]) -> Picture:
    """A panel for each cell; bars by rate, so that the fastest is on top."""
    limit = _limit_of(results)
    rows: list[list[tuple[str, float]]] = []
    for cell in cells:
        rates = [(name, rate) for name in results["contestants"] if name != limit and (rate := _rate(cell, name))]
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
        _bar_panel(axis, results, cell, row, _rate(cell, limit) if limit else None)
    for axis in panels[len(cells) :]:
        axis.set_visible(False)
    return picture


def _bar_panel(axis: Axes, results: Results, cell: Cell, row: list[tuple[str, float]], limit: float | None) -> None:
    about = results["contestants"]
    colours = [OURS if about[name]["is_ours"] else OTHERS for name, _ in row]
    rates = [rate for _, rate in row]
    axis.barh(range(len(row)), rates, color=colours, height=0.72)
    axis.set_yticks(range(len(row)), [about[name]["title"] for name, _ in row])
    axis.set_ylim(-0.6, max(len(row), 2) - 0.4)
    axis.set_xscale("log")
    known = [*rates, *([limit] if limit else [])] or [1.0]
    axis.set_xlim(10 ** math.floor(math.log10(min(known)) - 0.3), max(known) * 12)
    for place, (name, rate) in enumerate(row):
        share = f"  {percent(rate / limit)}" if limit and about[name]["is_ours"] else ""
        axis.annotate(
            short(rate) + share,
            (rate, place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            bbox={"boxstyle": "square,pad=0.05", "facecolor": "white", "edgecolor": "none"},
        )
    if limit:
        axis.axvline(limit, color=LIMIT, linestyle="--", linewidth=1, zorder=0.5)
        axis.annotate(
            f"limit {short(limit)}",
            (limit, 0.0),
            xycoords=("data", "axes fraction"),
            xytext=(3, 3),
            textcoords="offset points",
            fontsize=8,
            color=LIMIT,
        )
    _format(axis.xaxis)
    axis.tick_params(axis="y", length=0)
    axis.set_title(cell["name"], loc="left", fontweight="bold")
    axis.set_xlabel("calls per second")


def _tick(value: float, _: object) -> str:
    """Powers of ten without decimals."""
    return f"{value / 1e6:g} M" if value >= 1e6 else f"{value / 1e3:g} k" if value >= 1e3 else f"{value:g}"


def _format(axis: Any) -> None:
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5) if high / max(low, 1e-9) < 300 else (1,), numticks=12))
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
            f"{size:,} bytes" + ("" if grows == "connections" else ", 1 connection"), loc="left", fontweight="bold"
        )
    for axis in panels[len(groups) :]:
        axis.set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside lower center", ncols=4 if columns > 1 else 2, frameon=False)
    return picture


def _named(results: Results, cells: list[Cell]) -> dict[str, str]:
    """The ten fastest others by their best share of the limit, with their colours."""
    limit = _limit_of(results)

    def best(name: str) -> float:
        return max(((_rate(cell, name) or 0.0) / (_rate(cell, limit) or math.inf) for cell in cells), default=0.0)

    others = [name for name, about in results["contestants"].items() if not about["is_limit"] and not about["is_ours"]]
    fastest = sorted((name for name in others if best(name) > 0), key=best, reverse=True)[: len(LINES)]
    return dict(zip(fastest, LINES, strict=False))


def _line_panel(axis: Axes, results: Results, cells: list[Cell], grows: str, named: dict[str, str]) -> None:
    others_labelled = False
    for name, about in results["contestants"].items():
        points = [(cell["load"][grows], rate) for cell in cells if (rate := _rate(cell, name))]
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

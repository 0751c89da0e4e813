# SPDX-License-Identifier: MIT
"""Results: what a run has measured, as JSON; medians and spread; the same whether just made or read back."""

from __future__ import annotations

import json
import os
import re
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FORMAT = 1


class ResultsError(Exception):
    """A file of results cannot be read."""


@dataclass(frozen=True)
class Figure:
    """The median of the rounds, the least and the most."""

    median: float
    low: float
    high: float
    rounds: int

    @property
    def spread(self) -> float:
        """Between least and most, as a share of the median."""
        return (self.high - self.low) / self.median if self.median else 0.0


def _derived(run: dict[str, Any], load: dict[str, Any], name: str) -> float | None:
    """A figure of a run; None if it cannot be told."""
    rate = run.get("calls_per_second", 0.0)
    if name == "us_per_call":
        return 1e6 / rate if rate else None
    if name == "mib_per_second":
        return float(rate * 2 * load["bytes"] / 2**20)
    if name.endswith("_ms"):
        value = run.get(name.removesuffix("_ms") + "_us")
        return None if value is None else value / 1e3
    if name.endswith("_mib"):
        value = run.get(name.removesuffix("_mib") + "_bytes")
        return value / 2**20 if value else None
    if name == "large_calls_per_second":
        return run["large_calls"] / run["seconds"] if run.get("seconds") and "large_calls" in run else None
    if name == "mean_us":
        return load["outstanding"] * 1e6 / rate if rate else None
    value = run.get(name)
    return None if value is None else float(value)


def few_windows(seconds: float) -> str:
    return f"in {seconds:.2g} s fewer than two windows were answered"


def unusable(run: dict[str, Any], load: dict[str, Any]) -> str:
    """Why a run tells nothing; empty if it does. A window is as many calls as are under way at once."""
    if "failed" in run:
        return str(run["failed"])
    if run["calls"] >= 2 * load["outstanding"]:
        return ""
    asked = re.search(r"--seconds ([\d.]+)", run.get("commands", {}).get("client", ""))
    return few_windows(float(asked[1]) if asked else run.get("seconds", 0.0))


def figure(cell: dict[str, Any], contestant: str, name: str) -> Figure | None:
    """None where the contestant has no successful run that tells it."""
    runs = [run for run in cell["runs"].get(contestant, []) if not unusable(run, cell["load"])]
    values = [value for run in runs if (value := _derived(run, cell["load"], name)) is not None]
    if not values:
        return None
    return Figure(statistics.median(values), min(values), max(values), len(values))


def failure(cell: dict[str, Any], contestant: str) -> str:
    """Why a contestant has no figure; empty if it has one."""
    runs = cell["runs"].get(contestant, [])
    reasons = [unusable(run, cell["load"]) for run in runs]
    if reasons and all(reasons):
        return reasons[0]
    return str(cell["cannot"].get(contestant, ""))


def ours_of(results: dict[str, Any]) -> str:
    return next((name for name, about in results["contestants"].items() if about["is_ours"]), "")


def limit_of(results: dict[str, Any], cell: dict[str, Any]) -> str:
    """The limit that ran in the cell."""
    limits = [name for name, about in results["contestants"].items() if about["is_limit"]]
    return next((name for name in limits if name in cell["runs"]), "")


def best_of_limit(results: dict[str, Any], cell: dict[str, Any]) -> float | None:
    """The rate of its best round; none beside one-way calls, which it would answer."""
    limit = figure(cell, limit_of(results, cell), "calls_per_second")
    return limit.high if limit and cell["load"]["work"] != "oneway" else None


def share_of_limit(results: dict[str, Any], cell: dict[str, Any], contestant: str) -> float | None:
    mine, limit = figure(cell, contestant, "calls_per_second"), best_of_limit(results, cell)
    return mine.median / limit if mine and limit else None


def write(results: dict[str, Any], path: Path) -> None:
    """At once, so that a reader never sees half of it."""
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def read(path: Path) -> dict[str, Any]:
    """Raises :class:`ResultsError`."""
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(f"read results {path}: {error}") from None
    if not isinstance(results, dict) or results.get("format") != FORMAT:
        raise ResultsError(f"read results {path}: its format is not {FORMAT}")
    return results

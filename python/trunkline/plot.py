# SPDX-License-Identifier: MIT
"""Draws runs saved by ``trunkline bench --save``: ``python -m trunkline.plot RUN.json... PICTURE``.

The picture shows latency by percentile, and rate and latency over time. Needs matplotlib: ``pip install
trunkline[plot]``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

#: The exit status if matplotlib is missing.
NO_MATPLOTLIB = 3

#: The percentiles with a label on the axis.
_TICKS = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999)
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_COUNTS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))

Run = dict[str, Any]


def read_runs(file: TextIO) -> list[Run]:
    """Reads one run, or an array of runs. Raises ValueError for anything else."""
    read = json.load(file)
    runs = read if isinstance(read, list) else [read]
    if not runs or not all(isinstance(run, dict) and "trunkline_bench" in run for run in runs):
        raise ValueError("is not a saved run of `trunkline bench`")
    return runs


def percentile_curve(buckets: Sequence[Sequence[int]]) -> tuple[list[float], list[float]]:
    """Returns the points of a curve: the rarity 1 / (1 - quantile) of each latency, and the latency in ns.

    ``buckets``: pairs of an upper bound in ns and a count, by increasing bound. The last point is the maximum, whose
    rarity is the number of calls.
    """
    count = sum(number for _, number in buckets)
    rarities: list[float] = []
    latencies: list[float] = []
    below = 0
    for upper, number in buckets:
        rarities.append(count / (count - below))
        latencies.append(float(upper))
        below += number
        rarities.append(count / max(1, count - below))
        latencies.append(float(upper))
    return rarities, latencies


def time_text(nanoseconds: float, _position: object = None) -> str:
    """Returns a label of an axis, such as ``"1.5 ms"``."""
    for scale, unit in _UNITS:
        if nanoseconds >= scale:
            return f"{nanoseconds / scale:.4g} {unit}"
    return f"{nanoseconds:.3g} ns"


def count_text(count: float, _position: object = None) -> str:
    """Returns a label of an axis, such as ``"1.5M"``."""
    for scale, unit in _COUNTS:
        if abs(count) >= scale:
            return f"{count / scale:.4g}{unit}"
    return f"{count:.4g}"


def describe(run: Run) -> str:
    """Describes the load in one line."""
    settings = run["settings"]
    pace = f"{count_text(settings['rate'])} calls/s (open loop)" if settings["rate"] else "closed loop"
    in_flight = ("at most " if settings["rate"] else "") + f"{settings['outstanding']} in flight"
    connections = f"{settings['connections']} connection" + ("s" if settings["connections"] != 1 else "")
    request = f"{settings['kind']}, {settings['request_bytes']} B"
    return f"{settings['method']} · {request} · {connections}, {in_flight} · {pace}"


def _draw_percentiles(axes: Any, runs: Sequence[Run], labels: Sequence[str]) -> None:
    from matplotlib.ticker import FuncFormatter, NullLocator

    rarest = 10.0
    for index, (run, label) in enumerate(zip(runs, labels)):
        of = f"{label}, " if len(runs) > 1 else ""
        curves = [("latency", label, "-")]
        if run["uncorrected_latency"]["buckets"]:
            curves = [("latency", f"{of}since due", "-"), ("uncorrected_latency", f"{of}since sent", "--")]
        for key, name, style in curves:
            if run[key]["buckets"]:
                rarities, latencies = percentile_curve(run[key]["buckets"])
                axes.plot(rarities, latencies, style, color=f"C{index}", linewidth=1.8, label=name)
                rarest = max(rarest, rarities[-1])
    ticks = [tick for tick in _TICKS if 100 / (100 - tick) <= rarest * 1.5]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(1, rarest * 1.05)
    axes.set_xticks([100 / (100 - tick) for tick in ticks], [f"{tick:g} %" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(time_text))
    axes.yaxis.set_minor_formatter(FuncFormatter(_sparse_time_text(axes)))
    axes.tick_params(axis="y", which="minor", labelsize="small")
    axes.set_xlabel("share of calls that are at least as fast")
    axes.set_ylabel("latency")
    axes.legend(loc="upper left")


def _sparse_time_text(axes: Any) -> Any:
    """Formats labels between powers of ten if few powers of ten are visible."""

    def text(value: float, _position: object = None) -> str:
        low, high = axes.get_ylim()
        leading = value
        while leading >= 10:
            leading /= 10
        decades = high / max(low, 1.0)
        wanted = (2, 3, 5, 7) if decades < 10 else (2, 5) if decades < 300 else ()
        return time_text(value) if round(leading, 6) in wanted else ""

    return text


def _draw_rates(axes: Any, runs: Sequence[Run], labels: Sequence[str]) -> None:
    from matplotlib.ticker import FuncFormatter

    noun = "messages" if all(run["settings"]["kind"] == "bidi-stream" for run in runs) else "calls"
    failed, highest = False, 0.0
    for index, (run, label) in enumerate(zip(runs, labels)):
        points = [point for point in run["series"] if point["seconds"] > 0]
        key = "messages" if run["settings"]["kind"] == "bidi-stream" else "calls"
        times = [point["at_seconds"] for point in points]
        rates = [point[key] / point["seconds"] for point in points]
        axes.plot(times, rates, "-o", color=f"C{index}", markersize=4, linewidth=1.8, label=label)
        failures = [point["failed"] / point["seconds"] for point in points]
        highest = max(highest, *rates, *failures)
        if any(failures):
            failed = True
            axes.plot(times, failures, ":x", color=f"C{index}", markersize=5, label=f"{label}, failed")
    axes.set_ylim(0, highest * 1.15 or 1)
    axes.yaxis.set_major_formatter(FuncFormatter(count_text))
    axes.set_ylabel(f"{noun} per second")
    if failed or len(runs) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


def _draw_latencies(axes: Any, runs: Sequence[Run], labels: Sequence[str]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    for index, (run, label) in enumerate(zip(runs, labels)):
        points = [point for point in run["series"] if point["max_ns"] > 0]
        times = [point["at_seconds"] for point in points]
        for key, name, style in (("p50_ns", "p50", "-o"), ("p99_ns", "p99", "--s"), ("max_ns", "max", ":^")):
            values = [point[key] for point in points]
            of = f"{label}, {name}" if len(runs) > 1 else name
            axes.plot(times, values, style, color=f"C{index}", markersize=4, linewidth=1.4, label=of)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(time_text))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("seconds since the measurement began")
    axes.set_ylabel("latency in each second")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


def draw(runs: Sequence[Run], labels: Sequence[str], picture: str | Path) -> None:
    """Writes the picture; the suffix of its name selects the format."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    with pyplot.rc_context(
        {"axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False}
    ):
        figure, axes = pyplot.subplots(3, 1, figsize=(10, 12), height_ratios=(5, 3, 3), layout="constrained")
        title = describe(runs[0]) if len(runs) == 1 else "trunkline bench"
        figure.suptitle(title, fontsize="large")
        _draw_percentiles(axes[0], runs, labels)
        _draw_rates(axes[1], runs, labels)
        _draw_latencies(axes[2], runs, labels)
        axes[1].sharex(axes[2])
        axes[1].tick_params(axis="x", labelbottom=False)
        axes[2].set_xlim(left=0)
        figure.savefig(picture, dpi=120)
        pyplot.close(figure)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m trunkline.plot", description="Draws runs of `trunkline bench`.")
    parser.add_argument("runs", nargs="+", metavar="RUN", help="saved runs; - for standard input")
    parser.add_argument("picture", metavar="PICTURE", help=".png, .svg or .pdf")
    parser.add_argument(
        "--label", action="append", default=[], help="label of a run; may be given once for each run, in their order"
    )
    given = parser.parse_args(arguments)
    runs: list[Run] = []
    for name in given.runs:
        try:
            if name == "-":
                runs += read_runs(sys.stdin)
            else:
                with open(name, encoding="utf-8") as file:
                    runs += read_runs(file)
        except (OSError, ValueError) as error:
            print(f"trunkline.plot: {name}: {error}", file=sys.stderr)
            return 2
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        print(f"trunkline.plot: {error}; pip install 'trunkline[plot]'", file=sys.stderr)
        return NO_MATPLOTLIB
    names = [f"run {number + 1}" if len(runs) > 1 else "calls" for number in range(len(runs))]
    labels = given.label + names[len(given.label) :]
    try:
        draw(runs, labels, given.picture)
    except (OSError, KeyError) as error:
        print(f"trunkline.plot: {given.picture}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

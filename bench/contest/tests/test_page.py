# SPDX-License-Identifier: MIT
"""The pages of the tables, their pictures and the comparison, from results that are made up."""

from __future__ import annotations

import copy
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from harness import comparison, page, plots, results
from harness.load import Load
from harness.summary import number, percent, short
from harness.tables import TABLES

from .sample_results import cell_of, run_of, sample, write

pytest.importorskip("matplotlib")

__all__ = ["sample"]


def test_a_table_has_every_figure_with_its_command_and_machine(tmp_path: Path, sample: dict[str, Any]) -> None:
    out = tmp_path / "docs/benchmarks.md"

    assert page.main([str(write(tmp_path, sample)), "--out", str(out)]) == 0

    text = (tmp_path / "docs/benchmarks/main.md").read_text()
    assert "| *limit: bare socket* | 1.00 M | 1.00 M |" in text
    assert "| **Trunkline** | 600 k | 600 k |" in text
    assert "| Peer | 30.0 k | 30.0 k |" in text
    assert "| **Trunkline** | 50% | 50% |" in text, "the share is of the limit's best round"
    joined = text.replace("\n", " ")
    assert "Made by `bench/contest/run --table main` on virtual machine, 2 cores of Some CPU, Linux 6.1" in joined
    assert (
        "2025-03-04 05:06 UTC; 3 rounds of 1 s after 0.3 s of warm-up; each side on its half of the cores; "
        "Trunkline 1.2; load average 0.2 before."
    ) in joined
    assert "- Peer, 8/1/1: `build/x serve` and `build/x call`" in text
    assert "as told \\| advised" in (tmp_path / "docs/benchmarks/contestants.md").read_text()


def test_contestants_that_are_missing_failed_or_cannot_have_the_reason(tmp_path: Path, sample: dict[str, Any]) -> None:
    page.main([str(write(tmp_path, sample)), "--out", str(tmp_path / "benchmarks.md")])

    text = (tmp_path / "benchmarks/main.md").read_text()
    assert "- Crasher: client: ended with -11 (every cell)" in text
    assert "- Modest: has no echo (every cell)" in text
    contestants = (tmp_path / "benchmarks/contestants.md").read_text()
    assert "| Gone | C++ | **missing**: apt-get: no such package |" in contestants


def test_a_picture_names_the_contestants_the_units_and_the_limit(tmp_path: Path, sample: dict[str, Any]) -> None:
    page.main([str(write(tmp_path, sample)), "--out", str(tmp_path / "benchmarks.md")])

    for table in ("main", "connections"):
        picture = (tmp_path / f"benchmarks/{table}.svg").read_text()
        for words in ("Trunkline", "Peer", "calls per second", "limit"):
            assert f"{words}" in picture, f"{table}: {words}"


def test_files_are_ordered_by_when_they_were_started(tmp_path: Path, sample: dict[str, Any]) -> None:
    later = copy.deepcopy(sample)
    later["started"] = "2026-01-01T00:00:00+00:00"
    later["contestants"]["ours"]["version"] = "1.3"
    files = [str(write(tmp_path, later, "a.json")), str(write(tmp_path, sample, "b.json"))]
    out = tmp_path / "benchmarks.md"

    def made() -> dict[str, str]:
        return {path.name: path.read_text() for path in [out, *(tmp_path / "benchmarks").glob("*.md")]}

    page.main([*files, "--out", str(out)])
    pages = made()
    page.main([*reversed(files), "--out", str(out)])

    assert made() == pages
    assert "2025-03-04 05:06 UTC;" not in pages["main.md"]
    occasions = pages["occasions.md"].replace("\n", " ")
    assert "began at 2025-03-04 05:06 UTC and the last one at 2026-01-01 00:00 UTC" in occasions
    assert "| Trunkline | C++ | 1.3 |" in pages["contestants.md"]


def test_one_round_has_neither_median_nor_spread(tmp_path: Path, sample: dict[str, Any]) -> None:
    sample["timing"]["rounds"] = 1
    for cell in sample["tables"]["main"]["cells"] + sample["tables"]["connections"]["cells"]:
        cell["runs"] = {who: runs[:1] for who, runs in cell["runs"].items()}
    out = tmp_path / "benchmarks.md"

    page.main([str(write(tmp_path, sample)), "--out", str(out)])

    text = (tmp_path / "benchmarks/main.md").read_text()
    assert "\ncalls/s:\n" in text
    assert "median" not in text
    assert "spread" not in text
    assert "one round of 1 s after" in text.replace("\n", " ")


def test_one_way_calls_have_no_share_of_a_limit_that_echoes(sample: dict[str, Any]) -> None:
    echo, oneway = cell_of("1c", Load(work="multiply")), cell_of("1c_mbn", Load(work="oneway"))

    assert results.share_of_limit(sample, echo, "ours") == 0.5
    assert results.share_of_limit(sample, oneway, "ours") is None


def test_a_contestant_without_percentiles_has_a_dash(tmp_path: Path, sample: dict[str, Any]) -> None:
    for cell in sample["tables"]["main"]["cells"]:
        for run in cell["runs"]["peer"]:
            del run["p50_us"]
            run["p99_us"] = None
    page.main([str(write(tmp_path, sample)), "--out", str(tmp_path / "benchmarks.md")])

    text = (tmp_path / "benchmarks/main.md").read_text()
    for heading in ("p50 us", "p99 us"):
        table = text.partition(f"<summary>{heading}</summary>")[2].partition("</details>")[0]
        assert "| Peer | - | - |" in table


def test_panels_are_named_in_words() -> None:
    cell = cell_of("65536/5/5000 busy_poll", Load(bytes=65536, connections=5, outstanding=5000))

    assert plots.panel_title(cell) == "64 KiB, 5 connections, 5,000 calls, busy_poll"
    assert plots.panel_title(cell_of("8/1/1", Load())) == "8 B, 1 connection, 1 call"
    assert plots.panel_title(cell_of("round 1", Load())) == "round 1"


def test_a_picture_is_in_the_unit_of_its_table(tmp_path: Path, sample: dict[str, Any]) -> None:
    sample["tables"] = {"rpcz": {"cells": [cell_of(cell.name, cell.load) for cell in TABLES["rpcz"].cells]}}
    out = tmp_path / "benchmarks.md"

    page.main([str(write(tmp_path, sample)), "--out", str(out)])

    picture = (tmp_path / "benchmarks/rpcz.svg").read_text()
    assert "us per call, less is better" in picture
    assert "calls per second" not in picture
    assert "rows: us per call](benchmarks/rpcz.svg)" in out.read_text()


def test_a_caption_says_what_a_picture_leaves_out(tmp_path: Path, sample: dict[str, Any]) -> None:
    sample["tables"]["exposed"] = {
        "cells": [cell_of(cell.name, cell.load) for cell in TABLES["exposed"].cells if cell.load.bytes == 8]
    }
    out = tmp_path / "benchmarks.md"

    page.main([str(write(tmp_path, sample)), "--out", str(out)])

    left = "The picture shows the calls over one connection; those over 5 and 10 are in the tables only."
    assert (tmp_path / "benchmarks/exposed.md").read_text().count(left) == 1


def test_lines_that_are_told_apart_differ_in_hue_and_marker() -> None:
    assert len(set(plots.LINES)) == len(set(plots.MARKERS)) == len(plots.LINES) == len(plots.MARKERS)
    for first, second in itertools.combinations((plots.OURS, *plots.LINES), 2):
        channels = zip(bytes.fromhex(first[1:]), bytes.fromhex(second[1:]), strict=True)
        assert sum(abs(one - other) for one, other in channels) >= 80, (first, second)


def test_the_same_results_make_the_same_page(tmp_path: Path, sample: dict[str, Any]) -> None:
    path = write(tmp_path, sample)
    for folder in ("one", "two"):
        page.main([str(path), "--out", str(tmp_path / folder / "benchmarks.md")])

    for file in ("benchmarks.md", "benchmarks/main.md", "benchmarks/main.svg", "benchmarks/connections.svg"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_published_figures_stand_beside_with_their_hardware(tmp_path: Path, sample: dict[str, Any]) -> None:
    cells = [cell_of(cell.name, cell.load) for cell in TABLES["hslam"].cells]
    sample["tables"] = {"hslam": {"cells": cells}}
    out = tmp_path / "benchmarks.md"

    page.main([str(write(tmp_path, sample)), "--out", str(out)])

    text = (tmp_path / "benchmarks/hslam.md").read_text()
    assert "| *hslam/rpc, as published* | 22.0 k | 119 k | 163 k |" in text
    assert "from other hardware (12 cores)" in text


def test_a_wide_table_is_parted_by_payload(tmp_path: Path, sample: dict[str, Any]) -> None:
    sample["tables"] = {"exposed": {"cells": [cell_of(cell.name, cell.load) for cell in TABLES["exposed"].cells]}}
    out = tmp_path / "benchmarks.md"

    page.main([str(write(tmp_path, sample)), "--out", str(out)])

    text = (tmp_path / "benchmarks/exposed.md").read_text()
    assert re.findall(r"^## (.*)$", text, re.M) == [
        f"{size} bytes" for size in ("8", "128", "1,024", "32,768", "65,536")
    ]


def test_two_runs_are_compared_by_their_ratios(
    tmp_path: Path, sample: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    again = copy.deepcopy(sample)
    for cell in again["tables"]["main"]["cells"]:
        cell["runs"]["peer"] = [run_of(6e4)]
    files = [str(write(tmp_path, sample, "first.json")), str(write(tmp_path, again, "second.json"))]

    assert page.main(["--compare", *files]) == 0

    text = capsys.readouterr().out
    assert "| main | 8/1/50 | Peer | 20.0 x | 10.0 x | -50% |" in text
    assert "50% at most (Peer in main 8/1/1)" in text
    assert len(comparison.ratios(sample, again)) == 8


def test_the_pages_of_two_runs_show_how_far_they_differ(tmp_path: Path, sample: dict[str, Any]) -> None:
    files = [str(write(tmp_path, sample, name)) for name in ("first.json", "second.json")]
    out = tmp_path / "benchmarks.md"

    page.main([*files, "--out", str(out)])

    assert out.read_text().count("## The main cells") == 1
    assert "[more than once](benchmarks/occasions.md)" in out.read_text()
    assert "| main | 8/1/1 | Peer | 20.0 x | 20.0 x | +0% |" in (tmp_path / "benchmarks/occasions.md").read_text()


def test_occasions_are_found_table_by_table(sample: dict[str, Any]) -> None:
    only_main, only_connections = copy.deepcopy(sample), copy.deepcopy(sample)
    only_main["tables"] = {"main": sample["tables"]["main"]}
    only_connections["tables"] = {"connections": sample["tables"]["connections"]}
    again = copy.deepcopy(only_main)
    again["started"] = "2030-01-02T03:04:05+00:00"

    first, last = page.occasions([only_main, only_connections, again])

    assert list(first["tables"]) == list(last["tables"]) == ["main"]
    assert last["tables"]["main"] is again["tables"]["main"]
    assert last["started"] == ["2030-01-02 03:04"]
    assert page.occasions([only_main, only_connections])[0]["tables"] == {}


def test_a_file_that_holds_no_results_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"format": 99}))

    assert page.main([str(path), "--out", str(tmp_path / "benchmarks.md")]) == 1
    assert "its format is not 1" in capsys.readouterr().err
    assert page.main([str(tmp_path / "none.json"), "--out", str(tmp_path / "benchmarks.md")]) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "0.25"),
        (7.0, "7.0"),
        (12.3, "12"),
        (999.4, "999"),
        (999.9, "1.00 k"),
        (12_345, "12.3 k"),
        (2.5e6, "2.50 M"),
    ],
)
def test_short_numbers(value: float, text: str) -> None:
    assert short(value) == text


def test_numbers_and_shares() -> None:
    assert [number(value) for value in (None, 0.0123, 3.14159, 27.18, 1234.5)] == [
        "-",
        "0.0123",
        "3.14",
        "27.2",
        "1,234",
    ]
    assert [percent(value) for value in (None, 0.034, 0.5)] == ["-", "3.4%", "50%"]

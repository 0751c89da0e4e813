# SPDX-License-Identifier: MIT
"""The front page, its links, and where it says that Trunkline is behind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from harness import page, results
from harness.behind import behind_page, behind_section, found_behind
from harness.front_page import MAX_LINES, missing_section
from harness.load import Load
from harness.markdown import COLUMNS, wrapped
from harness.tables import TABLES

from .sample_results import cell_of, run_of, sample, write

pytest.importorskip("matplotlib")

__all__ = ["sample"]
ROOT = Path(__file__).resolve().parents[3]


def links(page: Path) -> list[str]:
    """The relative links of a page, pictures included."""
    found = re.findall(r"\]\(([^)\s]+)\)", page.read_text())
    return [link.partition("#")[0] for link in found if "://" not in link]


def test_the_front_page_has_a_picture_and_a_page_for_each_table(tmp_path: Path, sample: dict[str, Any]) -> None:
    out = tmp_path / "benchmarks.md"

    page.main([str(write(tmp_path, sample)), "--out", str(out)])

    text = out.read_text()
    for table in ("main", "connections"):
        assert f"](benchmarks/{table}.svg)" in text
        assert f"[All figures](benchmarks/{table}.md)" in text
    assert text.replace("\n", " ").count("Trunkline has the highest rate in 2 of 2 cells.") == 2
    assert "<details>" not in text


def test_links_lead_to_what_was_written(tmp_path: Path, sample: dict[str, Any]) -> None:
    out = tmp_path / "docs/benchmarks.md"
    files = [str(write(tmp_path, sample, name)) for name in ("first.json", "second.json")]

    page.main([*files, "--out", str(out)])

    pages = [out, *(tmp_path / "docs/benchmarks").glob("*.md")]
    assert len(pages) == 6
    for each in pages:
        for link in links(each):
            if "bench/contest" not in link and "optimisations" not in link:
                assert (each.parent / link).is_file(), f"{each.name}: {link}"


def test_pages_that_are_no_longer_made_are_removed(tmp_path: Path, sample: dict[str, Any]) -> None:
    out = tmp_path / "benchmarks.md"
    page.main([str(write(tmp_path, sample)), "--out", str(out)])
    del sample["tables"]["connections"]
    (tmp_path / "benchmarks/notes.txt").write_text("kept")

    page.main([str(write(tmp_path, sample)), "--out", str(out)])

    names = {path.name for path in (tmp_path / "benchmarks").iterdir()}
    assert names == {"behind.md", "contestants.md", "main.md", "main.svg", "notes.txt"}


def test_the_kept_results_make_the_pages_of_this_repository() -> None:
    found = [results.read(path) for path in sorted((ROOT / "bench/contest/results").glob("*.json"))]

    pages = page.compose(found, "benchmarks", "svg")

    front = ROOT / "docs/benchmarks.md"
    for name, text in pages.items():
        assert (front.with_suffix("") / name if name else front).read_text() == text, "run bench/contest/page"
    assert pages[""].count("\n") <= MAX_LINES
    for path in [front, *front.with_suffix("").glob("*.md")]:
        assert path == front or path.name in pages
        for link in links(path):
            assert (path.parent / link).exists(), f"{path.name}: {link}"


def test_every_kept_result_is_on_a_page() -> None:
    found = [results.read(path) for path in sorted((ROOT / "bench/contest/results").glob("*.json"))]

    shown = page.latest(page.in_time(found))

    again = page.occasions(page.in_time(found))[0]["tables"]
    for each in found:
        assert any(shown[table] is each or table in again for table in each["tables"])


def test_prose_is_wrapped_and_links_stay_whole() -> None:
    lines = list(wrapped("word " * 22 + "[a link of four words](target.md) and more"))

    assert max(map(len, lines)) <= COLUMNS
    assert lines[1].startswith("[a link of four words](target.md)")


def test_tables_and_cells_without_results_are_listed(tmp_path: Path, sample: dict[str, Any]) -> None:
    out = tmp_path / "benchmarks.md"

    page.main([str(write(tmp_path, sample)), "--out", str(out)])

    missing = out.read_text().partition("## What is missing")[2].partition("\n## ")[0]
    assert "- Fan-out (`fan-out`): not measured" in missing
    assert "- Many connections (`connections`): 2 of 4 cells: 8/1000/1000, 8/10000/10000" in missing
    assert "in five minutes" not in missing
    whole = {"main": sample["tables"]["main"]}
    whole["main"]["cells"] = [cell_of(cell.name, cell.load) for cell in TABLES["main"].cells]
    assert "The main cells (" not in "\n".join(missing_section({"main": {"tables": whole}}))


def test_cells_in_which_trunkline_is_behind_have_the_ratio(sample: dict[str, Any]) -> None:
    first, second = sample["tables"]["main"]["cells"]
    first["runs"]["peer"] = [run_of(9e5)]
    second["runs"]["peer"] = [{**run_of(1.0), "p99_us": 1.9}]
    sample["tables"]["connections"]["cells"][0]["runs"] = {"ours": [{"failed": "so"}], "peer": [run_of(1.0)]}

    lines = list(behind_page(found_behind({name: sample for name in ("main", "connections")})))

    assert [line for line in lines if line.startswith("| ") and "Trunkline" not in line] == [
        "| connections, 8/1/1 | calls/s | - | Peer |",
        "| main, 8/1/50 | p99 us | 9.50 | Peer 5 x |",
        "| main, 8/1/1 | calls/s | 600 k | Peer 1.5 x |",
    ]


def test_the_front_page_lists_the_worst_cells_and_links_to_all(sample: dict[str, Any]) -> None:
    cells = [cell_of(f"8/1/{number_of}", Load(outstanding=number_of)) for number_of in range(1, 61)]
    for cell in cells:
        cell["runs"]["peer"] = [run_of(2e6)]
    sample["tables"] = {"main": {"cells": cells}}

    found = found_behind({"main": sample})

    front, whole = list(behind_section(found, "all.md")), list(behind_page(found))

    assert len([line for line in front if line.startswith("| main")]) == 12
    assert any("[all of them](all.md)" in line for line in front)
    assert len([line for line in whole if line.startswith("| main")]) == 60


def test_a_contest_without_anyone_ahead_says_so(sample: dict[str, Any]) -> None:
    section = behind_section(found_behind({"main": sample}), "all.md")

    assert any("No other contestant has a better rate" in line for line in section)

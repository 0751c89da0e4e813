# SPDX-License-Identifier: MIT
"""The command bench/contest/run: its options, what it shows of itself, and how it goes on with an interrupted run."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.run import main, parse_arguments, resumed, tables_of, warn_of_load, without_path
from harness.tables import TABLES


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["--quick", "--json", "/somewhere/it.json"], ["--quick"]),
        (["--json=it.json", "--table", "main"], ["--table", "main"]),
        (["--full"], ["--full"]),
    ],
)
def test_the_command_that_is_shown_tells_no_path(given: list[str], kept: list[str]) -> None:
    assert without_path(given) == kept


def test_a_full_run_has_every_table_and_the_longest_last() -> None:
    names = [table.name for table in tables_of(parse_arguments(["--full"]))]

    assert {*names, "quick"} == set(TABLES)
    assert len(names) == len(set(names))
    assert names[-1] == max(names, key=lambda name: len(TABLES[name].cells))


def test_a_run_is_gone_on_with_only_with_the_same_programs_on_the_same_machine() -> None:
    before = {"machine": {"kernel": "6"}, "contestants": {"one": {"version": "1"}}, "started": "then", "tables": {}}
    now = {**before, "started": "now"}

    assert resumed(before, now) == {**before, "resumed": ["now"]}
    assert resumed(resumed(before, now), {**now, "started": "later"})["resumed"] == ["now", "later"]
    with pytest.raises(ValueError, match="--resume: one changed since"):
        resumed(before, {**now, "contestants": {"one": {"version": "2"}}})
    with pytest.raises(ValueError, match="--resume: kernel changed since"):
        resumed(before, {**now, "machine": {"kernel": "7"}})


@pytest.mark.parametrize(("average", "warned"), [(1.0, False), (1.6, True)])
def test_a_busy_machine_is_warned_of(average: float, warned: bool, capsys: pytest.CaptureFixture[str]) -> None:
    warn_of_load(average)

    assert ("load average is 1.6" in capsys.readouterr().err) == warned


def test_going_on_takes_no_other_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_arguments(["--resume", "results.json", "--full"])
    assert "--resume goes alone" in capsys.readouterr().err


def test_results_that_cannot_be_gone_on_with_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--resume", str(tmp_path / "nowhere.json")]) == 2
    assert "nowhere.json" in capsys.readouterr().err

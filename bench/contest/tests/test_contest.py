# SPDX-License-Identifier: MIT
"""The runner with contestants of a few lines: interleaving, medians, who is missing, wrong, or crashes."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harness.contest import count_runs, entrants, run_cell, run_tables
from harness.installation import missing_contestants
from harness.load import Load, frame_bytes
from harness.manifest import Contestant, ManifestError, Places, read_manifest, read_manifests
from harness.measurement import Timing, Tools, measure
from harness.process import Program, RunFailed, RunTooSlow, cores_of_side
from harness.results import failure, figure, share_of_limit
from harness.run import without_done
from harness.tables import TABLES, Cell, Table

from .conftest import CONTEST, Make

TIMING = Timing(seconds=0.01, warmup=0, rounds=3, pin=False)
TOOLS = Tools(Path("certificate"), Path("key"), Path("counter"))
CELLS = (Cell("8/1/1", Load()), Cell("8/1/2", Load(outstanding=2)))
TABLE = Table(name="test", title="A test", summary="", note="", cells=CELLS)


def contest(*contestants: Contestant, missing: dict[str, str] | None = None, rounds: int = 3) -> list[dict[str, Any]]:
    """The cells of TABLE."""
    saved: list[int] = []
    timing = Timing(seconds=0.01, warmup=0, rounds=rounds, pin=False)
    done = run_tables(
        [TABLE],
        list(contestants),
        missing or {},
        timing,
        lambda contestant, load: measure(contestant, load, timing, TOOLS),
        lambda *_: None,
        lambda tables: saved.append(len(tables["test"]["cells"])),
    )
    assert saved == [1, 2]
    cells: list[dict[str, Any]] = done["test"]["cells"]
    return cells


def test_a_figure_is_the_median_of_the_rounds_with_its_spread(make: Make) -> None:
    cells = contest(make("one", rate=1000))

    rate = figure(cells[0], "one", "calls_per_second")

    assert rate is not None
    assert (rate.median, rate.low, rate.high, rate.rounds) == (2000, 1000, 3000, 3)
    assert rate.spread == 1.0


def test_contestants_take_turns_and_each_round_begins_with_another(make: Make, log: Path) -> None:
    contest(make("one"), make("two"), make("three"))

    first_cell = log.read_text().split()[:9]

    assert first_cell == ["one", "two", "three", "two", "three", "one", "three", "one", "two"]


def test_a_run_tells_what_proc_says_of_both_sides_and_their_commands(make: Make) -> None:
    run = measure(make("one"), Load(), TIMING, TOOLS)

    assert run["client_cpu_us_per_call"] == pytest.approx(1000)
    assert run["server_cpu_us_per_call"] > 0
    assert run["server_peak_bytes"] > 1 << 20
    assert run["client_peak_bytes"] > 1 << 20
    assert "server.py" in run["commands"]["server"]
    assert "client.py 127.0.0.1:" in run["commands"]["client"]


def test_each_side_has_its_half_of_the_cores() -> None:
    cores = os.sched_getaffinity(0)
    print_cores = [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
    server, client = (cores_of_side(side, pin=True) for side in ("server", "client"))

    with Program(print_cores, cores=client) as program:
        said = program.line(100)

    assert said == str(sorted(client))
    assert os.sched_getaffinity(0) == cores
    assert server | client == cores
    assert not server & client or len(cores) == 1
    assert cores_of_side("server", pin=False) == cores


def test_a_program_that_says_nothing_is_given_up() -> None:
    with Program([sys.executable, "-c", "import time; time.sleep(60)"], cores=os.sched_getaffinity(0)) as program:
        with pytest.raises(RunFailed, match="said nothing within 0.2 s"):
            program.line(0.2)
        with pytest.raises(RunFailed, match="did not end within 0.1 s"):
            program.end_code(0.1)


def test_a_server_that_tells_its_heap_does_so_when_its_input_ends() -> None:
    script = "import sys; print('listening on 1', flush=True); sys.stdin.read(); print('last words', flush=True)"

    with Program([sys.executable, "-c", script], cores=os.sched_getaffinity(0)) as program:
        assert program.line(100) == "listening on 1"
        assert program.stop(grace=100) == "last words"


def test_allocations_are_asked_of_contestants_but_not_of_the_limit(make: Make) -> None:
    limit = make("limit", extra="is_limit = true")
    silent = make("silent", extra='allocations = "self"')
    load = Load(allocations=True)

    assert "calls_per_second" in measure(limit, load, TIMING, TOOLS)
    with pytest.raises(RunFailed, match="did not tell its allocations"):
        measure(silent, load, TIMING, TOOLS)


def test_allocations_per_call_are_the_slope_between_two_runs(make: Make) -> None:
    told = make("told", extra='allocations = "self"')
    folder = Path(told.server[1]).parent
    with (folder / "server.py").open("a") as server:
        server.write('print(\'{"allocations": 50, "allocated_bytes": 0, "collections": 1}\')\n')
    client = (folder / "client.py").read_text()
    # 1000 when it starts, and two for each of the calls, of which a later run makes more.
    counted = "calls = 100 * runs\nreport |= dict(all_calls=calls, allocations=1000 + 2 * calls, collections=3, "
    counted += "allocated_bytes=64 * calls)\nprint(json.dumps(report)"
    (folder / "client.py").write_text(client.replace("print(json.dumps(report)", counted))

    run = measure(told, Load(allocations=True), TIMING, TOOLS)

    assert run["allocations_per_call"] == 2
    assert run["allocated_bytes_per_call"] == 64
    assert run["collections"] == 4


def test_a_wrong_answer_counts_for_nothing(make: Make) -> None:
    cells = contest(make("one"), make("liar", answer="wrong"))

    assert figure(cells[0], "liar", "calls_per_second") is None
    assert "an answer is wrong" in failure(cells[0], "liar")
    assert figure(cells[0], "one", "calls_per_second") is not None


def test_a_crash_ends_neither_the_run_nor_the_others(make: Make, log: Path) -> None:
    cells = contest(make("one"), make("crasher", crash="import os; os.kill(os.getpid(), 11)"))

    assert failure(cells[1], "crasher") == "client: ended with -11"
    assert [len(cell["runs"]["one"]) for cell in cells] == [3, 3]
    assert log.read_text().split().count("crasher") == 4  # twice a cell, then no more


@pytest.mark.parametrize(
    ("said", "told"),
    [("Lost<\n  a call\n>\n", "a call"), ("only one", "only one"), (">\n", ""), ("", "")],
)
def test_the_last_line_with_a_word_is_the_error(said: str, told: str) -> None:
    script = f"import sys; sys.stderr.write({said!r})"

    with Program([sys.executable, "-c", script], cores=os.sched_getaffinity(0)) as program:
        assert program.end_code(100) == 0
        assert program.errors == told


def test_one_failed_round_leaves_the_others_standing(make: Make) -> None:
    crash = 'if pathlib.Path(r"LOG").read_text().split().count("NAME") == 1: sys.exit("once")'
    cells = contest(make("once", crash=crash))

    rate = figure(cells[0], "once", "calls_per_second")

    assert rate is not None
    assert rate.rounds == 2
    assert failure(cells[0], "once") == ""


def test_a_server_that_does_not_start_is_told(make: Make) -> None:
    contestant = make("one")
    broken = Contestant(**{**contestant.__dict__, "server": ("/nowhere/server",)})

    with pytest.raises(RunFailed, match="server: /nowhere/server: No such file or directory"):
        measure(broken, Load(), TIMING, TOOLS)


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ("'nonsense'", "printed no report"),
        ("'{}'", "counts no calls"),
        ("'{\"calls\": 0}'", "in 3 s fewer than two windows were answered"),
        ("'{\"calls\": 5}'", "neither calls_per_second nor seconds"),
        ('\'{"calls": 5, "seconds": 1, "errors": 2}\'', "2 calls failed"),
    ],
)
def test_a_report_that_shows_no_answered_calls_is_refused(make: Make, says: str, reason: str) -> None:
    contestant = make("one", crash=f"print({says}, flush=True); sys.exit(0)")

    with pytest.raises(RunFailed, match=reason):
        measure(contestant, Load(), TIMING, TOOLS)


def test_a_run_of_fewer_than_two_windows_is_measured_again_for_longer(make: Make) -> None:
    once = 'if pathlib.Path(r"LOG").read_text().split().count("NAME") == 1: '
    one = make("one", crash=once + 'print(\'{"calls": 1, "seconds": 1}\'); exit()')
    client = Path(one.client[1])
    client.write_text(client.read_text().replace('"calls": 100', '"calls": 100, "asked": float(sys.argv[3])'))
    asked = Contestant(**{**one.__dict__, "client": (*one.client, "{seconds}")})

    run = measure(asked, Load(outstanding=50), Timing(seconds=0.01, warmup=0, pin=False), TOOLS)

    assert run["calls"] == 100
    assert run["asked"] == pytest.approx(0.01 * (1 + 50 / 25_000) * 150, rel=0.01)


def test_a_run_that_never_answers_two_windows_has_no_figure(make: Make, log: Path) -> None:
    one = make("one")

    with pytest.raises(RunTooSlow, match=r"^in 3 s fewer than two windows were answered$"):
        measure(one, Load(outstanding=51), replace(TIMING, seconds=1), TOOLS)
    assert log.read_text().split() == ["one", "one", "one"]  # for 1 s, 2 s and 3 s
    with pytest.raises(RunTooSlow, match=r"^in 4 s fewer"):
        measure(one, Load(outstanding=51), replace(TIMING, seconds=4), TOOLS)
    assert len(log.read_text().split()) == 4


@pytest.mark.parametrize(("error", "asked"), [(RunTooSlow, 1), (RunFailed, 2)])
def test_who_was_too_slow_once_is_not_asked_again(make: Make, error: type[RunFailed], asked: int) -> None:
    def measured(contestant: Contestant, load: Load) -> dict[str, Any]:
        if contestant.name == "slow":
            raise error("why")
        return {"calls": 100, "calls_per_second": 1.0}

    shown: list[str] = []
    cell = run_cell(Cell("8/1/1", Load()), [make("slow"), make("quick")], 3, measured, shown.append)

    assert cell["runs"]["slow"] == [{"failed": "why"}] * asked
    assert len(cell["runs"]["quick"]) == 3
    assert len(shown) == 6


@pytest.mark.parametrize("error", [RunTooSlow, RunFailed])
def test_nobody_is_asked_where_the_limit_is_too_slow(make: Make, error: type[RunFailed]) -> None:
    def measured(contestant: Contestant, load: Load) -> dict[str, Any]:
        if contestant.is_limit:
            raise error("why")
        return {"calls": 100, "calls_per_second": 1.0}

    limit = make("limit", extra="is_limit = true")
    cell = run_cell(Cell("8/1/1", Load()), [make("one"), limit], 2, measured, lambda _: None)

    if error is RunTooSlow:
        assert (list(cell["runs"]), cell["cannot"]) == (["limit"], {"one": "not asked, for the limit: why"})
        assert failure(cell, "one") == "not asked, for the limit: why"
    else:
        assert (len(cell["runs"]["one"]), cell["cannot"]) == (2, {})


def test_kept_runs_of_fewer_than_two_windows_are_no_figure() -> None:
    load = Load(outstanding=50).to_json()
    short = {"calls": 99, "calls_per_second": 990.0, "commands": {"client": "it call --seconds 0.1 --warmup 0"}}
    cell = {"load": load, "runs": {"short": [short], "mended": [short, {**short, "calls": 100}]}, "cannot": {}}

    assert figure(cell, "short", "calls_per_second") is None
    assert failure(cell, "short") == "in 0.1 s fewer than two windows were answered"
    assert figure(cell, "mended", "calls_per_second") is not None
    assert failure(cell, "mended") == ""


def test_who_is_missing_is_told_with_the_reason_and_does_not_run(make: Make, tmp_path: Path, log: Path) -> None:
    here, gone = make("here"), make("gone", extra='needs = ["{folder}/program"]')
    failing = make("failing", extra='checks = [["{python_here}", "-c", "raise SystemExit(\'no module\')"]]')
    missing = missing_contestants([here, gone, failing], Places(tmp_path))

    cells = contest(here, gone, failing, missing=missing)

    assert missing == {"gone": "program is not there: run bench/contest/install", "failing": "no module"}
    assert set(log.read_text().split()) == {"here"}
    assert "gone" not in cells[0]["runs"]


def test_what_the_installation_noted_is_the_reason(make: Make, tmp_path: Path) -> None:
    (tmp_path / "build/contest").mkdir(parents=True)
    (tmp_path / "build/contest/missing.json").write_text('{"one": "go: forbidden"}')

    assert missing_contestants([make("one")], Places(tmp_path)) == {"one": "go: forbidden"}


def test_who_cannot_is_left_out_of_the_cell_and_of_the_count(make: Make) -> None:
    single = make("single", extra="max_outstanding_per_connection = 1")
    other = make("other")

    cells = contest(single, other)

    assert cells[1]["cannot"] == {"single": "at most 1 outstanding per connection"}
    assert list(cells[1]["runs"]) == ["other"]
    assert count_runs([TABLE], [single, other], {}, 3) == 9


def test_a_table_of_other_languages_leaves_a_contestant_out(make: Make) -> None:
    table = Table(name="test", title="", summary="", note="", cells=TABLE.cells, languages=("Go",))

    assert entrants(table, [make("one")], {}) == []
    assert len(entrants(TABLE, [make("two")], {})) == 1


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (Load(tls=True), "has no tls"),
        (Load(work="text", codec="json"), "has no json, text"),
        (Load(connections=200_000, outstanding=200_000), "the contest's client makes at most 100000 connections"),
        (Load(allocations=True), "allocations unknown"),
        (Load(), ""),
    ],
)
def test_why_a_load_is_beyond_a_contestant(make: Make, load: Load, reason: str) -> None:
    assert make("one").cannot(load) == reason


def test_one_connection_is_told_as_one(make: Make) -> None:
    one = make("one", extra="max_connections = 1")

    assert one.cannot(Load(connections=5, outstanding=5)) == "the contest's client makes at most 1 connection"


@pytest.mark.parametrize(
    ("extra", "reason"),
    [("colour = 1", "unknown colour"), ("needs = 5", "needs is no list"), ("= 1", "Invalid")],
)
def test_a_manifest_that_nobody_understands_is_refused(make: Make, extra: str, reason: str) -> None:
    with pytest.raises(ManifestError, match=reason):
        make("one", extra=extra)


def test_a_manifest_that_lacks_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "contestant.toml").write_text('title = "T"')

    with pytest.raises(ManifestError, match="lacks can, client, language, server, settings, version"):
        read_manifest(tmp_path, Places(tmp_path))


def test_every_contestant_of_the_tree_has_a_manifest_that_reads(make: Make) -> None:
    found = read_manifests(Places(CONTEST.parents[1]))

    folders = {path.name for path in (CONTEST / "contestants").iterdir() if path.is_dir()}
    assert {each.name for each in found} == folders
    assert [each.name for each in found[:5]] == ["bare_connect", "bare_grpc", "bare_http1", "bare_socket", "trunkline"]
    assert [each.name for each in found if each.is_limit] == ["bare_connect", "bare_grpc", "bare_http1", "bare_socket"]


def test_every_cell_of_every_table_is_within_trunkline_and_the_limit() -> None:
    *limits, ours = read_manifests(Places(CONTEST.parents[1]))[:5]

    for table in TABLES.values():
        for cell in table.cells:
            limit = f"bare_{cell.load.protocol or 'socket'}"
            assert ours.cannot(cell.load) == "", f"{table.name} {cell.name}"
            assert [each.name for each in limits if not each.cannot(cell.load)] == [limit], f"{table.name} {cell.name}"
        assert {each.cell for each in table.published} <= {cell.name for cell in table.cells}, table.name


def test_the_standard_command_line_says_all_of_a_load(make: Make) -> None:
    contestant = Contestant(**{**make("one").__dict__, "server": ("s", "{standard}"), "client": ("c", "{standard}")})
    load = Load(
        work="text", bytes=9, connections=2, outstanding=6, tls=True, pipelined=True, codec="json", busy_poll=True
    )
    words = {"certificate": "C", "key": "K", "target": "T", "seconds": "1", "warmup": "0.5"}

    assert " ".join(contestant.client_command(load, words)) == (
        "c call --work text --bytes 9 --target T --connections 2 --outstanding 6 --seconds 1 --warmup 0.5 "
        "--certificate C --key K --codec json --pipelined --busy-poll"
    )
    assert " ".join(contestant.server_command(Load(work="fan_out"), {"backend": "B"})) == (
        "s serve --work fan_out --bytes 8 --backend B"
    )


@pytest.mark.parametrize(("size", "frame"), [(0, 16), (8, 26), (127, 145), (128, 147), (65536, 65556)])
def test_the_limit_moves_frames_of_our_size(size: int, frame: int) -> None:
    assert frame_bytes(Load(bytes=size)) == frame


def test_loads_by_a_protocol_have_a_client_and_a_limit_of_their_own(make: Make) -> None:
    of_others = make("of_others", extra="is_limit = true")
    of_grpc = Contestant(**{**make("of_grpc", extra="is_limit = true").__dict__, "can": frozenset({"grpc"})})
    one = Contestant(**{**make("one").__dict__, "can": frozenset({"echo", "grpc"}), "max_connections": 1})
    load = Load(protocol="grpc")
    table = Table(name="by gRPC", title="", summary="", note="", cells=(Cell("8/1/1", load),))
    words = {"target": "T", "seconds": "1", "warmup": "0"}

    assert make("other").cannot(load) == "has no grpc"
    assert one.cannot(Load(connections=2, outstanding=2, protocol="grpc")) == ""
    assert one.cannot(Load(connections=2, outstanding=2)) == "the contest's client makes at most 1 connection"
    assert entrants(table, [of_others, of_grpc, one], {}) == [of_grpc, one]
    assert entrants(TABLE, [of_others, of_grpc, one], {}) == [of_others, one]
    assert of_grpc.client_command(load, words) == one.client_command(load, words)
    assert one.client_command(load, words)[0].endswith("drivers/neutral/call")
    assert one.client_command(Load(), words)[0] == sys.executable


def test_shares_refer_to_the_limit_that_ran_in_the_cell() -> None:
    contestants = {name: {"is_limit": name != "one"} for name in ("limit", "of_grpc", "one")}
    run = {"calls": 100, "calls_per_second": 1000.0}
    runs = {"of_grpc": [{**run, "calls_per_second": 4000.0}], "one": [run]}
    cell = {"load": Load(protocol="grpc").to_json(), "runs": runs}

    assert share_of_limit({"contestants": contestants}, cell, "one") == 0.25


def test_a_run_that_is_gone_on_with_keeps_the_cells_that_are_done(make: Make, log: Path) -> None:
    first = {"name": "8/1/1", "load": {}, "runs": {"one": [{"calls_per_second": 7.0}]}, "cannot": {}}
    one = make("one", rate=1000)

    done = run_tables(
        [TABLE],
        [one],
        {},
        TIMING,
        lambda contestant, load: measure(contestant, load, TIMING, TOOLS),
        lambda *_: None,
        lambda _: None,
        {"test": {"cells": [first]}},
    )

    assert [cell["name"] for cell in done["test"]["cells"]] == ["8/1/1", "8/1/2"]
    assert done["test"]["cells"][0] is first
    assert len(done["test"]["cells"][1]["runs"]["one"]) == TIMING.rounds
    assert [cell.name for cell in without_done([TABLE], {"test": {"cells": [first]}})[0].cells] == ["8/1/2"]

# SPDX-License-Identifier: MIT
"""`trunkline bench` measures correctly."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import random
import re
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trunkline
from trunkline.services import add_reflection

from . import benching, commanding
from .benching import ECHO, SHORT, bench, built_in, served
from .commanding import needs_command, run, start

pytestmark = needs_command

HISTOGRAM = Path(commanding.COMMAND).parents[2] / "tests/unit/load/histogram_of_input"


@pytest.fixture(scope="module")
def echo() -> Iterator[str]:
    with built_in() as (endpoint, _):
        yield endpoint


@dataclass
class Sum:
    a: int
    b: int = 0


def test_percentiles_of_delays_that_were_injected() -> None:
    with served(benching.Delays()) as endpoint:
        ended, report = bench(endpoint, "-o", "8", "--total", "1000", "--warmup", "0")

    figures = report["figures"]
    assert ended.status == 0 and figures["failed_calls"] == 0
    assert 10.0 <= figures["p50_ms"] < 100
    assert 10.0 <= figures["p75_ms"] < 100
    assert 100.0 <= figures["p95_ms"] < 400
    assert 400.0 <= figures["p99.9_ms"] < 2000
    buckets = report["latency"]["buckets"]
    below = sum(count for upper, count in buckets if upper < 400e6) / sum(count for _, count in buckets)
    assert 0.975 <= below <= 0.9925


def test_a_stall_hides_in_a_closed_loop_and_shows_at_a_rate() -> None:
    figures = {}
    for name, load in {"closed": [], "open": ["--rate", "500"]}.items():
        stall = benching.Stall(after=0.5, length=0.3)
        with served(stall, threads=1) as endpoint:
            ended, report = bench(endpoint, "-o", "1", "--duration", "2s", "--warmup", "0", *load)
        assert ended.status == 0 and stall.has_been
        figures[name] = report["figures"]

    assert figures["closed"]["max_ms"] >= 299
    assert figures["closed"]["p99_ms"] < 100
    # 150 of 1000 calls were due while it stalled.
    assert figures["open"]["p90_ms"] > 50
    assert figures["open"]["p99_ms"] > 200
    assert figures["open"]["max_ms"] >= 299


def test_at_a_rate_both_latencies_are_reported() -> None:
    with served(benching.Stall(after=0.3, length=0.3), threads=1) as endpoint:
        ended = run("bench", endpoint, "-o", "1", "--duration", "1s", "--warmup", "0", "--rate", "500")

    assert re.search(r"^latency +since due +since sent$", ended.output, re.MULTILINE)
    assert re.search(r"open loop, 500 calls/s, even arrivals", ended.output)


def test_errors_by_code() -> None:
    numbers = iter(range(10**9))

    def sometimes(request: bytes) -> bytes:
        number = next(numbers)
        if number % 4 == 1:
            raise trunkline.NotFound("no such thing: \x1b[31m")
        if number % 8 == 2:
            raise trunkline.ResourceExhausted("too much")
        return request

    with served(sometimes, threads=1) as endpoint:
        ended, report = bench(endpoint, "--total", "800", "--warmup", "0")
    with served(sometimes, threads=1) as endpoint:
        text = run("bench", endpoint, "--total", "80", "--warmup", "0").output

    assert ended.status == 0
    assert report["outcome"]["calls"] == 500
    errors = {each["code"]: each["count"] for each in report["errors"]}
    assert errors == {"not_found": 200, "resource_exhausted": 100}
    assert "\x1b" not in text and "not_found" in text and r"no such thing: \x1b[31m" in text


def test_when_all_calls_fail_it_does_not_spin_and_ends_with_their_code() -> None:
    calls = 0

    def never(request: bytes) -> bytes:
        nonlocal calls
        calls += 1
        raise trunkline.PermissionDenied("not you")

    with served(never, threads=1) as endpoint:
        begun = time.monotonic()
        ended = run("bench", endpoint, "--duration", "60s", "--warmup", "0")
        took = time.monotonic() - begun

    assert ended.status == 64 + 7
    assert "ended early: all calls failed" in ended.output and "permission_denied" in ended.output
    assert took < 20 and calls < 5000


def test_responses_that_differ_are_data_loss() -> None:
    with served(lambda request: request[::-1]) as endpoint:
        ended, report = bench(endpoint, *SHORT)

    assert ended.status == 79
    assert report["errors"][0]["code"] == "data_loss"


def test_responses_of_streams_that_differ_are_data_loss() -> None:
    server = trunkline.Server(threads=4)

    @server.method("trunkline.bench.Echo/Talk")
    def talk(requests: Iterator[bytes]) -> Iterator[bytes]:
        for number, request in enumerate(requests):
            yield request if number < 5 else request[::-1]

    @server.method("trunkline.bench.Echo/Gather")
    def gather(requests: Iterator[bytes]) -> bytes:
        return b"x" * sum(1 for _ in requests)

    with server.serve("tcp://127.0.0.1:0") as running:
        for kind in ("bidi-stream", "client-stream"):
            ended, report = bench(running.endpoint, "--kind", kind, "--messages", "8", *SHORT)
            assert (ended.status, report["errors"][0]["code"]) == (79, "data_loss")


@pytest.mark.parametrize("kind", ["unary", "one-way", "client-stream", "server-stream", "bidi-stream"])
def test_kinds_of_calls(echo: str, kind: str) -> None:
    messages = ["--messages", "10"] if kind.endswith("stream") else []
    ended, report = bench(echo, "--kind", kind, "-c", "2", "-t", "2", "-o", "8", "-b", "100", *messages, "-n", "500")

    assert ended.status == 0, ended.messages
    outcome = report["outcome"]
    assert outcome["calls"] > 0 and outcome["failed"] == 0
    assert outcome["bytes_sent"] % 100 == 0 and (outcome["bytes_received"] > 0) == (kind != "one-way")
    assert outcome["calls"] == 500
    if kind.endswith("stream"):
        assert outcome["messages"] == 5000
    if kind in ("client-stream", "bidi-stream"):
        assert outcome["bytes_sent"] == 500 * 1000
    assert report["outcome"]["server"]["memory_bytes"] > 0


def test_ordered_compressed_threads_and_a_deep_window(echo: str) -> None:
    ended, report = bench(
        echo, "--ordered", "--compression", "zstd", "--content", "text", "-b", "20000", "-c", "3", "-t", "2",
        "--outstanding-per-connection", "40", *SHORT,
    )  # fmt: skip

    assert ended.status == 0, ended.messages
    assert report["settings"]["outstanding"] == 120
    assert report["settings"]["timed_one_in"] > 1
    assert 0 < sum(count for _, count in report["latency"]["buckets"]) < report["outcome"]["calls"]


def test_a_method_with_json_by_reflection_and_without() -> None:
    server = trunkline.Server(threads=2)
    seen = set()

    @server.method
    def add(request: Sum) -> int:
        seen.add((request.a, request.b))
        return request.a + request.b

    add_reflection(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        described, _ = bench(running.endpoint, "add", "--json", '{"a": 1, "b": 2}', "--total", "50", "--warmup", "0")
        plain, _ = bench(running.endpoint, "add", "-", "--codec", "msgpack", "-n", "50", text='{"a": 3}')
        unknown = run("bench", running.endpoint, "substract")
        wrong = run("bench", running.endpoint, "add", "--json", '{"a": "x"}', "--kind", "bidi-stream")
        two = run("bench", running.endpoint, "add", "--json", '{"a": 1} {"a": 2}')

    assert (described.status, plain.status) == (0, 0), described.messages + plain.messages
    assert seen == {(1, 2), (3, 0)}
    assert unknown.status != 0 and "substract" in unknown.messages and unknown.output == ""
    assert (wrong.status, two.status) == (2, 2)
    assert "is unary" in wrong.messages and "one request again and again" in two.messages


def test_self_starts_a_server_and_leaves_none_behind() -> None:
    ended, report = bench("--self", "--total", "1000", "--warmup", "0")

    assert ended.status == 0, ended.messages
    assert report["outcome"]["calls"] == 1000
    process = report["outcome"]["server"]["process_id"]
    commanding.eventually(lambda: not Path(f"/proc/{process}").exists())


def test_ctrl_c_reports_what_there_is(echo: str) -> None:
    process = start("bench", echo, "--duration", "60s", "--warmup", "0", "--progress")
    assert process.stderr is not None
    assert process.stderr.readline().startswith("bench: ")
    process.send_signal(signal.SIGINT)
    ended = commanding.end(process)

    assert ended.status == 130
    assert "interrupted" in ended.output and "p99.99" in ended.output


def test_a_server_that_dies_midway() -> None:
    with built_in() as (endpoint, server):
        process = start("bench", endpoint, "--duration", "60s", "--warmup", "0", "--progress")
        assert process.stderr is not None
        process.stderr.readline()
        server.kill()
        ended = commanding.end(process)

    assert ended.status == 78
    assert "unavailable" in ended.output and "p50" in ended.output and "ended early" in ended.output


def test_a_server_that_never_responds_ends_with_the_duration() -> None:
    with built_in("--delay", "1h") as (endpoint, _):
        with_timeout, report = bench(endpoint, "--timeout", "50ms", *SHORT)

    assert with_timeout.status == 68
    assert {each["code"] for each in report["errors"]} == {"deadline_exceeded"}


def test_saved_compared_and_as_csv(echo: str, tmp_path: Path) -> None:
    saved = [str(tmp_path / f"{name}.json") for name in ("one", "eight", "again")]
    # Each response takes so long that the rates are those of the outstanding calls, not of the machine.
    with built_in("--delay", "20ms") as (slow, _):
        for file, outstanding in zip(saved, ("1", "64", "1")):
            assert run("bench", slow, "-o", outstanding, "--duration", "3s", "--save", file).status == 0

    text = run("bench", "compare", *saved)
    as_json = json.loads(run("bench", "compare", "--format", "json", *saved).output)
    row = next(csv.DictReader(io.StringIO(run("bench", echo, *SHORT, "--format", "csv").output)))

    assert text.status == 0
    assert "different load: outstanding: 1, 64, 1" in text.output
    assert re.search(r"^calls_per_second .*\+ better", text.output, re.MULTILINE)
    rates = as_json["figures"]["calls_per_second"]
    assert rates["ratios"][0] == pytest.approx(rates["values"][1] / rates["values"][0])
    assert rates["verdicts"][0] == "better"
    assert float(row["calls_per_second"]) > 0 and row["method"] == ECHO


def test_a_file_that_is_not_a_saved_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "other.json").write_text('{"a": 1}')

    for file, why in {
        "empty.json": "is not valid JSON",
        "other.json": "is not a saved run",
        "none.json": "No such file",
        ".": "is a directory",
    }.items():
        refused = run("bench", "compare", str(tmp_path / file), str(tmp_path / file))
        assert refused.status == 2 and why in refused.messages, refused.messages
    assert run("bench", "compare", str(tmp_path / "other.json")).status == 2


@pytest.mark.skipif(not os.access(HISTOGRAM, os.X_OK), reason="needs the program that reads durations")
@pytest.mark.parametrize(("mean", "spread"), [(11.0, 0.5), (13.0, 1.5), (16.0, 2.5)])
def test_histogram_agrees_with_hdrhistogram(mean: float, spread: float) -> None:
    """Both histograms get the same durations, which have a log-normal distribution."""
    hdrh: Any = pytest.importorskip("hdrh.histogram")
    generator = random.Random(20261122)
    values = [max(1, min(2**39, int(generator.lognormvariate(mean, spread)))) for _ in range(50_000)]
    theirs: Any = hdrh.HdrHistogram(1, 2**40, 3)
    for value in values:
        theirs.record_value(value)
    given = "\n".join(map(str, values))
    figures = json.loads(subprocess.run([HISTOGRAM], input=given, capture_output=True, text=True, check=True).stdout)[
        "figures"
    ]

    assert theirs.get_total_count() == len(values)
    assert figures["max_ms"] * 1e6 == pytest.approx(max(values), abs=0.5)
    assert figures["min_ms"] * 1e6 == pytest.approx(min(values), abs=0.5)
    assert figures["mean_ms"] * 1e6 == pytest.approx(statistics.fmean(values))
    values.sort()
    # Which of two neighbours a quantile is may be rounded in either way.
    one = 100 / len(values)
    for percentile in (1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99):
        ours = figures[f"p{percentile}_ms"] * 1e6
        exact = values[math.ceil(percentile * len(values) / 100 - 1e-9) - 1]
        assert exact * 0.9999 <= ours <= exact * 1.001
        assert theirs.get_value_at_percentile(percentile - one) * 0.998 <= ours
        assert ours <= theirs.get_value_at_percentile(min(100, percentile + one)) * 1.002


def test_latencies_drawn_at_random_agree_with_exact_quantiles() -> None:
    """Compares the measured latencies with the times that the handler has slept."""
    generator = random.Random(5)
    slept: list[float] = []

    def sleep(request: bytes) -> bytes:
        begun = time.monotonic()
        time.sleep(generator.uniform(0.010, 0.150))
        slept.append((time.monotonic() - begun) * 1000)
        return request

    with served(sleep, threads=8) as endpoint:
        _, report = bench(endpoint, "-o", "8", "-n", "400", "--warmup", "0")

    slept.sort()
    for percentile in (25, 50, 75, 90):
        exact = slept[int(len(slept) * percentile / 100) - 1]
        assert exact <= report["figures"][f"p{percentile}_ms"] * 1.05
        assert report["figures"][f"p{percentile}_ms"] < exact + 60

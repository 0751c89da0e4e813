# SPDX-License-Identifier: MIT
"""Statistics as a service, on servers and channels of either kind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import trunkline
from trunkline import aio, testing
from trunkline.services import _definitions, add_health, add_reflection, add_statistics

from . import reflecting
from .waiting import takes_less

Make = Callable[[], Any]

GET = "trunkline.v1.Statistics/Get"
WATCH = "trunkline.v1.Statistics/Watch"
REQUEST = _definitions.message("trunkline.v1.StatisticsRequest")
RESPONSE = _definitions.message("trunkline.v1.ServerStatistics")


@pytest.fixture(params=[trunkline.Server, aio.Server], ids=["blocking", "asyncio"])
def make(request: Any) -> Make:
    def make_server() -> Any:
        server = request.param(threads=2)
        add_statistics(server)

        def fail(number: int) -> int:
            raise trunkline.NotFound("no")

        server.add("Arith/double", lambda number: 2 * number)
        server.add("Arith/fail", fail)
        server.add("other", lambda: None)
        return server

    return make_server


def get(channel: trunkline.Channel, **request: Any) -> Any:
    return channel.call(GET, REQUEST(**request), RESPONSE, timeout=20.0)


def methods(statistics: Any) -> dict[str, Any]:
    return {method.method: method for method in statistics.methods}


def call_some(channel: trunkline.Channel) -> None:
    for number in range(5):
        assert channel.call("Arith/double", number) == 2 * number
    for _ in range(2):
        with pytest.raises(trunkline.NotFound):
            channel.call("Arith/fail", 1)
    channel.call("other")


def test_counts_calls_by_method(make: Make) -> None:
    with testing.serve(make()) as channel:
        call_some(channel)
        reported = get(channel)

    double, fail = methods(reported)["Arith/double"], methods(reported)["Arith/fail"]
    assert (double.started, double.in_flight, dict(double.finished_by_code)) == (5, 0, {0: 5})
    assert (fail.started, dict(fail.finished_by_code)) == (2, {5: 2})
    assert (double.bytes_received, double.bytes_sent) == (5, 5)
    assert double.latency.count == sum(bucket.count for bucket in double.latency.buckets) == 5
    assert 0 < double.latency.min_ns <= double.latency.p50_ns <= double.latency.p999_ns
    assert (reported.connections, reported.connections_accepted) == (1, 1)
    assert (reported.calls_ok, reported.calls_failed) == (6, 2)
    assert (reported.process_id, reported.open_calls) == (os.getpid(), 1)
    assert reported.uptime_ns > 0 and reported.cpu_ns > 0 and reported.memory_bytes > 1_000_000
    assert [loop.connections for loop in reported.loops] == [1]
    assert reported.memory_max_bytes == 1 << 30


def test_counts_shed_calls() -> None:
    started, finish = threading.Event(), threading.Event()
    server = trunkline.Server(threads=2, adaptive_limit=True, min_adaptive_limit=1, max_adaptive_limit=1)
    add_statistics(server)

    @server.method("wait")
    def wait() -> None:
        started.set()
        finish.wait(20)

    with testing.serve(server) as channel:
        first = channel.submit("wait", None, None, timeout=20.0)
        assert started.wait(20)
        with pytest.raises(trunkline.Unavailable):
            channel.call("wait", idempotent=False)
        finish.set()
        first.result()
        reported = get(channel)

    assert reported.calls_shed == reported.calls_refused >= 1
    assert reported.adaptive_limit == 1


def test_statistics_are_filtered_by_the_request(make: Make) -> None:
    with testing.serve(make()) as channel:
        call_some(channel)
        chosen = get(channel, method_prefix="Arith/", without_buckets=True)
        none = get(channel, method_prefix="nothing")

    assert sorted(methods(chosen)) == ["Arith/double", "Arith/fail"]
    latency = methods(chosen)["Arith/double"].latency
    assert (len(latency.buckets), latency.count, latency.p50_ns > 0) == (0, 5, True)
    assert (len(none.methods), none.calls_ok >= 6) == (0, True)


def test_watch_reports_now_and_at_each_interval(make: Make) -> None:
    with testing.serve(make()) as channel:
        request = REQUEST(interval_ns=100_000_000, method_prefix="Arith/")
        with channel.server_stream(WATCH, request, RESPONSE, timeout=100.0) as stream:
            begin = time.monotonic()
            first = stream.read()
            channel.call("Arith/double", 1)
            second = stream.read()
            third = stream.read()
            took = time.monotonic() - begin

    assert (len(first.methods), methods(second)["Arith/double"].started) == (0, 1)
    assert third.uptime_ns - first.uptime_ns >= 2 * 90_000_000
    assert took < 50.0


def test_watchers_that_are_due_at_once_share_statistics(make: Make) -> None:
    def watch(channel: trunkline.Channel) -> int:
        """How many different statistics eight watchers get that begin at once."""
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(channel.server_stream(WATCH, REQUEST(), RESPONSE)) for _ in range(8)]
            reported = [stream.read() for stream in streams]
            fresh = get(channel)
        assert fresh.uptime_ns > max(statistics.uptime_ns for statistics in reported)
        return len({statistics.uptime_ns for statistics in reported})

    with testing.serve(make()) as channel:
        # On a busy machine they may begin one long after the other.
        assert any(watch(channel) < 8 for _ in range(20))


def test_intervals_that_are_too_short_are_refused(make: Make) -> None:
    text = "watch statistics: interval_ns 99999999 is less than 100000000"
    with testing.serve(make()) as channel, pytest.raises(trunkline.InvalidArgument, match=text):
        list(channel.server_stream(WATCH, REQUEST(interval_ns=99_999_999), RESPONSE))


def test_intervals_of_any_length_end_with_the_server(make: Make) -> None:
    def watch() -> None:
        with testing.serve(make()) as channel:
            other = trunkline.Channel(channel.endpoint)
            stream = other.server_stream(WATCH, REQUEST(interval_ns=2**64 - 1), RESPONSE)
            assert stream.read().connections == 1
        with other, pytest.raises(trunkline.Unavailable, match="Watch: the server is shutting down"):
            stream.read()

    # A server that waited for its watches would wait for 5 s.
    assert takes_less(4.0, watch)


def test_watches_are_bounded() -> None:
    server = trunkline.Server(threads=1)
    add_statistics(server, max_watches=1)
    with testing.serve(server) as channel, channel.server_stream(WATCH, REQUEST(), RESPONSE) as stream:
        stream.read()
        assert get(channel).open_calls == 2
        with pytest.raises(trunkline.ResourceExhausted, match="max_concurrent_calls 1"):
            channel.server_stream(WATCH, REQUEST(), RESPONSE).read()


def test_from_asyncio() -> None:
    async def main() -> None:
        server = aio.Server()
        add_statistics(server)
        async with testing.aserve(server) as channel:
            reported = await channel.call(GET, REQUEST(), RESPONSE)
            assert reported.connections == 1
            async with channel.server_stream(WATCH, REQUEST(interval_ns=100_000_000), RESPONSE) as stream:
                assert [(await stream.read()).connections for _ in range(3)] == [1, 1, 1]

    asyncio.run(main())


def test_all_three_describe_themselves(make: Make) -> None:
    server = make()
    add_health(server)
    add_reflection(server)
    with testing.serve(server) as channel:
        assert {"grpc.health.v1.Health", "trunkline.v1.Statistics"} < set(reflecting.services(channel))
        file, _ = reflecting.described(channel, "trunkline.v1.Statistics")
    assert file.name == "trunkline/v1/statistics.proto"
    assert " Resident memory of the process.\n" in reflecting.comments(file).values()


def test_is_added_once() -> None:
    server = trunkline.Server()
    add_statistics(server)
    with pytest.raises(ValueError, match="Get' is registered already"):
        add_statistics(server)


def test_each_process_counts_for_itself() -> None:
    script = """
import os
import trunkline
from trunkline.services import _definitions, add_statistics

server = trunkline.Server(threads=1)
add_statistics(server)
request = _definitions.message("trunkline.v1.StatisticsRequest")
response = _definitions.message("trunkline.v1.ServerStatistics")
reported = set()
with server.serve("tcp://127.0.0.1:0", workers=2) as running:
    while len(reported) < 2:
        with trunkline.Channel(running.endpoint) as channel:
            reported.add(channel.call("trunkline.v1.Statistics/Get", request(), response).process_id)
assert os.getpid() in reported
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=250)
    assert (done.returncode, done.stderr) == (0, "")

# SPDX-License-Identifier: MIT
"""Health: statuses, and calls that watch them, on servers and channels of either kind."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio, testing
from trunkline.services import Health, ServingStatus, _definitions, add_health

from .waiting import takes_less, wait_until

Make = Callable[[], Any]

CHECK = "grpc.health.v1.Health/Check"
WATCH = "grpc.health.v1.Health/Watch"
REQUEST = _definitions.message("grpc.health.v1.HealthCheckRequest")
RESPONSE = _definitions.message("grpc.health.v1.HealthCheckResponse")
UNKNOWN, SERVING, NOT_SERVING, SERVICE_UNKNOWN = ServingStatus


@pytest.fixture(params=[trunkline.Server, aio.Server], ids=["blocking", "asyncio"])
def make(request: Any) -> Make:
    return lambda: request.param(threads=1)


def check(channel: trunkline.Channel, service: str = "") -> int:
    status: int = channel.call(CHECK, REQUEST(service=service), RESPONSE, timeout=20.0).status
    return status


@contextlib.contextmanager
def watching(channel: trunkline.Channel, service: str = "") -> Iterator[Callable[[], int]]:
    """Watches a service and yields a function that reads the next status."""
    with channel.server_stream(WATCH, REQUEST(service=service), RESPONSE, timeout=20.0) as stream:
        yield lambda: stream.read().status


def test_the_server_serves_to_begin_with_and_others_have_no_status(make: Make) -> None:
    server = make()
    add_health(server)
    with testing.serve(server) as channel:
        assert check(channel) == SERVING
        with pytest.raises(trunkline.NotFound, match="check health: service 'example.Hello' has no status"):
            check(channel, "example.Hello")


def test_a_status_is_set_and_cleared_while_the_server_runs(make: Make) -> None:
    server = make()
    health = add_health(server)
    with testing.serve(server) as channel:
        health.set("a", True)
        assert check(channel, "a") == SERVING
        health.set("a", False)
        assert check(channel, "a") == NOT_SERVING
        health.set("a", ServingStatus.UNKNOWN)
        assert check(channel, "a") == UNKNOWN
        health.clear("a")
        with pytest.raises(trunkline.NotFound):
            check(channel, "a")
        health.clear("a")


def test_watch_reports_the_status_now_and_each_change(make: Make) -> None:
    server = make()
    health = add_health(server)
    with testing.serve(server) as channel, watching(channel, "a") as read, watching(channel) as read_server:
        assert (read(), read_server()) == (SERVICE_UNKNOWN, SERVING)
        health.set("a", SERVING)
        assert read() == SERVING
        health.set("a", SERVING)  # no change, so not reported
        health.set("b", NOT_SERVING)  # another one's
        health.set("a", NOT_SERVING)
        assert read() == NOT_SERVING
        health.clear("a")
        assert read() == SERVICE_UNKNOWN
        health.set("", NOT_SERVING)
        assert read_server() == NOT_SERVING


def test_shutdown_hides_what_is_set_until_resume(make: Make) -> None:
    server = make()
    health = add_health(server)
    health.set("a", SERVING)
    with testing.serve(server) as channel, watching(channel, "a") as read:
        assert read() == SERVING
        health.shutdown()
        assert (read(), check(channel), check(channel, "a")) == (NOT_SERVING, NOT_SERVING, NOT_SERVING)
        health.set("a", UNKNOWN)
        assert check(channel, "a") == NOT_SERVING
        with pytest.raises(trunkline.NotFound):
            check(channel, "b")
        health.resume()
        assert (read(), check(channel)) == (UNKNOWN, SERVING)


def test_get_returns_what_callers_see() -> None:
    health = Health()
    assert (health.get(), health.get("a")) == (SERVING, SERVICE_UNKNOWN)
    health.shutdown()
    assert (health.get(), health.get("a")) == (NOT_SERVING, SERVICE_UNKNOWN)


def test_an_invalid_status_is_refused() -> None:
    health = Health()
    wrong: Any = 5
    with pytest.raises(TypeError, match="set health: the name of the service is int, not str"):
        health.set(wrong, True)
    with pytest.raises(ValueError, match="5 is not a valid ServingStatus"):
        health.set("a", wrong)
    with pytest.raises(ValueError, match="SERVICE_UNKNOWN stands for no status; use clear"):
        health.set("a", ServingStatus.SERVICE_UNKNOWN)
    assert health.get("a") == SERVICE_UNKNOWN


def test_watches_end_when_the_server_drains(make: Make) -> None:
    server = make()
    add_health(server)

    def watch() -> None:
        with contextlib.ExitStack() as stack:
            with testing.serve(server) as channel:
                streams = [channel.server_stream(WATCH, REQUEST(), RESPONSE) for _ in range(3)]
                others = stack.enter_context(trunkline.Channel(channel.endpoint))
                kept = others.server_stream(WATCH, REQUEST(), RESPONSE)
                for stream in [*streams, kept]:
                    assert stream.read().status == SERVING
                for stream in streams:
                    stream.cancel()
            with pytest.raises(trunkline.Unavailable, match="Watch: the server is shutting down"):
                kept.read()

    # A server that waited for its watches would wait for 5 s.
    assert takes_less(4.0, watch)


def test_watches_of_other_servers_go_on() -> None:
    server = trunkline.Server(threads=1)
    health = add_health(server)
    with testing.serve(server) as kept, watching(kept) as read:
        assert read() == SERVING
        with testing.serve(server) as other:
            assert check(other) == SERVING
        health.set("", False)
        assert read() == NOT_SERVING


def test_watches_leave_the_workers_to_others_and_are_bounded(make: Make) -> None:
    server = make()
    add_health(server, max_watches=3)
    with testing.serve(server) as channel, contextlib.ExitStack() as stack:
        for _ in range(3):
            assert stack.enter_context(watching(channel))() == SERVING
        assert check(channel) == SERVING
        text = "Watch.*max_concurrent_calls 3"
        with watching(channel) as read, pytest.raises(trunkline.ResourceExhausted, match=text):
            read()


def test_a_watch_that_its_caller_gives_up_makes_room_for_another(make: Make) -> None:
    server = make()
    health = add_health(server, max_watches=1)
    with testing.serve(server) as channel:
        for _ in range(3):
            with watching(channel) as read:
                assert read() == SERVING
            wait_until(lambda: not health._wakers)


def test_blocking_watches_take_over_each_others_threads_and_add_none_to_the_workers() -> None:
    server = trunkline.Server(threads=2)
    health = add_health(server)
    lock = threading.Lock()
    running_now = peak = 0
    numbers = itertools.count()
    together = threading.Barrier(2)

    @server.method("work")
    def work() -> None:
        nonlocal running_now, peak
        with lock:
            running_now += 1
            peak = max(peak, running_now)
        if next(numbers) < 2:  # these two run at once
            together.wait(20)
        time.sleep(0.02)
        with lock:
            running_now -= 1

    with server.serve("inproc://health-threads") as running, trunkline.Channel(running.endpoint) as channel:
        before = len(running._workers.threads)
        for _ in range(5):
            with watching(channel) as one, watching(channel) as two, watching(channel) as three:
                assert (one(), two(), three()) == (SERVING, SERVING, SERVING)
            for future in [channel.submit("work") for _ in range(10)]:  # also while watches end
                future.result(20)
            wait_until(lambda: not health._wakers)
        for future in [channel.submit("work") for _ in range(20)]:
            future.result(20)
        # One for each watch, and the one in reserve. Those that are too many for a moment end after a while.
        wait_until(lambda: len(running._workers.threads) <= before + 4)
        assert peak == 2
    assert not running._workers.threads


def test_stop_ends_watches_at_once(make: Make) -> None:
    server = make()
    add_health(server)

    async def play() -> float:
        running = server.serve("inproc://health-stop")
        async with aio.Channel("inproc://health-stop") as channel:
            stream = channel.server_stream(WATCH, REQUEST(), RESPONSE)
            assert (await stream.read()).status == SERVING
            begin = time.monotonic()
            if isinstance(running, aio.RunningServer):
                await running.stop()
            else:
                await asyncio.to_thread(running.stop)
            took = time.monotonic() - begin
            with pytest.raises(trunkline.Unavailable):
                await stream.read()
            return took

    # Any one stop may take longer on a busy machine; if watches were waited for, each would take 5 s.
    assert any(asyncio.run(play()) < 3.0 for _ in range(5))


def test_many_threads_set_while_many_watch(make: Make) -> None:
    server = make()
    health = add_health(server)
    reported: list[int] = []

    def change(number: int) -> None:
        for turn in range(50):
            health.set(f"s{number % 2}", bool(turn % 2))

    def follow(channel: trunkline.Channel, service: str) -> None:
        with watching(channel, service) as read:
            last = -1
            while (status := read()) != UNKNOWN:
                assert status != last
                last = status
            reported.append(last)

    with testing.serve(server) as channel:
        followers = [threading.Thread(target=follow, args=(channel, f"s{number % 2}")) for number in range(6)]
        setters = [threading.Thread(target=change, args=(number,)) for number in range(4)]
        for thread in [*followers, *setters]:
            thread.start()
        for thread in setters:
            thread.join()
        for service in ("s0", "s1"):
            health.set(service, UNKNOWN)
        for thread in followers:
            thread.join()
    assert len(reported) == 6


def test_with_asyncio_on_both_sides() -> None:
    async def main() -> None:
        server = aio.Server()
        health = add_health(server)
        async with testing.aserve(server) as channel:
            assert (await channel.call(CHECK, REQUEST(), RESPONSE)).status == SERVING
            async with channel.server_stream(WATCH, REQUEST(service="a"), RESPONSE) as stream:
                assert (await stream.read()).status == SERVICE_UNKNOWN
                await asyncio.to_thread(health.set, "a", SERVING)
                assert (await stream.read()).status == SERVING

    asyncio.run(main())


def test_checks_in_json_without_message_classes(make: Make) -> None:
    server = make()
    add_health(server)
    with testing.serve(server) as channel:
        assert channel.call(CHECK, {"service": ""}, dict, codec="json") == {"status": "SERVING"}
        with pytest.raises(trunkline.InvalidArgument, match="the json request does not decode"):
            channel.call(CHECK, {"servis": ""}, dict, codec="json")


def test_interceptors_see_it() -> None:
    seen: list[str] = []

    def note(call: trunkline.IncomingCall) -> Iterator[None]:
        seen.append(call.method)
        yield

    server = trunkline.Server(threads=1, interceptors=[note])
    add_health(server)
    with testing.serve(server) as channel, watching(channel) as read:
        assert (check(channel), read()) == (SERVING, SERVING)
    assert sorted(seen) == [CHECK, WATCH]


def test_is_added_once_and_completely_or_not_at_all() -> None:
    server = trunkline.Server()
    server.add(WATCH, lambda: None)
    with pytest.raises(ValueError, match="Watch' is registered already"):
        add_health(server)
    assert not server.remove(CHECK)


def test_statuses_may_be_set_before_there_is_a_server_and_shared_by_none() -> None:
    server = trunkline.Server()
    health = add_health(server)
    health.set("a", NOT_SERVING)
    for _ in range(2):  # one after the other
        with testing.serve(server) as channel:
            assert check(channel, "a") == NOT_SERVING


def test_processes_have_statuses_of_their_own_from_the_fork_on() -> None:
    script = """
import trunkline
from trunkline.services import _definitions, add_health

server = trunkline.Server(threads=1)
health = add_health(server)
health.set("a", False)
request = _definitions.message("grpc.health.v1.HealthCheckRequest")
response = _definitions.message("grpc.health.v1.HealthCheckResponse")
with server.serve("tcp://127.0.0.1:0", workers=2) as running:
    for _ in range(20):
        with trunkline.Channel(running.endpoint) as channel:
            assert channel.call("grpc.health.v1.Health/Check", request(service="a"), response).status == 2
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=250)
    assert (done.returncode, done.stderr) == (0, "")

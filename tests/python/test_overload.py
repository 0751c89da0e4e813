# SPDX-License-Identifier: MIT
"""Overload, and drains of streams: what handlers learn, and what callers are told."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio

from .test_memory import serving_aio
from .waiting import wait_until


@pytest.fixture(params=["tcp", "grpc"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def uri(scheme: str, endpoint: str) -> str:
    return endpoint.replace("tcp://", f"{scheme}://")


def test_shed_calls_say_when_to_come_back(scheme: str) -> None:
    started, finish = threading.Event(), threading.Event()
    server = trunkline.Server(adaptive_limit=True, min_adaptive_limit=1, max_adaptive_limit=1)

    @server.method("wait")
    def wait() -> int:
        started.set()
        finish.wait(20)
        return 1

    with server.serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(uri(scheme, running.endpoint), max_retries=0) as channel:
            first = channel.submit("wait", None, int, timeout=20.0)
            started.wait(20)
            with pytest.raises(trunkline.Unavailable) as shed:
                channel.call("wait", None, int, timeout=20.0)
            finish.set()
            assert first.result() == 1

    assert shed.value.retry_after is not None
    assert 0.1 <= shed.value.retry_after <= 0.2
    # gRPC has no way to tell.
    assert shed.value.may_have_run == (scheme == "grpc")
    assert not shed.value.should_reconnect


def test_a_call_waits_for_the_handler_of_one_that_was_cancelled(scheme: str) -> None:
    started, finish = threading.Event(), threading.Event()
    server = trunkline.Server(threads=4, max_concurrent_calls_per_connection=1)

    @server.method("wait")
    def wait() -> int:
        started.set()
        finish.wait(20)
        return 1

    @server.method("next")
    def following() -> int:
        return 2

    with server.serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(uri(scheme, running.endpoint), max_retries=0) as channel:
            first = channel.submit("wait", None, int, timeout=20.0)
            started.wait(20)
            second = channel.submit("next", None, int, timeout=20.0)
            first.cancel()
            wait_until(lambda: running.totals()["calls_started"] == 2)
            assert not second.done()
            finish.set()
            assert second.result() == 2
        assert running.totals()["calls_refused"] == 0


def test_important_calls_get_what_is_left(scheme: str) -> None:
    begun, finish = threading.Semaphore(0), threading.Event()
    server = trunkline.Server(threads=8, max_concurrent_calls=4, priority_metadata="priority")

    @server.method("wait")
    def wait() -> None:
        begun.release()
        finish.wait(20)

    with server.serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(uri(scheme, running.endpoint), max_retries=0) as channel:
            held = [
                channel.submit("wait", None, None, timeout=20.0, metadata={"priority": "sheddable"}) for _ in range(3)
            ]
            for _ in held:
                assert begun.acquire(timeout=20)
            with pytest.raises(trunkline.Unavailable):
                channel.call("wait", None, None, timeout=20.0, metadata={"priority": "sheddable"})
            held.append(channel.submit("wait", None, None, timeout=20.0, metadata={"priority": "critical"}))
            assert begun.acquire(timeout=20)
            finish.set()
            for each in held:
                each.result()


class Held:
    """A call that keeps the only worker, or the event loop, busy until it is released."""

    def __init__(self) -> None:
        self._begun = threading.Event()
        self._released = threading.Event()

    def run(self) -> None:
        self._begun.set()
        assert self._released.wait(60)

    def begin(self, channel: trunkline.Channel) -> trunkline.CallFuture[None]:
        first = channel.submit("hold", None, None, timeout=60.0)
        assert self._begun.wait(60)
        return first

    def release(self, running: Any, calls: int, seconds: float = 0.0) -> None:
        """Once so many calls, with this one, have been at the server for so long."""
        wait_until(lambda: running.totals()["open_calls"] == calls)
        time.sleep(seconds)
        self._released.set()


@contextlib.contextmanager
def serving(server: trunkline.Server | aio.Server) -> Iterator[tuple[Any, trunkline.Channel]]:
    with contextlib.ExitStack() as stack:
        running: Any
        if isinstance(server, aio.Server):
            running = stack.enter_context(serving_aio(server))
        else:
            running = stack.enter_context(server.serve("tcp://127.0.0.1:0"))
        yield running, stack.enter_context(trunkline.Channel(running.endpoint, max_retries=0))


def blocking_server(served: list[str], held: Held, **options: Any) -> trunkline.Server:
    server = trunkline.Server(threads=1, **options)
    server.add("hold", held.run)

    @server.method("note")
    def note(name: str) -> None:
        served.append(name)

    return server


def asyncio_server(served: list[str], held: Held, **options: Any) -> aio.Server:
    server = aio.Server(**options)

    @server.method("hold")
    async def hold() -> None:
        held.run()

    @server.method("note")
    async def note(name: str) -> None:
        served.append(name)

    return server


servers = pytest.mark.parametrize("make", [blocking_server, asyncio_server])


@servers
def test_important_calls_are_served_first(make: Callable[..., Any]) -> None:
    served: list[str] = []
    held = Held()
    server = make(served, held, priority_metadata="priority")

    with serving(server) as (running, channel):
        calls = [held.begin(channel)]
        for name, priority in (("a", "sheddable"), ("b", "normal"), ("c", ""), ("d", "critical"), ("e", "critical")):
            metadata = {"priority": priority} if priority else None
            calls.append(channel.submit("note", name, None, timeout=60.0, metadata=metadata))
        held.release(running, 6)
        for each in calls:
            each.result(20)

    assert served == ["d", "e", "b", "c", "a"]


@servers
def test_a_queue_that_stands_is_shed(make: Callable[..., Any]) -> None:
    served: list[str] = []
    held = Held()
    server = make(served, held, queue_target=0.01, queue_interval=0.05)

    with serving(server) as (running, channel):
        first = held.begin(channel)
        calls = [channel.submit("note", name, None, timeout=60.0) for name in "abcde"]
        held.release(running, 6, 0.3)
        first.result(20)
        ends = [each.exception(20) for each in calls]

    assert served == ["e"]
    assert ends[-1] is None
    for end in ends[:-1]:
        assert isinstance(end, trunkline.Unavailable) and "waited for a worker for too long" in end.message
        assert not end.may_have_run and end.retry_after is not None


@servers
def test_a_burst_is_served_in_order(make: Callable[..., Any]) -> None:
    served: list[str] = []
    held = Held()
    server = make(served, held, queue_target=0.01, queue_interval=60.0)

    with serving(server) as (running, channel):
        first = held.begin(channel)
        calls = [channel.submit("note", name, None, timeout=60.0) for name in "abcde"]
        held.release(running, 6, 0.3)
        for each in calls:
            each.result(20)
        first.result(20)

    assert served == list("abcde")


def test_shed_calls_are_counted() -> None:
    served: list[str] = []
    held = Held()
    server = blocking_server(served, held, queue_target=0.01, queue_interval=0.05)

    with serving(server) as (running, channel):
        first = held.begin(channel)
        calls = [channel.submit("note", name, None, timeout=60.0) for name in "abc"]
        held.release(running, 4, 0.3)
        first.result(20)
        shed = sum(each.exception(20) is not None for each in calls)
        totals = running.totals()

    assert shed == 2
    assert totals["calls_shed"] == totals["calls_refused"] == shed
    assert (totals["calls_started"], totals["calls_ok"], totals["calls_failed"]) == (2, 2, 0)


def test_a_generator_learns_of_the_drain_and_tells_its_client(scheme: str) -> None:
    server = trunkline.Server()

    @server.method("count")
    def count(context: trunkline.Context) -> Iterator[int]:
        assert not context.is_draining()
        number = 0
        while not context.is_draining():
            yield number
            number += 1
            time.sleep(0.001)
        raise trunkline.RpcError.reconnect("go on elsewhere")

    running = server.serve("tcp://127.0.0.1:0")
    with trunkline.Channel(uri(scheme, running.endpoint)) as channel:
        with channel.server_stream("count", None, int, timeout=20.0) as stream:
            assert next(stream) == 0
            # The stream is read meanwhile, as a client that does nothing does not answer the server's goodbye.
            shutdown = threading.Thread(target=running.shutdown, args=(20.0,))
            shutdown.start()
            with pytest.raises(trunkline.Unavailable, match="go on elsewhere") as ended:
                list(stream)
        shutdown.join()

    assert ended.value.should_reconnect
    assert ended.value.retry_after is None


def test_the_server_ends_streams_when_the_drain_is_over(scheme: str) -> None:
    async def play() -> trunkline.Unavailable:
        server = aio.Server()

        @server.method("wait")
        async def wait() -> AsyncIterator[int]:
            yield 1
            await asyncio.sleep(60)

        running = server.serve("tcp://127.0.0.1:0")
        async with aio.Channel(uri(scheme, running.endpoint)) as channel:
            async with channel.server_stream("wait", None, int, timeout=20.0) as stream:
                assert await anext_of(stream) == 1
                with pytest.raises(trunkline.DeadlineExceeded):
                    await running.shutdown(0.05)
                with pytest.raises(trunkline.Unavailable) as ended:
                    await anext_of(stream)
                return ended.value

    assert asyncio.run(play()).should_reconnect


async def anext_of(stream: AsyncIterator[int]) -> int:
    return await stream.__anext__()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (b"", 0.0),
        (b"\x0a\x02\x08\x02", 2.0),
        (b"\x0a\x07\x08\x3d\x10\x80\xe5\x9a\x77", 61.25),
        (b"\x0a\x05\x10\x80\xe5\x9a\x77", 0.25),
    ],
)
def test_the_pause_is_read_from_retry_info(value: bytes, seconds: float) -> None:
    error = trunkline.RpcError(code=14, details=[("type.googleapis.com/google.rpc.RetryInfo", value)])

    assert error.retry_after == seconds


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="trusted_proxies"):
        trunkline.Server(trusted_proxies=["10.0.0.0/33"])
    with pytest.raises(TypeError, match="trusted_proxies"):
        trunkline.Server(trusted_proxies="10.0.0.0/8")
    with pytest.raises(ValueError, match="min_adaptive_limit"):
        trunkline.Server(min_adaptive_limit=0)
    with pytest.raises(ValueError, match="default_priority"):
        trunkline.Server(priority_metadata="p", priorities=["a"], default_priority="b")

# SPDX-License-Identifier: MIT
"""Handlers that misbehave do not affect the rest of the server."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Iterator

import pytest
import trunkline
from trunkline import aio

from .conftest import Serve


def test_a_generator_that_never_yields(serve: Serve) -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def silent(request: int) -> Iterator[int]:
        return iter(())

    @server.method
    def raising(request: int) -> Iterator[int]:
        raise trunkline.Aborted("at once")
        yield 1

    channel = serve(server)

    assert list(channel.server_stream("silent", 1)) == []
    with pytest.raises(trunkline.Aborted, match="at once"):
        list(channel.server_stream("raising", 1))


def test_a_stream_handler_that_returns_no_iterator(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def wrong(request: int) -> Iterator[int]:
        return 7  # type: ignore[return-value]

    with pytest.raises(trunkline.Internal):
        list(serve(server).server_stream("wrong", 1))

    assert "TypeError" in caplog.text


def test_all_workers_blocked_by_streams(serve: Serve) -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def hold(requests: Iterator[int]) -> int:
        return sum(requests)

    @server.method
    def quick(request: int) -> int:
        return request

    channel = serve(server)
    streams = [channel.stream("hold", int, int) for _ in range(2)]
    for stream in streams:
        stream.write(1)
    waiting = channel.submit("quick", 7)

    for stream in streams:
        stream.close_writes()
        assert stream.read() == 1
        stream.finish()

    assert waiting.result(20) == 7


@pytest.mark.parametrize("threads", [1, 3])
def test_busy_workers_notice_cancellation(threads: int) -> None:
    server = trunkline.Server(threads=threads)

    @server.method
    def spin(context: trunkline.Context) -> None:
        while not context.is_cancelled():
            pass

    @server.method
    def quick(request: int) -> int:
        return request

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        for future in [channel.submit("spin", timeout=0.1) for _ in range(threads)]:
            assert isinstance(future.exception(20), trunkline.DeadlineExceeded)
        assert [channel.call("quick", i) for i in range(20)] == list(range(20))


def test_limits_refuse(serve: Serve) -> None:
    begun, release = threading.Event(), threading.Event()
    server = trunkline.Server(threads=2)

    def block(request: None) -> None:
        begun.set()
        release.wait(30)

    server.add("block", block, max_concurrent_calls=1)
    channel = serve(server)
    first = channel.submit("block")
    assert begun.wait(20)

    with pytest.raises(trunkline.ResourceExhausted, match="max_concurrent_calls"):
        channel.call("block", timeout=20.0)
    release.set()
    assert first.result(20) is None


def test_a_coroutine_that_blocks_the_loop_only_delays() -> None:
    server = aio.Server(threads=1)
    block = threading.Event()

    @server.method
    async def blocks(request: int) -> int:
        block.wait(0.2)
        return request

    @server.method
    async def quick(request: int) -> int:
        return request

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            responses = await asyncio.gather(channel.call("blocks", 1), *(channel.call("quick", i) for i in range(10)))
            assert responses == [1, *range(10)]

    asyncio.run(main())


def test_coroutines_that_are_cancelled_or_of_the_wrong_kind(caplog: pytest.LogCaptureFixture) -> None:
    server = aio.Server(threads=1)

    @server.method
    async def cancels_itself() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(1)

    @server.method
    async def wrong(request: int) -> AsyncIterator[int]:
        return 7  # type: ignore[return-value]

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            with pytest.raises(trunkline.Cancelled, match="was cancelled"):
                await channel.call("cancels_itself")
            with pytest.raises(trunkline.Internal):
                [message async for message in channel.server_stream("wrong", 1)]

    with caplog.at_level(logging.ERROR):
        asyncio.run(main())
    assert "TypeError" in caplog.text


def test_stopping_with_a_handler_that_does_not_end() -> None:
    release = threading.Event()
    server = trunkline.Server(threads=2)

    @server.method
    def block(request: None) -> None:
        release.wait(30)

    running = server.serve("tcp://127.0.0.1:0")
    with trunkline.Channel(running.endpoint, max_retries=0) as channel:
        future = channel.submit("block")
        while running.totals()["calls_started"] == 0:
            pass
        stopper = threading.Timer(0.2, release.set)
        stopper.start()
        running.stop()
        assert isinstance(future.exception(20), trunkline.Unavailable)
    stopper.join()


def test_draining() -> None:
    release = threading.Event()
    server = trunkline.Server(threads=2)

    @server.method
    def block(request: int) -> int:
        release.wait(30)
        return request

    running = server.serve("tcp://127.0.0.1:0")
    with trunkline.Channel(running.endpoint, max_retries=0) as channel:
        future = channel.submit("block", 7)
        while running.totals()["calls_started"] == 0:
            pass
        drainer = threading.Thread(target=running.shutdown, args=(20.0,))
        drainer.start()
        # Refused as unknown until the server has begun to drain, then as gone.
        with pytest.raises(trunkline.Unavailable):
            while True:
                with contextlib.suppress(trunkline.Unimplemented):
                    channel.call("nothing", 1, timeout=20.0)
        release.set()
        drainer.join()
        assert future.result(20) == 7


def test_draining_cuts_off_what_takes_too_long() -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def block(context: trunkline.Context) -> None:
        while not context.is_cancelled():
            pass

    running = server.serve("tcp://127.0.0.1:0")
    with trunkline.Channel(running.endpoint, max_retries=0) as channel:
        future = channel.submit("block")
        while running.totals()["calls_started"] == 0:
            pass
        with pytest.raises(trunkline.DeadlineExceeded, match="cut off: 1"):
            running.shutdown(0.05)
        assert isinstance(future.exception(20), trunkline.Unavailable)


def test_a_stream_handler_that_computes_after_a_long_wait(serve: Serve) -> None:
    begun, release = threading.Event(), threading.Event()
    server = trunkline.Server(threads=2)

    @server.method
    def compute(requests: Iterator[int]) -> int:
        first = next(requests)
        begun.set()
        release.wait(30)
        return first

    @server.method
    def quick(request: int) -> int:
        return request

    channel = serve(server)
    with channel.stream("compute", int, int) as stream:
        stream.write(7)
        assert begun.wait(20)
        release.set()
        assert stream.read() == 7
    begun.clear()
    release.clear()
    with channel.stream("compute", int, int) as stream:
        channel.call("quick", 1)
        # Long enough for the workers on stand-by to sleep while the handler runs the loop.
        release.wait(0.4)
        stream.write(8)
        assert begun.wait(20)
        # No thread runs the loop now unless one of them was woken.
        assert channel.call("quick", 2) == 2
        release.set()
        assert stream.read() == 8


@pytest.mark.parametrize("round_number", range(10))
def test_a_call_behind_one_that_blocks_while_a_stream_waits(serve: Serve, round_number: int) -> None:
    """Plays several rounds, because the calls meet on one worker only by chance: if one worker takes both calls, it is
    busy with the first, and the worker of the stream may run the loop."""
    server = trunkline.Server(threads=4)
    released = threading.Event()

    @server.method
    def listen(messages: Iterator[bytes]) -> Iterator[bytes]:
        yield from messages

    @server.method
    def step(request: bytes) -> bytes:
        if request == b"release":
            released.set()
        return b"right" if released.wait(20.0) else b"alone"

    channel = serve(server)
    with channel.stream("listen", bytes, bytes) as stream:
        stream.write(b"m")
        assert stream.read() == b"m"
        assert list(channel.map("step", [b"hold", b"release"], timeout=30.0)) == [b"right", b"right"]

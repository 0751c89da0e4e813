# SPDX-License-Identifier: MIT
"""Handlers and threads that end, raise or block at the worst moment for the bindings."""

from __future__ import annotations

import asyncio
import gc
import itertools
import logging
import os
import signal
import sys
import threading
import time
import zlib
from collections.abc import Callable
from typing import Any

import pytest
import trunkline
from trunkline import aio

from .conftest import Serve

# --- map ---


def test_map_has_no_more_calls_under_way_than_its_window() -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def slow(request: int) -> int:
        time.sleep(0.002)
        return request

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        responses = channel.map("slow", itertools.count(), int, window=8)
        open_calls = 0
        for expected in range(200):
            assert next(responses) == expected
            open_calls = max(open_calls, running.totals()["open_calls"])
        responses.close()  # type: ignore[attr-defined]

    assert 1 < open_calls <= 8


@pytest.mark.parametrize("window", [1, 3, 64])
def test_map_yields_everything_in_order(serve: Serve, window: int) -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def double(request: int) -> int:
        if request == 777:
            raise trunkline.NotFound("no such number")
        return 2 * request

    channel = serve(server)

    outcomes = list(channel.map("double", range(1000), int, window=window, return_exceptions=True))

    assert isinstance(outcomes.pop(777), trunkline.NotFound)
    assert outcomes == [2 * number for number in range(1000) if number != 777]


# --- errors that cannot be described ---


def not_text() -> trunkline.RpcError:
    return trunkline.InvalidArgument(ValueError("an error as the message"))


def not_unicode() -> trunkline.RpcError:
    return trunkline.NotFound("no file \udcff")


def no_metadata_name() -> trunkline.RpcError:
    return trunkline.NotFound("x", trailing_metadata={"Bad Name": "v"})


indescribable = pytest.mark.parametrize("make", [not_text, not_unicode, no_metadata_name])


@indescribable
def test_a_worker_outlives_an_error_that_cannot_be_described(
    make: Callable[[], trunkline.RpcError], caplog: pytest.LogCaptureFixture
) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def bad() -> None:
        raise make()

    @server.method
    def echo(request: int) -> int:
        return request

    with (
        caplog.at_level(logging.CRITICAL, "trunkline.server"),
        server.serve("tcp://127.0.0.1:0") as running,
        trunkline.Channel(running.endpoint, max_retries=0) as channel,
    ):
        for _ in range(3):
            with pytest.raises(trunkline.RpcError) as raised:
                channel.call("bad", timeout=50.0)
            assert not isinstance(raised.value, trunkline.DeadlineExceeded)
        assert channel.call("echo", 1, int, timeout=50.0) == 1


@indescribable
def test_an_event_loop_reports_errors_that_cannot_be_described(
    make: Callable[[], trunkline.RpcError], caplog: pytest.LogCaptureFixture
) -> None:
    server = aio.Server()

    @server.method
    async def bad() -> None:
        raise make()

    async def main() -> None:
        async with (
            server.serve("tcp://127.0.0.1:0") as running,
            aio.Channel(running.endpoint, max_retries=0) as channel,
        ):
            with pytest.raises(trunkline.RpcError) as raised:
                await channel.call("bad", timeout=50.0)
            assert not isinstance(raised.value, trunkline.DeadlineExceeded)

    with caplog.at_level(logging.CRITICAL, "trunkline.server"):
        asyncio.run(main())


# --- threads ---


class CollectingCompressor(trunkline.Compressor):
    """Collects garbage during decompression when asked to. Python itself may do so at any time."""

    name = "collecting"
    collects = False

    def compress(self, data: bytes) -> bytes:
        return zlib.compress(data)

    def decompress(self, data: bytes, size: int) -> bytes:
        if self.collects:
            self.collects = False
            gc.collect()
        return zlib.decompress(data)


def test_a_channel_that_is_collected_on_the_thread_of_its_loop() -> None:
    begun = threading.Event()
    go = threading.Event()
    server = trunkline.Server(threads=1, compressors=[CollectingCompressor()], compression_threshold=10)
    states: list[trunkline.ChannelState] = []

    @server.method
    def large(request: int, context: trunkline.Context) -> bytes:
        context.set_compressor("collecting")
        begun.set()
        go.wait(60)
        return bytes(1000)

    gc.collect()
    gc.disable()
    try:
        with server.serve("tcp://127.0.0.1:0") as running:
            compressor = CollectingCompressor()
            channel: Any = trunkline.Channel(running.endpoint, compressors=[compressor])
            channel.on_state_change(states.append)  # the channel ends on yet another thread, after this object
            future = channel.submit("large", 1, bytes)
            assert begun.wait(60)
            channel.itself = channel  # garbage that only the collector finds
            del channel
            compressor.collects = True
            go.set()
            try:
                assert future.result(60) == bytes(1000)
            except trunkline.Cancelled:
                pass  # it ended before the response was complete
    finally:
        gc.enable()


def test_closing_a_channel_is_interrupted_by_a_signal(serve: Serve) -> None:
    begun = threading.Event()
    server = trunkline.Server(threads=1)

    @server.method
    def block(context: trunkline.Context) -> None:
        begun.set()
        while not context.is_cancelled():
            time.sleep(0.01)

    channel = serve(server)
    future = channel.submit("block")
    assert begun.wait(60)

    def interrupt() -> None:
        while channel.state != "closed":  # as it is once close() has begun
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Thread(target=interrupt)
    timer.start()
    start = time.monotonic()

    with pytest.raises(KeyboardInterrupt):
        channel.close(50.0)

    assert time.monotonic() - start < 25.0
    timer.join()
    with pytest.raises(trunkline.Cancelled):
        future.result(60)
    assert channel.state == "closed"


def test_closing_a_channel_waits_for_its_calls(serve: Serve) -> None:
    server = trunkline.Server(threads=1)
    begun = threading.Event()

    @server.method
    def slow(request: int) -> int:
        begun.set()
        time.sleep(0.2)
        return request

    channel = serve(server)
    future = channel.submit("slow", 3, int)
    assert begun.wait(20)

    channel.close(30.0)

    assert future.result(0) == 3


def test_threads_that_wait_use_no_time() -> None:
    release = threading.Event()
    server = trunkline.Server(threads=51)

    @server.method
    def block() -> None:
        release.wait()

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        threads = [threading.Thread(target=channel.call, args=("block",)) for _ in range(50)]
        for thread in threads:
            thread.start()
        while running.totals()["open_calls"] < len(threads):
            time.sleep(0.01)
        time.sleep(0.5)
        switches = voluntary_switches()
        time.sleep(1.0)
        switches = voluntary_switches() - switches
        release.set()
        for thread in threads:
            thread.join()

    # Each would wake twenty times a second if it looked for signals.
    assert switches < 500


def voluntary_switches() -> int:
    total = 0
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/status") as status:
            total += sum(int(line.split()[1]) for line in status if line.startswith("voluntary_ctxt_switches"))
    return total


def test_a_waiting_thread_ends_when_its_channel_is_closed_elsewhere(serve: Serve) -> None:
    """The thread does not poll, so it has to be woken."""
    server = trunkline.Server(threads=4)
    begun = threading.Semaphore(0)

    @server.method
    def block(context: trunkline.Context) -> None:
        begun.release()
        while not context.is_cancelled():
            time.sleep(0.01)

    for _ in range(20):
        channel = serve(server)
        ended: list[Any] = []

        def wait(channel: trunkline.Channel = channel, ended: list[Any] = ended) -> None:
            try:
                channel.call("block")
            except trunkline.RpcError as error:
                ended.append(error)

        threads = [threading.Thread(target=wait) for _ in range(2)]
        for thread in threads:
            thread.start()
        future = channel.submit("block")
        assert all(begun.acquire(timeout=20) for _ in range(3))
        with pytest.raises(trunkline.DeadlineExceeded):
            channel.close(0.0)
        for thread in threads:
            thread.join(60)
        assert len(ended) == 2
        assert isinstance(future.exception(60), trunkline.RpcError)


# --- servers at their end ---


def test_stats_are_those_of_the_end_once_stopped(serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def echo(request: int) -> int:
        return request

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        for number in range(10):
            assert channel.call("echo", number, int) == number

    stats = running.totals()
    assert stats["calls_ok"] == stats["calls_started"] == 10
    assert stats["connections_accepted"] == 1


def test_stats_may_be_asked_for_while_the_server_ends() -> None:
    server = trunkline.Server(threads=1)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for number in range(100):
            running = server.serve(f"inproc://stats-{number}")
            ended = threading.Event()

            def ask(running: trunkline.RunningServer = running, ended: threading.Event = ended) -> None:
                while not ended.is_set():
                    assert running.totals()["open_calls"] == 0

            thread = threading.Thread(target=ask)
            thread.start()
            running.stop()
            ended.set()
            thread.join()
    finally:
        sys.setswitchinterval(interval)


def test_a_server_whose_event_loop_is_closed_refuses_calls() -> None:
    server = aio.Server()

    @server.method
    async def echo(request: int) -> int:
        return request

    async def leave_it_running() -> aio.RunningServer:
        return server.serve("tcp://127.0.0.1:0")

    running = asyncio.run(leave_it_running())
    try:
        with trunkline.Channel(running.endpoint, max_retries=0) as channel:
            for _ in range(2):
                with pytest.raises(trunkline.Unavailable):
                    channel.call("echo", 1, timeout=50.0)
    finally:
        running._close_at_exit()


def test_a_busy_event_loop_still_serves() -> None:
    server = aio.Server()

    @server.method
    async def echo(request: int) -> int:
        return request

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running:
            with trunkline.Channel(running.endpoint) as channel:
                future = channel.submit("echo", 1, int)
                time.sleep(2.5)  # longer than is waited for a loop that may have been closed
                assert await asyncio.wrap_future(future) == 1

    asyncio.run(main())

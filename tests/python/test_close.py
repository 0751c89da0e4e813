# SPDX-License-Identifier: MIT
"""Channels that are closed, left by an exception, or waited for in vain."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import platform
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio

from .conftest import Serve
from .test_life import play
from .waiting import takes_less, wait_until


@pytest.fixture
def endpoint() -> Iterator[str]:
    """Serves ``block``, which ends when it is cancelled."""
    server = trunkline.Server(threads=4)

    @server.method
    def block(context: trunkline.Context) -> None:
        while not context.is_cancelled():
            time.sleep(0.005)

    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_the_block_of_a_busy_channel(endpoint: str, kind: type[BaseException]) -> None:
    futures = []
    with pytest.raises(kind, match="from the block"), trunkline.Channel(endpoint) as channel:
        futures.append(channel.submit("block"))
        while channel.state != "ready":
            time.sleep(0.001)
        raise kind("from the block")

    assert isinstance(futures[0].exception(20), trunkline.Cancelled)


@contextlib.contextmanager
def refused_threads() -> Iterator[None]:
    """Meanwhile the system refuses threads whose stack has the default size, as C++'s have: it exceeds the address
    space."""
    libc = ctypes.CDLL(None)
    outer, endless = ctypes.create_string_buffer(256), ctypes.create_string_buffer(256)  # pthread_attr_t
    assert libc.pthread_getattr_default_np(outer) == 0
    assert libc.pthread_attr_init(endless) == 0
    assert libc.pthread_attr_setstacksize(endless, ctypes.c_size_t(1 << 47)) == 0
    assert libc.pthread_setattr_default_np(endless) == 0
    try:
        yield
    finally:
        assert libc.pthread_setattr_default_np(outer) == 0


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the size of stacks is set in the way of glibc")
@pytest.mark.parametrize("has_thread", [False, True])
def test_a_channel_is_closed_although_the_system_refuses_a_thread(endpoint: str, has_thread: bool) -> None:
    channel = trunkline.Channel(endpoint)
    call: Any = channel.submit("block") if has_thread else channel.server_stream("block", None)
    channel.wait_for_ready(20)

    with refused_threads(), pytest.raises(trunkline.ResourceExhausted, match="the system has refused a thread"):
        channel.close(20)

    assert channel.state == "closed"
    with pytest.raises(trunkline.Cancelled):
        call.result(20) if has_thread else call.read()
    channel.close()


def test_closing_at_once_is_ok_if_there_is_nothing_to_cut_off(endpoint: str) -> None:
    async def close() -> None:
        channel = aio.Channel(endpoint)
        await channel.wait_for_ready(20.0)
        await channel.close(0.0)

    asyncio.run(close())
    trunkline.Channel(endpoint).close(0.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # its end of the connection stays open
        channel = trunkline.Channel(f"tcp://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(trunkline.DeadlineExceeded):
            channel.wait_for_ready(0.1)
        channel.close(0.0)


def test_an_exception_leaves_the_block_of_a_busy_aio_channel(endpoint: str) -> None:
    async def leave(kind: type[BaseException]) -> None:
        async with aio.Channel(endpoint) as channel:
            task = asyncio.ensure_future(channel.call("block"))
            while channel.state != "ready":
                await asyncio.sleep(0.001)
            try:
                raise kind("from the block")
            finally:
                task.add_done_callback(lambda task: task.exception())

    for kind in (ValueError, asyncio.CancelledError):
        with pytest.raises(kind, match="from the block"):
            asyncio.run(leave(kind))


def test_cancelling_a_map_cancels_its_calls_on_the_wire() -> None:
    states: dict[int, str] = {}
    server = trunkline.Server(threads=4)

    @server.method
    def block(number: int, context: trunkline.Context) -> None:
        states[number] = "begun"
        while not context.is_cancelled():
            time.sleep(0.005)
        states[number] = "cancelled"

    async def main(endpoint: str) -> None:
        async with aio.Channel(endpoint) as channel:

            async def take() -> None:
                async for _ in channel.map("block", [0, 1, 2]):
                    pass

            task = asyncio.ensure_future(take())
            while len(states) < 3:
                await asyncio.sleep(0.005)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(wait_until, lambda: set(states.values()) == {"cancelled"})
            assert states == {0: "cancelled", 1: "cancelled", 2: "cancelled"}

    with server.serve("tcp://127.0.0.1:0") as running:
        asyncio.run(main(running.endpoint))


async def call_under_way(channel: aio.Channel) -> asyncio.Future[Any]:
    call = asyncio.ensure_future(channel.call("block"))
    while channel.state != "ready":
        await asyncio.sleep(0.005)
    return call


def test_calls_end_though_the_task_that_closes_is_cancelled(endpoint: str) -> None:
    async def main() -> None:
        channel = aio.Channel(endpoint)
        call = await call_under_way(channel)
        # Long enough that the task is cancelled before it has passed.
        closing = asyncio.ensure_future(channel.close(2.0))
        while channel.state != "closed":  # as it is once close() has begun
            await asyncio.sleep(0.001)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        with pytest.raises(trunkline.DeadlineExceeded, match="1 calls were cancelled"):
            await channel.close()
        with pytest.raises(trunkline.Cancelled):
            await asyncio.wait_for(call, 30.0)
        await channel.close()

    asyncio.run(main())


def test_several_loops_close_one_channel() -> None:
    begun = threading.Semaphore(0)
    server = trunkline.Server(threads=3)

    @server.method
    def block(context: trunkline.Context) -> None:
        begun.release()
        while not context.is_cancelled():
            time.sleep(0.005)

    running = server.serve("tcp://127.0.0.1:0")
    channel = aio.Channel(running.endpoint)
    ended: list[BaseException] = []

    async def wait() -> None:
        try:
            await channel.call("block")
        except trunkline.RpcError as error:
            ended.append(error)

    threads = [threading.Thread(target=lambda: asyncio.run(wait())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert begun.acquire(timeout=20)
    with pytest.raises(trunkline.DeadlineExceeded):
        asyncio.run(channel.close(0.1))
    for thread in threads:
        thread.join(20)
    running.stop()

    assert [type(error) for error in ended] == [trunkline.Cancelled] * 3


def test_what_blocks_is_left_at_once_when_it_is_cancelled(endpoint: str) -> None:
    async def wait() -> None:
        channel = aio.Channel("tcp://127.0.0.1:1")
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(channel.wait_for_ready(50.0), 0.05)

    async def close() -> None:
        channel = aio.Channel(endpoint)
        call = await call_under_way(channel)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(channel.close(50.0), 0.05)
        call.cancel()

    for scenario in (wait, close):
        begin = time.monotonic()
        asyncio.run(scenario())
        assert time.monotonic() - begin < 20.0


def test_a_server_stops_though_the_task_that_stops_it_is_cancelled() -> None:
    server = aio.Server(threads=1)

    async def main() -> None:
        released = asyncio.Event()

        @server.method
        async def stubborn() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                await released.wait()

        running = server.serve("tcp://127.0.0.1:0")
        async with aio.Channel(running.endpoint, max_retries=0) as channel:
            call = asyncio.ensure_future(channel.call("stubborn"))
            while running.totals()["calls_started"] == 0:
                await asyncio.sleep(0.005)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(running.stop(), 0.05)
            released.set()
            await asyncio.wait_for(running.stop(), 30.0)
            await asyncio.wait_for(running.wait(), 30.0)
            with pytest.raises(trunkline.RpcError):
                await call

    asyncio.run(main())


@pytest.mark.parametrize("is_plain", [False, True])
def test_a_drain_that_is_cancelled_stops_the_server(is_plain: bool) -> None:
    server = aio.Server(threads=1)

    async def sleep() -> None:
        await asyncio.sleep(60)

    def block(context: trunkline.Context) -> None:
        while not context.is_cancelled():
            time.sleep(0.005)

    server.add("wait", block if is_plain else sleep)

    async def main() -> None:
        running = server.serve("tcp://127.0.0.1:0")
        async with aio.Channel(running.endpoint, max_retries=0) as channel:
            call = asyncio.ensure_future(channel.call("wait"))
            while running.totals()["calls_started"] == 0:
                await asyncio.sleep(0.005)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(running.shutdown(50.0), 0.1)
            with pytest.raises(trunkline.RpcError):
                await asyncio.wait_for(call, 30.0)
            await asyncio.wait_for(running.wait(), 30.0)

    begin = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - begin < 40.0


@pytest.mark.parametrize("is_async", [False, True])
def test_leaving_a_channel_gives_up_its_open_streams(is_async: bool, caplog: pytest.LogCaptureFixture) -> None:
    server = trunkline.Server(threads=4)

    @server.method
    def hold(requests: Iterator[int]) -> Iterator[int]:
        yield from requests

    async def leave(endpoint: str) -> None:
        async with aio.Channel(endpoint) as channel:
            streams = [channel.stream("hold", int, int) for _ in range(3)]
            await streams[0].close_writes()
            assert [response async for response in streams[0]] == []
            streams[1].cancel()
            reading = asyncio.ensure_future(streams[2].read())
            await asyncio.sleep(0)
        with pytest.raises(trunkline.Cancelled):
            await reading

    def leave_blocking(endpoint: str) -> None:
        with trunkline.Channel(endpoint) as channel:
            streams = [channel.stream("hold", int, int) for _ in range(3)]
            streams[0].close_writes()
            assert list(streams[0]) == []
            streams[1].cancel()
        with pytest.raises(trunkline.Cancelled):
            streams[2].read()

    with server.serve("tcp://127.0.0.1:0") as running:

        def run() -> None:
            asyncio.run(leave(running.endpoint)) if is_async else leave_blocking(running.endpoint)

        # A channel that waited for them would wait for 5 s.
        assert takes_less(4.0, run)
    assert "streams cut off: 1" in caplog.text


def test_leaving_a_channel_with_a_call_that_does_not_end_raises_nothing(
    endpoint: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    close, aclose = trunkline.Channel.close, aio.Channel.close
    monkeypatch.setattr(trunkline.Channel, "close", lambda channel: close(channel, 0.05))
    monkeypatch.setattr(aio.Channel, "close", lambda channel: aclose(channel, 0.05))

    async def leave() -> None:
        async with aio.Channel(endpoint) as channel:
            task = channel.submit("block")
            while channel.state != "ready":
                await asyncio.sleep(0.001)
        with pytest.raises(trunkline.Cancelled):
            await task

    with trunkline.Channel(endpoint) as channel:
        future = channel.submit("block")
        while channel.state != "ready":
            time.sleep(0.001)
    assert isinstance(future.exception(20), trunkline.Cancelled)
    asyncio.run(leave())
    assert caplog.text.count("1 calls were cancelled") == 2


def test_two_threads_close_a_channel(serve: Serve) -> None:
    """The second close waits for the first one, which waits for the calls."""
    server = trunkline.Server(threads=1)
    begun, release = threading.Event(), threading.Event()

    @server.method
    def hold(request: int) -> int:
        begun.set()
        release.wait(20)
        return request

    channel = serve(server)
    futures = [channel.submit("hold", number, int) for number in range(3)]
    assert begun.wait(20)
    closers = [threading.Thread(target=channel.close, args=(20.0,)) for _ in range(2)]
    for closer in closers:
        closer.start()
        while channel.state != "closed":
            time.sleep(0.001)
    release.set()

    assert [future.result(20) for future in futures] == [0, 1, 2]
    for closer in closers:
        closer.join(20)
        assert not closer.is_alive()
    channel.close()


def test_callbacks_of_a_closed_channel_run_on_its_thread_alone(serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def same(request: int) -> int:
        return request

    channel = serve(server)
    threads: list[threading.Thread] = []
    entered, release = threading.Event(), threading.Event()

    def first_callback(_: object) -> None:
        threads.append(threading.current_thread())
        entered.set()
        release.wait(20)

    futures = [channel.submit("same", 0, int)]
    futures[0].add_done_callback(first_callback)
    assert entered.wait(20)
    for number in range(1, 4):
        futures.append(channel.submit("same", number, int))
        futures[-1].add_done_callback(lambda _: threads.append(threading.current_thread()))
    closer = threading.Thread(target=channel.close)
    closer.start()
    while channel.state != "closed":
        time.sleep(0.001)
    release.set()
    closer.join(20)

    assert len(threads) == 4 and {thread.name for thread in threads} == {"trunkline-channel"}


def test_a_channel_is_closed_while_threads_read_its_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_PERTURB_", "165")  # what is used after its end is wrong

    play(
        """
        class Slow(trunkline.Compressor):
            name = "slow"

            def compress(self, data):
                compressing.set()
                go.wait(20)
                return data[:10]

            def decompress(self, data, size):
                raise ValueError

        server = trunkline.Server(threads=2, compressors=[Slow()])

        @server.method
        def take(request: bytes) -> None:
            pass

        def call():
            try:
                channel.call("take", bytes(100_000))
            except trunkline.RpcError:
                pass

        running = server.serve("tcp://127.0.0.1:0")
        for _ in range(10):
            compressing, go = threading.Event(), threading.Event()
            channel = trunkline.Channel(running.endpoint, compressors=[Slow()], compressor="slow")
            channel.wait_for_ready(20)
            caller = threading.Thread(target=call)
            caller.start()
            assert compressing.wait(20)
            # The loop is busy: they all wait for it, and so does close().
            threads = [threading.Thread(target=lambda: channel.servers) for _ in range(20)]
            for thread in threads:
                thread.start()
            threading.Timer(0.05, go.set).start()
            try:
                channel.close(0)
            except trunkline.DeadlineExceeded:
                pass
            for thread in (*threads, caller):
                thread.join(20)
                assert not thread.is_alive()
        running.stop()
        """
    )


def test_a_signal_handler_closes_a_channel_that_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_PERTURB_", "165")

    play(
        """
        import socket
        with socket.create_server(("127.0.0.1", 0)) as deaf:
            channel = trunkline.Channel(f"tcp://127.0.0.1:{deaf.getsockname()[1]}")
            signal.signal(signal.SIGALRM, lambda *_: channel.close(0))
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            try:
                channel.wait_for_ready(20)
            except trunkline.FailedPrecondition as error:
                print(error.message)
        """,
        expect="use channel: it is closed",
    )


def test_threads_use_streams_of_a_closed_channel_with_a_compressor_in_python() -> None:
    play(
        """
        import faulthandler, zlib
        from collections.abc import Iterator
        faulthandler.dump_traceback_later(100, exit=True)

        class Slow(trunkline.Compressor):
            name = "slow"

            def compress(self, data):
                return zlib.compress(data)

            def decompress(self, data, size):
                decompressing.set()
                time.sleep(pause)
                return zlib.decompress(data)

        decompressing, pause = threading.Event(), 0
        written = threading.Semaphore(0)
        message = bytes(10_000)
        server = trunkline.Server(threads=8, compressors=[Slow()])
        server.add("echo", lambda request: request)

        @server.method
        def repeat(count: int, context: trunkline.Context) -> Iterator[bytes]:
            assert context.set_compressor("slow")
            for _ in range(count):
                yield message
            written.release()
            while not context.is_cancelled():
                time.sleep(0.01)

        def read(stream):
            try:
                for each in stream:
                    assert each == message
            except trunkline.Cancelled:
                pass

        def drop(stream):
            pass  # its last reference

        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint, compressors=[Slow()])
        streams = [channel.server_stream("repeat", 3, bytes) for _ in range(4)]
        for stream in streams:
            assert next(iter(stream)) == message
        del stream
        for _ in streams:
            assert written.acquire(timeout=20)
        for _ in range(10):
            channel.call("echo", b"x")  # comes on the same connection behind the other messages
        try:
            channel.close(0)
        except trunkline.DeadlineExceeded:
            pass
        pause = 0.2
        for use in (read, drop):
            decompressing.clear()
            reader = threading.Thread(target=read, args=(streams.pop(),))
            reader.start()
            assert decompressing.wait(20)
            use(streams.pop())
            reader.join()
        running.stop()
        """
    )

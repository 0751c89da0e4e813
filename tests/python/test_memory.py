# SPDX-License-Identifier: MIT
"""What servers hold for their clients: uploads to slow handlers, and calls that are cancelled before they are run."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trunkline
from trunkline import aio
from trunkline._process.daemon_pool import DaemonPool

MIB = 1 << 20
#: Seconds that any wait may take.
PATIENCE = 60.0


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.002)


@contextlib.contextmanager
def serving_aio(server: aio.Server, endpoint: str = "tcp://127.0.0.1:0") -> Iterator[aio.RunningServer]:
    """Serves on an event loop in a thread of its own."""
    started = threading.Event()
    running: list[aio.RunningServer] = []
    stop: list[Callable[[], Any]] = []

    async def serve() -> None:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        stop.append(lambda: loop.call_soon_threadsafe(stopped.set))
        async with server.serve(endpoint) as host:
            running.append(host)
            started.set()
            await stopped.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert started.wait(PATIENCE)
        yield running[0]
    finally:
        stop[0]()
        thread.join(PATIENCE)
        assert not thread.is_alive()


class Uploads:
    """Handlers that keep their requests until they are released."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.lock = threading.Lock()
        self.running = 0
        self.most = 0

    def begin(self) -> None:
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)

    def end(self) -> None:
        with self.lock:
            self.running -= 1


LIMITS = {"max_message_bytes": 4 * MIB, "max_memory_bytes": 64 * MIB}


@contextlib.contextmanager
def uploading(uploads: Uploads, endpoint: str, *, is_aio: bool) -> Iterator[Any]:
    if is_aio:
        host = aio.Server(**LIMITS)  # type: ignore[arg-type]

        @host.method
        async def upload(request: bytes) -> int:
            uploads.begin()
            while not uploads.release.is_set():
                await asyncio.sleep(0.002)
            uploads.end()
            return len(request)

        with serving_aio(host, endpoint) as running:
            yield running
    else:
        server = trunkline.Server(threads=30, **LIMITS)  # type: ignore[arg-type]

        @server.method("upload")
        def keep(request: bytes) -> int:
            uploads.begin()
            uploads.release.wait(PATIENCE)
            uploads.end()
            return len(request)

        with server.serve(endpoint) as other:
            yield other


@pytest.mark.parametrize("is_aio", [False, True])
def test_uploads_to_slow_handlers_wait_instead_of_piling_up(is_aio: bool, tmp_path: Path) -> None:
    uploads = Uploads()
    body = b"u" * (3 * MIB)
    endpoint = f"unix://{tmp_path}/s"
    with trunkline.Channel(endpoint) as channel:
        # They wait for the server and so all begin at once: one that begins when others hold the memory is refused.
        settings: dict[str, Any] = {"timeout": PATIENCE, "wait_for_ready": True}
        calls = [channel.submit("upload", body, int, **settings) for _ in range(25)]
        with uploading(uploads, endpoint, is_aio=is_aio) as running:
            wait_until(lambda: uploads.running >= 5)
            time.sleep(0.3)  # time for too many of them to begin
            usage = running.memory_usage
            uploads.release.set()
            lengths = [call.result() for call in calls]
            most = uploads.most
            # The last one may still be ending.
            wait_until(lambda: running.totals()["open_calls"] == 0)
            # What is received is given back when its call has ended.
            wait_until(lambda: running.memory_usage.used_bytes == 0)

    assert lengths == [len(body)] * 25
    assert 5 <= most
    assert usage.max_bytes == 64 * MIB
    assert 15 * MIB <= usage.used_bytes <= 40 * MIB


def test_channels_show_what_they_hold() -> None:
    server = trunkline.Server()

    @server.method
    def double(request: int) -> int:
        return 2 * request

    with server.serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, max_memory_bytes=300 * MIB) as channel:
            assert channel.call("double", 2) == 4
            usage = channel.memory_usage
            assert isinstance(usage, trunkline.MemoryUsage)
            assert usage == (0, 300 * MIB)
        assert channel.memory_usage == (0, 0)


class Blocked:
    """A handler that blocks the only thread of its server, and one that counts its runs."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.release = threading.Event()
        self.runs = 0

    def block(self) -> None:
        self.began.set()
        assert self.release.wait(PATIENCE)


@contextlib.contextmanager
def blocked_server(blocked: Blocked, *, is_aio: bool) -> Iterator[Any]:
    if is_aio:
        host = aio.Server()

        @host.method
        async def block() -> None:
            blocked.block()

        @host.method
        async def count(request: int) -> int:
            blocked.runs += 1
            return request

        with serving_aio(host) as running:
            yield running
    else:
        server = trunkline.Server(threads=1)

        @server.method("block")
        def block_thread() -> None:
            blocked.block()

        @server.method("count")
        def count_run(request: int) -> int:
            blocked.runs += 1
            return request

        with server.serve("tcp://127.0.0.1:0") as other:
            yield other


@pytest.mark.parametrize("is_aio", [False, True])
def test_calls_that_are_cancelled_before_they_are_run_leave_the_queue(is_aio: bool) -> None:
    blocked = Blocked()
    with blocked_server(blocked, is_aio=is_aio) as running, trunkline.Channel(running.endpoint) as channel:
        try:
            blocking = channel.submit("block", timeout=PATIENCE)
            assert blocked.began.wait(PATIENCE)
            for _ in range(3):
                calls = [channel.submit("count", i, int, timeout=PATIENCE) for i in range(1000)]
                wait_until(lambda: running.totals()["open_calls"] == 1001)
                for call in calls:
                    call.cancel()
                # They are gone although nothing has run meanwhile.
                wait_until(lambda: running.totals()["open_calls"] == 1)
            kept = channel.submit("count", 7, int, timeout=PATIENCE)
            wait_until(lambda: running.totals()["open_calls"] == 2)
        finally:
            blocked.release.set()
        assert blocking.result() is None
        assert kept.result() == 7

    assert blocked.runs == 1


@contextlib.contextmanager
def busy_plain_server(blocked: Blocked, **options: Any) -> Iterator[aio.RunningServer]:
    """Serves plain functions on an aio.Server with one thread, which runs a cancelled call until it is released."""
    host = aio.Server(threads=1, **options)
    cancelled = threading.Event()

    @host.method
    def block(context: trunkline.Context) -> None:
        blocked.began.set()
        wait_until(context.is_cancelled)
        cancelled.set()
        assert blocked.release.wait(PATIENCE)

    @host.method
    def size(request: bytes) -> int:
        blocked.runs += 1
        return len(request)

    @host.method
    def sizes(requests: Iterator[bytes]) -> Iterator[int]:
        for request in requests:
            yield len(request)

    with serving_aio(host) as running, trunkline.Channel(running.endpoint) as channel:
        blocking = channel.submit("block", timeout=PATIENCE)
        assert blocked.began.wait(PATIENCE)
        blocking.cancel()
        assert cancelled.wait(PATIENCE)
        wait_until(lambda: not running._tasks)
        try:
            yield running
        finally:
            blocked.release.set()


def test_cancelled_calls_of_plain_functions_leave_the_pool() -> None:
    blocked = Blocked()
    with busy_plain_server(blocked) as running, trunkline.Channel(running.endpoint) as channel:
        for _ in range(2):
            calls = [channel.submit("size", bytes(MIB), int, timeout=PATIENCE) for _ in range(20)]
            streams = [channel.stream("sizes", bytes, int) for _ in range(20)]
            wait_until(lambda: running._pool.waiting() == 40)
            for call in calls:
                call.cancel()
            for stream in streams:
                stream.cancel()

            wait_until(lambda: running._pool.waiting() == 0)
            wait_until(lambda: running.totals()["open_calls"] == 1)
            wait_until(lambda: running.memory_usage.used_bytes < MIB)

        kept = channel.submit("size", bytes(MIB), int, timeout=PATIENCE)
        wait_until(lambda: running._pool.waiting() == 1)
        blocked.release.set()
        assert kept.result() == MIB

    assert blocked.runs == 1


def test_a_cancelled_plain_function_counts_until_it_returns() -> None:
    blocked = Blocked()
    with (
        busy_plain_server(blocked, max_concurrent_calls=1) as running,
        trunkline.Channel(running.endpoint, max_retries=0) as channel,
    ):
        assert running.totals()["open_calls"] == 1
        with pytest.raises(trunkline.ResourceExhausted):
            channel.call("size", b"123", int, timeout=PATIENCE)

        blocked.release.set()

        wait_until(lambda: running.totals()["open_calls"] == 0)
        assert channel.call("size", b"123", int, timeout=PATIENCE) == 3


def test_a_server_stops_although_a_cancelled_plain_function_runs() -> None:
    blocked = Blocked()
    with busy_plain_server(blocked) as running:
        asyncio.run_coroutine_threadsafe(running.stop(), running._loop).result(PATIENCE)

        assert running.totals()["open_calls"] == 0
        assert not blocked.release.is_set()


def test_a_pool_keeps_nothing_of_what_was_cancelled() -> None:
    class Argument:
        pass

    pool = DaemonPool(1, "test")
    release = threading.Event()
    pool.submit(release.wait, PATIENCE)
    wait_until(lambda: pool.waiting() == 0)
    argument = Argument()
    held = weakref.ref(argument)
    future = pool.submit(print, argument)
    del argument

    assert future.cancel()

    assert held() is None and pool.waiting() == 0
    release.set()
    pool.close()
    pool.join(PATIENCE)

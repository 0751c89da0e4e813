# SPDX-License-Identifier: MIT
"""Streams that wait for their clients leave the workers of a blocking server to other calls, and built-in services need
none."""

from __future__ import annotations

import logging
import subprocess
import sys
import textwrap
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import trunkline
from trunkline import services
from trunkline.services import _definitions

from . import reflecting

#: For what happens within milliseconds unless the machine is busy.
PATIENCE = 30.0
REQUEST = _definitions.message("grpc.health.v1.HealthCheckRequest")
RESPONSE = _definitions.message("grpc.health.v1.HealthCheckResponse")


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "it has not come about in time"
        time.sleep(0.005)


def worker_threads() -> int:
    return sum(thread.name.startswith("trunkline-worker") for thread in threading.enumerate())


def is_serving(channel: trunkline.Channel) -> bool:
    response = channel.call("grpc.health.v1.Health/Check", REQUEST(), RESPONSE, timeout=PATIENCE)
    return bool(response.status == services.ServingStatus.SERVING)


class Service:
    """A server with streams of each kind; ``open`` of them run."""

    def __init__(self, **options: Any) -> None:
        self.server = server = trunkline.Server(**options)
        self.open = 0
        self._lock = threading.Lock()

        @server.method
        def total(numbers: Iterator[int]) -> int:
            with self.running():
                return sum(numbers)

        @server.method
        def chunks(size: int) -> Iterator[bytes]:
            with self.running():
                while True:
                    yield bytes(size)

        @server.method
        def echo(numbers: Iterator[int]) -> Iterator[int]:
            with self.running():
                yield from numbers

        @server.method
        def ping(number: int) -> int:
            return number

        @server.route("GET", "/page")
        def page() -> str:
            return "page"

    def running(self) -> ExitStack:
        with self._lock:
            self.open += 1
        stack = ExitStack()
        stack.callback(self._end)
        return stack

    def _end(self) -> None:
        with self._lock:
            self.open -= 1


def rest_client_stream(channel: trunkline.Channel) -> Any:
    stream = channel.stream("total", int, int)
    stream.write(1)
    return stream


@contextmanager
def rest_unread(channel: trunkline.Channel) -> Iterator[Any]:
    # Its connection takes no further calls while what is sent on it is not read.
    with trunkline.Channel(channel.endpoint) as own, own.server_stream("chunks", 1 << 17, bytes) as stream:
        stream.read()
        yield stream


def rest_bidirectional(channel: trunkline.Channel) -> Any:
    stream = channel.stream("echo", int, int)
    stream.write(1)
    assert stream.read() == 1
    return stream


RESTS = [rest_client_stream, rest_unread, rest_bidirectional]


def get(endpoint: str, path: str) -> bytes:
    with urllib.request.urlopen(endpoint.replace("tcp", "http") + path, timeout=PATIENCE) as response:
        content: bytes = response.read()
    return content


@pytest.mark.parametrize("rest", RESTS)
def test_other_calls_are_served_while_more_streams_wait_than_threads(rest: Callable[..., Any]) -> None:
    service = Service(threads=2)
    services.add_health(service.server)
    with service.server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with ExitStack() as stack:
            for _ in range(12):
                stack.enter_context(rest(channel))
            wait_until(lambda: service.open == 12)

            assert channel.call("ping", 1, int, timeout=PATIENCE) == 1
            assert list(channel.map("ping", range(100), int, timeout=PATIENCE)) == list(range(100))
            assert get(running.endpoint, "/page") == b"page"
            assert is_serving(channel)

        wait_until(lambda: service.open == 0)


def test_streams_go_on_after_they_have_waited() -> None:
    service = Service(threads=1)
    with service.server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with ExitStack() as stack:
            streams = [stack.enter_context(rest_bidirectional(channel)) for _ in range(5)]
            for number in range(50):
                for stream in streams:
                    stream.write(number)
                assert channel.call("ping", number, int, timeout=PATIENCE) == number
                assert [stream.read() for stream in streams] == [number] * 5


def test_streams_beyond_the_bound_are_refused() -> None:
    service = Service(threads=2, max_stream_threads=3)
    with service.server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with ExitStack() as stack:
            streams = [stack.enter_context(rest_bidirectional(channel)) for _ in range(3)]

            with pytest.raises(trunkline.ResourceExhausted, match="call echo: .* max_stream_threads 3"):
                list(channel.stream("echo", int, int).exchange([1]))
            assert channel.call("ping", 2, int, timeout=PATIENCE) == 2

            streams[0].cancel()
            wait_until(lambda: service.open == 2)
            with rest_bidirectional(channel):
                assert service.open == 3


def test_without_threads_for_streams_they_occupy_workers() -> None:
    service = Service(threads=1, max_stream_threads=0)
    with service.server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with rest_bidirectional(channel) as stream:
            with pytest.raises(trunkline.DeadlineExceeded):
                channel.call("ping", 1, int, timeout=0.5)
            assert worker_threads() == 1
            stream.close_writes()
            assert list(stream) == []
        assert channel.call("ping", 1, int, timeout=PATIENCE) == 1


@pytest.mark.parametrize("count", [-1, 100_001])
def test_the_bound_has_a_range(count: int) -> None:
    with pytest.raises(ValueError, match=f"max_stream_threads: {count} is not in 0 to 100000"):
        trunkline.Server(max_stream_threads=count)


def test_the_bound_is_an_int() -> None:
    wrong: Any = 2.5
    with pytest.raises(TypeError, match="max_stream_threads: expected int, got float"):
        trunkline.Server(max_stream_threads=wrong)


def test_handlers_that_do_not_wait_are_as_many_as_threads() -> None:
    service = Service(threads=2)
    lock = threading.Lock()
    running_now = 0
    most = 0
    together = threading.Barrier(2)

    @service.server.method
    def work(number: int) -> int:
        nonlocal running_now, most
        with lock:
            running_now += 1
            most = max(most, running_now)
        if number < 2:  # these two run at once
            together.wait(PATIENCE)
        time.sleep(0.01)
        with lock:
            running_now -= 1
        return number

    with service.server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with ExitStack() as stack:
            for _ in range(6):
                stack.enter_context(rest_bidirectional(channel))

            assert list(channel.map("work", range(60), int, timeout=PATIENCE)) == list(range(60))

    assert most == 2


def test_threads_end_after_their_streams() -> None:
    service = Service(threads=2)
    before = worker_threads()
    with service.server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with ExitStack() as stack:
            for _ in range(20):
                stack.enter_context(rest_bidirectional(channel))
            assert worker_threads() - before >= 20

        wait_until(lambda: worker_threads() - before <= 2)
        assert channel.call("ping", 1, int, timeout=PATIENCE) == 1
        assert worker_threads() - before == 2


@pytest.mark.parametrize("rest", RESTS)
def test_shutdown_ends_streams_that_wait(rest: Callable[..., Any]) -> None:
    service = Service(threads=2)
    before = threading.active_count()
    running = service.server.serve("tcp://127.0.0.1:0")
    with trunkline.Channel(running.endpoint) as channel, ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(rest(channel))
        wait_until(lambda: service.open == 8)

        begin = time.monotonic()
        with pytest.raises(trunkline.DeadlineExceeded, match="8"):
            running.shutdown(0.2)

        assert time.monotonic() - begin < PATIENCE
        assert service.open == 0
    wait_until(lambda: threading.active_count() <= before)


def test_shutdown_waits_for_streams_that_end() -> None:
    service = Service(threads=1)
    running = service.server.serve("tcp://127.0.0.1:0")
    with trunkline.Channel(running.endpoint) as channel, ExitStack() as stack:
        streams = [stack.enter_context(rest_bidirectional(channel)) for _ in range(4)]
        ending = threading.Thread(target=running.shutdown, args=(PATIENCE,))
        ending.start()
        for stream in streams:
            stream.close_writes()
            assert list(stream) == []
        ending.join(PATIENCE)
        assert running.wait(0)


def test_a_deadline_ends_a_stream_that_waits() -> None:
    service = Service(threads=1)
    with service.server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        streams = [channel.stream("echo", int, int, timeout=0.3) for _ in range(4)]

        for stream in streams:
            with pytest.raises(trunkline.DeadlineExceeded):
                stream.read()

        wait_until(lambda: service.open == 0)
        assert channel.call("ping", 1, int, timeout=PATIENCE) == 1


def test_built_in_services_answer_while_all_workers_are_busy() -> None:
    server = trunkline.Server(threads=2)
    services.add_health(server)
    services.add_reflection(server)
    services.add_openapi(server)
    services.add_console(server)
    released = threading.Event()

    @server.method
    def block() -> None:
        released.wait(2 * PATIENCE)

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        blocked = [channel.submit("block") for _ in range(4)]
        try:
            wait_until(lambda: running.totals()["python_calls"] == 2)

            for _ in range(3):
                assert is_serving(channel)
            with channel.server_stream("grpc.health.v1.Health/Watch", REQUEST(), RESPONSE, timeout=PATIENCE) as watch:
                assert watch.read().status == services.ServingStatus.SERVING
                assert "grpc.health.v1.Health" in reflecting.services(channel)
            assert b"block" in get(running.endpoint, "/openapi.json")
            assert b"<html" in get(running.endpoint, "/console").lower()
            assert not any(each.done() for each in blocked)
        finally:
            released.set()
        for each in blocked:
            each.result(PATIENCE)


def test_calls_wait_until_the_system_grants_a_thread(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = Service(threads=1)
    refused = 0
    start = threading.Thread.start

    def start_or_refuse(thread: threading.Thread) -> None:
        nonlocal refused
        if thread.name.startswith("trunkline-worker") and refused < 2:
            refused += 1
            raise RuntimeError("can't start new thread")
        start(thread)

    with service.server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with rest_bidirectional(channel), caplog.at_level(logging.WARNING, "trunkline.server"):
            monkeypatch.setattr(threading.Thread, "start", start_or_refuse)

            assert channel.call("ping", 1, int, timeout=PATIENCE) == 1

    assert refused == 2
    assert [record.message for record in caplog.records] == [
        "calls wait for a worker: the system refuses to start its thread: can't start new thread"
    ]


def test_a_process_exits_while_streams_wait() -> None:
    program = """
        import trunkline

        server = trunkline.Server(threads=1)

        @server.method
        def echo(numbers: "Iterator[int]") -> "Iterator[int]":
            yield from numbers

        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        streams = [channel.stream("echo", int, int) for _ in range(5)]
        for stream in streams:
            stream.write(1)
            assert stream.read() == 1
        print("served")
    """
    text = "from collections.abc import Iterator\n" + textwrap.dedent(program)

    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=2 * PATIENCE)

    assert (done.returncode, done.stdout, done.stderr) == (0, "served\n", "")

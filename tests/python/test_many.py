# SPDX-License-Identifier: MIT
"""Many calls at once: map, as_completed, submit, one-way."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import trunkline

from .conftest import Serve


class Service:
    def __init__(self) -> None:
        self.seen = 0
        self.open = 0
        self.most = 0
        self.notified = threading.Semaphore(0)
        self.blocked = threading.Semaphore(0)
        self.cancelled = threading.Semaphore(0)
        self.release = threading.Event()
        self.server = trunkline.Server(threads=4)
        self._lock = threading.Lock()

        @self.server.method
        def double(request: int) -> int:
            with self._lock:
                self.seen += 1
            if request == 13:
                raise trunkline.OutOfRange("unlucky")
            return 2 * request

        @self.server.method
        def notify(request: int) -> None:
            self.notified.release()

        @self.server.method
        def block(request: int, context: trunkline.Context) -> int:
            if request == 0:
                self.blocked.release()
            while request == 0 and not self.release.wait(0.005):
                if context.is_cancelled():
                    self.cancelled.release()
                    break
            return request


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    yield service
    service.release.set()


@pytest.mark.parametrize("window", [1, 2, 7, 64, 1000])
def test_map_keeps_the_order(serve: Serve, service: Service, window: int) -> None:
    channel = serve(service.server)
    requests = [i for i in range(1000) if i != 13]

    assert list(channel.map("double", requests, int, window=window)) == [2 * i for i in requests]


def test_map_of_nothing(serve: Serve, service: Service) -> None:
    assert list(serve(service.server).map("double", [])) == []


def test_map_pulls_no_more_than_the_window(serve: Serve, service: Service) -> None:
    channel = serve(service.server)
    pulled = 0

    def requests() -> Iterator[int]:
        nonlocal pulled
        for i in range(100, 1000):
            pulled += 1
            yield i

    responses = channel.map("double", requests(), window=8)
    taken = [next(responses) for _ in range(10)]

    assert taken == [2 * i for i in range(100, 110)]
    assert pulled <= 10 + 2 * 8


def test_map_raises_in_its_place(serve: Serve, service: Service) -> None:
    channel = serve(service.server)
    responses = channel.map("double", range(20))

    assert [next(responses) for _ in range(13)] == [2 * i for i in range(13)]
    with pytest.raises(trunkline.OutOfRange, match="unlucky"):
        next(responses)
    with pytest.raises(StopIteration):
        next(responses)


def test_map_may_yield_errors(serve: Serve, service: Service) -> None:
    responses = list(serve(service.server).map("double", range(20), return_exceptions=True))

    assert isinstance(responses[13], trunkline.OutOfRange)
    assert responses[14:] == [2 * i for i in range(14, 20)]


def test_an_iterator_that_raises_inside_map(serve: Serve, service: Service) -> None:
    def requests() -> Iterator[int]:
        yield 1
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        list(serve(service.server).map("double", requests()))


def test_a_map_abandoned_midway(serve: Serve, service: Service) -> None:
    channel = serve(service.server)
    responses = channel.map("block", [1, 0, 0, 0])

    assert next(responses) == 1
    for _ in range(3):  # a call that is cancelled before it runs never runs
        assert service.blocked.acquire(timeout=20)
    del responses
    gc.collect()

    for _ in range(3):
        assert service.cancelled.acquire(timeout=20)
    assert channel.call("double", 4) == 8


def test_as_completed(serve: Serve, service: Service) -> None:
    channel = serve(service.server)
    ended = channel.as_completed("block", [0, 1, 2, 3], int)

    early = {next(ended) for _ in range(3)}
    service.release.set()

    assert early == {(1, 1), (2, 2), (3, 3)}
    assert list(ended) == [(0, 0)]


def test_as_completed_with_a_small_window(serve: Serve, service: Service) -> None:
    channel = serve(service.server)

    ended = dict(channel.as_completed("double", range(100), window=3, return_exceptions=True))

    assert isinstance(ended.pop(13), trunkline.OutOfRange)
    assert ended == {i: 2 * i for i in range(100) if i != 13}


def test_futures(serve: Serve, service: Service) -> None:
    channel = serve(service.server)
    futures = [channel.submit("double", i, int) for i in range(200)]

    assert isinstance(futures[13].exception(20), trunkline.OutOfRange)
    del futures[13]
    assert [future.result(20) for future in futures] == [2 * i for i in range(200) if i != 13]


def test_a_futures_callback_may_call(serve: Serve, service: Service) -> None:
    channel = serve(service.server)
    responses: list[int] = []
    done = threading.Event()

    def again(future: object) -> None:
        responses.append(channel.call("double", 21))
        done.set()

    channel.submit("double", 1).add_done_callback(again)

    assert done.wait(20)
    assert responses == [42]


def test_no_callback_runs_after_close(service: Service) -> None:
    called: list[object] = []

    with service.server.serve("tcp://127.0.0.1:0") as running:
        channel = trunkline.Channel(running.endpoint)
        futures = [channel.submit("block", 0) for _ in range(20)]
        while running.totals()["calls_started"] < 4:  # as many as there are workers
            pass
        for future in futures:
            future.add_done_callback(called.append)
        with pytest.raises(trunkline.DeadlineExceeded, match="20 calls were cancelled"):
            channel.close(0.01)
        before = len(called)
        threads = [thread for thread in threading.enumerate() if thread.name == "trunkline-channel"]

        assert before == 20 and not threads
        assert all(isinstance(future.exception(0), trunkline.Cancelled) for future in futures)


def test_one_way(serve: Serve, service: Service) -> None:
    channel = serve(service.server)

    for i in range(10):
        channel.call_oneway("notify", i)

    for _ in range(10):
        assert service.notified.acquire(timeout=20)


def test_windows_are_checked(serve: Serve, service: Service) -> None:
    channel = serve(service.server)

    for use in (channel.map, channel.as_completed):
        with pytest.raises(ValueError, match="window"):
            use("double", [1], window=0)


def test_map_of_requests_of_several_types(serve: Serve) -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def same(request: Any) -> Any:
        return request

    channel = serve(server)
    requests: list[Any] = [1, b"abc", b"d", "text", None, b"e", [2]]

    assert list(channel.map("same", requests)) == requests
    assert list(channel.map("same", [None, b"abc", b"def"], bytes)) == [b"", b"abc", b"def"]
    assert list(channel.map("same", [])) == []

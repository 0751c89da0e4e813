# SPDX-License-Identifier: MIT
"""Futures of calls, and their callbacks."""

from __future__ import annotations

import functools
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError
from typing import Any, NoReturn

import pytest
import trunkline

from .conftest import Serve


def make_server(seen: list[int]) -> trunkline.Server:
    server = trunkline.Server(threads=2)

    @server.method
    def echo(request: int) -> int:
        seen.append(request)
        if request < 0:
            raise trunkline.Aborted("negative")
        return request

    return server


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit, ValueError])
def test_a_callback_that_raises(serve: Serve, caplog: pytest.LogCaptureFixture, kind: type[BaseException]) -> None:
    def fail(future: Any) -> NoReturn:
        ended.set()
        raise kind("from a callback")

    ended = threading.Event()
    channel = serve(make_server([]))
    first = channel.submit("echo", 1)
    first.add_done_callback(fail)

    assert ended.wait(20)
    assert first.result(20) == 1
    assert [channel.submit("echo", i).result(20) for i in range(20)] == list(range(20))
    assert "from a callback" in caplog.text


def test_an_interceptor_that_waits_ends_its_future_alone(caplog: pytest.LogCaptureFixture) -> None:
    class Wait:
        def __await__(self) -> Generator[None, None, None]:
            yield

    async def waiting(call: trunkline.OutgoingCall) -> Any:
        yield
        if call.request == 1:
            await Wait()

    def plain(call: trunkline.OutgoingCall) -> Iterator[None]:
        yield

    @functools.wraps(plain)
    def disguised(call: trunkline.OutgoingCall) -> Any:
        return waiting(call)

    with make_server([]).serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, interceptors=[disguised]) as channel:
            futures = [channel.submit("echo", i) for i in range(3)]
            with pytest.raises(RuntimeError, match="waits"):
                futures[1].result(20)
            assert (futures[0].result(20), futures[2].result(20)) == (0, 2)
    assert "RuntimeError" in caplog.text


def test_a_future_cancelled_while_an_interceptor_sends_again() -> None:
    seen: list[int] = []
    futures: list[trunkline.CallFuture[int]] = []
    reported: list[BaseException] = []
    submitted, ended = threading.Event(), threading.Event()

    def again(call: trunkline.OutgoingCall) -> Iterator[None]:
        try:
            try:
                yield
            except trunkline.Aborted:
                assert submitted.wait(20) and futures[0].cancel()
                yield
        except BaseException as error:
            reported.append(error)
            ended.set()
            raise

    with make_server(seen).serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, interceptors=[again]) as channel:
            futures.append(channel.submit("echo", -1))
            submitted.set()
            assert ended.wait(20)
            with pytest.raises(CancelledError):
                futures[0].result(20)
            assert channel.call("echo", 1) == 1

    assert seen == [-1, 1]
    assert [type(error) for error in reported] == [trunkline.Cancelled]

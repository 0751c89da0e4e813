# SPDX-License-Identifier: MIT
"""Server.on_shutdown: what handlers without an end of their own learn of the shutdown."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio
from trunkline._server.shutdown_notifier import ShutdownNotifier

from .ending import end_of


def test_a_stream_ends_at_the_shutdown() -> None:
    server = trunkline.Server()
    stopping = threading.Event()
    assert server.on_shutdown(stopping.set) == stopping.set

    @server.method("follow")
    def follow() -> Iterator[int]:
        yield 1
        stopping.wait()
        yield 2

    running = server.serve("tcp://127.0.0.1:0")
    with trunkline.Channel(running.endpoint) as channel:
        numbers = channel.server_stream("follow", None, int)
        assert next(numbers) == 1
        running.shutdown(60.0)
        assert list(numbers) == [2]


def test_an_asyncio_stream_ends_at_the_shutdown() -> None:
    async def main() -> None:
        server = aio.Server()
        stopping = asyncio.Event()
        threads: list[threading.Thread] = []
        server.on_shutdown(stopping.set)

        @server.on_shutdown
        def note() -> None:
            threads.append(threading.current_thread())

        @server.method("follow")
        async def follow() -> AsyncIterator[int]:
            yield 1
            await stopping.wait()
            yield 2

        running = server.serve("tcp://127.0.0.1:0")
        async with aio.Channel(running.endpoint) as channel:
            numbers = aiter(channel.server_stream("follow", None, int))
            assert await anext(numbers) == 1
            ended = asyncio.ensure_future(running.shutdown(60.0))
            assert [number async for number in numbers] == [2]
            await ended
        assert threads == [threading.current_thread()]

    asyncio.run(main())


def test_each_running_server_calls_it_once() -> None:
    calls: list[str] = []
    server = trunkline.Server()
    server.on_shutdown(lambda: calls.append("called"))
    one, two = server.serve("tcp://127.0.0.1:0"), server.serve("tcp://127.0.0.1:0")

    one.shutdown()
    one.stop()
    assert calls == ["called"]
    two.stop()
    assert calls == ["called"] * 2


def test_what_it_raises_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise LookupError("no such file")

    calls: list[str] = []
    server = trunkline.Server()
    server.on_shutdown(fail)
    server.on_shutdown(lambda: calls.append("called"))
    running = server.serve("tcp://127.0.0.1:0")

    with caplog.at_level(logging.ERROR, logger="trunkline.server"):
        running.shutdown()

    assert calls == ["called"]
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [LookupError]


async def coroutine_function() -> None: ...


@pytest.mark.parametrize("wrong", [None, "stop", coroutine_function])
def test_what_cannot_be_called(wrong: Any) -> None:
    with pytest.raises(TypeError, match="on_shutdown: expected a function"):
        trunkline.Server().on_shutdown(wrong)


def test_a_callback_that_stops_the_server(caplog: pytest.LogCaptureFixture) -> None:
    server = trunkline.Server()
    holder: list[trunkline.RunningServer] = []
    order: list[str] = []

    @server.on_shutdown
    def stop() -> None:
        order.append("first")
        holder[0].stop()
        holder[0].shutdown()

    server.on_shutdown(lambda: order.append("second"))
    holder.append(server.serve("tcp://127.0.0.1:0"))

    holder[0].stop()

    assert order == ["first", "second"]
    assert holder[0].wait(0)
    assert not caplog.records


@pytest.mark.parametrize("end", ["stop", "shutdown"])
def test_one_that_is_interrupted_leaves_no_server_behind(end: str) -> None:
    server = trunkline.Server()
    calls: list[str] = []

    @server.on_shutdown
    def interrupt() -> None:
        raise KeyboardInterrupt

    server.on_shutdown(lambda: calls.append("called"))
    running = server.serve("tcp://127.0.0.1:0")

    with pytest.raises(KeyboardInterrupt):
        getattr(running, end)()

    assert calls == ["called"]
    assert running.wait(0)


@pytest.mark.parametrize("end", ["stop", "shutdown"])
def test_an_asyncio_one_that_is_interrupted_leaves_no_server_behind(end: str) -> None:
    async def main() -> None:
        server = aio.Server()

        @server.on_shutdown
        def interrupt() -> None:
            raise SystemExit  # for which the loop's task does not end the loop, as it is caught

        running = server.serve("tcp://127.0.0.1:0")
        with pytest.raises(SystemExit):
            await getattr(running, end)()
        await running.wait()

    asyncio.run(main())


def test_a_server_that_has_not_begun_calls_none() -> None:
    calls: list[str] = []
    server, other = trunkline.Server(), aio.Server()
    server.on_shutdown(lambda: calls.append("blocking"))
    other.on_shutdown(lambda: calls.append("asyncio"))

    async def main(endpoint: str) -> None:
        with pytest.raises(trunkline.RpcError):
            other.serve(endpoint)

    with trunkline.Server().serve("tcp://127.0.0.1:0") as taken:
        with pytest.raises(trunkline.RpcError):
            server.serve(taken.endpoint)
        asyncio.run(main(taken.endpoint))

    assert calls == []


class AsynchronousObject:
    async def __call__(self) -> None: ...


def test_an_object_whose_call_is_a_coroutine_is_refused() -> None:
    with pytest.raises(TypeError, match="on_shutdown: expected a function"):
        trunkline.Server().on_shutdown(AsynchronousObject())


@pytest.mark.filterwarnings("error")
def test_a_coroutine_that_one_returns_is_closed_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = trunkline.Server()
    server.on_shutdown(lambda: coroutine_function())
    running = server.serve("tcp://127.0.0.1:0")

    with caplog.at_level(logging.ERROR, logger="trunkline.server"):
        running.stop()

    assert ["has returned a coroutine" in record.message for record in caplog.records] == [True]


def test_what_ends_a_stream_is_no_callback_of_the_application(caplog: pytest.LogCaptureFixture) -> None:
    notifier = ShutdownNotifier()

    def fail() -> None:
        raise LookupError

    with caplog.at_level(logging.ERROR, logger="trunkline.server"), notifier.notifying(fail):
        notifier.begin()

    assert [record.message for record in caplog.records] == ["ending a stream at the shutdown of its server"]


AT_EXIT = """
import asyncio, threading
import trunkline
from trunkline import aio

def note(kind):
    print(kind, threading.current_thread() is threading.main_thread())

server = trunkline.Server()
server.on_shutdown(lambda: note("blocking"))
running = server.serve("tcp://127.0.0.1:0")

async def begin(kind):
    server = aio.Server()
    server.on_shutdown(lambda: note(kind))
    return server.serve("tcp://127.0.0.1:0")

closed = asyncio.run(begin("of a closed loop"))
loop = asyncio.new_event_loop()
idle = loop.run_until_complete(begin("of a loop that does not run"))
import atexit
atexit.register(loop.close)
"""


def test_an_exit_calls_them() -> None:
    assert end_of(AT_EXIT).splitlines() == ["blocking True", "of a closed loop True", "of a loop that does not run True"]


IN_A_DAEMON_THREAD = """
import asyncio, atexit, threading
called = threading.Event()
atexit.register(lambda: print(called.wait(60)))  # after the package's part of the exit
from trunkline import aio

begun = threading.Event()

async def main():
    server = aio.Server()
    loop = asyncio.get_running_loop()
    server.on_shutdown(lambda: called.set() if asyncio.get_running_loop() is loop else None)
    server.serve("tcp://127.0.0.1:0")
    begun.set()
    await asyncio.sleep(1000)

threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
begun.wait()
"""


def test_an_exit_calls_them_on_the_loop_if_that_runs() -> None:
    assert end_of(IN_A_DAEMON_THREAD) == "True\n"

# SPDX-License-Identifier: MIT
"""Exceptions inside of a batch of completions or calls, e.g. of signal handlers: the rest of the batch is handled."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
import trunkline
from trunkline import aio, testing
from trunkline._process.batches import do_each
from trunkline._sync import futures
from trunkline.aio import _loop_inbox


class Alarm(BaseException):
    """An exception that a signal handler may raise anywhere."""


@pytest.mark.parametrize("tries, expected", [(1, [1, 3, 3, 4]), (2, [1, 2, 3, 3, 4])])
def test_each_item_is_a_unit(tries: int, expected: list[int]) -> None:
    done: list[int] = []
    raised: list[int] = []

    def do(item: int) -> None:
        if item == 2 and not raised:
            raised.append(item)
            raise Alarm("two")
        done.append(item)
        if item == 3 and done.count(3) < 2:
            done.append(3)

    with pytest.raises(Alarm, match="two"):
        do_each([1, 2, 3, 4], do, tries=tries)

    assert done == expected


class Inbox:
    """Returns the given batches one after the other, or raises those that are exceptions; then it is closed."""

    def __init__(self, *batches: Any) -> None:
        self._batches = list(batches)

    def take(self) -> Any:
        batch = self._batches.pop(0) if self._batches else []
        if isinstance(batch, BaseException):
            raise batch
        return batch

    def wait_and_take(self, timeout: float) -> Any:
        return self.take()

    def is_closed(self) -> bool:
        return not self._batches


def test_an_event_loop_gets_the_rest_of_a_batch() -> None:
    class Interrupted(asyncio.Future[int]):
        has_raised = False

        def set_result(self, result: int) -> None:
            if not self.has_raised:
                self.has_raised = True
                raise Alarm
            super().set_result(result)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        futures = [loop.create_future(), Interrupted(), loop.create_future(), loop.create_future()]
        futures[2].cancel()
        inbox: Any = Inbox([(futures[0], 0), (futures[1], 1), (futures[2], 2), (futures[3], ValueError("three"))])

        with pytest.raises(Alarm):
            _loop_inbox._complete(inbox)

        assert [future.done() for future in futures] == [True] * 4
        assert (futures[0].result(), futures[1].result(), str(futures[3].exception())) == (0, 1, "three")

    asyncio.run(main())


def test_a_dispatcher_survives(caplog: pytest.LogCaptureFixture) -> None:
    def future() -> trunkline.CallFuture[Any]:
        made: trunkline.CallFuture[Any] = trunkline.CallFuture()
        made._decode = bytes.decode
        made._dispatcher = dispatcher
        return made

    class Broken(trunkline.CallFuture[Any]):
        def _finish(self, outcome: Any) -> None:
            raise Alarm("amid a batch")

    dispatcher: Any = type("Dispatcher", (), {"pending": set(), "is_this_thread": lambda self: False})()
    broken = Broken()
    broken._dispatcher = dispatcher
    others = [future() for _ in range(2)]
    inbox: Any = Inbox(MemoryError("none left"), [(others[0], b"0"), (broken, b""), (others[1], b"1")])

    futures._dispatch(inbox)

    assert [other.result(0) for other in others] == ["0", "1"]
    assert isinstance(broken.exception(0), Alarm)
    assert "none left" in caplog.text and "amid a batch" in caplog.text


def test_a_call_that_cannot_begin_is_finished() -> None:
    server = aio.Server(threads=1)

    @server.method
    async def echo(request: int) -> int:
        return request

    async def main() -> None:
        loop = asyncio.get_running_loop()
        reported: list[Any] = []
        loop.set_exception_handler(lambda loop, context: reported.append(context["exception"]))
        async with testing.aserve(server) as channel:
            assert await channel.call("echo", 1) == 1
            failures = [MemoryError("none left")]

            def factory(loop: Any, coroutine: Any, **options: Any) -> Any:
                if failures and coroutine.__name__ == "run":
                    raise failures.pop()
                return asyncio.Task(coroutine, loop=loop, **options)

            loop.set_task_factory(factory)
            responses = await asyncio.gather(
                *(channel.call("echo", i, timeout=20.0) for i in range(5)), return_exceptions=True
            )
            assert sorted(type(response).__name__ for response in responses) == ["Internal", "int", "int", "int", "int"]
            assert [type(error) for error in reported] == [MemoryError]

    asyncio.run(main())


def test_a_callback_cannot_wait_for_what_its_thread_completes() -> None:
    server = trunkline.Server(threads=2)
    server.add("double", lambda request: 2 * request)
    raised: list[BaseException] = []
    seen = threading.Event()

    with testing.serve(server) as channel:

        def wait(future: Any) -> None:
            assert future.result() == 2  # it has ended
            other = channel.submit("double", 2)
            for use in (other.result, other.exception):
                try:
                    use(20)
                except RuntimeError as error:
                    raised.append(error)
            others.append(other)
            seen.set()

        others: list[Any] = []
        channel.submit("double", 1).add_done_callback(wait)
        assert seen.wait(20)
        assert others[0].result(20) == 4
    assert len(raised) == 2 and "would wait" in str(raised[0])


def test_a_handler_cannot_drain_its_server() -> None:
    server = aio.Server(threads=1)
    running: list[aio.RunningServer] = []

    @server.method
    async def drain() -> str:
        with pytest.raises(RuntimeError, match="would wait for the handler") as caught:
            await running[0].shutdown(20.0)
        return str(caught.value)

    async def main() -> None:
        running.append(server.serve("tcp://127.0.0.1:0"))
        async with aio.Channel(running[0].endpoint) as channel:
            assert "shutdown" in await channel.call("drain", timeout=20.0)
        await running[0].shutdown()

    asyncio.run(main())

# SPDX-License-Identifier: MIT
"""Operations of streams that are given up: no message is lost, no end is false, and the call goes on."""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import Any

import pytest
import trunkline
import trunkline.grpc as drop_in
import trunkline.grpc.aio
from trunkline import aio
from trunkline.aio import _loop_inbox

from .interception import Journal
from .waiting import wait_until

MESSAGES = 10_000

#: What a read of any kind returns or raises at the end of the stream.
END: Any = object()

Read = Callable[[], Awaitable[Any]]


async def impatient(read: Read, turns: random.Random) -> Any:
    """Reads, and gives each read up after a few turns of the event loop, until one has ended by then."""
    while True:
        task = asyncio.ensure_future(read())
        for _ in range(turns.randrange(6)):
            await asyncio.sleep(0)
        task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            continue


def numbers(count: int) -> Iterator[bytes]:
    for number in range(count):
        yield b"%d" % number


async def async_numbers(count: int) -> AsyncIterator[bytes]:
    for number in numbers(count):
        yield number


async def next_or_end(read: Read) -> Any:
    try:
        message = await read()
    except (StopAsyncIteration, EOFError):
        return END
    return END if message is drop_in.aio.EOF else message


#: Calls, of five messages each, of a client whose calls are cancelled when a read is given up.
CALLS = 3000

#: Messages of the tests that say what is special about interceptors; the others read without.
FEWER = 2000


async def count_in_order(read: Read) -> int:
    """The number of messages before the end, which must be numbered."""
    turns = random.Random(5)
    count = 0
    while (message := await next_or_end(lambda: impatient(read, turns))) is not END:
        assert message == b"%d" % count
        count += 1
    return count


@contextlib.contextmanager
def serving(server: trunkline.Server, scheme: str = "tcp") -> Iterator[str]:
    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint.replace("tcp", scheme)


@contextlib.asynccontextmanager
async def serving_drop_in(handler: Any) -> AsyncIterator[str]:
    """Serves ``a.B/method`` on the loop that runs. Yields the target."""
    server = drop_in.aio.server()
    server.add_generic_rpc_handlers((drop_in.method_handlers_generic_handler("a.B", {"method": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


def echo_server() -> trunkline.Server:
    server = trunkline.Server(threads=4)

    @server.method("echo")
    def echo(requests: Iterator[bytes]) -> Iterator[bytes]:
        yield from requests

    @server.method("tell")
    def tell(count: int) -> Iterator[bytes]:
        yield from numbers(count)

    @server.method("same")
    def same(request: bytes) -> bytes:
        return request

    return server


# --- read or give up, ten thousand times ---


@pytest.mark.parametrize("interceptors, messages", [([], MESSAGES), ([Journal()], FEWER)], ids=["plain", "intercepted"])
@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_a_handler_reads_on(scheme: str, interceptors: list[Any], messages: int) -> None:
    server = aio.Server(interceptors=interceptors)

    @server.method("count")
    async def count(requests: AsyncIterator[bytes]) -> int:
        return await count_in_order(requests.__anext__)

    async def serve_and_call() -> int:
        async with server.serve("tcp://127.0.0.1:0") as running:
            with trunkline.Channel(running.endpoint.replace("tcp", scheme)) as channel:
                counted: int = await asyncio.to_thread(channel.client_stream, "count", numbers(messages), int)
                return counted

    assert asyncio.run(serve_and_call()) == messages


def test_a_handler_of_the_drop_in_reads_on() -> None:
    async def count(_: Any, context: Any) -> bytes:
        return b"%d" % await count_in_order(context.read)

    async def serve_and_call() -> bytes:
        async with serving_drop_in(drop_in.stream_unary_rpc_method_handler(count)) as target:
            with drop_in.insecure_channel(target) as channel:
                counted: bytes = await asyncio.to_thread(channel.stream_unary("/a.B/method"), numbers(MESSAGES))
                return counted

    assert asyncio.run(serve_and_call()) == b"%d" % MESSAGES


@pytest.mark.parametrize("interceptors, messages", [([], MESSAGES), ([Journal()], FEWER)], ids=["plain", "intercepted"])
@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_a_client_reads_on(scheme: str, interceptors: list[Any], messages: int) -> None:
    async def call(endpoint: str) -> int:
        async with aio.Channel(endpoint, interceptors=interceptors) as channel:
            async with channel.server_stream("tell", messages, bytes) as stream:
                return await count_in_order(stream.read)

    with serving(echo_server(), scheme) as endpoint:
        assert asyncio.run(call(endpoint)) == messages


@pytest.mark.parametrize("requests", [numbers, async_numbers])
def test_an_exchange_reads_on(requests: Callable[[int], Any]) -> None:
    async def call(endpoint: str) -> int:
        async with aio.Channel(endpoint) as channel:
            responses = channel.stream("echo", bytes, bytes).exchange(requests(MESSAGES))
            return await count_in_order(responses.__anext__)

    with serving(echo_server()) as endpoint:
        assert asyncio.run(call(endpoint)) == MESSAGES


@pytest.mark.parametrize("interceptors, messages", [([], MESSAGES), ([Journal()], FEWER)], ids=["plain", "intercepted"])
@pytest.mark.parametrize("requests", [numbers, async_numbers])
def test_a_map_reads_on(requests: Callable[[int], Any], interceptors: list[Any], messages: int) -> None:
    async def call(endpoint: str) -> int:
        async with aio.Channel(endpoint, interceptors=interceptors) as channel:
            return await count_in_order(channel.map("same", requests(messages), bytes, window=7).__anext__)

    with serving(echo_server()) as endpoint:
        assert asyncio.run(call(endpoint)) == messages


@pytest.mark.parametrize("requests", [numbers, async_numbers])
def test_calls_as_completed_read_on(requests: Callable[[int], Any]) -> None:
    async def call(endpoint: str) -> set[tuple[int, bytes]]:
        turns = random.Random(5)
        seen: set[tuple[int, bytes]] = set()
        async with aio.Channel(endpoint) as channel:
            pairs = channel.as_completed("same", requests(MESSAGES), bytes, window=7)
            while (pair := await next_or_end(lambda: impatient(pairs.__anext__, turns))) is not END:
                assert pair not in seen
                seen.add(pair)
        return seen

    with serving(echo_server()) as endpoint:
        assert asyncio.run(call(endpoint)) == {(index, b"%d" % index) for index in range(MESSAGES)}


class Passing(drop_in.aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await continuation(client_call_details, request)


@pytest.mark.parametrize("interceptors", [[], [Passing()]], ids=["plain", "intercepted"])
@pytest.mark.parametrize("is_iterated", [False, True], ids=["read", "iterated"])
def test_a_read_of_the_drop_ins_client_that_is_given_up_cancels_the_call(
    is_iterated: bool, interceptors: list[Any]
) -> None:
    """As grpcio does. The next read says so, and does not take it for the end."""
    messages = 5

    async def tell(_: bytes, context: Any) -> AsyncIterator[bytes]:
        for number in numbers(messages):
            yield number

    async def read_or_give_up(call: Any, turns: random.Random) -> tuple[int, bool]:
        """The number of messages that were read, and whether the call was cancelled."""
        read = call.__aiter__().__anext__ if is_iterated else call.read
        for count in range(messages):
            task = asyncio.ensure_future(read())
            for _ in range(turns.randrange(1, 60)):  # a task that has not begun would not have read
                await asyncio.sleep(0)
            task.cancel()
            try:
                assert await task == b"%d" % count
            except asyncio.CancelledError:
                for _ in range(2):
                    with pytest.raises(asyncio.CancelledError):
                        await read()
                assert call.cancelled()
                return count, True
        assert await next_or_end(read) is END
        return messages, False

    async def serve_and_call() -> tuple[int, int]:
        given_up = whole = 0
        turns = random.Random(5)
        async with serving_drop_in(drop_in.unary_stream_rpc_method_handler(tell)) as target:
            async with drop_in.aio.insecure_channel(target, interceptors=interceptors) as channel:
                method = channel.unary_stream("/a.B/method")
                for _ in range(CALLS):
                    _, is_cancelled = await read_or_give_up(method(b""), turns)
                    given_up += is_cancelled
                    whole += not is_cancelled
        return given_up, whole

    given_up, whole = asyncio.run(serve_and_call())
    assert given_up + whole == CALLS and given_up


# --- the ways of giving up ---


async def by_wait_for(operation: Callable[[], Coroutine[Any, Any, Any]]) -> None:
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(operation(), 0.01)


async def by_timeout(operation: Callable[[], Coroutine[Any, Any, Any]]) -> None:
    with pytest.raises(asyncio.TimeoutError):
        async with asyncio.timeout(0.01):  # type: ignore[attr-defined,unused-ignore]
            await operation()


async def by_task_group(operation: Callable[[], Coroutine[Any, Any, Any]]) -> None:
    async def fail() -> None:
        await asyncio.sleep(0.01)
        raise LookupError

    with pytest.raises(BaseException) as caught:
        async with asyncio.TaskGroup() as group:  # type: ignore[attr-defined,unused-ignore]
            group.create_task(operation())
            group.create_task(fail())
    assert [type(error) for error in caught.value.exceptions] == [LookupError]  # type: ignore[attr-defined]


async def by_cancelling_twice(operation: Callable[[], Coroutine[Any, Any, Any]]) -> None:
    task = asyncio.ensure_future(operation())
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def by_closing(operation: Callable[[], Coroutine[Any, Any, Any]]) -> None:
    """What runs the coroutine is no task, and closes it."""
    steps = operation()
    steps.send(None)
    steps.close()


WAYS = [
    by_wait_for,
    pytest.param(by_timeout, marks=pytest.mark.skipif(not hasattr(asyncio, "timeout"), reason="Python 3.11 has it")),
    pytest.param(
        by_task_group, marks=pytest.mark.skipif(not hasattr(asyncio, "TaskGroup"), reason="Python 3.11 has it")
    ),
    by_cancelling_twice,
    by_closing,
]


@pytest.mark.parametrize("interceptors", [[], [Journal()]], ids=["plain", "intercepted"])
@pytest.mark.parametrize("give_up", WAYS)
@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_a_read_of_a_client_is_given_up(scheme: str, give_up: Any, interceptors: list[Any]) -> None:
    async def call(endpoint: str) -> None:
        async with aio.Channel(endpoint, interceptors=interceptors) as channel:
            async with channel.stream("echo", bytes, bytes) as stream:
                await stream.write(b"open")
                assert await stream.read() == b"open"
                for number in numbers(3):
                    await give_up(stream.read)
                    await give_up(stream.__anext__)
                    await stream.write(number)
                    assert await stream.read() == number
                await stream.close_writes()
                with pytest.raises(EOFError):
                    await stream.read()

    with serving(echo_server(), scheme) as endpoint:
        asyncio.run(call(endpoint))


@pytest.mark.parametrize("give_up", WAYS)
def test_a_read_of_an_exchange_is_given_up(give_up: Any) -> None:
    async def call(endpoint: str) -> None:
        asked: asyncio.Queue[bytes] = asyncio.Queue()

        async def requests() -> AsyncIterator[bytes]:
            for _ in range(3):
                yield await asked.get()

        async with aio.Channel(endpoint) as channel:
            responses = channel.stream("echo", bytes, bytes).exchange(requests())
            for number in numbers(3):
                await give_up(responses.__anext__)
                asked.put_nowait(number)
                assert await anext(responses) == number
            assert await anext(responses, END) is END

    with serving(echo_server()) as endpoint:
        asyncio.run(call(endpoint))


@pytest.mark.parametrize("interceptors", [[], [Journal()]], ids=["plain", "intercepted"])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("give_up", WAYS)
def test_a_read_of_many_calls_is_given_up(give_up: Any, is_async: bool, interceptors: list[Any]) -> None:
    server = trunkline.Server(threads=4)
    answers = [threading.Semaphore(0) for _ in range(2)]

    @server.method("same")
    def same(request: int) -> int:
        answers[request].acquire()
        return request

    async def both() -> AsyncIterator[int]:
        for request in range(2):
            yield request

    async def call(endpoint: str) -> None:
        async with aio.Channel(endpoint, interceptors=interceptors) as channel:
            for many, expected in ((channel.map, [0, 1]), (channel.as_completed, [(0, 0), (1, 1)])):
                responses = many("same", both() if is_async else range(2), int)
                for answer, response in zip(answers, expected):
                    await give_up(responses.__anext__)
                    answer.release()
                    assert await anext(responses) == response
                assert await anext(responses, END) is END

    with serving(server) as endpoint:
        asyncio.run(call(endpoint))


@pytest.mark.parametrize("give_up", WAYS)
def test_a_read_of_a_handler_is_given_up(give_up: Any) -> None:
    server = aio.Server()

    @server.method("echo")
    async def echo(requests: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        for _ in range(3):
            await give_up(requests.__anext__)
            yield b"given up"
            yield await anext(requests)
        assert await anext(requests, END) is END

    async def serve_and_call() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            async with channel.stream("echo", bytes, bytes) as stream:
                for number in numbers(3):
                    assert await stream.read() == b"given up"
                    await stream.write(number)
                    assert await stream.read() == number
                await stream.close_writes()
                await stream.finish()

    asyncio.run(serve_and_call())


@pytest.mark.parametrize("give_up", WAYS)
def test_a_read_of_a_handler_of_the_drop_in_is_given_up(give_up: Any) -> None:
    async def echo(_: Any, context: Any) -> None:
        for _ in range(3):
            await give_up(context.read)
            await context.write(b"given up")
            await context.write(await context.read())
        assert await context.read() is drop_in.aio.EOF

    async def serve_and_call() -> None:
        async with serving_drop_in(drop_in.stream_stream_rpc_method_handler(echo)) as target:
            async with drop_in.aio.insecure_channel(target) as channel:
                call = channel.stream_stream("/a.B/method")()
                for number in numbers(3):
                    assert await call.read() == b"given up"
                    await call.write(number)
                    assert await call.read() == number
                await call.done_writing()
                assert await call.read() is drop_in.aio.EOF

    asyncio.run(serve_and_call())


async def write_until_there_is_no_room(
    write: Callable[[bytes], Coroutine[Any, Any, Any]], give_up: Any
) -> tuple[list[int], int]:
    """Writes long messages, numbered in their first bytes, until one has to wait for room, and gives that up. Returns
    the numbers of those that were written, and the next number."""
    written: list[int] = []
    number = 0
    while True:
        task = asyncio.ensure_future(write(long_message(number)))
        done, _ = await asyncio.wait([task], timeout=0.2)
        number += 1
        if done:
            await task
            written.append(number - 1)
            continue
        task.cancel()
        await asyncio.wait([task])
        await give_up(lambda: write(long_message(number)))
        return written, number + 1


def long_message(number: int) -> bytes:
    return b"%8d" % number + bytes(60_000)


def check_written(arrived: list[int], written: list[int], last: int) -> None:
    """Those that were written have arrived in their order. Of those that were given up each has arrived or has not."""
    assert arrived == sorted(set(arrived))
    assert set(written) | {last} <= set(arrived)


@pytest.mark.parametrize("give_up", WAYS)
@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_a_write_of_a_client_is_given_up(scheme: str, give_up: Any) -> None:
    server = aio.Server(call_credit_bytes=65536, max_call_credit_bytes=65536)
    reading = threading.Event()

    @server.method("count")
    async def count(requests: AsyncIterator[bytes]) -> list[int]:
        await asyncio.to_thread(reading.wait)
        return [int(request[:8]) async for request in requests]

    async def serve_and_call() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running:
            endpoint = running.endpoint.replace("tcp", scheme)
            async with aio.Channel(endpoint) as channel, channel.stream("count", bytes, list[int]) as stream:
                written, last = await write_until_there_is_no_room(stream.write, give_up)
                reading.set()
                await stream.write(long_message(last))
                await stream.close_writes()
                check_written(await stream.read(), written, last)

    asyncio.run(serve_and_call())


@pytest.mark.parametrize("give_up", WAYS)
def test_a_write_of_a_handler_of_the_drop_in_is_given_up(give_up: Any) -> None:
    written: list[int] = []
    last = 0
    reading = threading.Event()

    async def tell(_: bytes, context: Any) -> None:
        nonlocal written, last
        written, last = await write_until_there_is_no_room(context.write, give_up)
        reading.set()
        await context.write(long_message(last))

    async def serve_and_call() -> None:
        async with serving_drop_in(drop_in.unary_stream_rpc_method_handler(tell)) as target:
            async with drop_in.aio.insecure_channel(target) as channel:
                call = channel.unary_stream("/a.B/method")(b"")
                await asyncio.to_thread(reading.wait)
                check_written([int(message[:8]) async for message in call], written, last)

    asyncio.run(serve_and_call())


@pytest.mark.parametrize("kind", ["exchange", "map", "as_completed"])
def test_a_task_that_is_cancelled_as_a_whole_ends_the_call(kind: str) -> None:
    begun, ended = threading.Event(), threading.Event()
    server = trunkline.Server(threads=4)

    @server.method("echo")
    def echo(requests: Iterator[bytes]) -> Iterator[bytes]:
        begun.set()
        try:
            yield from requests
        finally:
            ended.set()

    @server.method("wait")
    def wait(request: bytes, context: trunkline.Context) -> bytes:
        begun.set()
        wait_until(context.is_cancelled)
        ended.set()
        return request

    async def call(endpoint: str) -> None:
        async with aio.Channel(endpoint) as channel:

            async def requests() -> AsyncIterator[bytes]:
                yield b"first"
                await asyncio.Event().wait()

            async def work() -> None:
                many = {"map": channel.map, "as_completed": channel.as_completed}.get(kind)
                async for _ in (
                    channel.stream("echo", bytes, bytes).exchange(requests())
                    if many is None
                    else many("wait", requests(), bytes)
                ):
                    pass

            task = asyncio.ensure_future(work())  # it keeps the traceback of its exception
            await asyncio.to_thread(begun.wait)
            task.cancel()
            await asyncio.wait([task])
            await asyncio.to_thread(ended.wait, 60)

    with serving(server) as endpoint:
        asyncio.run(call(endpoint))
    assert ended.is_set()


# --- the moment at which a read is given up ---


@pytest.mark.parametrize("moment", ["in the core", "in the inbox", "in the future"])
def test_a_message_has_come_when_the_read_is_given_up(moment: str) -> None:
    async def call(endpoint: str) -> None:
        async with aio.Channel(endpoint) as channel, channel.server_stream("tell", 5, bytes) as stream:
            for number in numbers(5):
                task = asyncio.ensure_future(stream.read())
                await asyncio.sleep(0)
                if moment != "in the core":
                    read = stream._call._reads.untaken
                    assert read is not None
                    wait_until(read.is_done)  # the loop does not run meanwhile
                if moment == "in the future":
                    _loop_inbox._complete(stream._call._inboxes.of_running_loop()[1])
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert await stream.read() == number
            with pytest.raises(EOFError):
                await stream.read()

    with serving(echo_server()) as endpoint:
        asyncio.run(call(endpoint))


@pytest.mark.parametrize("first_given_up", [0, 1])
def test_a_second_read_by_mistake_is_refused_and_changes_nothing(first_given_up: int) -> None:
    journal = Journal()

    async def call(endpoint: str) -> None:
        async with aio.Channel(endpoint, interceptors=[journal]) as channel:
            async with channel.stream("echo", bytes, bytes) as stream:
                await stream.write(b"open")
                assert await stream.read() == b"open"
                reads = [asyncio.ensure_future(stream.read()) for _ in range(2)]
                await asyncio.sleep(0)
                for task in (reads[first_given_up], reads[1 - first_given_up]):
                    task.cancel()
                outcomes = await asyncio.gather(*reads, return_exceptions=True)
                assert [type(outcome) for outcome in outcomes] == [
                    asyncio.CancelledError,
                    trunkline.FailedPrecondition,
                ]
                await stream.write(b"message")
                assert await stream.read() == b"message"
                assert len(journal.lines) == 1  # the call has not ended
                await stream.close_writes()
                with pytest.raises(EOFError):
                    await stream.read()

    with serving(echo_server()) as endpoint:
        asyncio.run(call(endpoint))
    assert journal.lines[1:] == ["< None"]


def test_a_read_that_one_event_loop_has_given_up_is_continued_on_another() -> None:
    with serving(echo_server()) as endpoint:
        with asyncio_runner() as run, asyncio_runner() as run_elsewhere:
            channel = run(made(lambda: aio.Channel(endpoint)))
            stream = run(made(lambda: channel.stream("echo", bytes, bytes)))
            for number in numbers(20):
                run(by_cancelling_twice(stream.read))
                run_elsewhere(stream.write(number))
                assert run_elsewhere(stream.read()) == number
                run_elsewhere(by_cancelling_twice(stream.read))
                run(stream.write(number))
                assert run(stream.read()) == number
            stream.cancel()
            run(channel.close())


async def made(make: Callable[[], Any]) -> Any:
    return make()


@contextlib.contextmanager
def asyncio_runner() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Runs coroutines, one after the other, on one event loop."""
    loop = asyncio.new_event_loop()
    try:
        yield loop.run_until_complete
    finally:
        loop.close()


def test_a_stream_is_given_up_while_it_is_opened() -> None:
    """Whoever is cancelled himself gets CancelledError, and others get Cancelled."""

    async def waiting(call: Any) -> AsyncIterator[None]:
        begun.set()
        await asyncio.Event().wait()
        yield

    async def call(endpoint: str) -> None:
        async with aio.Channel(endpoint, interceptors=[waiting]) as channel:
            stream = channel.stream("echo", bytes, bytes)
            reader, writer = asyncio.ensure_future(stream.read()), asyncio.ensure_future(stream.write(b"1"))
            await begun.wait()
            stream.cancel()
            reader.cancel()
            outcomes = await asyncio.gather(reader, writer, return_exceptions=True)
            assert [type(outcome) for outcome in outcomes] == [asyncio.CancelledError, trunkline.Cancelled]

    begun = asyncio.Event()
    with serving(echo_server()) as endpoint:
        asyncio.run(call(endpoint))

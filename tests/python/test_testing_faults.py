# SPDX-License-Identifier: MIT
"""The faults of trunkline.testing, as blocking and asyncio clients see them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest
import trunkline
from trunkline import aio
from trunkline.testing import Fake, FakeResponse, Fault

from .waiting import takes_less


def assert_disconnected(error: trunkline.RpcError) -> None:
    assert type(error) is trunkline.Unavailable
    assert error.may_have_run
    assert error.origin == trunkline.Origin.TRANSPORT


def test_a_disconnect_ends_the_call_and_the_next_one_connects_again() -> None:
    fake = Fake().on("get", Fault.DISCONNECT, FakeResponse("lost", Fault.DISCONNECT), "x")

    with fake.serve() as channel:
        for _ in range(2):
            with pytest.raises(trunkline.Unavailable) as raised:
                channel.call("get", 1)
            assert_disconnected(raised.value)
        assert channel.call("get", 1) == "x"

    assert len({call.peer for call in fake.calls()}) >= 1


def test_an_idempotent_call_is_repeated_after_a_disconnect() -> None:
    fake = Fake().on("get", Fault.DISCONNECT, "x")

    with fake.serve() as channel:
        assert channel.call("get", 1, idempotent=True) == "x"

    assert fake.requests("get") == [1, 1]


def test_a_disconnect_ends_other_calls_of_the_connection() -> None:
    fake = Fake().on("wait", Fault.STALL).on("get", Fault.DISCONNECT)

    with fake.serve() as channel:
        waiting = channel.submit("wait")
        while not fake.calls("wait"):
            time.sleep(0.001)
        with pytest.raises(trunkline.Unavailable):
            channel.call("get", 1)
        error = waiting.exception(20)

    assert isinstance(error, trunkline.RpcError)
    assert_disconnected(error)


def test_a_disconnect_for_asyncio() -> None:
    fake = (
        Fake().on("get", Fault.DISCONNECT, "x").on("list", FakeResponse(1, 2, Fault.DISCONNECT), kind="server_stream")
    )

    async def main() -> None:
        async with fake.aserve() as channel:
            with pytest.raises(trunkline.Unavailable) as raised:
                await channel.call("get", 1)
            assert_disconnected(raised.value)
            assert await channel.call("get", 1) == "x"
            received = []
            with pytest.raises(trunkline.Unavailable) as raised:
                async for message in channel.server_stream("list"):
                    received.append(message)
            assert_disconnected(raised.value)
            assert received == [1, 2]

    asyncio.run(main())


def test_a_stream_is_cut_after_its_messages() -> None:
    fake = Fake().on("list", FakeResponse(*range(100), Fault.DISCONNECT), kind="server_stream")

    with fake.serve() as channel:
        received = []
        with pytest.raises(trunkline.Unavailable) as raised:
            for message in channel.server_stream("list"):
                received.append(message)

    assert_disconnected(raised.value)
    assert received == list(range(100))


def test_a_stream_of_requests_is_cut_amid_them() -> None:
    def two(requests: Iterator[int]) -> Fault:
        assert [next(requests), next(requests)] == [1, 2]
        return Fault.DISCONNECT

    fake = Fake().on("add", two, kind="client_stream").on("talk", two, kind="bidirectional")

    with fake.serve() as channel:
        with pytest.raises(trunkline.Unavailable) as raised, channel.stream("talk", int) as stream:
            for number in range(1, 3):
                stream.write(number)
            stream.read()
        assert_disconnected(raised.value)
        with pytest.raises(trunkline.Unavailable) as raised:
            channel.client_stream("add", [1, 2, 3])
        assert_disconnected(raised.value)


def test_a_stream_ends_with_an_error_after_its_messages() -> None:
    fake = Fake().on("list", FakeResponse("a", "b", trunkline.DataLoss("the disk")), kind="server_stream")

    with fake.serve() as channel:
        received = []
        with pytest.raises(trunkline.DataLoss, match="the disk"):
            for message in channel.server_stream("list"):
                received.append(message)

    assert received == ["a", "b"]


def test_what_stalls_ends_with_the_callers_deadline() -> None:
    fake = Fake().on("get", Fault.STALL).on("list", FakeResponse(1, Fault.STALL), kind="server_stream")

    with fake.serve() as channel:
        with pytest.raises(trunkline.DeadlineExceeded) as raised:
            channel.call("get", 1, timeout=1.0)
        assert raised.value.may_have_run
        with pytest.raises(trunkline.DeadlineExceeded), channel.server_stream("list", timeout=1.0) as stream:
            assert stream.read() == 1
            stream.read()


def test_what_stalls_ends_with_the_callers_deadline_for_asyncio() -> None:
    fake = Fake().on("get", Fault.STALL).on("list", FakeResponse(1, Fault.STALL), kind="server_stream")

    async def main() -> None:
        async with fake.aserve() as channel:
            with pytest.raises(trunkline.DeadlineExceeded):
                await channel.call("get", 1, timeout=1.0)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(channel.call("get", 1), 0.1)
            async with channel.server_stream("list", timeout=1.0) as stream:
                assert await stream.read() == 1
                with pytest.raises(trunkline.DeadlineExceeded):
                    await stream.read()

    asyncio.run(main())


def test_many_calls_may_stall_and_end_with_the_fake() -> None:
    fake = Fake().on("get", Fault.STALL)

    def stall() -> None:
        before = len(fake.calls())
        with fake.serve() as channel:
            futures = [channel.submit("get", number) for number in range(200)]
            while len(fake.calls()) < before + 200:
                time.sleep(0.001)

        errors = [future.exception(20) for future in futures]
        assert {type(error) for error in errors} == {trunkline.Unavailable}
        assert "no longer served" in str(errors[0])

    # A fake that waited for its calls would wait for 5 s.
    assert takes_less(4.0, stall)


def test_a_handler_of_ones_own_drops_its_connection() -> None:
    server = trunkline.Server(threads=2)
    cancelled: list[bool] = []

    @server.method
    def drop(context: trunkline.Context) -> None:
        context.disconnect()
        while not context.is_cancelled():
            time.sleep(0.001)
        cancelled.append(True)

    @server.method
    def echo(request: bytes) -> bytes:
        return request

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with pytest.raises(trunkline.Unavailable) as raised:
            channel.call("drop")
        assert_disconnected(raised.value)
        assert channel.call("echo", b"x") == b"x"

    assert cancelled == [True]


def test_an_async_handler_of_ones_own_is_cancelled_when_it_drops_its_connection() -> None:
    server = aio.Server()
    cancelled = asyncio.Event()

    @server.method
    async def drop(context: trunkline.Context) -> None:
        context.disconnect()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            with pytest.raises(trunkline.Unavailable) as raised:
                await channel.call("drop")
            assert_disconnected(raised.value)
            await asyncio.wait_for(cancelled.wait(), 20)

    asyncio.run(main())

# SPDX-License-Identifier: MIT
"""What closing a channel for asyncio does to its calls, and to what waits for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

import trunkline.grpc

from .pairs import IMPLEMENTATIONS, SOON
from .test_aio_cancellation import KINDS, WITH_RESPONSES, begun, calling, interceptor, run, soon

QUESTIONS = ("code", "details", "initial_metadata", "trailing_metadata")


@pytest.fixture(params=list(IMPLEMENTATIONS))
def module(request: pytest.FixtureRequest) -> Any:
    """Every implementation of grpcio's interface."""
    return IMPLEMENTATIONS[request.param]


async def response_of(call: Any, kind: str) -> Any:
    return await call if kind.endswith("unary") else await call.read()


async def let_tasks_begin() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def channel_of(module: Any, kind: str, intercepted: bool, target: str) -> Any:
    interceptors = [interceptor(module, kind)] if intercepted else None
    return module.aio.insecure_channel(target, interceptors=interceptors)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercepted", [False, True])
def test_closing_cancels_a_call_and_ends_what_waits_for_it(module: Any, kind: str, intercepted: bool) -> None:
    async def scenario() -> None:
        async with calling(module, kind, [interceptor(module, kind)] if intercepted else None) as served:
            call = served.call
            called: list[Any] = []
            call.add_done_callback(called.append)
            questions = [asyncio.ensure_future(getattr(call, question)()) for question in QUESTIONS]
            response = asyncio.ensure_future(response_of(call, kind))
            await soon(served.entered.wait())
            await let_tasks_begin()

            await soon(served.channel.close())

            assert call.done() and call.cancelled() and not call.cancel()
            code, details, initial, trailing = await soon(asyncio.gather(*questions))
            assert code is module.StatusCode.CANCELLED and details == "Locally cancelled by application!"
            assert len(initial) == len(trailing) == 0
            with pytest.raises(asyncio.CancelledError):
                await soon(response)
            assert called == [call]
            await soon(served.cancelled.wait())

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercepted", [False, True])
@pytest.mark.parametrize("grace", [None, 0.01])
def test_a_call_that_nobody_waited_for_tells_its_end(
    module: Any, kind: str, intercepted: bool, grace: float | None
) -> None:
    async def scenario() -> None:
        async with calling(module, kind, [interceptor(module, kind)] if intercepted else None) as served:
            call = served.call
            await soon(served.entered.wait())
            if kind.startswith("stream"):
                await soon(call.wait_for_connection())  # grpcio's would wait for ever after a close before it has one

            await soon(served.channel.close(grace))

            assert call.done() and call.cancelled()
            assert await soon(call.code()) is module.StatusCode.CANCELLED
            assert await soon(call.details()) == "Locally cancelled by application!"
            assert len(await soon(call.initial_metadata())) == len(await soon(call.trailing_metadata())) == 0
            with pytest.raises(asyncio.CancelledError):
                await soon(call.wait_for_connection())
            if kind.endswith("unary") or not intercepted or module is trunkline.grpc:
                with pytest.raises(asyncio.CancelledError):
                    await soon(response_of(call, kind))
            called: list[Any] = []
            call.add_done_callback(called.append)
            await let_tasks_begin()
            assert called == [call]
            if kind.startswith("stream"):
                with pytest.raises(asyncio.InvalidStateError):
                    await soon(call.write(b""))
                await soon(call.done_writing())

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercepted", [False, True])
def test_a_call_that_has_no_connection_ends_with_its_channel(module: Any, kind: str, intercepted: bool) -> None:
    async def scenario() -> None:
        channel = channel_of(module, kind, intercepted, "127.0.0.1:1")
        call = begun(channel, kind, wait_for_ready=True)
        response = asyncio.ensure_future(response_of(call, kind))
        await let_tasks_begin()

        await soon(channel.close())

        assert await soon(call.code()) is module.StatusCode.CANCELLED
        with pytest.raises(asyncio.CancelledError):
            await soon(response)

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
def test_a_closed_channel_begins_no_call(module: Any, kind: str) -> None:
    async def scenario() -> None:
        channel = channel_of(module, kind, False, "127.0.0.1:1")
        await soon(channel.close())

        with pytest.raises(module.aio.UsageError, match="Channel is closed."):
            begun(channel, kind)

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
def test_interceptors_of_a_closed_channel_cannot_begin_a_call(module: Any, kind: str) -> None:
    async def scenario() -> None:
        channel = channel_of(module, kind, True, "127.0.0.1:1")
        await soon(channel.close())

        call = begun(channel, kind)
        with pytest.raises(module.aio.UsageError, match="Channel is closed."):
            await soon(response_of(call, kind))
        with pytest.raises(module.aio.UsageError):
            await soon(call.code())
        assert call.done() and not call.cancelled()

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
def test_closing_cancels_interceptors(module: Any, kind: str) -> None:
    begun_to_wait, cancelled = asyncio.Event(), asyncio.Event()

    async def waiting(continuation: Any, details: Any, request: Any) -> Any:
        begun_to_wait.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async def scenario() -> None:
        channel = module.aio.insecure_channel("127.0.0.1:1", interceptors=[interceptor(module, kind, waiting)])
        call = begun(channel, kind)
        await soon(begun_to_wait.wait())

        await soon(channel.close())

        await soon(cancelled.wait())
        assert await soon(call.code()) is module.StatusCode.CANCELLED and call.cancelled()

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercepted", [False, True])
def test_calls_may_end_within_the_grace(module: Any, kind: str, intercepted: bool) -> None:
    async def scenario() -> None:
        async with calling(module, kind, [interceptor(module, kind)] if intercepted else None) as served:
            await soon(served.entered.wait())
            closing = asyncio.ensure_future(served.channel.close(SOON))
            await let_tasks_begin()

            assert not closing.done() and not served.call.done()
            await soon(served.channel.close())  # the first one counts
            assert not closing.done() and not served.call.done()
            with pytest.raises(module.aio.UsageError):
                await soon(response_of(begun(served.channel, kind), kind))

            if kind.startswith("stream"):
                await soon(served.call.write(b""))
                await soon(served.call.done_writing())
            served.let_go.set()
            assert await soon(response_of(served.call, kind)) == b"over"
            if kind.endswith("stream"):
                assert await soon(served.call.read()) is module.aio.EOF
            await soon(closing)
            assert await soon(served.call.code()) is module.StatusCode.OK
            assert served.channel.get_state() is module.ChannelConnectivity.SHUTDOWN

    run(scenario())


def test_a_cancelled_close_closes() -> None:
    """In grpcio the channel then refuses calls, and those under way go on."""
    module = trunkline.grpc

    async def scenario() -> None:
        async with calling(module, "unary_unary") as served:
            await soon(served.entered.wait())
            closing = asyncio.ensure_future(served.channel.close(SOON))
            await let_tasks_begin()
            closing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await soon(closing)

            assert served.call.cancelled()
            assert served.channel.get_state() is module.ChannelConnectivity.SHUTDOWN

    run(scenario())


def test_grace_is_not_negative(module: Any) -> None:
    async def scenario() -> None:
        channel = channel_of(module, "unary_unary", False, "127.0.0.1:1")
        with pytest.raises(ValueError, match="grace"):
            await channel.close(-1)
        assert channel.get_state() is module.ChannelConnectivity.IDLE
        await channel.close(0)
        await channel.close(-1)

    run(scenario())


def test_waiting_for_states_ends_with_the_channel(module: Any) -> None:
    async def scenario() -> None:
        channel = channel_of(module, "unary_unary", False, "127.0.0.1:1")
        changing = asyncio.ensure_future(channel.wait_for_state_change(module.ChannelConnectivity.IDLE))
        await let_tasks_begin()
        await soon(channel.close())
        await soon(changing)
        for wait in (channel.channel_ready, lambda: channel.wait_for_state_change(module.ChannelConnectivity.IDLE)):
            with pytest.raises(module.aio.UsageError, match="Channel is closed."):
                await soon(wait())

        channel = channel_of(module, "unary_unary", False, "127.0.0.1:1")
        connecting = asyncio.ensure_future(channel.channel_ready())
        await let_tasks_begin()
        await soon(channel.close())
        with pytest.raises(module.aio.UsageError, match="Channel is closed."):
            await soon(connecting)

    run(scenario())


@pytest.mark.parametrize("kind", WITH_RESPONSES)
def test_responses_that_have_come_can_be_read_after_the_channel_was_closed(kind: str) -> None:
    """In grpcio such a call ends only when its responses have been read, and is cancelled with its channel."""
    module = trunkline.grpc

    async def many(request: Any, context: Any) -> AsyncIterator[bytes]:
        for number in range(3):
            yield str(number).encode()

    async def scenario() -> None:
        async with calling(module, kind, None, many) as served:
            assert await soon(served.call.read()) == b"0"
            assert await soon(served.call.code()) is module.StatusCode.OK

            await soon(served.channel.close(SOON))

            assert [await soon(served.call.read()) for _ in range(4)] == [b"1", b"2", module.aio.EOF, module.aio.EOF]

    run(scenario())


@pytest.mark.parametrize("kind", WITH_RESPONSES)
def test_every_read_that_waits_ends_with_the_channel(kind: str) -> None:
    module = trunkline.grpc

    async def scenario() -> None:
        async with calling(module, kind) as served:
            reading = [asyncio.ensure_future(served.call.read()) for _ in range(3)]
            await soon(served.entered.wait())
            await let_tasks_begin()

            await soon(served.channel.close())

            ends = await soon(asyncio.gather(*reading, return_exceptions=True))
            assert [type(end) for end in ends] == [asyncio.CancelledError] * 3

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("grace", [None, 0.01])
def test_calls_of_another_event_loop_end_with_the_channel(kind: str, grace: float | None) -> None:
    module = trunkline.grpc

    async def scenario() -> None:
        async with calling(module, kind) as served:
            await soon(served.entered.wait())
            ends: list[Any] = []
            is_waiting = threading.Event()

            async def call_and_wait() -> None:
                call = begun(served.channel, kind)
                waiting = asyncio.ensure_future(call.code())
                await asyncio.sleep(0)
                is_waiting.set()
                ends.append(await soon(waiting))
                ends.append(call.cancelled())

            other = threading.Thread(target=asyncio.run, args=[call_and_wait()])
            other.start()
            await asyncio.to_thread(is_waiting.wait, SOON)

            await soon(served.channel.close(grace))

            await asyncio.to_thread(other.join, SOON)
            assert ends == [module.StatusCode.CANCELLED, True] and served.call.cancelled()

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_whose_credentials_are_awaited_ends_with_the_channel(kind: str, pem: dict[str, bytes]) -> None:
    module: Any = trunkline.grpc
    is_asked, may_answer = threading.Event(), threading.Event()

    class Slow(module.AuthMetadataPlugin):  # type: ignore[misc]
        def __call__(self, context: Any, callback: Any) -> None:
            is_asked.set()
            may_answer.wait(SOON)
            callback((), None)

    async def scenario() -> None:
        channel_credentials = module.ssl_channel_credentials(pem["ca.pem"])
        channel = module.aio.secure_channel("127.0.0.1:1", channel_credentials)
        call = begun(channel, kind, credentials=module.metadata_call_credentials(Slow()))
        waiting = [asyncio.ensure_future(getattr(call, question)()) for question in QUESTIONS]
        response = asyncio.ensure_future(response_of(call, kind))
        await asyncio.to_thread(is_asked.wait, SOON)

        await soon(channel.close())

        assert (await soon(asyncio.gather(*waiting)))[0] is module.StatusCode.CANCELLED
        with pytest.raises(asyncio.CancelledError):
            await soon(response)
        may_answer.set()

    run(scenario())

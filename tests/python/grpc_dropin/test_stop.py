# SPDX-License-Identifier: MIT
"""Several stops of one server, of which the one counts whose grace ends first; stops that are given up, or fail."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent import futures
from typing import Any

import pytest

import trunkline.grpc
import trunkline.grpc.aio

from .pairs import SOON

#: Seconds of grace, for a stop that another one is to end.
LONG = 1000.0
#: Seconds of grace that soon end.
SHORT = 0.01


@contextlib.contextmanager
def blocking() -> Iterator[tuple[Any, Any]]:
    """A server and a call whose handler waits until it is cancelled."""
    begun = threading.Event()

    def hold(request: bytes, context: Any) -> bytes:
        begun.set()
        while context.is_active():
            threading.Event().wait(0.01)
        return request

    server = trunkline.grpc.server(futures.ThreadPoolExecutor(2))
    handlers = {"Hold": trunkline.grpc.unary_unary_rpc_method_handler(hold)}
    server.add_generic_rpc_handlers((trunkline.grpc.method_handlers_generic_handler("t.T", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with trunkline.grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.unary_unary("/t.T/Hold").future(b"")
        assert begun.wait(SOON)
        yield server, call
        server.stop(None)


@contextlib.asynccontextmanager
async def on_a_loop() -> AsyncIterator[tuple[Any, Any]]:
    begun = asyncio.Event()

    async def hold(request: bytes, context: Any) -> bytes:
        begun.set()
        await asyncio.sleep(LONG)
        return request

    server = trunkline.grpc.aio.server()
    handlers = {"Hold": trunkline.grpc.unary_unary_rpc_method_handler(hold)}
    server.add_generic_rpc_handlers((trunkline.grpc.method_handlers_generic_handler("t.T", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with trunkline.grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.unary_unary("/t.T/Hold")(b"")
        await asyncio.wait_for(begun.wait(), SOON)
        yield server, call
        await server.stop(None)


@pytest.mark.parametrize("graces", [(LONG, SHORT), (LONG, None), (LONG, LONG, 0), (SHORT, LONG)])
def test_the_stop_whose_grace_ends_first_counts(graces: tuple[float | None, ...]) -> None:
    with blocking() as (server, call):
        stopped = [server.stop(grace) for grace in graces]

        assert all(each.wait(SOON) for each in stopped)
        assert call.code() is trunkline.grpc.StatusCode.UNAVAILABLE
        assert not server.wait_for_termination(SOON)
        assert server.stop(LONG).is_set()


@pytest.mark.parametrize("graces", [(LONG, SHORT), (LONG, None), (LONG, LONG, 0), (SHORT, LONG)])
def test_the_asyncio_stop_whose_grace_ends_first_counts(graces: tuple[float | None, ...]) -> None:
    async def main() -> None:
        async with on_a_loop() as (server, call):
            stopping: list[asyncio.Task[None]] = []
            for grace in graces:
                stopping.append(asyncio.ensure_future(server.stop(grace)))
                await asyncio.sleep(0)

            await asyncio.wait_for(asyncio.gather(*stopping), SOON)

            assert await call.code() is trunkline.grpc.StatusCode.UNAVAILABLE
            assert not await server.wait_for_termination(SOON)

    asyncio.run(main())


def test_a_stop_within_a_handler() -> None:
    holder: list[Any] = []

    def stop(request: bytes, context: Any) -> bytes:
        holder[0].stop(None)
        return request

    server = trunkline.grpc.server(futures.ThreadPoolExecutor(2))
    handlers = {"Stop": trunkline.grpc.unary_unary_rpc_method_handler(stop)}
    server.add_generic_rpc_handlers((trunkline.grpc.method_handlers_generic_handler("t.T", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    holder.append(server)
    server.start()
    with trunkline.grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        assert channel.unary_unary("/t.T/Stop").future(b"").code() is trunkline.grpc.StatusCode.UNAVAILABLE

    assert not server.wait_for_termination(SOON)


@pytest.mark.parametrize("number", [0, 1], ids=["the first stop", "the second stop"])
def test_an_asyncio_stop_that_is_given_up_raises(number: int) -> None:
    async def main() -> None:
        async with on_a_loop() as (server, call):
            others = [asyncio.ensure_future(server.stop(LONG)) for _ in range(number)]
            await asyncio.sleep(0)

            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(server.stop(LONG), SHORT)

            assert await server.wait_for_termination(SHORT)  # it still runs
            assert not call.done()
            await asyncio.wait_for(server.stop(SHORT), SOON)
            await asyncio.gather(*others)

    asyncio.run(main())


def test_an_asyncio_stop_that_is_cancelled_ends_the_server_nevertheless() -> None:
    async def main() -> None:
        async with on_a_loop() as (server, _):
            stopping = asyncio.ensure_future(server.stop(SHORT))
            await asyncio.sleep(0)
            stopping.cancel()

            with pytest.raises(asyncio.CancelledError):
                await stopping

            assert not await server.wait_for_termination(SOON)

    asyncio.run(main())


def test_an_asyncio_stop_that_fails_is_told_to_all_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with on_a_loop() as (server, _):

            async def fail() -> None:
                raise LookupError

            monkeypatch.setattr(server._running[0], "stop", fail)
            results = await asyncio.wait_for(
                asyncio.gather(server.stop(SHORT), server.stop(LONG), return_exceptions=True), SOON
            )

            assert [type(result) for result in results] == [LookupError, LookupError]
            assert not await server.wait_for_termination(SOON)
            monkeypatch.undo()
            await server._running[0].stop()
            server._stopping = None

    asyncio.run(main())

# SPDX-License-Identifier: MIT
"""Relays between TCP and WebSocket, with the ``websockets`` package on the side of WebSocket."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

SUBPROTOCOL = Subprotocol("trunkline.v1")
Relay = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def relay(socket: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Passes bytes on in both directions, until one side ends."""

    async def to_websocket() -> None:
        number = 0
        while data := await reader.read(1 << 16):
            number += 1
            # Now and then as fragments, with a ping between messages.
            await socket.send([data[at : at + 1000] for at in range(0, len(data), 1000)] if number % 3 == 0 else data)
            if number % 5 == 0:
                await socket.ping()
        await socket.close()

    async def to_tcp() -> None:
        async for message in socket:
            assert isinstance(message, bytes)
            writer.write(message)
            await writer.drain()

    tasks = [asyncio.ensure_future(to_websocket()), asyncio.ensure_future(to_tcp())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        writer.close()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception) and not isinstance(end, (ConnectionClosed, ConnectionError)):
            raise end


@contextmanager
def in_thread(start: Callable[[], Awaitable[Any]]) -> Iterator[Any]:
    """Runs an event loop on a thread; the result of ``start()`` there is a server, which is closed in the end."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def stop(server: Any) -> None:
        server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # Until the transports are closed.
        await asyncio.sleep(0.05)

    async def run() -> Any:
        return await start()

    try:
        server = asyncio.run_coroutine_threadsafe(run(), loop).result(20)
        try:
            yield server
        finally:
            asyncio.run_coroutine_threadsafe(stop(server), loop).result(20)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
        loop.close()


@contextmanager
def websockets_before(port: int) -> Iterator[int]:
    """A server of ``websockets``, whose clients it connects with 127.0.0.1:``port``. Yields its own port."""

    async def serve_one(socket: Any) -> None:
        await relay(socket, *await asyncio.open_connection("127.0.0.1", port))

    async def start() -> Any:
        return await serve(serve_one, "127.0.0.1", 0, subprotocols=[SUBPROTOCOL], compression=None, max_size=None)

    with in_thread(start) as server:
        yield next(iter(server.sockets)).getsockname()[1]


@contextmanager
def websockets_behind(port: int) -> Iterator[int]:
    """A TCP port, each of whose connections a client of ``websockets`` connects with ws://127.0.0.1:``port``."""

    async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        uri = f"ws://127.0.0.1:{port}/any/path"
        # At the end of the test. asyncio reports a task of a server's that is cancelled.
        try:
            with suppress(asyncio.CancelledError):
                async with connect(uri, subprotocols=[SUBPROTOCOL], max_size=None, origin=None) as socket:
                    assert socket.subprotocol == SUBPROTOCOL
                    await relay(socket, reader, writer)
        finally:
            writer.transport.abort()

    async def start() -> Any:
        return await asyncio.start_server(serve_one, "127.0.0.1", 0)

    with in_thread(start) as server:
        yield server.sockets[0].getsockname()[1]


@contextmanager
def a_request_before(port: int) -> Iterator[int]:
    """A TCP port, each of whose connections goes to 127.0.0.1:``port`` behind a call of ``count`` by HTTP/1.1, as
    proxies send it that keep connections."""

    async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
        server_writer.write(b"POST /count HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n2")
        assert (await server_reader.readuntil(b"\r\n0\r\n\r\n")).startswith(b"HTTP/1.1 200 ")

        async def copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            with suppress(ConnectionError):
                while data := await source.read(1 << 16):
                    sink.write(data)
                    await sink.drain()
            sink.close()

        # At the end of the test.
        with suppress(asyncio.CancelledError):
            await asyncio.gather(copy(reader, server_writer), copy(server_reader, writer))

    async def start() -> Any:
        return await asyncio.start_server(serve_one, "127.0.0.1", 0)

    with in_thread(start) as server:
        yield server.sockets[0].getsockname()[1]

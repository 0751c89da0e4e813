# SPDX-License-Identifier: MIT
"""A client of a soak run in Python: calls of every kind and size, by four threads or tasks.

Usage: client.py blocking|asyncio RECORD NUMBER ENDPOINT AUTHORITY SECONDS SEED PAUSE_MS
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import trunkline
from records import CALL_TIMEOUT, MAX_MESSAGE_BYTES, Call, Calls, Header, Kind, Outcome, filled, impatient
from trunkline import aio

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from python.interop.blocking_channel import BlockingChannel, run  # noqa: E402

CALLERS = 4
EXPECTED = (trunkline.Unavailable, trunkline.DeadlineExceeded, trunkline.Cancelled, trunkline.ResourceExhausted)
#: Of every call.
OPTIONS: dict[str, Any] = {"timeout": CALL_TIMEOUT, "wait_for_ready": True}


class Caller:
    """Makes calls one after the other. With a channel that blocks, its coroutines never suspend."""

    def __init__(self, channel: Any, calls: Calls, seed: int, sleep: Callable[[float], Awaitable[None]]) -> None:
        self.channel = channel
        self.calls = calls
        self.random = random.Random(seed)
        self.sleep = sleep

    async def run(self, end: float, pause: float) -> None:
        kinds = [kind for kind in Kind if kind != Kind.SMALL]
        while time.monotonic() < end:
            await self.one(self.random.choice(kinds))
            await self.sleep(self.random.uniform(0, 2 * pause))

    def draw_size(self) -> int:
        chance = self.random.random()
        if chance < 0.05:
            return 0
        if chance < 0.6:
            return self.random.randrange(1000)
        if chance < 0.9:
            return self.random.randrange(60000)
        if chance < 0.99:
            return self.random.randrange(1000000)
        return self.random.randrange(MAX_MESSAGE_BYTES) if chance < 0.997 else MAX_MESSAGE_BYTES

    def header_of(self, call: Call) -> Header:
        most = MAX_MESSAGE_BYTES if call.kind in (Kind.UNARY, Kind.BLOCKING, Kind.IDEMPOTENT) else 2 << 20
        return Header(
            call.number,
            min(self.draw_size(), most),
            min(self.draw_size(), most),
            self.random.randint(1, 20),
            self.random.randrange(30),
        )

    async def one(self, kind: Kind) -> None:
        call = self.calls.begin(kind)
        try:
            is_good = await self.make(call, self.header_of(call))
        except EXPECTED as error:
            self.calls.end(call, Outcome.FAILED if error.may_have_run else Outcome.NOT_RUN)
        except Exception as error:
            print(f"call {call.number}: {error!r}", file=sys.stderr, flush=True)
            self.calls.end(call, Outcome.WRONG)
        else:
            self.calls.end(call, Outcome.OK if is_good else Outcome.WRONG)

    async def make(self, call: Call, header: Header) -> bool:
        """False: the response is not the server's."""
        expected = filled(header.number, header.response_bytes)
        if call.kind in (Kind.UNARY, Kind.IDEMPOTENT, Kind.BLOCKING):
            method = "soak/Block" if call.kind == Kind.BLOCKING else "soak/Echo"
            is_idempotent = call.kind == Kind.IDEMPOTENT
            return bool(
                await self.channel.call(method, header.request(), bytes, idempotent=is_idempotent, **OPTIONS)
                == expected
            )
        if call.kind == Kind.ONE_WAY:
            await self.channel.call_oneway("soak/Echo", header.request(), **OPTIONS)
            return True
        if call.kind == Kind.CLIENT_STREAM:
            requests = self.requests(header)
            return bool(await self.channel.client_stream("soak/Collect", requests, bytes, **OPTIONS) == expected)
        if call.kind == Kind.SERVER_STREAM:
            return await self.read_all(header, expected)
        if call.kind == Kind.BIDIRECTIONAL:
            return await self.talk(header, expected)
        return await self.break_off(header, expected)

    def requests(self, header: Header) -> Iterator[bytes]:
        yield header.request()
        for _ in range(1, header.messages):
            yield filled(header.number, min(self.draw_size(), 1 << 20))

    async def read_all(self, header: Header, expected: bytes) -> bool:
        is_slow = self.random.random() < 0.1
        # Some readers stop for seconds. Other calls of the connection must not notice.
        stops_at = self.random.randrange(10) if self.random.random() < 0.05 else -1
        gives_up = self.sleep is asyncio.sleep and self.random.random() < 0.25
        count, is_good = 0, True
        async with self.channel.server_stream("soak/Expand", header.request(), bytes, **OPTIONS) as stream:
            async for message in impatient(stream) if gives_up else stream:
                if count == stops_at:
                    await self.sleep(self.random.uniform(1, 5))
                count += 1
                is_good = is_good and message == expected
                if is_slow:
                    await self.sleep(self.random.uniform(0, 0.1))
        return is_good and count == header.messages

    async def talk(self, header: Header, expected: bytes) -> bool:
        is_good = True
        async with self.channel.stream("soak/Talk", bytes, bytes, **OPTIONS) as stream:
            for request in self.requests(header):
                await stream.write(request)
                is_good = is_good and await stream.read() == expected
            await stream.close_writes()
            await stream.finish()
        return is_good

    async def break_off(self, header: Header, expected: bytes) -> bool:
        header.work_ms = self.random.randrange(100)
        if self.random.random() < 0.5:
            options = {**OPTIONS, "timeout": self.random.uniform(0.001, 0.05)}
            return bool(await self.channel.call("soak/Wait", header.request(), bytes, **options) == expected)
        async with self.channel.server_stream("soak/Expand", header.request(), bytes, **OPTIONS) as stream:
            await self.sleep(self.random.uniform(0, 0.02))
            stream.cancel()
            await stream.finish()
        return True


def call_blocking(endpoint: str, options: dict[str, Any], calls: Calls, seed: int, end: float, pause: float) -> None:
    async def sleep(duration: float) -> None:
        time.sleep(duration)

    with trunkline.Channel(endpoint, **options) as channel:
        callers = [Caller(BlockingChannel(channel), calls, seed * 1000 + i, sleep) for i in range(CALLERS)]
        threads = [threading.Thread(target=lambda c=caller: run(c.run(end, pause))) for caller in callers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


async def call_asyncio(
    endpoint: str, options: dict[str, Any], calls: Calls, seed: int, end: float, pause: float
) -> None:
    async with aio.Channel(endpoint, **options) as channel:
        callers = [Caller(channel, calls, seed * 1000 + i, asyncio.sleep) for i in range(CALLERS)]
        await asyncio.gather(*(caller.run(end, pause) for caller in callers))


def main() -> int:
    if len(sys.argv) != 9 or sys.argv[1] not in ("blocking", "asyncio"):
        print(
            f"usage: {sys.argv[0]} blocking|asyncio RECORD NUMBER ENDPOINT AUTHORITY SECONDS SEED PAUSE_MS",
            file=sys.stderr,
        )
        return 2
    form, record, number, endpoint, authority, seconds, seed, pause = sys.argv[1:]
    options: dict[str, Any] = {
        "ca_file": authority,
        "server_name": "localhost",
        "backoff_initial": 0.05,
        "backoff_maximum": 1.0,
        "max_message_bytes": MAX_MESSAGE_BYTES,
    }
    calls = Calls(record, int(number))
    end = time.monotonic() + float(seconds)
    if form == "blocking":
        call_blocking(endpoint, options, calls, int(seed), end, float(pause) / 1000)
    else:
        asyncio.run(call_asyncio(endpoint, options, calls, int(seed), end, float(pause) / 1000))
    return 0


if __name__ == "__main__":
    sys.exit(main())

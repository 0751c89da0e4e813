# SPDX-License-Identifier: MIT
"""A client of the fleet in Python; see fleet_client.cpp. SIGTERM ends it once all calls have ended.

Usage: client.py NUMBER RECORD URI BALANCING CALLS_PER_SECOND WORK_MS
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import time
from dataclasses import dataclass

import trunkline
from calls import CALLS_PER_CLIENT, METHOD, REQUEST, RESPONSE, SEQUENCE_BITS, Call, ClientRecord, Outcome
from trunkline import aio


@dataclass(frozen=True)
class Settings:
    number: int
    record: str
    uri: str
    balancing: str
    calls_per_second: int
    work_ms: int


class Client:
    def __init__(self, settings: Settings, channel: aio.Channel) -> None:
        self._settings = settings
        self._channel = channel
        self._record = ClientRecord(settings.record, settings.number)

    async def run(self, is_ending: asyncio.Event) -> None:
        tasks: set[asyncio.Task[None]] = set()
        begin_at = time.monotonic()
        for sequence in range(CALLS_PER_CLIENT):
            if is_ending.is_set():
                break
            task = asyncio.create_task(self._call(sequence))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            begin_at += 1 / self._settings.calls_per_second
            await asyncio.sleep(begin_at - time.monotonic())
        else:
            raise RuntimeError("more calls than a record holds")
        await asyncio.gather(*tasks)

    async def _call(self, sequence: int) -> None:
        number = self._settings.number << SEQUENCE_BITS | sequence
        is_idempotent = sequence % 2 == 1
        begun = time.monotonic()
        self._record.write(Call(number, begun, 0, is_idempotent, Outcome.BEGUN, 0, 0))
        request = REQUEST.pack(number, self._settings.work_ms)
        server, code = 0, 0
        try:
            response = await self._channel.call(METHOD, request, bytes, timeout=10.0, idempotent=is_idempotent)
        except trunkline.RpcError as error:
            outcome = Outcome.POSSIBLY_RUN if error.may_have_run else Outcome.NOT_RUN
            code = int(error.code)
            print(f"{time.monotonic():.3f} call {number}, begun at {begun:.3f}: {error!r}", file=sys.stderr, flush=True)
        else:
            answered, server = RESPONSE.unpack(response)
            outcome = Outcome.OK if answered == number else Outcome.WRONG
        self._record.write(Call(number, begun, time.monotonic(), is_idempotent, outcome, server, code))


async def main(settings: Settings) -> None:
    is_ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, is_ending.set)
    async with aio.Channel(
        settings.uri,
        balancing=settings.balancing,
        slow_start=1.0,
        keepalive_interval=1.0,
        keepalive_timeout=1.0,
        connect_timeout=2.0,
        backoff_maximum=1.0,
    ) as channel:
        await Client(settings, channel).run(is_ending)


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit("usage: client.py NUMBER RECORD URI BALANCING CALLS_PER_SECOND WORK_MS")
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    number, record, uri, balancing, rate, work_ms = sys.argv[1:]
    asyncio.run(main(Settings(int(number), record, uri, balancing, int(rate), int(work_ms))))

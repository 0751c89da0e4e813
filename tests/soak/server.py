# SPDX-License-Identifier: MIT
"""A server of a soak run in Python. SIGTERM drains it.

Usage: server.py blocking|asyncio RECORD CLIENTS CERTIFICATES ENDPOINT...
"""

from __future__ import annotations

import asyncio
import itertools
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import trunkline
from records import MAX_MESSAGE_BYTES, Header, RunCounts, filled, impatient
from trunkline import aio


class Service:
    def __init__(self, counts: RunCounts) -> None:
        self.counts = counts

    def take(self, request: bytes) -> Header:
        try:
            return self.counts.take(request)
        except ValueError as error:
            raise trunkline.DataLoss(str(error)) from None

    def checked(self, header: Header | None, message: bytes) -> Header:
        """The header of the stream's first message."""
        if header is None:
            return self.take(message)
        if message != filled(header.number, len(message)):
            raise trunkline.DataLoss("another message")
        return header

    def collected(self, header: Header | None, messages: int) -> bytes:
        if header is None or messages != header.messages:
            raise trunkline.DataLoss("messages are missing")
        return filled(header.number, header.response_bytes)


class Blocking(Service):
    def echo(self, request: bytes) -> bytes:
        header = self.take(request)
        return filled(header.number, header.response_bytes)

    def block(self, request: bytes) -> bytes:
        header = self.take(request)
        time.sleep(header.work_ms / 1000)
        return filled(header.number, header.response_bytes)

    def collect(self, requests: Iterator[bytes]) -> bytes:
        header, messages = None, 0
        for message in requests:
            header = self.checked(header, message)
            messages += 1
        return self.collected(header, messages)

    def expand(self, request: bytes) -> Iterator[bytes]:
        header = self.take(request)
        for _ in range(header.messages):
            yield filled(header.number, header.response_bytes)

    def talk(self, requests: Iterator[bytes]) -> Iterator[bytes]:
        header = None
        for message in requests:
            header = self.checked(header, message)
            yield filled(header.number, header.response_bytes)


class Asyncio(Service):
    streams = itertools.count()

    async def echo(self, request: bytes) -> bytes:
        header = self.take(request)
        return filled(header.number, header.response_bytes)

    async def block(self, request: bytes) -> bytes:
        header = self.take(request)
        await asyncio.sleep(header.work_ms / 1000)
        return filled(header.number, header.response_bytes)

    async def collect(self, requests: AsyncIterator[bytes]) -> bytes:
        header, messages = None, 0
        async for message in self.some_impatient(requests):
            header = self.checked(header, message)
            messages += 1
        return self.collected(header, messages)

    async def expand(self, request: bytes) -> AsyncIterator[bytes]:
        header = self.take(request)
        for _ in range(header.messages):
            yield filled(header.number, header.response_bytes)

    async def talk(self, requests: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        header = None
        async for message in self.some_impatient(requests):
            header = self.checked(header, message)
            yield filled(header.number, header.response_bytes)

    def some_impatient(self, requests: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        return impatient(requests) if next(self.streams) % 4 == 0 else requests


def add_methods(server: Any, service: Any) -> None:
    server.add("soak/Echo", service.echo)
    server.add("soak/Block", service.block)
    server.add("soak/Wait", service.block)
    server.add("soak/Collect", service.collect)
    server.add("soak/Expand", service.expand)
    server.add("soak/Talk", service.talk)


async def serve_asyncio(server: Any, endpoints: list[str]) -> None:
    running = server.serve(*endpoints)
    print("listening", flush=True)
    await running.run_until_signal(signal.SIGTERM, grace=15.0)


def main() -> int:
    if len(sys.argv) < 6 or sys.argv[1] not in ("blocking", "asyncio"):
        print(f"usage: {sys.argv[0]} blocking|asyncio RECORD CLIENTS CERTIFICATES ENDPOINT...", file=sys.stderr)
        return 2
    form, record, clients, certificates, *endpoints = sys.argv[1:]
    counts = RunCounts(record, int(clients))
    options: dict[str, Any] = {
        "certificate_file": f"{certificates}/server.crt",
        "private_key_file": f"{certificates}/server.key",
        "max_message_bytes": MAX_MESSAGE_BYTES,
    }
    if form == "asyncio":
        server: Any = aio.Server(**options)
        add_methods(server, Asyncio(counts))
        asyncio.run(serve_asyncio(server, endpoints))
        return 0
    server = trunkline.Server(threads=8, **options)
    add_methods(server, Blocking(counts))
    running = server.serve(*endpoints)
    print("listening", flush=True)
    running.run_until_signal(signal.SIGTERM, grace=15.0)
    return 0


if __name__ == "__main__":
    sys.exit(main())

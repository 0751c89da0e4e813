# SPDX-License-Identifier: MIT
"""A server of the fleet in Python; see fleet_server.cpp. SIGTERM drains it.

Usage: server.py NUMBER RECORD CLIENTS HOST:PORT [ETCD_URI]
"""

from __future__ import annotations

import asyncio
import signal
import sys

from calls import METHOD, REQUEST, RESPONSE, RunCounts
from trunkline import aio


async def serve(number: int, record: str, clients: int, address: str, announced: str) -> None:
    ran = RunCounts(record, clients)
    server = aio.Server()

    @server.method(METHOD)
    async def work(request: bytes) -> bytes:
        call, work_ms = REQUEST.unpack(request)
        ran.count(call)
        await asyncio.sleep(work_ms / 1000)
        return RESPONSE.pack(call, number)

    running = server.serve(f"tcp://{address}")
    if announced:
        for scheme in ("tcp", "grpc"):
            server.announce(f"{announced}/{scheme}", advertise=[f"{scheme}://{address}"])
    print("listening", flush=True)
    await running.run_until_signal(signal.SIGTERM, grace=10.0)


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit("usage: server.py NUMBER RECORD CLIENTS HOST:PORT [ETCD_URI]")
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4], "".join(sys.argv[5:])))

# SPDX-License-Identifier: MIT
"""Calls with long messages, all under way at once: how many fail, and the peak memory of both processes.

Server and client are asyncio programs in processes of their own, as in bench/load/long_messages, which is the same in
C++. Exit code 1 if a call has failed.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time

from trunkline import aio

MIB = 1 << 20
# The columns are the name, the method, the calls, and the bytes of the request and of the response.
CELLS = [
    ("200 responses of 1 MiB", "Download", 200, 1, MIB),
    ("400 responses of 1 MiB", "Download", 400, 1, MIB),
    ("2000 responses of 1 MiB", "Download", 2000, 1, MIB),
    ("300 uploads of 3 MiB, slow handler", "Upload", 300, 3 * MIB, 7),
]


def peak_mib() -> int:
    """Returns the peak resident memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


async def serve() -> None:
    """Serves until standard input ends, then prints its peak memory."""
    server = aio.Server()

    @server.method("Download")
    async def download(request: bytes) -> bytes:
        return b"r" * MIB

    @server.method("Upload")
    async def upload(request: bytes) -> bytes:
        await asyncio.sleep(0.02)
        return str(len(request)).encode()

    async with server.serve("tcp://127.0.0.1:0") as running:
        print(running.endpoint, flush=True)
        await asyncio.to_thread(sys.stdin.read)
    print(peak_mib())


async def call(endpoint: str, cell: int) -> None:
    """Makes the calls of a cell and prints their outcome."""
    _, method, calls, request_bytes, response_bytes = CELLS[cell]
    request = b"q" * request_bytes
    errors: list[str] = []

    async def one(channel: aio.Channel) -> int:
        try:
            response = await channel.call(method, request, bytes)
        except Exception as error:
            errors.append(str(error))
            return 0
        return int(len(response) == response_bytes)

    async with aio.Channel(endpoint) as channel:
        began = time.perf_counter()
        ok = sum(await asyncio.gather(*(one(channel) for _ in range(calls))))
        seconds = time.perf_counter() - began
    print(json.dumps({"ok": ok, "seconds": seconds, "peak": peak_mib(), "error": (errors or [""])[0]}))


def measure(cell: int) -> bool:
    """Prints the row of a cell; returns false if a call has failed."""
    name, _, calls, _, _ = CELLS[cell]
    this = [sys.executable, __file__]
    with subprocess.Popen([*this, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None and server.stdout is not None
        endpoint = server.stdout.readline().strip()
        client = subprocess.run([*this, "call", endpoint, str(cell)], stdout=subprocess.PIPE, text=True, check=True)
        server.stdin.close()
        server_peak = int(server.stdout.read())
    outcome = json.loads(client.stdout)
    failed = calls - int(outcome["ok"])
    print(
        f"{name:<36} {outcome['ok']:>5} {failed:>7} {outcome['seconds']:>8.2f} {server_peak:>12} {outcome['peak']:>12}"
        f"  {outcome['error'][:100]}",
        flush=True,
    )
    return failed == 0


def main() -> int:
    """Runs one side, or measures everything."""
    match sys.argv[1:]:
        case ["serve"]:
            asyncio.run(serve())
        case ["call", endpoint, cell]:
            asyncio.run(call(endpoint, int(cell)))
        case []:
            print("peak memory of the processes in MiB")
            columns = f"{'ok':>5} {'failed':>7} {'seconds':>8} {'server peak':>12} {'client peak':>12}"
            print(f"{'calls at once':<36} {columns}")
            return 0 if all([measure(cell) for cell in range(len(CELLS))]) else 1
        case _:
            print("usage: long_messages.py", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""
Measures trunkline.grpc beside grpcio: an echo of 8 bytes, blocking with one call under way, blocking with 100, and with
64 coroutines. Client and server are processes of their own, each of either implementation. Prints the medians of
interleaved runs, as rows of a table.
Usage: python python/benchmarks/grpcio_interface.py [ROUNDS]
"""

from __future__ import annotations

import asyncio
import collections
import importlib
import statistics
import subprocess
import sys
import time
from concurrent import futures
from typing import Any

MODULES = {"grpcio": "grpc", "trunkline": "trunkline.grpc"}
PAIRS = [(client, server) for server in MODULES for client in MODULES]
KINDS = {"blocking, 1": "one", "blocking, 100 futures": "many", "asyncio, 64": "coroutines"}
SECONDS = 1.0
MESSAGE = b"12345678"


def echo(request: bytes, context: Any) -> bytes:
    return request


async def echo_later(request: bytes, context: Any) -> bytes:
    return request


def handlers(grpc: Any, behavior: Any) -> Any:
    handler = grpc.unary_unary_rpc_method_handler(behavior)
    return (grpc.method_handlers_generic_handler("bench.Echo", {"Say": handler}),)


def serve(grpc: Any) -> None:
    server = grpc.server(futures.ThreadPoolExecutor(10), handlers(grpc, echo))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    sys.stdin.read()
    server.stop(None).wait()


async def serve_coroutines(grpc: Any) -> None:
    server = grpc.aio.server(handlers=handlers(grpc, echo_later))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.stop(None)


def call_one(call: Any, end: float) -> int:
    count = 0
    while time.perf_counter() < end:
        call(MESSAGE)
        count += 1
    return count


def call_many(call: Any, end: float) -> int:
    count = 0
    under_way: collections.deque[Any] = collections.deque()
    while time.perf_counter() < end:
        under_way.append(call.future(MESSAGE))
        if len(under_way) == 100:
            count += under_way.popleft().result() == MESSAGE
    for future in under_way:
        future.result()
    return count


async def call_coroutines(grpc: Any, target: str) -> int:
    async with grpc.aio.insecure_channel(target) as channel:
        call = channel.unary_unary("/bench.Echo/Say")
        assert await call(MESSAGE) == MESSAGE
        end = time.perf_counter() + SECONDS

        async def repeat() -> int:
            count = 0
            while time.perf_counter() < end:
                await call(MESSAGE)
                count += 1
            return count

        return sum(await asyncio.gather(*(repeat() for _ in range(64))))


def call(grpc: Any, kind: str, target: str) -> int:
    if kind == "coroutines":
        return asyncio.run(call_coroutines(grpc, target))
    with grpc.insecure_channel(target) as channel:
        method = channel.unary_unary("/bench.Echo/Say")
        assert method(MESSAGE) == MESSAGE
        return (call_one if kind == "one" else call_many)(method, time.perf_counter() + SECONDS)


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def measured(client: str, server: str, kind: str) -> float:
    """Returns calls per second."""
    with start("serve", server, kind) as serving:
        assert serving.stdin is not None and serving.stdout is not None
        target = f"127.0.0.1:{serving.stdout.readline().strip()}"
        shown = subprocess.run(
            [sys.executable, __file__, "call", client, kind, target], stdout=subprocess.PIPE, text=True, check=True
        )
        serving.stdin.close()
        return float(shown.stdout) / SECONDS


def compare(rounds: int) -> None:
    found: dict[tuple[str, str, str], list[float]] = collections.defaultdict(list)
    for _ in range(rounds):
        for kind in KINDS.values():
            for client, server in PAIRS:
                found[kind, client, server].append(measured(client, server, kind))
    names = [f"{client} calls {server}" for client, server in PAIRS]
    print(f"| | {' | '.join(names)} |\n|---|{'---|' * len(PAIRS)}")
    for name, kind in KINDS.items():
        base = statistics.median(found[kind, "grpcio", "grpcio"])
        medians = [statistics.median(found[kind, client, server]) for client, server in PAIRS]
        print(f"| {name} | {' | '.join(f'{median:,.0f} ({median / base:.1f} x)' for median in medians)} |")


def main() -> None:
    if len(sys.argv) < 3:
        return compare(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    role, implementation, kind, *target = sys.argv[1:]
    grpc = importlib.import_module(MODULES[implementation])
    importlib.import_module(f"{MODULES[implementation]}.aio")
    if role == "call":
        print(call(grpc, kind, *target))
    elif kind == "coroutines":
        asyncio.run(serve_coroutines(grpc))
    else:
        serve(grpc)


if __name__ == "__main__":
    main()

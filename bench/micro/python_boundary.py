# SPDX-License-Identifier: MIT
"""What crossing between Python and C++ costs: google-benchmark of calls by each way that Python has.

Client and server are in this process over inproc://, so that a figure has both crossings and no socket; with
``client_only`` the server is bytes_echo, a program in C++. Counters: calls per second, and how many calls the server
ran for each time that it took the GIL. Options are google-benchmark's.

Usage: scripts/bench --micro, or python bench/micro/python_boundary.py [--benchmark_filter=REGEX]
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import google_benchmark as benchmark
from google.protobuf.wrappers_pb2 import BytesValue

import trunkline
from trunkline import aio

METHOD = "bench/Echo"
BYTES_ECHO = Path(__file__).resolve().parents[2] / "build/release/bench/load/bytes_echo"


@dataclass
class Point:
    x: float
    y: float


def echo_bytes(request: bytes) -> bytes:
    return request


def echo_protobuf(request: BytesValue) -> BytesValue:
    return request


def echo_value(request: dict[str, Any]) -> dict[str, Any]:
    return request


def echo_dataclass(request: Point) -> Point:
    return request


#: A handler, and a request of about the size that a benchmark names.
FORMS: dict[str, tuple[Callable[..., Any], Callable[[int], Any]]] = {
    "bytes": (echo_bytes, bytes),
    "protobuf": (echo_protobuf, lambda size: BytesValue(value=bytes(size))),
    "value": (echo_value, lambda size: {"text": "x" * size}),
    "dataclass": (echo_dataclass, lambda _: Point(1.5, 2.5)),
}


@contextmanager
def served(handler: Callable[..., Any]) -> Iterator[tuple[trunkline.Channel, Callable[[], dict[str, int]]]]:
    server = trunkline.Server(threads=1)
    server.method(METHOD)(handler)
    with server.serve("inproc://python-boundary") as running, trunkline.Channel(running.endpoint) as channel:
        yield channel, running.totals


@contextmanager
def served_by_cpp() -> Iterator[trunkline.Channel]:
    process = subprocess.Popen([str(BYTES_ECHO), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        with trunkline.Channel(process.stdout.readline().split()[-1]) as channel:
            yield channel
    finally:
        process.kill()
        process.communicate()


def finish(state: Any, calls: int, stats: dict[str, int] | None = None) -> None:
    state.items_processed = calls
    if stats is not None:
        state.counters["calls_per_gil"] = stats["python_calls"] / max(1, stats["python_batches"])


def register(name: str, function: Callable[[Any], None], sizes: tuple[int, ...], argument: str = "bytes") -> None:
    def run(state: Any) -> None:
        try:
            function(state)
        except trunkline.RpcError as error:
            state.skip_with_error(str(error))

    run.__name__ = name
    chosen = benchmark.option.arg_names([argument])(run)
    for size in reversed(sizes):
        chosen = benchmark.option.arg(size)(chosen)
    timed = benchmark.option.use_real_time()(chosen)
    benchmark.register(timed, name=name)  # type: ignore[no-untyped-call]


def blocking(form: str) -> Callable[[Any], None]:
    handler, make = FORMS[form]

    def run(state: Any) -> None:
        request = make(state.range(0))
        with served(handler) as (channel, stats):
            kind = type(request)
            while state:
                response = channel.call(METHOD, request, kind)
            if response != request:
                state.skip_with_error("a wrong response")
            finish(state, state.iterations, stats())

    return run


def window(form: str, size_of_window: int) -> Callable[[Any], None]:
    handler, make = FORMS[form]
    batch = 2000

    def run(state: Any) -> None:
        requests = [make(state.range(0))] * batch
        right = 0
        with served(handler) as (channel, stats):
            kind = type(requests[0])
            while state:
                for response in channel.map(METHOD, requests, kind, window=size_of_window):
                    right += response == requests[0]
            if right != batch * state.iterations:
                state.skip_with_error("a wrong response")
            finish(state, right, stats())

    return run


def client_only(state: Any) -> None:
    batch = 2000
    requests = [bytes(state.range(0))] * batch
    right = 0
    with served_by_cpp() as channel:
        while state:
            for response in channel.map("bytes", requests, bytes, window=512):
                right += response == requests[0]
        if right != batch * state.iterations:
            state.skip_with_error("a wrong response")
        finish(state, right)


def futures(state: Any) -> None:
    batch = 500
    request = bytes(state.range(0))
    with served(echo_bytes) as (channel, stats):
        while state:
            for future in [channel.submit(METHOD, request, bytes) for _ in range(batch)]:
                if future.result() != request:
                    state.skip_with_error("a wrong response")
        finish(state, batch * state.iterations, stats())


def with_metadata(state: Any) -> None:
    request = b"x" * 8
    metadata = [(f"x-entry-{index}", "value") for index in range(state.range(0))]
    with served(echo_bytes) as (channel, stats):
        while state:
            channel.call(METHOD, request, bytes, metadata=metadata)
        finish(state, state.iterations, stats())


def asyncio_gather(state: Any) -> None:
    batch = 512
    request = bytes(state.range(0))

    async def main() -> dict[str, int]:
        server = aio.Server(threads=1)

        @server.method(METHOD)
        async def echo(request: bytes) -> bytes:
            return request

        async with server.serve("inproc://python-boundary-aio") as running, aio.Channel(running.endpoint) as channel:
            while state:
                await asyncio.gather(*(channel.call(METHOD, request, bytes) for _ in range(batch)))
            return running.totals()

    stats = asyncio.run(main())
    finish(state, batch * state.iterations, stats)


for form_name in FORMS:
    sizes = (8,) if form_name == "dataclass" else (8, 1024, 65536)
    register(f"BM_PythonCall<{form_name}>", blocking(form_name), sizes)
    register(f"BM_PythonMap<{form_name}>", window(form_name, 512), sizes)
register("BM_PythonFutures", futures, (8,))
register("BM_PythonAsyncio", asyncio_gather, (8, 1024))
register("BM_PythonMetadata", with_metadata, (0, 1, 8), "entries")
if BYTES_ECHO.exists():
    register("BM_PythonClient", client_only, (8, 1024, 65536))

if __name__ == "__main__":
    benchmark.main(sys.argv)

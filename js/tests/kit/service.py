# SPDX-License-Identifier: MIT
"""The server that the tests of the JavaScript client call. Prints its endpoint; stops when its input ends.

Usage: python service.py [OPTION=VALUE...]    (options of the server, as Python literals)
"""

from __future__ import annotations

import ast
import faulthandler
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import trunkline
from google.protobuf.wrappers_pb2 import StringValue, UInt32Value

faulthandler.enable()
server = trunkline.Server(
    threads=16, **{name: ast.literal_eval(value) for name, value in (word.split("=") for word in sys.argv[1:])}
)
runs: dict[str, int] = {}
runs_lock = threading.Lock()


def count_run(key: str) -> int:
    with runs_lock:
        runs[key] = runs.get(key, 0) + 1
        return runs[key]


@server.method("Greet")
def greet(name: str) -> str:
    return f"hello, {name}"


@server.method("Echo")
def echo(value: Any) -> Any:
    return value


@server.method("Now")
def now() -> str:
    return "now"


@server.method("Drop")
def drop(value: Any) -> None:
    del value


@server.method("EchoBytes")
def echo_bytes(data: bytes) -> bytes:
    return data


@server.method("Zeros")
def zeros(size: int) -> bytes:
    return bytes(size)


@server.method("Ticks")
def ticks(limit: int, context: trunkline.Context) -> Iterator[int]:
    context.add_leading_metadata("first", "yes")
    for number in range(1, limit + 1):
        yield number
    context.add_trailing_metadata("ticks", str(limit))


@server.method("Forever")
def forever(key: str) -> Iterator[int]:
    number = 0
    try:
        while True:
            number += 1
            yield number
            if number > 3:
                time.sleep(0.01)
    finally:
        count_run(f"ended {key}")


@server.method("Blocks")
def blocks(count: int, context: trunkline.Context) -> Iterator[bytes]:
    for number in range(count):
        count_run("blocks")
        yield bytes([number % 256]) * 100_000


@server.method("Sum")
def sum_up(numbers: Iterator[int]) -> int:
    return sum(numbers)


@server.method("Sizes")
def sizes(messages: Iterator[bytes]) -> list[int]:
    return [len(message) for message in messages]


@server.method("First")
def first(numbers: Iterator[int]) -> int:
    return next(numbers)


@server.method("Twice")
def twice(numbers: Iterator[int]) -> Iterator[int]:
    for number in numbers:
        yield 2 * number


@server.method("EchoAll")
def echo_all(messages: Iterator[bytes]) -> Iterator[bytes]:
    yield from messages


@server.method("Fail")
def fail(code: int, context: trunkline.Context) -> str:
    context.add_leading_metadata("lead", "early")
    context.add_trailing_metadata("trail", "late")
    context.add_trailing_metadata("trail-bin", bytes([0, 255]))
    raise trunkline.RpcError("as asked", code=code, details=[StringValue(value="because")])


@server.method("FailAfter")
def fail_after(count: int) -> Iterator[int]:
    yield from range(count)
    raise trunkline.NotFound("no more")


@server.method("Sleep")
def sleep(seconds: float, context: trunkline.Context) -> bool:
    count_run("sleeps")
    end = time.monotonic() + seconds
    while time.monotonic() < end and not context.is_cancelled():
        time.sleep(0.005)
    if context.is_cancelled():
        count_run("cancelled")
    return context.is_cancelled()


@server.method("TimeLeft")
def time_left(context: trunkline.Context) -> float | None:
    return context.time_left()


@server.method("Metadata")
def metadata(names: list[str], context: trunkline.Context) -> list[str | None]:
    values = [context.metadata.get(name) for name in names]
    return [value.hex() if isinstance(value, bytes) else value for value in values]


@server.method("Runs")
def count_runs(key: str) -> int:
    return runs.get(key, 0)


@server.method("Once")
def once(key: str, context: trunkline.Context) -> int:
    """Loses the connection when it runs first."""
    count = count_run(key)
    if count == 1:
        context.disconnect()
        time.sleep(0.2)
    return count


@server.method("web.test.Kinds/Say")
def say(request: StringValue) -> StringValue:
    if not request.value:
        raise trunkline.InvalidArgument("say: the text is empty", details=[StringValue(value="text")])
    return StringValue(value=f"you said {request.value}")


@server.method("web.test.Kinds/Count")
def count(request: UInt32Value) -> Iterator[UInt32Value]:
    for number in range(1, request.value + 1):
        yield UInt32Value(value=number)


@server.method("web.test.Kinds/Add")
def add(requests: Iterator[UInt32Value]) -> UInt32Value:
    return UInt32Value(value=sum(request.value for request in requests))


@server.method("web.test.Kinds/Twice")
def twice_value(requests: Iterator[UInt32Value]) -> Iterator[UInt32Value]:
    for request in requests:
        yield UInt32Value(value=2 * request.value)


with server.serve("tcp://127.0.0.1:0") as running:
    print(running.endpoint, flush=True)
    for line in sys.stdin:
        if line.strip() == "drain":
            running.shutdown(50.0)
            print("drained", flush=True)

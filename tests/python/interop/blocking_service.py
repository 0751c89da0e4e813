# SPDX-License-Identifier: MIT
"""The conformance service as plain functions and generators."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import trunkline
from google.protobuf.wrappers_pb2 import StringValue
from trunkline import Context

from .boards import BlockingBoard
from .certificates import client_tls, server_tls
from .failures import MAX_MESSAGE_BYTES, echo_metadata, fail


def nothing() -> None:
    pass


def echo(request: bytes, context: Context) -> bytes:
    echo_metadata(context)
    return request


def echo_value(request: Any) -> Any:
    return request


def echo_text(request: StringValue) -> StringValue:
    return request


def make(size: bytes) -> bytes:
    return b"x" * int(size)


def compressions() -> Any:
    return None  # they are the core's


def fail_late(request: Any, context: Context) -> Iterator[Any]:
    echo_metadata(context)
    yield 1
    fail(request, context)


def fail_now(request: Any, context: Context) -> None:
    echo_metadata(context)
    fail(request, context)


def throw() -> None:
    raise ValueError("secret")


def sum_all(numbers: Iterator[int], context: Context) -> dict[str, int]:
    echo_metadata(context)
    taken = list(numbers)
    return {"count": len(taken), "sum": sum(taken)}


def sum_two(numbers: Iterator[int], context: Context) -> dict[str, int]:
    return sum_all(islice(numbers, 2), context)


def refuse(messages: Iterator[Any]) -> Any:
    next(messages)
    raise trunkline.FailedPrecondition("no more")


def count_up(size: int, context: Context) -> Iterator[int]:
    echo_metadata(context)
    yield from range(size)


def gather(messages: Iterator[bytes]) -> Iterator[bytes]:
    yield from list(messages)


def time_left(context: Context) -> Any:
    return context.time_left()


def nested(endpoint: str, context: Context) -> Any:
    own = context.time_left()
    with trunkline.Channel(endpoint, **client_tls()) as channel:
        return [own, channel.call("interop.Test/TimeLeft")]


def send_signal(number: int) -> None:
    os.kill(os.getpid(), number)


class WaitingMethods:
    """Handlers that report events and wait."""

    def __init__(self) -> None:
        self._board = BlockingBoard()

    def chat(self, messages: Iterator[bytes], context: Context) -> Iterator[bytes]:
        echo_metadata(context)
        for message in messages:
            if message.startswith(b"tell "):
                self._board.tell(message[5:].decode())
            yield message
        yield b"goodbye"

    def flood(self, name: bytes, context: Context) -> Iterator[bytes]:
        self._board.tell(f"{name.decode()} begun")
        try:
            while True:
                yield b"x" * (64 << 10)
        finally:
            if context.is_cancelled():
                self._board.tell(f"{name.decode()} cancelled")

    def hang(self, name: str, context: Context) -> None:
        self._board.tell(f"{name} begun", context.time_left())
        self._board.wait_until_cancelled(context)
        self._board.tell(f"{name} cancelled")

    def hang_stream(self, messages: Iterator[bytes], context: Context) -> Iterator[bytes]:
        name = context.metadata["name"]
        self._board.tell(f"{name!s} begun", context.time_left())
        try:
            yield from messages
        finally:
            if context.is_cancelled():
                self._board.tell(f"{name!s} cancelled")

    def hold(self, name: str, context: Context) -> Any:
        self._board.tell(f"{name} begun")
        return self._board.wait_for(name, context)

    def wait(self, name: str, context: Context) -> Any:
        return self._board.wait_for(name, context)

    def tell(self, event: Any) -> None:
        self._board.tell(event["name"], event["value"])


def make_server() -> trunkline.Server:
    waiting = WaitingMethods()
    server = trunkline.Server(threads=16, max_message_bytes=MAX_MESSAGE_BYTES, **server_tls())
    methods: dict[str, Callable[..., Any]] = {
        "Nothing": nothing,
        "Echo": echo,
        "EchoValue": echo_value,
        "EchoText": echo_text,
        "Make": make,
        "Compressions": compressions,
        "Fail": fail_now,
        "FailLate": fail_late,
        "Throw": throw,
        "Sum": sum_all,
        "SumTwo": sum_two,
        "Refuse": refuse,
        "Range": count_up,
        "Chat": waiting.chat,
        "Gather": gather,
        "Flood": waiting.flood,
        "Hang": waiting.hang,
        "HangStream": waiting.hang_stream,
        "Hold": waiting.hold,
        "Wait": waiting.wait,
        "Tell": waiting.tell,
        "TimeLeft": time_left,
        "Nested": nested,
        "Signal": send_signal,
    }
    for name, handler in methods.items():
        server.add(f"interop.Test/{name}", handler)
    return server

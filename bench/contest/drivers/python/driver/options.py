# SPDX-License-Identifier: MIT
"""The command line of a contestant's program."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

TAIL_PERIOD = 100
TAIL_DELAY_US = 5000


@dataclass(frozen=True)
class Options:
    serves: bool
    target: str
    work: str
    size: int
    connections: int
    outstanding: int
    seconds: float
    warmup: float
    busy_poll: bool
    uvloop: bool
    protocol: str

    @property
    def payload(self) -> bytes:
        return letters(self.size)


def letters(count: int) -> bytes:
    """Random ones, the same for every contestant and run."""
    state, made = 2463534242, bytearray(count)
    for index in range(count):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        made[index] = ord("a") + state % 26
    return bytes(made)


def parse(arguments: list[str] | None = None) -> Options:
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=("serve", "call"))
    parser.add_argument("--target", default="")
    parser.add_argument("--work", default="echo")
    parser.add_argument("--bytes", dest="size", type=int, default=8)
    parser.add_argument("--connections", type=int, default=1)
    parser.add_argument("--outstanding", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--warmup", type=float, default=0.2)
    parser.add_argument("--busy-poll", action="store_true")
    parser.add_argument("--uvloop", action="store_true", help="asyncio on uvloop")
    parser.add_argument("--protocol", default="", help="of the neutral client: grpc, connect or http1")
    chosen = vars(parser.parse_args(arguments))
    role = chosen.pop("role")
    if chosen["connections"] < 1 or chosen["outstanding"] < chosen["connections"]:
        parser.error("needs connections >= 1, outstanding >= connections")
    return Options(serves=role == "serve", **chosen)


def say_listening(target: object) -> None:
    print(f"listening on {target}", flush=True)


def wait_for_end_of_input() -> None:
    sys.stdin.read()


async def input_ended() -> None:
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def run(main: Callable[[], Coroutine[Any, Any, Any]], options: Options) -> Any:
    if options.uvloop:
        import uvloop

        return uvloop.run(main())
    return asyncio.run(main())

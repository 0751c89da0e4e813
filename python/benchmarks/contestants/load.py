# SPDX-License-Identifier: MIT
"""Load: what a client does, and functions for it that every contestant needs."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

METHOD = "bench.Echo/Say"


class Load(NamedTuple):
    """The load that a client makes: its calls, their messages, and its duration."""

    target: str
    size: int
    outstanding: int
    seconds: float

    @property
    def payload(self) -> bytes:
        return b"x" * self.size

    def going(self) -> Callable[[], bool]:
        """Returns a function that is True for ``seconds`` from now on."""
        end = time.perf_counter() + self.seconds
        return lambda: time.perf_counter() < end


def check(same: bool) -> None:
    if not same:
        raise SystemExit("a response is wrong")


async def wait_for_end_of_input() -> None:
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def run(main: Callable[[], Coroutine[Any, Any, Any]], uvloop: bool = False) -> Any:
    if uvloop:
        import uvloop as fast

        return fast.run(main())
    return asyncio.run(main())

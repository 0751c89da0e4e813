# SPDX-License-Identifier: MIT
"""Pace: when a client starts its next call, and what it has measured; one thread."""

from __future__ import annotations

import json
import random
import resource
import time
from collections.abc import Awaitable, Callable
from itertools import count

from driver.options import TAIL_PERIOD, Options


class WrongAnswer(Exception):
    """Ends the client with an error."""


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


#: With as many calls under way or more, the content of one answer in so many is compared.
SAMPLING = 16


class Pace:
    """``begin`` once everything is connected; a call then begins with ``start`` and ends with ``finish``."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._numbers = count()
        self._has_tail = options.work == "long_tail"
        self._compares_all = options.outstanding < SAMPLING or self._has_tail
        self._latencies: list[float] = []
        self._begin = self._end = 0.0
        self._cpu_at_begin = -1.0
        self._all_calls = 0
        self.is_over = False

    def begin(self) -> None:
        self._begin = time.perf_counter() + self._options.warmup
        self._end = self._begin + self._options.seconds

    def is_delayed(self) -> bool:
        """Asked once for each call of the work "long_tail"."""
        return self._has_tail and next(self._numbers) % TAIL_PERIOD == TAIL_PERIOD - 1

    def check(self, answer: bytes, expected: bytes) -> None:
        """Of each answer the size."""
        is_sampled = self._compares_all or random.random() < 1 / SAMPLING
        if len(answer) != len(expected) or (is_sampled and answer != expected):
            raise WrongAnswer("an answer is wrong")

    start = staticmethod(time.perf_counter)

    def finish(self, sent: float) -> bool:
        """False once the time is over: start nothing more."""
        now = time.perf_counter()
        self._all_calls += 1
        if now >= self._end:
            self.is_over = True
        elif now >= self._begin:
            if self._cpu_at_begin < 0:
                self._cpu_at_begin = cpu_seconds()
            self._latencies.append(now - sent)
        return not self.is_over

    def print(self) -> None:
        cpu = cpu_seconds() - max(0.0, self._cpu_at_begin)
        ordered = sorted(self._latencies)

        def us(share: float) -> float:
            return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1e6 if ordered else 0.0

        report = {
            "calls": len(ordered),
            "seconds": self._options.seconds,
            "all_calls": self._all_calls,
            "p50_us": us(0.5),
            "p95_us": us(0.95),
            "p99_us": us(0.99),
            "max_us": us(1.0),
            "cpu_seconds": cpu,
        }
        print(json.dumps(report), flush=True)


def keep_calling(pace: Pace, call: Callable[[], None]) -> None:
    """One call after the other."""
    pace.begin()
    going = True
    while going:
        sent = pace.start()
        call()
        going = pace.finish(sent)


async def keep_calling_aio(pace: Pace, call: Callable[[], Awaitable[None]]) -> None:
    """One call after the other; run as many times at once as there are to be calls outstanding, after ``begin``."""
    going = True
    while going:
        sent = pace.start()
        await call()
        going = pace.finish(sent)

# SPDX-License-Identifier: MIT
"""Many calls of one method under way at once, for code that blocks."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

from . import _core
from ._calls import Coding, coding_of


def map_calls(
    channel: _core.Channel,
    method: str,
    requests: Iterable[Any],
    response: Any,
    codec: str | None,
    size: int,
    return_exceptions: bool,
    settings: _core.CallSettings | None,
) -> Iterator[Any]:
    """The responses in order."""
    iterator = iter(requests)
    chunk = max(1, min(64, size // 4))
    coding: Coding | None = None
    window: _core.CallWindow | None = None
    clock = time.monotonic
    ended = False
    try:
        while True:
            batch: list[Any] = []
            if not ended:
                begun = clock()
                for request in iterator:
                    if coding is None:
                        coding = coding_of(type(request), response, codec)
                    batch.append(coding.encode(request))
                    # A slow source does not hold back what it has given.
                    if len(batch) == chunk or clock() - begun > 0.001:
                        break
                else:
                    ended = True
            if coding is None:
                return
            if window is None:
                window = channel.make_window(method, coding.codec, settings, size)
            outcomes = window.exchange(batch, ended)
            if ended and not outcomes:
                return
            decode = coding.decode
            for outcome in outcomes:
                if not isinstance(outcome, BaseException):
                    yield decode(outcome)
                elif return_exceptions:
                    yield outcome
                else:
                    raise outcome
    finally:
        if window is not None:
            window.cancel()


def calls_as_completed(
    channel: _core.Channel,
    method: str,
    requests: Iterable[Any],
    response: Any,
    codec: str | None,
    size: int,
    return_exceptions: bool,
    settings: _core.CallSettings | None,
) -> Iterator[tuple[int, Any]]:
    """(index of the request, response) in the order of their ends."""
    inbox = channel.make_inbox(False)
    under_way: dict[int, tuple[_core.ClientCall, Coding]] = {}

    def ended(outcomes: list[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        for index, outcome in outcomes:
            coding = under_way.pop(index)[1]
            if not isinstance(outcome, BaseException):
                yield index, coding.decode(outcome)
            elif return_exceptions:
                yield index, outcome
            else:
                raise outcome

    try:
        for index, request in enumerate(requests):
            coding = coding_of(type(request), response, codec)
            data = coding.encode(request)
            call = channel.begin(method, data, coding.codec, settings, False, inbox, index)
            under_way[index] = (call, coding)
            yield from ended(inbox.wait_and_take(float("inf") if len(under_way) >= size else 0.0))
        while under_way:
            yield from ended(inbox.wait_and_take(float("inf")))
    finally:
        for call, _ in under_way.values():
            call.cancel()

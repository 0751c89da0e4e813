# SPDX-License-Identifier: MIT
"""Many calls of one method under way at once, for code that blocks."""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import _core
from ._codecs import Codecs, Coding
from ._errors import RpcError
from ._futures import CallFuture
from ._messages import Decode


def map_calls(
    channel: _core.Channel,
    codecs: Codecs,
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
                        coding = codecs.coding(type(request), response, codec)
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
                yield _decoded(decode, outcome, return_exceptions)
    finally:
        if window is not None:
            window.cancel()


def calls_as_completed(
    channel: _core.Channel,
    codecs: Codecs,
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
            yield index, _decoded(coding.decode, outcome, return_exceptions)

    try:
        for index, request in enumerate(requests):
            coding = codecs.coding(type(request), response, codec)
            data = coding.encode(request)
            call = channel.begin(method, data, coding.codec, settings, False, inbox, index)
            under_way[index] = (call, coding)
            yield from ended(inbox.wait_and_take(float("inf") if len(under_way) >= size else 0.0))
        while under_way:
            yield from ended(inbox.wait_and_take(float("inf")))
    finally:
        for call, _ in under_way.values():
            call.cancel()


def _decoded(decode: Decode, outcome: Any, return_exceptions: bool) -> Any:
    try:
        if not isinstance(outcome, BaseException):
            return decode(outcome)
    except RpcError as error:
        outcome = error
    if return_exceptions:
        return outcome
    raise outcome


Submit = Callable[[Any], CallFuture[Any]]


def map_futures(submit: Submit, requests: Iterable[Any], size: int, return_exceptions: bool) -> Iterator[Any]:
    """As map_calls, for calls with interceptors."""
    under_way: deque[CallFuture[Any]] = deque()
    try:
        for request in requests:
            under_way.append(submit(request))
            while under_way and (len(under_way) >= size or under_way[0].done()):
                yield _outcome(under_way.popleft(), return_exceptions)
        while under_way:
            yield _outcome(under_way.popleft(), return_exceptions)
    finally:
        for future in under_way:
            future.cancel()


def futures_as_completed(
    submit: Submit, requests: Iterable[Any], size: int, return_exceptions: bool
) -> Iterator[tuple[int, Any]]:
    """As calls_as_completed, for calls with interceptors."""
    done: queue.SimpleQueue[CallFuture[Any]] = queue.SimpleQueue()
    under_way: dict[CallFuture[Any], int] = {}

    def next_one() -> tuple[int, Any]:
        future = done.get()
        return under_way.pop(future), _outcome(future, return_exceptions)

    try:
        for index, request in enumerate(requests):
            future = submit(request)
            under_way[future] = index
            future.add_done_callback(done.put)  # type: ignore[arg-type]
            while under_way and (len(under_way) >= size or not done.empty()):
                yield next_one()
        while under_way:
            yield next_one()
    finally:
        for future in under_way:
            future.cancel()


def _outcome(future: CallFuture[Any], return_exceptions: bool) -> Any:
    try:
        return future.result()
    except Exception as error:
        if not return_exceptions:
            raise
        return error

# SPDX-License-Identifier: MIT
"""Many calls of one method under way at once, for code that blocks."""

from __future__ import annotations

import itertools
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
    # Requests of another codec than those before have a window of their own.
    left: list[Any] = []
    while True:
        first = left.pop() if left else next(iterator, _END)
        if first is _END:
            return
        coding = codecs.coding(type(first), response, codec)
        window = channel.make_window(method, coding.codec, settings, size)

        def coding_of(kind: type[Any]) -> Coding:
            return codecs.coding(kind, response, codec)

        try:
            batches = _batches(itertools.chain((first,), iterator), coding.codec, coding_of, left, chunk)
            for batch in itertools.chain(batches, itertools.repeat(None)):
                outcomes = window.exchange(batch or [], batch is None)
                if batch is None and not outcomes:
                    break
                for outcome in outcomes:
                    yield _decoded(coding.decode, outcome, return_exceptions)
        finally:
            window.cancel()


#: What comes after the last request.
_END: Any = object()


def _batches(
    requests: Iterator[Any], codec: str, coding_of: Callable[[type[Any]], Coding], left: list[Any], most: int
) -> Iterator[list[Any]]:
    """Encoded requests in lists, up to one of another codec, which goes to ``left``."""
    clock = time.monotonic
    kind: type[Any] | None = None
    encode: Callable[[Any], Any] = bytes  # until there is a request
    batch: list[Any] = []
    begun = clock()
    for request in requests:
        if type(request) is not kind:
            kind = type(request)
            coding = coding_of(kind)
            if coding.codec != codec:
                left.append(request)
                break
            encode = coding.encode
        batch.append(encode(request))
        # A slow source does not hold back what it has given.
        if len(batch) == most or clock() - begun > 0.001:
            yield batch
            batch = []
            begun = clock()
    if batch:
        yield batch


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
        _core.cancel_all([call for call, _ in under_way.values()])


def _decoded(decode: Decode, outcome: Any, return_exceptions: bool) -> Any:
    try:
        if not isinstance(outcome, BaseException):
            return decode(outcome)
    except RpcError as error:
        outcome = error
    if return_exceptions and isinstance(outcome, Exception):
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

# SPDX-License-Identifier: MIT
"""Many concurrent calls of one method, for code that blocks: ``map`` and ``as_completed``."""

from __future__ import annotations

import itertools
import queue
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from .. import _core
from .._calls.requests import close_requests
from .._errors import RpcError
from .._messages.builtin_codecs import Decode
from .._messages.codec_table import CodecTable, MessageCoding
from .call_failure import CallFailure
from .futures import CallFuture
from .responses import Responses


class MappedCalls(Responses):
    """The responses of ``map_calls``, which come in lists. It decodes them itself, which saves a call for each."""

    def __init__(self, lists: Generator[tuple[Decode, list[Any]], None, None], return_exceptions: bool) -> None:
        """``lists`` yields outcomes, each list with the function that decodes its responses."""
        super().__init__(lists)
        self._return_exceptions = return_exceptions
        self._decode: Decode = bytes  # replaced with the first list
        self._outcomes: Iterator[Any] = iter(())

    def __next__(self) -> Any:
        outcome: Any = None
        is_of_call = False
        try:
            while True:
                for outcome in self._outcomes:
                    try:
                        if not isinstance(outcome, BaseException):
                            return self._decode(outcome)
                    except RpcError as error:
                        outcome = error
                    if self._return_exceptions and isinstance(outcome, Exception):
                        return outcome
                    is_of_call = isinstance(outcome, RpcError)
                    raise outcome
                more = next(self._yielded, None)
                if more is None:
                    break
                self._decode, outcomes = more
                self._outcomes = iter(outcomes)
        except BaseException as error:
            outcome = None  # the traceback of the error refers to this frame
            self._is_cut_off = True
            self.close()
            if isinstance(error, StopIteration):
                raise RuntimeError("decoding a response has raised StopIteration") from error
            # A signal handler that has raised meanwhile has taken the place of the error of the call.
            self._is_cut_off = not is_of_call
            raise
        self._check()
        raise StopIteration

    def close(self) -> None:
        self._outcomes = iter(())
        super().close()


def map_calls(
    channel: _core.Channel,
    codecs: CodecTable,
    method: str,
    requests: Iterable[Any],
    response: Any,
    codec: str | None,
    size: int,
    settings: _core.CallSettings | None,
) -> Generator[tuple[Decode, list[Any]], None, None]:
    """Yields lists of outcomes in the order of the requests. At most ``size`` calls are in progress."""
    iterator: Any = iter(requests)
    del requests
    chunk = max(1, min(64, size // 4))
    # A window has one codec. A request with another one is left for the next window.
    left: list[Any] = []
    try:
        while (first := left.pop() if left else next(iterator, _END)) is not _END:
            coding = codecs.coding(type(first), response, codec)
            window = channel.make_window(method, coding.codec, settings, size, coding.expects)

            def coding_of(kind: type[Any]) -> MessageCoding:
                return codecs.coding(kind, response, codec)

            try:
                batches = _batches(method, itertools.chain((first,), iterator), coding.codec, coding_of, left, chunk)
                for batch in itertools.chain(batches, itertools.repeat(None)):
                    outcomes = window.exchange(batch or [], batch is None)
                    if batch is None and not outcomes:
                        break
                    yield coding.decode, outcomes
            finally:
                window.cancel()
    finally:
        close_requests(iterator)
        iterator = None  # the traceback of an error refers to this frame


#: Stands for the end of the requests.
_END: Any = object()


def _batches(
    method: str,
    requests: Iterator[Any],
    codec: str,
    coding_of: Callable[[type[Any]], MessageCoding],
    left: list[Any],
    max_size: int,
) -> Iterator[list[Any]]:
    """Yields lists of encoded requests. A request with another codec than ``codec`` ends them and goes to ``left``."""
    clock = time.monotonic
    kind: type[Any] | None = None
    coding: MessageCoding | None = None
    encode: Callable[[Any], Any] = bytes  # replaced at the first request
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
        try:
            batch.append(encode(request))
        except Exception as error:
            assert coding is not None
            coding.fail(method, request, error)
        # Requests of a slow source are sent without waiting for a full batch.
        if len(batch) == max_size or clock() - begun > 0.001:
            yield batch
            batch = []
            begun = clock()
    if batch:
        yield batch


def calls_as_completed(
    channel: _core.Channel,
    codecs: CodecTable,
    method: str,
    requests: Iterable[Any],
    response: Any,
    codec: str | None,
    size: int,
    return_exceptions: bool,
    settings: _core.CallSettings | None,
) -> Generator[tuple[int, Any] | CallFailure, None, None]:
    """Yields (index of the request, response), or a CallFailure, in the order in which the calls end."""
    iterator: Any = iter(requests)
    del requests
    inbox = channel.make_inbox(False)
    in_flight: dict[int, tuple[_core.ClientCall, MessageCoding]] = {}

    def ended(outcomes: list[tuple[int, Any]]) -> Iterator[tuple[int, Any] | CallFailure]:
        outcome: Any = None
        try:
            for index, outcome in outcomes:
                coding = in_flight.pop(index)[1]
                outcome = _decoded(coding.decode, outcome, return_exceptions)
                yield outcome if type(outcome) is CallFailure else (index, outcome)
        finally:
            del outcomes, outcome  # the traceback of an error refers to this frame

    try:
        for index, request in enumerate(iterator):
            coding = codecs.coding(type(request), response, codec)
            data = coding.encoded(method, request)
            call = channel.begin(method, data, coding.codec, settings, coding.expects, inbox, index)
            in_flight[index] = (call, coding)
            yield from ended(inbox.wait_and_take(float("inf") if len(in_flight) >= size else 0.0))
        while in_flight:
            yield from ended(inbox.wait_and_take(float("inf")))
    finally:
        _core.cancel_all([call for call, _ in in_flight.values()])
        close_requests(iterator)
        iterator = None  # the traceback of an error refers to this frame


def _decoded(decode: Decode, outcome: Any, return_exceptions: bool) -> Any:
    """Returns the response, or a CallFailure; with ``return_exceptions`` it returns the error itself."""
    try:
        if not isinstance(outcome, BaseException):
            return decode(outcome)
    except RpcError as error:
        outcome = error
    return _failed(outcome, return_exceptions)


def _failed(error: BaseException, return_exceptions: bool) -> Any:
    """Does what ``_decoded`` does, for a call that has failed."""
    if return_exceptions and isinstance(error, Exception):
        return error
    if isinstance(error, RpcError):
        return CallFailure(error)
    try:
        raise error
    finally:
        del error  # its traceback refers to this frame


Submit = Callable[[Any], CallFuture[Any]]


def map_futures(
    submit: Submit, requests: Iterable[Any], size: int, return_exceptions: bool
) -> Generator[Any, None, None]:
    """Yields the responses, or a CallFailure, in the order of the requests, with futures, for calls with interceptors
    or an inherited deadline."""
    iterator: Any = iter(requests)
    del requests
    in_flight: deque[CallFuture[Any]] = deque()
    try:
        for request in iterator:
            in_flight.append(submit(request))
            while in_flight and (len(in_flight) >= size or in_flight[0].done()):
                yield _outcome(in_flight.popleft(), return_exceptions)
        while in_flight:
            yield _outcome(in_flight.popleft(), return_exceptions)
    finally:
        for future in in_flight:
            future.cancel()
        close_requests(iterator)
        iterator = None  # the traceback of an error refers to this frame


def futures_as_completed(
    submit: Submit, requests: Iterable[Any], size: int, return_exceptions: bool
) -> Generator[tuple[int, Any] | CallFailure, None, None]:
    """Does what ``calls_as_completed`` does, with futures, for calls with interceptors or an inherited deadline."""
    iterator: Any = iter(requests)
    del requests
    done: queue.SimpleQueue[CallFuture[Any]] = queue.SimpleQueue()
    in_flight: dict[CallFuture[Any], int] = {}

    def next_one() -> tuple[int, Any] | CallFailure:
        future = done.get()
        index = in_flight.pop(future)
        try:
            outcome = _outcome(future, return_exceptions)
            return outcome if type(outcome) is CallFailure else (index, outcome)
        finally:
            del future  # it holds the error, whose traceback refers to this frame

    try:
        for index, request in enumerate(iterator):
            future = submit(request)
            in_flight[future] = index
            future.add_done_callback(done.put)  # type: ignore[arg-type]
            while in_flight and (len(in_flight) >= size or not done.empty()):
                yield next_one()
        while in_flight:
            yield next_one()
    finally:
        for future in in_flight:
            future.cancel()
        close_requests(iterator)
        iterator = future = None  # type: ignore[assignment]  # as in calls_as_completed()


def _outcome(future: CallFuture[Any], return_exceptions: bool) -> Any:
    """Returns what ``_decoded`` returns, for a future."""
    error = future.exception()
    if error is None:
        return future.result()
    try:
        return _failed(error, return_exceptions)
    finally:
        del error, future  # the traceback refers to this frame

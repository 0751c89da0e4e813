# SPDX-License-Identifier: MIT
"""Generators of requests: they are closed with their call, where they were iterated over, and hide no outcome."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import itertools
import threading
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent import futures
from typing import Any

import pytest
import trunkline
import trunkline.grpc as drop_in
import trunkline.grpc.aio
from trunkline import aio

from .interception import Journal
from .waiting import wait_until

variable: contextvars.ContextVar[int] = contextvars.ContextVar("variable", default=0)


def make_server() -> trunkline.Server:
    server = trunkline.Server(threads=8)

    @server.method("a.B/Early")
    def early(requests: Iterator[bytes]) -> bytes:
        return next(requests)

    @server.method("a.B/Refused")
    def refused(requests: Iterator[bytes]) -> bytes:
        next(requests)
        raise trunkline.NotFound("nope")

    @server.method("a.B/Chat")
    def chat(requests: Iterator[bytes]) -> Iterator[bytes]:
        yield next(requests)
        raise trunkline.NotFound("nope")

    @server.method("a.B/Three")
    def three(request: bytes) -> bytes:
        if request == b"3":
            raise trunkline.NotFound("nope")
        return request

    return server


def make_waiting_server() -> trunkline.Server:
    """Returns a server whose methods read all requests before they respond."""
    server = trunkline.Server(threads=4)

    @server.method("a.B/Wait")
    def wait(requests: Iterator[bytes]) -> bytes:
        return b"".join(requests)

    @server.method("a.B/Waits")
    def waits(requests: Iterator[bytes]) -> Iterator[bytes]:
        yield b"".join(requests)

    return server


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with make_server().serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    """A server of the drop-in with the methods of ``make_server``."""

    def early(requests: Iterator[bytes], _: Any) -> bytes:
        return next(requests)

    def refused(requests: Iterator[bytes], context: Any) -> bytes:
        next(requests)
        context.abort(drop_in.StatusCode.NOT_FOUND, "nope")
        return b""

    def chat(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        yield next(requests)
        context.abort(drop_in.StatusCode.NOT_FOUND, "nope")

    server = drop_in.server(futures.ThreadPoolExecutor(8))
    handlers = {
        "Early": drop_in.stream_unary_rpc_method_handler(early),
        "Refused": drop_in.stream_unary_rpc_method_handler(refused),
        "Chat": drop_in.stream_stream_rpc_method_handler(chat),
    }
    server.add_generic_rpc_handlers((drop_in.method_handlers_generic_handler("a.B", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None)


class Source:
    """Requests without end, unless one of them is what no codec encodes, in several forms. It sees where it runs."""

    def __init__(self, message: Any = None, *, raises: BaseException | None = None) -> None:
        """``message``: the second one, instead of bytes. ``raises``: raised when it is closed."""
        self._message = message
        self._raises = raises
        self.closed = threading.Event()
        self.places: set[Any] = set()

    def _see(self) -> None:
        task = None
        with contextlib.suppress(RuntimeError):
            task = asyncio.current_task()
        self.places.add(task or threading.current_thread())

    def _messages(self) -> Iterator[Any]:
        for number in itertools.count():
            yield self._message if number == 1 and self._message is not None else b"%d" % number

    def generator(self) -> Iterator[Any]:
        self._see()
        token = variable.set(1)
        try:
            for message in self._messages():
                yield message
                self._see()
        finally:
            self._see()
            variable.reset(token)
            self.closed.set()
            if self._raises is not None:
                raise self._raises

    async def async_generator(self) -> AsyncIterator[Any]:
        self._see()
        token = variable.set(1)
        try:
            for message in self._messages():
                yield message
                await asyncio.sleep(0)
                self._see()
        finally:
            self._see()
            await asyncio.sleep(0)
            variable.reset(token)
            self.closed.set()
            if self._raises is not None:
                raise self._raises

    def iterable(self) -> Any:
        """An object whose ``__iter__`` is a generator function."""
        source = self

        class Iterable:
            def __iter__(self) -> Iterator[Any]:
                return source.generator()

        return Iterable()

    def async_iterable(self) -> Any:
        source = self

        class Iterable:
            def __aiter__(self) -> AsyncIterator[Any]:
                return source.async_generator()

        return Iterable()


Form = Callable[[Source], Any]
FORMS: list[Form] = [Source.generator, Source.iterable]
ASYNC_FORMS: list[Form] = [*FORMS, Source.async_generator, Source.async_iterable]

both_forms = pytest.mark.parametrize("form", FORMS)
all_forms = pytest.mark.parametrize("form", ASYNC_FORMS)
intercepted = pytest.mark.parametrize("interceptors", [[], [Journal()]], ids=["plain", "intercepted"])


@pytest.fixture(autouse=True)
def without_collector() -> Iterator[None]:
    """What is closed is not closed by the collector."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def outcome_of(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return error


async def outcome_of_async(call: Callable[[], Awaitable[Any]]) -> Any:
    try:
        return await call()
    except Exception as error:
        return error


def play(endpoint: str, call: Callable[[aio.Channel], Awaitable[Any]], **options: Any) -> Any:
    """Returns the outcome of a call with asyncio."""

    async def run() -> Any:
        async with aio.Channel(endpoint, **options) as channel:
            return await outcome_of_async(lambda: call(channel))

    return asyncio.run(run())


async def everything(responses: AsyncIterator[Any]) -> list[Any]:
    return [response async for response in responses]


# --- they are closed at once, in one task or thread ---


BLOCKING: dict[str, tuple[Callable[[trunkline.Channel, Any], Any], Any]] = {
    "early": (lambda channel, requests: channel.client_stream("a.B/Early", requests, bytes), b"0"),
    "refused": (lambda channel, requests: channel.client_stream("a.B/Refused", requests, bytes), trunkline.NotFound),
    "missing": (lambda channel, requests: channel.client_stream("a.B/Missing", requests), trunkline.Unimplemented),
    "exchange": (
        lambda channel, requests: list(channel.stream("a.B/Chat", bytes, bytes).exchange(requests)),
        trunkline.NotFound,
    ),
    "map": (lambda channel, requests: list(channel.map("a.B/Three", requests, bytes)), trunkline.NotFound),
    "as_completed": (
        lambda channel, requests: list(channel.as_completed("a.B/Three", requests, bytes)),
        trunkline.NotFound,
    ),
}

ASYNC: dict[str, tuple[Callable[[aio.Channel, Any], Awaitable[Any]], Any]] = {
    "early": (lambda channel, requests: channel.client_stream("a.B/Early", requests, bytes), b"0"),
    "typed": (lambda channel, requests: channel.client_stream("a.B/Early", requests, bytes, request=bytes), b"0"),
    "refused": (lambda channel, requests: channel.client_stream("a.B/Refused", requests, bytes), trunkline.NotFound),
    "missing": (lambda channel, requests: channel.client_stream("a.B/Missing", requests), trunkline.Unimplemented),
    "exchange": (
        lambda channel, requests: everything(channel.stream("a.B/Chat", bytes, bytes).exchange(requests)),
        trunkline.NotFound,
    ),
    "map": (lambda channel, requests: everything(channel.map("a.B/Three", requests, bytes)), trunkline.NotFound),
    "as_completed": (
        lambda channel, requests: everything(channel.as_completed("a.B/Three", requests, bytes)),
        trunkline.NotFound,
    ),
}


def check(outcome: Any, expected: Any) -> None:
    assert outcome == expected if isinstance(expected, bytes) else isinstance(outcome, expected), repr(outcome)


@intercepted
@both_forms
@pytest.mark.parametrize("call, expected", BLOCKING.values(), ids=BLOCKING)
@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_requests_are_closed(
    endpoint: str, scheme: str, call: Any, expected: Any, form: Form, interceptors: list[Any]
) -> None:
    source = Source()
    with trunkline.Channel(endpoint.replace("tcp", scheme), interceptors=interceptors) as channel:
        outcome = outcome_of(lambda: call(channel, form(source)))  # kept, with its traceback
        assert source.closed.wait(60)
    check(outcome, expected)
    assert len(source.places) == 1


@intercepted
@all_forms
@pytest.mark.parametrize("call, expected", ASYNC.values(), ids=ASYNC)
@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_requests_of_asyncio_are_closed(
    endpoint: str, scheme: str, call: Any, expected: Any, form: Form, interceptors: list[Any]
) -> None:
    source = Source()

    async def run(channel: aio.Channel) -> Any:
        outcome = await outcome_of_async(lambda: call(channel, form(source)))
        assert source.closed.is_set()
        return outcome

    check(play(endpoint.replace("tcp", scheme), run, interceptors=interceptors), expected)
    assert len(source.places) == 1
    assert variable.get() == 0


@both_forms
@pytest.mark.parametrize("kind", ["early", "exchange", "map", "as_completed"])
def test_requests_of_which_one_cannot_be_encoded_are_closed(endpoint: str, kind: str, form: Form) -> None:
    source = Source(object())
    with trunkline.Channel(endpoint) as channel:
        outcome = outcome_of(lambda: BLOCKING[kind][0](channel, form(source)))
        assert source.closed.wait(60)
    check(outcome, (TypeError, bytes) if kind == "early" else TypeError)  # the call may have ended before


@all_forms
@pytest.mark.parametrize("kind", ["typed", "exchange", "map", "as_completed"])
def test_requests_of_asyncio_of_which_one_cannot_be_encoded_are_closed(endpoint: str, kind: str, form: Form) -> None:
    source = Source(object())

    async def run(channel: aio.Channel) -> Any:
        outcome = await outcome_of_async(lambda: ASYNC[kind][0](channel, form(source)))
        assert source.closed.is_set()
        return outcome

    check(play(endpoint, run), (TypeError, bytes) if kind == "typed" else TypeError)


@both_forms
@pytest.mark.parametrize("is_dropped", [False, True], ids=["closed", "dropped"])
@pytest.mark.parametrize("kind", ["exchange", "map", "as_completed"])
def test_an_iterator_that_is_left_closes_its_requests(endpoint: str, kind: str, is_dropped: bool, form: Form) -> None:
    source = Source()
    with trunkline.Channel(endpoint) as channel:
        if kind == "exchange":
            responses: Any = channel.stream("a.B/Chat", bytes, bytes).exchange(form(source))
        else:
            responses = getattr(channel, kind)("a.B/Three", form(source), bytes, window=1)
        next(responses)
        assert not source.closed.is_set() or kind == "exchange"  # the call may have ended
        if not is_dropped:
            responses.close()
            with pytest.raises(StopIteration):
                next(responses)
        del responses
        assert source.closed.wait(60)


@all_forms
@pytest.mark.parametrize("is_dropped", [False, True], ids=["closed", "dropped"])
@pytest.mark.parametrize("kind", ["exchange", "map", "as_completed"])
def test_an_iterator_of_asyncio_that_is_left_closes_its_requests(
    endpoint: str, kind: str, is_dropped: bool, form: Form
) -> None:
    source = Source()

    async def run(channel: aio.Channel) -> None:
        if kind == "exchange":
            responses: Any = channel.stream("a.B/Chat", bytes, bytes).exchange(form(source))
        else:
            responses = getattr(channel, kind)("a.B/Three", form(source), bytes, window=1)
        await anext(responses)
        if not is_dropped:
            await responses.aclose()
            assert source.closed.is_set()
            with pytest.raises(StopAsyncIteration):
                await anext(responses)
        del responses
        assert await asyncio.to_thread(source.closed.wait, 60)

    assert play(endpoint, run) is None


# --- the drop-in ---


class Passing(
    drop_in.StreamUnaryClientInterceptor,
    drop_in.StreamStreamClientInterceptor,
):
    def intercept_stream_unary(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return continuation(client_call_details, request_iterator)

    def intercept_stream_stream(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return continuation(client_call_details, request_iterator)


class PassingUnary(drop_in.aio.StreamUnaryClientInterceptor):
    async def intercept_stream_unary(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return await continuation(client_call_details, request_iterator)


class PassingStream(drop_in.aio.StreamStreamClientInterceptor):
    async def intercept_stream_stream(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return await continuation(client_call_details, request_iterator)


DROP_IN: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "early": (lambda channel, requests: channel.stream_unary("/a.B/Early")(requests), b"0"),
    "refused": (lambda channel, requests: channel.stream_unary("/a.B/Refused")(requests), "NOT_FOUND"),
    "future": (lambda channel, requests: channel.stream_unary("/a.B/Refused").future(requests).result(), "NOT_FOUND"),
    "chat": (lambda channel, requests: list(channel.stream_stream("/a.B/Chat")(requests)), "NOT_FOUND"),
}


@pytest.mark.parametrize("is_intercepted", [False, True], ids=["plain", "intercepted"])
@pytest.mark.parametrize("raises", [None, ValueError("close failed")], ids=["closes well", "raises"])
@both_forms
@pytest.mark.parametrize("call, expected", DROP_IN.values(), ids=DROP_IN)
def test_requests_of_the_drop_in_are_closed(
    target: str, call: Any, expected: Any, form: Form, raises: Any, is_intercepted: bool
) -> None:
    source = Source(raises=raises)
    with drop_in.insecure_channel(target) as channel:
        through = drop_in.intercept_channel(channel, Passing()) if is_intercepted else channel
        outcome = outcome_of(lambda: call(through, form(source)))
        assert source.closed.wait(60)
    assert (outcome if isinstance(outcome, bytes) else outcome.code().name) == expected
    assert len(source.places) == 1


async def all_of(call: Any) -> list[Any]:
    return [response async for response in call]


async def awaited(call: Any) -> Any:
    return await call


DROP_IN_ASYNC: dict[str, tuple[Callable[[Any, Any], Awaitable[Any]], Any]] = {
    "early": (lambda channel, requests: awaited(channel.stream_unary("/a.B/Early")(requests)), b"0"),
    "refused": (lambda channel, requests: awaited(channel.stream_unary("/a.B/Refused")(requests)), "NOT_FOUND"),
    "chat": (lambda channel, requests: all_of(channel.stream_stream("/a.B/Chat")(requests)), "NOT_FOUND"),
}


@pytest.mark.parametrize("is_intercepted", [False, True], ids=["plain", "intercepted"])
@pytest.mark.parametrize("raises", [None, ValueError("close failed")], ids=["closes well", "raises"])
@all_forms
@pytest.mark.parametrize("call, expected", DROP_IN_ASYNC.values(), ids=DROP_IN_ASYNC)
def test_requests_of_the_drop_in_with_asyncio_are_closed(
    target: str, call: Any, expected: Any, form: Form, raises: Any, is_intercepted: bool
) -> None:
    source = Source(raises=raises)

    async def run() -> Any:
        interceptors = [PassingUnary(), PassingStream()] if is_intercepted else []
        async with drop_in.aio.insecure_channel(target, interceptors=interceptors) as channel:
            outcome = await outcome_of_async(lambda: call(channel, form(source)))
            assert await asyncio.to_thread(source.closed.wait, 60)
            return outcome

    outcome = asyncio.run(run())
    assert (outcome if isinstance(outcome, bytes) else outcome.code().name) == expected
    assert len(source.places) == 1


# --- what closing raises ---


@both_forms
@pytest.mark.parametrize("call, expected", BLOCKING.values(), ids=BLOCKING)
def test_what_closing_raises_is_logged(
    endpoint: str, call: Any, expected: Any, form: Form, caplog: pytest.LogCaptureFixture
) -> None:
    source = Source(raises=ValueError("close failed"))
    with trunkline.Channel(endpoint) as channel:
        check(outcome_of(lambda: call(channel, form(source))), expected)
        wait_until(lambda: "close failed" in caplog.text)
    assert {record.name for record in caplog.records} == {"trunkline"}


@all_forms
@pytest.mark.parametrize("call, expected", ASYNC.values(), ids=ASYNC)
def test_what_closing_raises_with_asyncio_is_logged(
    endpoint: str, call: Any, expected: Any, form: Form, caplog: pytest.LogCaptureFixture
) -> None:
    source = Source(raises=ValueError("close failed"))
    check(play(endpoint, lambda channel: call(channel, form(source))), expected)
    assert "close failed" in caplog.text
    assert {record.name for record in caplog.records} == {"trunkline"}


@pytest.mark.skipif(not hasattr(asyncio, "TaskGroup"), reason="Python 3.11 has it")
@pytest.mark.parametrize("kind", ["early", "typed", "refused", "exchange", "map"])
def test_a_generator_may_be_within_a_task_group_and_a_timeout(endpoint: str, kind: str) -> None:
    """The group raises a group of GeneratorExit when it is closed, which is no Exception."""
    call, expected = ASYNC[kind]

    async def requests() -> AsyncIterator[bytes]:
        async with asyncio.timeout(60), asyncio.TaskGroup():  # type: ignore[attr-defined,unused-ignore]
            for number in itertools.count():
                yield b"%d" % number

    check(play(endpoint, lambda channel: call(channel, requests())), expected)


# --- a close that takes long ---


@pytest.mark.parametrize("kind", ["early", "typed", "refused", "exchange", "map", "as_completed"])
def test_a_call_does_not_wait_for_a_close_that_takes_long(
    endpoint: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    call, expected = ASYNC[kind]

    async def run(channel: aio.Channel) -> Any:
        has_returned, closed = asyncio.Event(), asyncio.Event()

        async def requests() -> AsyncIterator[bytes]:
            try:
                for number in itertools.count():
                    yield b"%d" % number
            finally:
                await has_returned.wait()
                closed.set()
                raise LookupError("close failed")

        outcome = await outcome_of_async(lambda: call(channel, requests()))
        assert not closed.is_set()
        has_returned.set()
        gc.collect()  # the task that closes is kept
        await closed.wait()
        return outcome

    check(play(endpoint, run), expected)
    assert "close failed" in caplog.text


@pytest.mark.parametrize("kind", ["first", "waiting", "typed", "exchange"])
def test_a_cancellation_at_every_turn_does_not_interrupt_the_close(endpoint: str, kind: str) -> None:
    async def run(channel: aio.Channel) -> None:
        begun = asyncio.Event()
        log: list[str] = []

        async def requests() -> AsyncIterator[bytes]:
            try:
                if kind != "first":
                    yield b"0"
                begun.set()
                await asyncio.Event().wait()
            finally:
                for _ in range(20):
                    await asyncio.sleep(0)
                log.append("closed")

        async def exchange() -> None:
            async for _ in channel.stream("a.B/Waits", bytes, bytes).exchange(requests()):
                pass

        async def client_stream() -> None:
            options: Any = {"request": bytes} if kind == "typed" else {}
            await channel.client_stream("a.B/Wait", requests(), bytes, **options)

        task = asyncio.ensure_future(exchange() if kind == "exchange" else client_stream())
        await begun.wait()
        while not task.done():
            task.cancel()
            await asyncio.sleep(0)
        assert task.cancelled()
        while not log:
            await asyncio.sleep(0)

    with make_waiting_server().serve("tcp://127.0.0.1:0") as running:
        assert play(running.endpoint, run) is None


def test_what_the_requests_raise_before_the_end_is_raised(endpoint: str) -> None:
    """Only what closing them raises is logged."""

    async def failing() -> AsyncIterator[bytes]:
        yield b"0"
        raise LookupError("of the requests")

    for kind in ("typed", "exchange", "map", "as_completed"):
        call = ASYNC[kind][0]
        outcome = play(endpoint, lambda channel: call(channel, failing()))
        check(outcome, (LookupError, bytes, trunkline.NotFound))
        if kind in ("map", "as_completed"):
            check(outcome, LookupError)


@pytest.mark.parametrize("kind", ["wait", "typed", "exchange", "map", "as_completed"])
def test_requests_that_are_cancelled_by_themselves_do_not_seem_to_end(kind: str) -> None:
    """They wait for a task that another one has cancelled, for instance."""

    async def cancelled() -> AsyncIterator[bytes]:
        yield b"0"
        raise asyncio.CancelledError

    async def run(channel: aio.Channel) -> Any:
        requests = cancelled()
        if kind == "exchange":
            return await everything(channel.stream("a.B/Waits", bytes, bytes).exchange(requests))
        if kind in ("map", "as_completed"):
            return await everything(getattr(channel, kind)("a.B/Echo", requests, bytes))
        request: Any = bytes if kind == "typed" else Any
        return await channel.client_stream("a.B/Wait", requests, bytes, request=request)

    server = make_waiting_server()
    server.add("a.B/Echo", lambda request: request)
    with server.serve("tcp://127.0.0.1:0") as running:
        outcome = play(running.endpoint, run)

    assert isinstance(outcome, trunkline.Cancelled)
    assert "the requests were cancelled" in str(outcome)


# --- an ended call holds nothing ---


class Numbers:
    """Requests without end that are no generator."""

    def __init__(self) -> None:
        self._numbers = itertools.count()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return b"%d" % next(self._numbers)


class AsyncNumbers(Numbers):
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        await asyncio.sleep(0)
        return next(self)


def refused(requests: Any, call: Callable[[Any], Any]) -> list[Any]:
    """References to the requests and to the error that a call raises."""
    try:
        call(requests)
    except Exception as error:
        return [weakref.ref(requests), weakref.ref(error)]
    raise AssertionError("it has not failed")


def all_gone(references: list[Any]) -> bool:
    return all(reference() is None for reference in references)


@intercepted
@pytest.mark.parametrize("kind", ["refused", "exchange", "map", "as_completed"])
def test_an_ended_call_holds_nothing(endpoint: str, kind: str, interceptors: list[Any]) -> None:
    with trunkline.Channel(endpoint, interceptors=interceptors) as channel:
        references = refused(Numbers(), lambda requests: BLOCKING[kind][0](channel, requests))
        wait_until(lambda: all_gone(references))


@intercepted
@pytest.mark.parametrize("make", [Numbers, AsyncNumbers])
@pytest.mark.parametrize("kind", ["typed", "refused", "exchange", "map", "as_completed"])
def test_an_ended_call_of_asyncio_holds_nothing(
    endpoint: str, kind: str, make: Callable[[], Any], interceptors: list[Any]
) -> None:
    kind_to_fail = "a.B/Refused" if kind == "typed" else ""

    async def references_of(channel: aio.Channel) -> list[Any]:
        requests = make()
        try:
            if kind_to_fail:
                await channel.client_stream(kind_to_fail, requests, bytes, request=bytes)
            else:
                await ASYNC[kind][0](channel, requests)
        except trunkline.NotFound as error:
            return [weakref.ref(requests), weakref.ref(error)]
        raise AssertionError("it has not failed")

    async def run(channel: aio.Channel) -> None:
        references = await references_of(channel)
        while not all_gone(references):
            await asyncio.sleep(0)

    assert play(endpoint, run, interceptors=interceptors) is None


@pytest.mark.parametrize("is_unary", [True, False])
def test_an_ended_call_without_requests_holds_no_error(endpoint: str, is_unary: bool) -> None:
    async def reference_of(channel: aio.Channel) -> Any:
        try:
            if is_unary:
                await channel.call("a.B/Three", b"3", bytes)
            else:
                await everything(channel.server_stream("a.B/Chat", b"1", bytes))
        except trunkline.NotFound as error:
            return weakref.ref(error)

    async def run(channel: aio.Channel) -> None:
        reference = await reference_of(channel)
        await asyncio.sleep(0)  # the loop itself holds the future for this turn
        assert reference() is None

    assert play(endpoint, run) is None


@pytest.mark.parametrize("kind", ["early", "refused"])
def test_an_ended_call_of_the_drop_in_holds_nothing(target: str, kind: str) -> None:
    """The calls that are their own errors, as grpcio's, refer to the frames of their callers by their tracebacks."""
    requests = Numbers()
    reference = weakref.ref(requests)
    with drop_in.insecure_channel(target) as channel:
        with contextlib.suppress(drop_in.RpcError):
            DROP_IN[kind][0](channel, requests)
        del requests
        wait_until(lambda: reference() is None)


@pytest.mark.parametrize("make", [Numbers, AsyncNumbers])
@pytest.mark.parametrize("kind", list(DROP_IN_ASYNC))
def test_an_ended_call_of_the_drop_in_with_asyncio_holds_nothing(
    target: str, kind: str, make: Callable[[], Any]
) -> None:
    async def reference_to_requests(channel: Any) -> Any:
        requests = make()
        with contextlib.suppress(drop_in.RpcError):
            await DROP_IN_ASYNC[kind][0](channel, requests)
        return weakref.ref(requests)

    async def run() -> None:
        async with drop_in.aio.insecure_channel(target) as channel:
            reference = await reference_to_requests(channel)
            while reference() is not None:
                await asyncio.sleep(0)

    asyncio.run(run())

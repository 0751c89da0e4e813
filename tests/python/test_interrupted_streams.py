# SPDX-License-Identifier: MIT
"""Streams of blocking clients that signal handlers interrupt: no message is lost, no end is false, and no read is
refused."""

from __future__ import annotations

import contextlib
import dis
import functools
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent import futures
from types import CodeType, FrameType
from typing import Any

import pytest
import trunkline
import trunkline.grpc as drop_in
from trunkline._sync import request_writer

from .interception import Journal
from .waiting import wait_until

#: A signal handler may raise in a destructor or in the callback of a weak reference, where its exception is only
#: reported.
pytestmark = pytest.mark.filterwarnings("ignore:(?s).*Interruption:pytest.PytestUnraisableExceptionWarning")

MESSAGES = 10_000

#: Python 3.10 also runs handlers when a function of Python returns, and the test itself would lose what it returns.
runs_handlers_as_functions_return = pytest.mark.skipif(sys.version_info < (3, 11), reason="handlers run anywhere")


class Interruption(Exception):
    pass


class Alarm:
    """Raises Interruption again and again while it is on, wherever the main thread is."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.count = 0
        self._is_on = False

    def _ring(self, *_: object) -> None:
        if self._is_on:
            self._is_on = False
            self.count += 1
            raise Interruption

    def __enter__(self) -> Alarm:
        self._is_on = False
        self._before = signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, self._seconds, self._seconds)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_on = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    def interrupted(self, read: Callable[[], Any]) -> Any:
        """What ``read`` returns or raises, after as many attempts as it takes."""
        while True:
            try:
                self._is_on = True
                message = read()
                self._is_on = False
                return message
            except Interruption:
                continue
            finally:
                self._is_on = False


    def interrupts(self, read: Callable[[], Any]) -> None:
        """Fails unless ``read`` is interrupted, at once or after a while."""
        try:
            self._is_on = True
            read()
        except Interruption:
            return
        finally:
            self._is_on = False
        pytest.fail("it has not been interrupted")


def numbers(count: int) -> Iterator[bytes]:
    for number in range(count):
        yield b"%d" % number


def make_server() -> trunkline.Server:
    server = trunkline.Server(threads=4)

    @server.method("tell")
    def tell(count: int) -> Iterator[bytes]:
        yield from numbers(count)

    @server.method("echo")
    def echo(requests: Iterator[bytes]) -> Iterator[bytes]:
        yield from requests

    @server.method("first")
    def first(requests: Iterator[bytes]) -> Iterator[bytes]:
        yield next(requests)

    @server.method("same")
    def same(request: bytes) -> bytes:
        return request

    return server


@pytest.fixture
def endpoint() -> Iterator[str]:
    with make_server().serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


@contextlib.contextmanager
def drop_in_channel() -> Iterator[Any]:
    def tell(request: bytes, _: Any) -> Iterator[bytes]:
        yield from numbers(int(request))

    server = drop_in.server(futures.ThreadPoolExecutor(4))
    handlers = {"tell": drop_in.unary_stream_rpc_method_handler(tell)}
    server.add_generic_rpc_handlers((drop_in.method_handlers_generic_handler("a.B", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with drop_in.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield channel
    server.stop(None)


@runs_handlers_as_functions_return
@pytest.mark.parametrize("interceptors", [[], [Journal()]], ids=["plain", "intercepted"])
@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_interrupted_reads_lose_nothing(endpoint: str, scheme: str, interceptors: list[Any]) -> None:
    with trunkline.Channel(endpoint.replace("tcp", scheme), interceptors=interceptors) as channel:
        with channel.server_stream("tell", MESSAGES, bytes) as stream, Alarm(0.0003) as alarm:
            seen = [alarm.interrupted(stream.read) for _ in range(MESSAGES)]
            with pytest.raises(EOFError):
                alarm.interrupted(stream.read)
    assert seen == list(numbers(MESSAGES))


@runs_handlers_as_functions_return
def test_interrupted_reads_of_the_drop_in_lose_nothing() -> None:
    with drop_in_channel() as channel, Alarm(0.0003) as alarm:
        call = channel.unary_stream("/a.B/tell")(b"%d" % MESSAGES)
        seen = [alarm.interrupted(call.next) for _ in range(MESSAGES)]
        with pytest.raises(StopIteration):
            alarm.interrupted(call.next)
    assert seen == list(numbers(MESSAGES))


@runs_handlers_as_functions_return
def test_interrupted_reads_of_an_exchange_lose_nothing(endpoint: str) -> None:
    count = MESSAGES // 5
    with trunkline.Channel(endpoint) as channel, Alarm(0.0005) as alarm:
        responses = channel.stream("echo", bytes, bytes).exchange(numbers(count))
        seen = [next(responses)]  # an interrupted start of a thread is reported by Python itself
        seen += [alarm.interrupted(responses.__next__) for _ in range(1, count)]
        with pytest.raises(StopIteration):
            alarm.interrupted(responses.__next__)
    assert seen == list(numbers(count))


class InterruptedOnce:
    """Lets a signal arrive inside a function of the core, whose handler raises as the function returns."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._is_armed = True

    def __call__(self, *arguments: Any) -> Any:
        result = self._function(*arguments)
        if self._is_armed:
            self._is_armed = False
            os.kill(os.getpid(), signal.SIGALRM)
        return result


@pytest.mark.parametrize("has_come", [False, True])
def test_a_signal_while_a_read_begins_does_not_drop_the_read(endpoint: str, has_come: bool) -> None:
    with trunkline.Channel(endpoint) as channel, Alarm(1000) as alarm:
        with channel.stream("echo", bytes, bytes) as stream:
            if has_come:
                stream.write(b"0")
            reads = stream._call._reads
            reads._begin = InterruptedOnce(reads._begin)
            alarm.interrupts(stream.read)
            if not has_come:
                stream.write(b"0")
            assert stream.read() == b"0"
            stream.write(b"1")
            assert stream.read() == b"1"


def test_a_signal_while_a_failed_read_ends_leaves_no_coroutine(endpoint: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with trunkline.Channel(endpoint) as channel, Alarm(0.0002) as alarm:
            for _ in range(300):
                stream = channel.server_stream("missing", response=bytes)
                with pytest.raises(trunkline.Unimplemented):
                    alarm.interrupted(stream.read)


def test_a_read_that_a_signal_interrupts_leaves_the_call_as_it_is(endpoint: str) -> None:
    with trunkline.Channel(endpoint) as channel, Alarm(0.01) as alarm:
        with channel.stream("echo", bytes, bytes) as stream:
            for number in numbers(20):
                alarm.interrupts(stream.read)
                stream.write(number)
                assert stream.read() == number


def test_an_exchange_goes_on_after_an_interruption(endpoint: str) -> None:
    asked = threading.Semaphore(0)

    def requests() -> Iterator[bytes]:
        for number in numbers(10):
            asked.acquire()
            yield number

    with trunkline.Channel(endpoint) as channel, Alarm(0.01) as alarm:
        responses = channel.stream("echo", bytes, bytes).exchange(requests())
        for number in numbers(10):
            alarm.interrupts(responses.__next__)
            asked.release()
            assert next(responses) == number
        with pytest.raises(StopIteration):
            next(responses)


@pytest.mark.parametrize("interceptors", [[], [Journal()]], ids=["plain", "intercepted"])
@pytest.mark.parametrize("kind", ["map", "as_completed"])
def test_many_calls_that_are_interrupted_do_not_seem_to_have_ended(kind: str, interceptors: list[Any]) -> None:
    released = threading.Event()
    server = trunkline.Server(threads=2)

    @server.method("wait")
    def wait(request: int) -> int:
        released.wait(60)
        return request

    try:
        with server.serve("tcp://127.0.0.1:0") as running:
            with trunkline.Channel(running.endpoint, interceptors=interceptors) as channel, Alarm(0.02) as alarm:
                responses = getattr(channel, kind)("wait", range(10), int)
                alarm.interrupts(responses.__next__)
                for _ in range(2):
                    with pytest.raises(trunkline.Cancelled):
                        next(responses)
                released.set()
    finally:
        released.set()


@pytest.mark.parametrize("kind", ["map", "as_completed"])
def test_many_calls_whose_requests_raise_do_not_seem_to_have_ended(endpoint: str, kind: str) -> None:
    def requests() -> Iterator[bytes]:
        yield b"0"
        raise LookupError("of the requests")

    with trunkline.Channel(endpoint) as channel:
        responses = getattr(channel, kind)("same", requests(), bytes)
        with pytest.raises(LookupError):
            list(responses)
        with pytest.raises(trunkline.Cancelled):
            next(responses)


# --- the failure of requests, at an interruption ---


class InterruptedEvent(threading.Event):
    """An event at which the first wait is interrupted."""

    def __init__(self) -> None:
        super().__init__()
        self.is_interrupted = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        if not self.is_interrupted.is_set():
            self.is_interrupted.set()
            raise KeyboardInterrupt
        return super().wait(timeout)


@pytest.mark.parametrize("interceptors", [[], [Journal()]], ids=["plain", "intercepted"])
@pytest.mark.parametrize("is_before", [False, True])
def test_an_interruption_at_the_end_does_not_hide_what_the_requests_raise(
    endpoint: str, is_before: bool, interceptors: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They raise before the interruption, or after it."""
    monkeypatch.setattr(request_writer, "_END_TIMEOUT", 60.0)
    ended = InterruptedEvent()
    with trunkline.Channel(endpoint, interceptors=interceptors) as channel:
        stream = channel.stream("first", bytes, bytes)

        def requests() -> Iterator[bytes]:
            yield b"0"
            if is_before:
                wait_until(lambda: stream._call.has_ended)
            else:
                ended.is_interrupted.wait()
            raise LookupError("of the requests")

        responses: Any = stream.exchange(requests())
        responses._writer._has_ended = ended
        assert next(responses) == b"0"
        with pytest.raises(KeyboardInterrupt):
            next(responses)
        with pytest.raises(LookupError, match="of the requests"):
            next(responses)
        for _ in range(2):
            with pytest.raises(trunkline.Cancelled):
                next(responses)


# --- an interruption at each place where the interpreter runs signal handlers ---


@functools.lru_cache(maxsize=None)
def opcodes_of(code: CodeType) -> dict[int, str]:
    return {each.offset: each.opname for each in dis.get_instructions(code)}


class InterruptedAt:
    """Raises Interruption at one of the places in the package where the interpreter runs signal handlers: after a call,
    at the begin of a function and of the next turn of a loop."""

    def __init__(self, place: int) -> None:
        """``place`` is the number of places that are passed first."""
        self._place = place
        self.passed = 0
        self._last: tuple[FrameType | None, str] = (None, "")

    def __enter__(self) -> InterruptedAt:
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if PACKAGE not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            before, opcode = self._last
            self._last = frame, opcodes_of(frame.f_code).get(frame.f_lasti, "")
            if before is frame and opcode.startswith(("CALL", "RESUME", "JUMP_BACKWARD")):
                self._pass()
        return self._trace

    def _pass(self) -> None:
        self.passed += 1
        if self.passed == self._place + 1:
            raise Interruption


PACKAGE = os.path.dirname(trunkline.__file__) + os.sep


def places_of(operation: Callable[[], Any]) -> range:
    """Runs an operation without interruption. Returns the places at which it could have been interrupted."""
    with InterruptedAt(sys.maxsize) as interruption:
        operation()
    assert interruption.passed
    return range(interruption.passed)


def interrupt_at(place: int, operation: Callable[[], Any]) -> None:
    """Runs an operation and interrupts it at the place, or while it waits in the core, if it does that before."""
    with InterruptedAt(place), Alarm(0.05) as alarm, contextlib.suppress(Interruption):
        alarm._is_on = True
        operation()


#: The tracing sees the creation of a coroutine as a call, after which no signal handler runs in fact.
interrupted_anywhere = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")

@contextlib.contextmanager
def gathering() -> Iterator[tuple[str, threading.Semaphore]]:
    """Yields the endpoint of a server that responds to the requests of a stream once the semaphore is released."""
    server = trunkline.Server(threads=2)
    may_respond = threading.Semaphore(0)

    @server.method("gather")
    def gather(requests: Iterator[bytes]) -> Iterator[list[bytes]]:
        gathered = list(requests)
        may_respond.acquire()
        yield gathered

    try:
        with server.serve("tcp://127.0.0.1:0") as running:
            yield running.endpoint, may_respond
    finally:
        may_respond.release(1000)


class LateResolver(trunkline.Resolver):
    """Names the server once the test says so. Until then no stream has room for a message."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._updates: trunkline.ResolverUpdates | None = None
        self._may_name = False

    def start(self, updates: trunkline.ResolverUpdates) -> None:
        with self._lock:
            self._updates = updates
            if self._may_name:
                updates.update([self._server])

    def name_server(self) -> None:
        with self._lock:
            self._may_name = True
            if self._updates is not None:
                self._updates.update([self._server])


@interrupted_anywhere
@pytest.mark.parametrize("interceptors", [[], [Journal()]], ids=["plain", "intercepted"])
@pytest.mark.parametrize("scheme", ["own", "grpc+own"])
def test_a_write_that_is_interrupted_anywhere_is_not_sent_and_not_in_the_way(
    scheme: str, interceptors: list[Any]
) -> None:
    with gathering() as (endpoint, may_respond):
        may_respond.release(1000)

        @contextlib.contextmanager
        def opened() -> Iterator[tuple[LateResolver, Any]]:
            resolver = LateResolver(endpoint)
            resolvers: Any = {"own": lambda target: resolver}
            with trunkline.Channel(f"{scheme}:///name", resolvers=resolvers, interceptors=interceptors) as channel:
                with channel.stream("gather", bytes, list[bytes], wait_for_ready=True) as stream:
                    yield resolver, stream

        with opened() as (resolver, stream):
            resolver.name_server()
            places = places_of(lambda: stream.write(b"message"))
        for place in places:
            with opened() as (resolver, stream):
                interrupt_at(place, lambda: stream.write(b"given up"))
                resolver.name_server()
                stream.write(b"message")
                stream.close_writes()
                assert stream.read() == [b"message"]
                stream.finish()


@interrupted_anywhere
@pytest.mark.parametrize("interceptors", [[], [Journal()]], ids=["plain", "intercepted"])
@pytest.mark.parametrize("operation", ["close_writes", "finish"])
def test_an_operation_that_is_interrupted_anywhere_may_be_repeated(operation: str, interceptors: list[Any]) -> None:
    with gathering() as (endpoint, may_respond):
        with trunkline.Channel(endpoint, interceptors=interceptors) as channel:
            with channel.stream("gather", bytes, list[bytes]) as stream:
                may_respond.release()
                if operation == "finish":
                    stream.close_writes()
                places = places_of(getattr(stream, operation))
                assert stream.read() == []
            for place in places:
                with channel.stream("gather", bytes, list[bytes]) as stream:
                    stream.write(b"message")
                    interrupt_at(place, getattr(stream, operation))
                    if operation == "finish":
                        interrupt_at(sys.maxsize, stream.finish)  # it waits, and is not refused
                    may_respond.release()
                    stream.close_writes()
                    assert stream.read() == [b"message"]
                    stream.finish()


@interrupted_anywhere
def test_a_wait_for_metadata_that_is_interrupted_anywhere_may_be_repeated() -> None:
    may_send = threading.Semaphore(0)

    def tell(_: bytes, context: Any) -> Iterator[bytes]:
        may_send.acquire()
        context.send_initial_metadata((("sent", "first"),))
        yield b"message"

    server = drop_in.server(futures.ThreadPoolExecutor(4))
    handlers = {"tell": drop_in.unary_stream_rpc_method_handler(tell)}
    server.add_generic_rpc_handlers((drop_in.method_handlers_generic_handler("a.B", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with drop_in.insecure_channel(f"127.0.0.1:{port}") as channel:
            method = channel.unary_stream("/a.B/tell")
            may_send.release()
            for place in places_of(method(b"").initial_metadata):
                call = method(b"")
                interrupt_at(place, call.initial_metadata)
                may_send.release()
                assert dict(call.initial_metadata())["sent"] == "first"
                assert list(call) == [b"message"]
    finally:
        may_send.release(1000)
        server.stop(None)


@pytest.mark.parametrize("kind", ["map", "as_completed"])
def test_many_calls_that_are_interrupted_anywhere_lose_no_response(endpoint: str, kind: str) -> None:
    """The iterator raises errors from then on, or has not begun."""
    expected: list[Any] = list(numbers(3)) if kind == "map" else list(enumerate(numbers(3)))
    with trunkline.Channel(endpoint) as channel:

        def responses_to(requests: Iterator[bytes]) -> Iterator[Any]:
            responses: Iterator[Any] = getattr(channel, kind)("same", requests, bytes)
            return responses

        for place in places_of(responses_to(numbers(3)).__next__):
            responses = responses_to(numbers(3))
            read: list[Any] = []
            with InterruptedAt(place), contextlib.suppress(Interruption):
                read.append(next(responses))  # it may pass fewer places than the first time
            try:
                assert sorted(read + list(responses)) == expected
            except trunkline.Cancelled:
                with pytest.raises(trunkline.Cancelled):
                    next(responses)


class Unwanted:
    def acquire(self, *_: Any, **__: Any) -> bool:
        raise AssertionError("a lock is waited for that an interruption may have left taken")


def test_a_wait_for_the_requests_that_is_interrupted_anywhere_keeps_no_further_wait() -> None:
    def ended() -> request_writer._End:
        end = request_writer._End()
        end.set()
        return end

    for place in places_of(lambda: ended().wait(60.0)):
        end = ended()
        interrupt_at(place, functools.partial(end.wait, 60.0))
        # The interruption may have left the lock taken, and so nobody may want it.
        end._awaited = Unwanted()  # type: ignore[assignment]
        end.wait(60.0)

# SPDX-License-Identifier: MIT
"""Streams of blocking clients that signal handlers interrupt: no message is lost, no end is false, no read is refused."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import pytest
import trunkline
import trunkline.grpc as drop_in

from .interception import Journal

#: A signal handler may raise in a destructor or in the callback of a weak reference, where its exception is only reported.
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

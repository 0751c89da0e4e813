# SPDX-License-Identifier: MIT
"""Handlers whose functions are marked by the attributes that grpcio calls experimental: they send responses by a
callback, or run in a pool of their own."""

from __future__ import annotations

import contextlib
import contextvars
import gc
import threading
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import pytest

import trunkline.grpc

from .pairs import SOON, Pair
from .test_served_contexts import KINDS, outcome

STREAMS = ("unary_stream", "stream_stream")


def non_blocking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function that sends its responses by a callback."""
    function.experimental_non_blocking = True  # type: ignore[attr-defined]
    return function


def in_pool(function: Callable[..., Any], pool: Any) -> Callable[..., Any]:
    """Marks a function that runs in a pool of its own."""
    function.experimental_thread_pool = pool  # type: ignore[attr-defined]
    return function


@pytest.fixture
def pool() -> Iterator[futures.ThreadPoolExecutor]:
    """A pool with one thread, whose name begins with ``own``."""
    with futures.ThreadPoolExecutor(1, thread_name_prefix="own") as made:
        yield made


@contextlib.contextmanager
def serving(module: Any, handlers: dict[str, Any], threads: int = 1, **options: Any) -> Iterator[Any]:
    """Serves the methods of the service ``S``. Yields the server and its target."""
    server = module.server(futures.ThreadPoolExecutor(threads), **options)
    server.add_generic_rpc_handlers((module.method_handlers_generic_handler("S", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield server, f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait(SOON)


@contextlib.contextmanager
def calling(pair: Pair, kind: str, behavior: Callable[..., Any], **options: Any) -> Iterator[Any]:
    """Serves the method ``/S/M`` by a function. Yields the client's channel."""
    handler = getattr(pair.server, f"{kind}_rpc_method_handler")(behavior)
    with serving(pair.server, {"M": handler}, **options) as (_, target):
        with pair.client.insecure_channel(target) as channel:
            yield channel


def begin(channel: Any, kind: str, timeout: float = SOON) -> Any:
    """Begins a call, whose responses are an iterator or a future."""
    method = getattr(channel, kind)("/S/M")
    request = iter([b"x"]) if kind.startswith("stream") else b"x"
    start = method.future if kind.endswith("unary") else method
    return start(request, timeout=timeout, metadata=(("who", "me"),))


def occupy(pool: futures.ThreadPoolExecutor, released: threading.Event) -> None:
    """Occupies the only thread of a pool until the event is set."""
    begun = threading.Event()

    def wait() -> None:
        begun.set()
        released.wait(SOON)

    pool.submit(wait)
    assert begun.wait(SOON)


def until(condition: Callable[[], Any]) -> None:
    """Waits until it holds."""
    end = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


class Opened:
    """A function whose calls stay open. It keeps what it was given, and has a callback of each call."""

    experimental_non_blocking = True

    def __init__(self) -> None:
        self.calls: list[tuple[Any, Any]] = []
        self.entered = threading.Semaphore(0)
        self.ended = threading.Semaphore(0)

    def __call__(self, request: Any, context: Any, respond: Any) -> None:
        assert context.add_callback(self.ended.release)
        self.calls.append((context, respond))
        self.entered.release()

    def next_call(self) -> tuple[Any, Any]:
        assert self.entered.acquire(timeout=SOON)
        return self.calls.pop(0)


# --- responses by a callback ---


@pytest.mark.parametrize("kind", STREAMS)
def test_responses_before_the_function_returns(pair: Pair, kind: str) -> None:
    seen: list[Any] = []

    @non_blocking
    def respond_twice(request: Any, context: Any, respond: Any) -> str:
        seen.extend(request if kind.startswith("stream") else [request])
        respond(b"first")
        respond(b"second")
        respond(None)
        return "which nobody reads"

    with calling(pair, kind, respond_twice) as channel:
        for _ in range(3):
            assert outcome(pair.client, channel, kind) == ([b"first", b"second"], "OK", "")
    assert seen == [b"x"] * 3


@pytest.mark.parametrize("kind", STREAMS)
def test_responses_of_another_thread_after_the_function_has_returned(pair: Pair, kind: str) -> None:
    """Each open call would hold the only thread of the server if its function waited."""
    opened = Opened()

    with calling(pair, kind, opened) as channel:
        calls = [begin(channel, kind) for _ in range(3)]
        served = [opened.next_call() for _ in calls]
        for context, respond in served:
            assert context.is_active() and 0 < context.time_remaining() <= SOON + 1
            respond(b"first")
        for call in calls:
            assert next(call) == b"first"
        for context, respond in served:
            context.set_trailing_metadata((("a", "b"),))
            respond(b"last")
            respond(None)
        for call in calls:
            assert list(call) == [b"last"]
            assert [tuple(each) for each in call.trailing_metadata()] == [("a", "b")]
            assert opened.ended.acquire(timeout=SOON)
        assert not any(context.is_active() for context, _ in served)


def test_a_stream_ends_without_responses(pair: Pair) -> None:
    opened = Opened()

    with calling(pair, "unary_stream", opened) as channel:
        call = begin(channel, "unary_stream")
        context, respond = opened.next_call()
        context.send_initial_metadata((("a", "b"),))
        assert [tuple(each) for each in call.initial_metadata()] == [("a", "b")]
        respond(None)
        assert list(call) == []


def test_the_requests_of_an_open_call_are_read_elsewhere(pair: Pair) -> None:
    def echo(requests: Iterator[bytes], respond: Any) -> None:
        for request in requests:
            respond(request)
        respond(None)

    @non_blocking
    def begin_echo(requests: Iterator[bytes], context: Any, respond: Any) -> None:
        threading.Thread(target=echo, args=(requests, respond)).start()

    with calling(pair, "stream_stream", begin_echo) as channel:
        call = channel.stream_stream("/S/M")(iter([b"a", b"b", b"c"]), timeout=SOON)
        assert list(call) == [b"a", b"b", b"c"]


def test_the_status_is_that_of_the_context(pair: Pair) -> None:
    opened = Opened()

    with calling(pair, "unary_stream", opened) as channel:
        call = begin(channel, "unary_stream")
        context, respond = opened.next_call()
        context.set_code(pair.server.StatusCode.NOT_FOUND)
        context.set_details("nobody")
        respond(b"first")
        respond(None)
        assert next(call) == b"first"
        assert (call.code(), call.details()) == (pair.client.StatusCode.NOT_FOUND, "nobody")


@pytest.mark.parametrize("first", [[], [b"first"]])
def test_an_exception_ends_the_call(pair: Pair, first: list[bytes]) -> None:
    @non_blocking
    def fail(request: Any, context: Any, respond: Any) -> None:
        for response in first:
            respond(response)
        raise ValueError("no")

    with calling(pair, "unary_stream", fail) as channel:
        found = outcome(pair.client, channel, "unary_stream")
    assert found == (first, "UNKNOWN", "Exception calling application: no")


def test_an_abort_ends_the_call(pair: Pair) -> None:
    @non_blocking
    def refuse(request: Any, context: Any, respond: Any) -> None:
        context.abort(pair.server.StatusCode.ABORTED, "no")

    with calling(pair, "unary_stream", refuse) as channel:
        assert outcome(pair.client, channel, "unary_stream") == ([], "ABORTED", "no")


def test_an_abort_of_another_thread_is_the_status(pair: Pair) -> None:
    opened = Opened()

    with calling(pair, "unary_stream", opened) as channel:
        call = begin(channel, "unary_stream")
        context, respond = opened.next_call()
        with pytest.raises(Exception):
            context.abort(pair.server.StatusCode.ABORTED, "no")
        respond(None)
        assert (call.code(), call.details()) == (pair.client.StatusCode.ABORTED, "no")


@pytest.mark.parametrize("kind", STREAMS)
def test_the_client_cancels_an_open_call(pair: Pair, kind: str) -> None:
    opened = Opened()

    with calling(pair, kind, opened) as channel:
        call = begin(channel, kind)
        context, respond = opened.next_call()
        call.cancel()
        assert opened.ended.acquire(timeout=SOON)
        assert not context.is_active() and not context.add_callback(print)
        respond(b"late")
        respond(None)
        assert dict(context.invocation_metadata())["who"] == "me"  # which is still known
        again = begin(channel, kind)
        opened.next_call()[1](None)
        assert list(again) == []


def test_a_deadline_ends_an_open_call(pair: Pair) -> None:
    opened = Opened()

    with calling(pair, "unary_stream", opened) as channel:
        pair.client.channel_ready_future(channel).result(SOON)
        call = begin(channel, "unary_stream", timeout=2.0)
        context, respond = opened.next_call()
        assert call.code() is pair.client.StatusCode.DEADLINE_EXCEEDED
        assert opened.ended.acquire(timeout=SOON)
        assert not context.is_active() and context.time_remaining() < 0.5
        respond(b"late")
        respond(None)


def test_a_response_over_the_limit_ends_the_call(pair: Pair) -> None:
    opened = Opened()
    options = [("grpc.max_send_message_length", 100)]

    with calling(pair, "unary_stream", opened, options=options) as channel:
        call = begin(channel, "unary_stream")
        _, respond = opened.next_call()
        respond(bytes(100))
        assert len(next(call)) == 100
        respond(bytes(101))
        if pair.server is not trunkline.grpc:  # whose call stays open until it is told the end
            respond(None)
        assert call.code() is pair.client.StatusCode.RESOURCE_EXHAUSTED


def test_a_serializer_that_fails_ends_the_call(pair: Pair) -> None:
    opened = Opened()
    handler = pair.server.unary_stream_rpc_method_handler(opened, None, lambda response: response.encode())

    with serving(pair.server, {"M": handler}) as (_, target), pair.client.insecure_channel(target) as channel:
        call = begin(channel, "unary_stream")
        _, respond = opened.next_call()
        respond("first")
        respond(5)
        assert next(call) == b"first"
        assert call.code() is pair.client.StatusCode.INTERNAL
        assert call.details() == "Failed to serialize response!"
        assert opened.ended.acquire(timeout=SOON)
        respond("late")


def test_a_deserializer_that_fails_ends_the_call(pair: Pair) -> None:
    opened = Opened()
    handler = pair.server.unary_stream_rpc_method_handler(opened, lambda data: data.undecodable(), None)

    with serving(pair.server, {"M": handler}) as (_, target), pair.client.insecure_channel(target) as channel:
        found = outcome(pair.client, channel, "unary_stream")
    assert found == ([], "INTERNAL", "Exception deserializing request!") and not opened.calls


def test_the_function_cancels_its_open_call(pair: Pair) -> None:
    opened = Opened()

    with calling(pair, "unary_stream", opened) as channel:
        call = begin(channel, "unary_stream")
        context, respond = opened.next_call()
        context.cancel()
        assert call.code() is pair.client.StatusCode.CANCELLED
        assert opened.ended.acquire(timeout=SOON)
        respond(b"late")
        respond(None)


def test_interceptors_see_marked_functions(pair: Pair) -> None:
    opened = Opened()

    class Replacing(pair.server.ServerInterceptor):  # type: ignore[misc, name-defined]
        def intercept_service(self, continuation: Any, details: Any) -> Any:
            handler = continuation(details)
            assert not hasattr(handler.unary_stream, "experimental_non_blocking")
            return pair.server.unary_stream_rpc_method_handler(opened)

    with calling(pair, "unary_stream", lambda request, context: iter(()), interceptors=[Replacing()]) as channel:
        call = begin(channel, "unary_stream")
        opened.next_call()[1](b"by the callback")
        assert next(call) == b"by the callback"
        call.cancel()


def test_an_interceptor_has_a_unary_call_served_by_a_callback(pair: Pair) -> None:
    opened = Opened()

    class Replacing(pair.server.ServerInterceptor):  # type: ignore[misc, name-defined]
        def intercept_service(self, continuation: Any, details: Any) -> Any:
            return pair.server.unary_stream_rpc_method_handler(opened)

    with calling(pair, "unary_unary", lambda request, context: b"", interceptors=[Replacing()]) as channel:
        call = begin(channel, "unary_unary")
        _, respond = opened.next_call()
        respond(b"only")
        respond(None)
        assert call.result(SOON) == b"only"


def test_functions_without_a_mark_that_counts(pair: Pair) -> None:
    """The mark is for responses that are a stream, and may be false."""

    def one(request: Any, context: Any) -> bytes:
        return b"one"

    def many(request: Any, context: Any) -> Iterator[bytes]:
        yield b"many"

    many.experimental_non_blocking = False  # type: ignore[attr-defined]
    with calling(pair, "unary_unary", in_pool(non_blocking(one), object())) as channel:
        assert begin(channel, "unary_unary").result(SOON) == b"one"
    with calling(pair, "unary_stream", in_pool(many, object())) as channel:
        assert list(begin(channel, "unary_stream")) == [b"many"]


def test_what_follows_the_end_is_dropped() -> None:
    """grpcio raises for a second end."""
    pair = Pair(trunkline.grpc, trunkline.grpc)
    opened = Opened()

    with calling(pair, "unary_stream", opened) as channel:
        call = begin(channel, "unary_stream")
        context, respond = opened.next_call()
        for response in (b"first", None, b"late", None):
            respond(response)
        assert list(call) == [b"first"]
        context.set_compression(pair.server.Compression.Gzip)
        context.disable_next_message_compression()
        with pytest.raises(ValueError):
            context.send_initial_metadata(())
        assert context.peer().startswith("ipv4:") and context.auth_context()
        assert context.time_remaining() == 0 and not context.add_callback(print)
        assert opened.ended.acquire(timeout=SOON) and not opened.ended.acquire(blocking=False)


def test_many_threads_respond() -> None:
    pair = Pair(trunkline.grpc, trunkline.grpc)
    opened = Opened()

    with calling(pair, "unary_stream", opened) as channel:
        call = begin(channel, "unary_stream")
        _, respond = opened.next_call()
        with futures.ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda number: respond(number.to_bytes(2, "big")), range(800)))
        respond(None)
        assert sorted(call) == [number.to_bytes(2, "big") for number in range(800)]


def test_a_callback_of_a_call_responds() -> None:
    """It finds the call over."""
    pair = Pair(trunkline.grpc, trunkline.grpc)
    ended = threading.Event()

    @non_blocking
    def respond_at_the_end(request: Any, context: Any, respond: Any) -> None:
        def end_again() -> None:
            respond(b"late")
            respond(None)
            ended.set()

        context.add_callback(end_again)
        respond(None)

    with calling(pair, "unary_stream", respond_at_the_end) as channel:
        assert outcome(pair.client, channel, "unary_stream") == ([], "OK", "")
    assert ended.wait(SOON)


class NoteOfEnd:
    """A callback that needs a lock to note that its call has ended."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ended = threading.Event()

    def __call__(self) -> None:
        with self.lock:
            self.ended.set()


def test_callbacks_may_take_what_the_caller_of_the_response_holds(pair: Pair) -> None:
    opened = Opened()
    note = NoteOfEnd()

    with calling(pair, "unary_stream", opened) as channel:
        call = begin(channel, "unary_stream")
        context, respond = opened.next_call()
        assert context.add_callback(note)
        with note.lock:
            respond(b"first")
            respond(None)
            assert list(call) == [b"first"]
        assert note.ended.wait(SOON)


def test_the_end_does_not_wait_for_callbacks_nor_they_for_responses(pair: Pair) -> None:
    """One thread ends the call while another one that its callback waits for responds."""
    opened = Opened()
    note = NoteOfEnd()

    with calling(pair, "unary_stream", opened) as channel:
        for _ in range(20):
            note.ended.clear()
            call = begin(channel, "unary_stream")
            context, respond = opened.next_call()
            assert context.add_callback(note)
            with futures.ThreadPoolExecutor(1) as ending, note.lock:
                end = ending.submit(respond, None)
                for _ in range(10):
                    respond(b"more")
                end.result(SOON)
            assert set(call) <= {b"more"}
            assert note.ended.wait(SOON)


def test_an_open_call_of_which_nobody_knows(pair: Pair) -> None:
    """It stays open, and ends when its client cancels it, or by its deadline."""
    begun, ended = threading.Event(), threading.Event()

    @non_blocking
    def forget(request: Any, context: Any, respond: Any) -> None:
        context.add_callback(ended.set)
        begun.set()

    with calling(pair, "unary_stream", forget) as channel:
        call = begin(channel, "unary_stream")
        assert begun.wait(SOON)
        for _ in range(5):
            gc.collect()
        assert not ended.is_set()
        call.cancel()
        assert ended.wait(SOON)

        begun.clear()
        ended.clear()
        late = begin(channel, "unary_stream", timeout=1.0)
        assert late.code() is pair.client.StatusCode.DEADLINE_EXCEEDED
        if begun.is_set():  # on a busy machine the deadline may pass before the call has reached the server
            assert ended.wait(SOON)


def test_a_stop_ends_open_calls(pair: Pair) -> None:
    opened = Opened()
    handler = pair.server.unary_stream_rpc_method_handler(opened)

    with serving(pair.server, {"M": handler}) as (server, target):
        with pair.client.insecure_channel(target) as channel:
            call = begin(channel, "unary_stream")
            _, respond = opened.next_call()
            assert server.stop(None).wait(SOON)
            assert call.code() in (pair.client.StatusCode.CANCELLED, pair.client.StatusCode.UNAVAILABLE)
            assert opened.ended.acquire(timeout=SOON)
            respond(b"late")
            respond(None)


def test_a_stop_with_grace_waits_for_open_calls(pair: Pair) -> None:
    opened = Opened()
    handler = pair.server.unary_stream_rpc_method_handler(opened)

    with serving(pair.server, {"M": handler}) as (server, target):
        with pair.client.insecure_channel(target) as channel:
            call = begin(channel, "unary_stream")
            _, respond = opened.next_call()
            stopped = server.stop(SOON)
            assert not stopped.wait(0.1)
            respond(b"first")
            respond(None)
            assert list(call) == [b"first"]
            assert stopped.wait(SOON)


def test_calls_that_have_ended_leave_nothing_behind() -> None:
    pair = Pair(trunkline.grpc, trunkline.grpc)
    opened = Opened()
    handler = pair.server.unary_stream_rpc_method_handler(opened)

    with serving(pair.server, {"M": handler}) as (server, target):
        with pair.client.insecure_channel(target) as channel:
            for ends in ("respond", "client", "function", "deadline"):
                call = begin(channel, "unary_stream", timeout=2.0 if ends == "deadline" else SOON)
                context, respond = opened.next_call()
                if ends == "respond":
                    respond(None)
                elif ends == "client":
                    call.cancel()
                elif ends == "function":
                    context.cancel()
                assert call.code() is not None and opened.ended.acquire(timeout=SOON)
            core = server._running[0]._core
            until(lambda: core.running() == 0 and not server._routes.watch._held)
            assert core.totals()["open_calls"] == 0


# --- pools ---


@pytest.mark.parametrize("kind", KINDS)
def test_functions_run_in_their_pool(pair: Pair, kind: str, pool: futures.ThreadPoolExecutor) -> None:
    threads: list[str] = []

    def one(request: Any, context: Any) -> bytes:
        threads.append(threading.current_thread().name)
        return b"".join(request) if kind.startswith("stream") else request

    def many(request: Any, context: Any) -> Iterator[bytes]:
        yield one(request, context)
        yield b"last"

    marked = in_pool(one if kind.endswith("unary") else many, pool)
    with calling(pair, kind, marked) as channel:
        for _ in range(3):
            call = begin(channel, kind)
            found = call.result(SOON) if kind.endswith("unary") else list(call)
            assert found == (b"x" if kind.endswith("unary") else [b"x", b"last"])
    assert len(threads) == 3 and all(name.startswith("own") for name in threads)


@pytest.mark.parametrize("kind", STREAMS)
def test_functions_respond_by_a_callback_in_their_pool(pair: Pair, kind: str, pool: Any) -> None:
    threads: list[str] = []

    @non_blocking
    def note(request: Any, context: Any, respond: Any) -> None:
        threads.append(threading.current_thread().name)
        respond(b"first")
        respond(None)

    with calling(pair, kind, in_pool(note, pool)) as channel:
        assert outcome(pair.client, channel, kind) == ([b"first"], "OK", "")
    assert threads[0].startswith("own")


def test_a_pool_that_is_busy_holds_no_thread_of_the_server(pair: Pair, pool: futures.ThreadPoolExecutor) -> None:
    released = threading.Event()

    def slow(request: Any, context: Any) -> bytes:
        released.wait(SOON)
        return b"slow"

    module = pair.server
    handlers = {
        "M": module.unary_unary_rpc_method_handler(in_pool(slow, pool)),
        "Quick": module.unary_unary_rpc_method_handler(lambda request, context: b"quick"),
    }
    with serving(module, handlers) as (_, target), pair.client.insecure_channel(target) as channel:
        calls = [begin(channel, "unary_unary") for _ in range(3)]
        assert channel.unary_unary("/S/Quick")(b"", timeout=SOON) == b"quick"
        assert not any(call.done() for call in calls)
        released.set()
        assert [call.result(SOON) for call in calls] == [b"slow"] * 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["raises", "aborts"])
def test_errors_in_a_pool(pair: Pair, kind: str, how: str, pool: futures.ThreadPoolExecutor) -> None:
    def fail(request: Any, context: Any) -> Any:
        if how == "aborts":
            context.abort(pair.server.StatusCode.ABORTED, "no")
        raise ValueError("no")

    with calling(pair, kind, in_pool(fail, pool)) as channel:
        call = begin(channel, kind)
        expected = ("ABORTED", "no") if how == "aborts" else ("UNKNOWN", "Exception calling application: no")
        assert (call.code().name, call.details()) == expected


def test_context_variables_of_interceptors_are_seen_in_the_pool(pair: Pair, pool: Any) -> None:
    variable = contextvars.ContextVar("variable", default="")

    class Setting(pair.server.ServerInterceptor):  # type: ignore[misc, name-defined]
        def intercept_service(self, continuation: Any, details: Any) -> Any:
            variable.set(variable.get() + "set")
            return continuation(details)

    def tell(request: Any, context: Any) -> bytes:
        return variable.get().encode()

    with calling(pair, "unary_unary", in_pool(tell, pool), interceptors=[Setting()]) as channel:
        for _ in range(2):
            assert begin(channel, "unary_unary").result(SOON) == b"set"


def test_a_call_that_is_cancelled_while_it_waits_for_its_pool(pair: Pair, pool: futures.ThreadPoolExecutor) -> None:
    released = threading.Event()
    calls: list[Any] = []
    occupy(pool, released)

    in_turn = pair.server.unary_unary_rpc_method_handler(in_pool(lambda request, context: calls.append(request), pool))
    at_once = pair.server.unary_unary_rpc_method_handler(lambda request, context: request)
    with serving(pair.server, {"M": in_turn, "N": at_once}) as (_, target):
        with pair.client.insecure_channel(target) as channel:
            call = begin(channel, "unary_unary")
            until(lambda: pool._work_queue.qsize() == 1)
            call.cancel()
            # A later call of the connection comes behind the cancellation.
            assert channel.unary_unary("/S/N")(b"x", timeout=SOON) == b"x"
            released.set()
            pool.submit(bool).result(SOON)
    assert not calls


@pytest.mark.parametrize("kind", KINDS)
def test_a_pool_that_was_shut_down(kind: str) -> None:
    """grpcio's server serves nothing more after such a call."""
    pair = Pair(trunkline.grpc, trunkline.grpc)
    ended = futures.ThreadPoolExecutor(1)
    ended.shutdown()

    with calling(pair, kind, in_pool(lambda request, context: iter(()), ended)) as channel:
        for _ in range(2):
            call = begin(channel, kind)
            assert call.code() is pair.client.StatusCode.UNKNOWN
            assert call.details() == "Exception calling application: cannot schedule new futures after shutdown"


def test_a_pool_of_the_application_that_tells_nothing(pair: Pair, pool: futures.ThreadPoolExecutor) -> None:
    class Silent(futures.ThreadPoolExecutor):
        def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
            pool.submit(function, *arguments, **named)

    name: list[str] = []

    def note(request: Any, context: Any) -> bytes:
        name.append(threading.current_thread().name)
        return b"response"

    with calling(pair, "unary_unary", in_pool(note, Silent(1))) as channel:
        assert begin(channel, "unary_unary").result(SOON) == b"response"
    assert name[0].startswith("own")


def test_a_pool_that_drops_its_calls() -> None:
    """In grpcio they stay open."""
    pair = Pair(trunkline.grpc, trunkline.grpc)
    released = threading.Event()
    busy = futures.ThreadPoolExecutor(1)
    occupy(busy, released)

    with calling(pair, "unary_unary", in_pool(lambda request, context: b"", busy)) as channel:
        call = begin(channel, "unary_unary")
        until(lambda: busy._work_queue.qsize() == 1)
        busy.shutdown(wait=False, cancel_futures=True)
        assert call.code() is pair.client.StatusCode.UNKNOWN
        assert call.details() == "Exception calling application: its pool was shut down"
    released.set()


def test_a_pool_whose_initializer_fails() -> None:
    """In grpcio such calls stay open."""
    pair = Pair(trunkline.grpc, trunkline.grpc)

    def fail() -> None:
        raise ValueError("no database")

    broken = futures.ThreadPoolExecutor(1, initializer=fail)
    with calling(pair, "unary_unary", in_pool(lambda request, context: b"", broken)) as channel:
        for _ in range(2):
            call = begin(channel, "unary_unary")
            assert call.code() is pair.client.StatusCode.UNKNOWN
            assert call.details().startswith("Exception calling application: A thread initializer failed")


def test_an_exit_in_a_pool_ends_the_call(pool: futures.ThreadPoolExecutor) -> None:
    """In grpcio it stays open."""
    pair = Pair(trunkline.grpc, trunkline.grpc)

    def leave(request: Any, context: Any) -> bytes:
        raise SystemExit("gone")

    with calling(pair, "unary_unary", in_pool(leave, pool)) as channel:
        call = begin(channel, "unary_unary")
        assert (call.code().name, call.details()) == ("UNKNOWN", "Exception calling application: gone")

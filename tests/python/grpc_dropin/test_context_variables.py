# SPDX-License-Identifier: MIT
"""The context variables of a served call are its own, whatever sets them, as on grpcio's server."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent import futures
from typing import Any

import pytest

import trunkline.grpc

from .pairs import IMPLEMENTATIONS, SOON

KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")
#: The calls that run at a time.
MANY = 200

user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")


@pytest.fixture(params=list(IMPLEMENTATIONS))
def module(request: pytest.FixtureRequest) -> Any:
    """Every implementation of grpcio's interface."""
    return IMPLEMENTATIONS[request.param]


def replaced(by: str) -> str:
    """Sets the variable and returns what it was."""
    before = user.get()
    user.set(by)
    return before


def note_of(details_or_context: Any) -> str | None:
    """The name of the user in a call's metadata."""
    found = details_or_context.invocation_metadata
    pairs: Any = found() if callable(found) else found
    return next((value for name, value in pairs if name == "user"), None)


def handlers(module: Any, one: Callable[..., Any], many: Callable[..., Any], *codec: Any) -> Any:
    """A generic handler with ``one`` and ``many`` for the methods of all kinds."""
    made = {
        kind: getattr(module, f"{kind}_rpc_method_handler")(one if kind.endswith("unary") else many, *codec)
        for kind in KINDS
    }
    return module.method_handlers_generic_handler("S", made)


def responses(channel: Any, kind: str, **options: Any) -> list[bytes]:
    """The responses of a call of one kind."""
    call = getattr(channel, kind)(f"/S/{kind}")
    result = call(iter([b"x"]) if kind.startswith("stream") else b"x", timeout=SOON, **options)
    return [result] if isinstance(result, bytes) else list(result)


class Serving:
    """A blocking server with one thread and a channel to it."""

    def __init__(self, module: Any, handler: Any, pool: Any = None, **options: Any) -> None:
        self._server = module.server(pool or futures.ThreadPoolExecutor(1), **options)
        self._server.add_generic_rpc_handlers((handler,))
        port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()
        self.channel = module.insecure_channel(f"127.0.0.1:{port}")

    def __enter__(self) -> Any:
        return self.channel

    def __exit__(self, *_: Any) -> None:
        self.channel.close()
        self._server.stop(None).wait(SOON)


def authenticating(module: Any) -> Any:
    class Authenticate(module.ServerInterceptor):  # type: ignore[misc]
        def intercept_service(self, continuation: Any, details: Any) -> Any:
            assert user.get() == "nobody"
            name = note_of(details)
            if name is not None:
                user.set(name)
            return continuation(details)

    return Authenticate()


@pytest.mark.parametrize("kind", KINDS)
def test_what_interceptors_and_handlers_set_reaches_no_other_call(module: Any, kind: str) -> None:
    def one(request: Any, context: Any) -> bytes:
        return replaced("handler").encode()

    def many(request: Any, context: Any) -> Iterator[bytes]:
        yield replaced("handler").encode()
        assert user.get() == "handler"

    with Serving(module, handlers(module, one, many), interceptors=[authenticating(module)]) as channel:
        for _ in range(2):
            assert responses(channel, kind, metadata=(("user", "ann"),)) == [b"ann"]
            assert responses(channel, kind) == [b"nobody"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_serializers_and_callbacks_set_reaches_no_other_call(kind: str) -> None:
    module = trunkline.grpc
    found: list[tuple[str, str]] = []
    ended = threading.Event()

    def note(where: str) -> None:
        found.append((where, replaced(where)))

    def deserialize(data: bytes) -> bytes:
        note("deserializer")
        return data

    def serialize(response: bytes) -> bytes:
        note("serializer")
        return response

    def end() -> None:
        note("callback")
        ended.set()

    def one(request: Any, context: Any) -> bytes:
        assert context.add_callback(end)
        list(request)
        return b""

    def many(request: Any, context: Any) -> Iterator[bytes]:
        yield one(request, context)

    with Serving(module, handlers(module, one, many, deserialize, serialize)) as channel:
        for _ in range(2):
            found.clear()
            ended.clear()
            responses(channel, kind)
            assert ended.wait(SOON)
            assert found == [("deserializer", "nobody"), ("serializer", "deserializer"), ("callback", "serializer")]


def test_what_generic_handlers_set_reaches_no_other_call(module: Any) -> None:
    class Generic(module.GenericRpcHandler):  # type: ignore[misc]
        def service(self, details: Any) -> Any:
            before = replaced("generic")
            return module.unary_unary_rpc_method_handler(
                lambda request, context: f"{before} {replaced('handler')}".encode()
            )

    with Serving(module, Generic()) as channel:
        for _ in range(2):
            assert responses(channel, "unary_unary") == [b"nobody generic"]


class SettingPool(futures.ThreadPoolExecutor):
    """An executor that sets the variable on the thread that hands work to it, and on its own."""

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        user.set("submit")

        def run() -> Any:
            user.set("pool")
            return function(*arguments, **named)

        return super().submit(run)


def test_what_an_executor_sets_reaches_no_call(module: Any) -> None:
    handler = handlers(module, lambda request, context: replaced("handler").encode(), lambda request, context: [])

    with Serving(module, handler, SettingPool(1), interceptors=[authenticating(module)]) as channel:
        for _ in range(2):
            assert responses(channel, "unary_unary", metadata=(("user", "ann"),)) == [b"ann"]
            assert responses(channel, "unary_unary") == [b"nobody"]


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_are_reset_from_the_interceptor_to_the_handler(module: Any, kind: str) -> None:
    tokens: list[Any] = []

    class SignIn(module.ServerInterceptor):  # type: ignore[misc]
        def intercept_service(self, continuation: Any, details: Any) -> Any:
            tokens.append(user.set("ann"))
            return continuation(details)

    def one(request: Any, context: Any) -> bytes:
        before = user.get()
        user.reset(tokens.pop())
        return f"{before} {user.get()}".encode()

    def many(request: Any, context: Any) -> Iterator[bytes]:
        yield one(request, context)

    with Serving(module, handlers(module, one, many), interceptors=[SignIn()]) as channel:
        for _ in range(2):
            assert responses(channel, kind) == [b"ann nobody"]


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_are_reset_when_the_call_ends(kind: str) -> None:
    """grpcio runs the callbacks elsewhere."""
    module = trunkline.grpc
    ends: list[str] = []
    ended = threading.Semaphore(0)

    def one(request: Any, context: Any) -> bytes:
        token = user.set("ann")

        def end() -> None:
            try:
                user.reset(token)
                ends.append(user.get())
            finally:
                ended.release()

        assert context.add_callback(end)
        return b""

    def many(request: Any, context: Any) -> Iterator[bytes]:
        yield one(request, context)

    with Serving(module, handlers(module, one, many)) as channel:
        for _ in range(2):
            responses(channel, kind)
            assert ended.acquire(timeout=SOON)
    assert ends == ["nobody", "nobody"]


def test_callbacks_of_cancelled_calls_have_the_variables_of_their_call() -> None:
    """They run on one thread, while the handlers may still run."""
    module = trunkline.grpc
    entered, ended, over = threading.Semaphore(0), threading.Semaphore(0), threading.Event()
    found: list[str] = []
    left: list[str] = []

    def one(request: Any, context: Any) -> bytes:
        name = note_of(context) or ""
        user.set(name)

        def end() -> None:
            found.append(replaced("callback"))
            ended.release()

        assert context.add_callback(end)
        entered.release()
        over.wait(SOON)
        left.append(user.get())
        ended.release()
        return b""

    handler = handlers(module, one, lambda request, context: [])
    with Serving(module, handler, futures.ThreadPoolExecutor(2)) as channel:
        calls = []
        for name in ("ann", "bob"):
            calls.append(channel.unary_unary("/S/unary_unary").future(b"", metadata=(("user", name),), timeout=SOON))
            assert entered.acquire(timeout=SOON)
        for call in calls:
            call.cancel()
            assert ended.acquire(timeout=SOON)
        over.set()
        for _ in calls:
            assert ended.acquire(timeout=SOON)
    assert found == ["ann", "bob"] and sorted(left) == ["ann", "bob"]


@pytest.mark.parametrize("kind", KINDS)
def test_two_hundred_calls_at_a_time(kind: str) -> None:
    module = trunkline.grpc
    barrier = threading.Barrier(MANY)

    def one(request: Any, context: Any) -> bytes:
        assert user.get() == note_of(context)
        barrier.wait(SOON)
        return user.get().encode()

    def many(request: Any, context: Any) -> Iterator[bytes]:
        yield one(request, context)

    pool = futures.ThreadPoolExecutor(MANY)
    handler = handlers(module, one, many)
    with Serving(module, handler, pool, interceptors=[authenticating(module)]) as channel:
        call = getattr(channel, kind)(f"/S/{kind}")
        for turn in range(2):
            names = [f"{turn}-{number}" for number in range(MANY)]
            begun = [
                (call.future if kind.endswith("unary") else call)(
                    iter([b"x"]) if kind.startswith("stream") else b"x", metadata=(("user", name),), timeout=SOON
                )
                for name in names
            ]
            found = [each.result() if kind.endswith("unary") else next(each) for each in begun]
            assert [each.decode() for each in found] == names


@pytest.mark.parametrize("form", ["unary", "stream"])
def test_callbacks_of_a_client_share_no_context(form: str) -> None:
    """They run on one thread of the channel."""
    module = trunkline.grpc
    found: list[str] = []
    are_added = threading.Semaphore(0)

    def one(request: Any, context: Any) -> bytes:
        assert are_added.acquire(timeout=SOON)
        return b""

    with Serving(module, handlers(module, one, lambda request, context: [])) as channel:
        for _ in range(3):
            ended = threading.Event()
            if form == "unary":
                call = channel.unary_unary("/S/unary_unary").future(b"", timeout=SOON)
            else:
                call = channel.stream_unary("/S/stream_unary").future(iter([b""]), timeout=SOON)
            call.add_done_callback(lambda _: found.append(replaced("callback")))
            call.add_done_callback(lambda _, ended=ended: ended.set())
            are_added.release()
            assert ended.wait(SOON)
    assert found == ["nobody"] * 3


# --- asyncio ---


def run_aio(
    module: Any, handler: Any, scenario: Callable[[Any], Any], interceptors: Any = (), pool: Any = None
) -> None:
    async def main() -> None:
        server = module.aio.server(pool, interceptors=interceptors)
        server.add_generic_rpc_handlers((handler,))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with module.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            await asyncio.wait_for(scenario(channel), SOON)
        await server.stop(None)

    asyncio.run(main())


async def aio_responses(channel: Any, kind: str, **options: Any) -> list[bytes]:
    async def requests() -> AsyncIterator[bytes]:
        yield b"x"

    call = getattr(channel, kind)(f"/S/{kind}")
    begun = call(requests() if kind.startswith("stream") else b"x", timeout=SOON, **options)
    return [await begun] if kind.endswith("unary") else [each async for each in begun]


def aio_authenticating(module: Any) -> Any:
    class Authenticate(module.aio.ServerInterceptor):  # type: ignore[misc]
        async def intercept_service(self, continuation: Any, details: Any) -> Any:
            assert user.get() == "nobody"
            name = note_of(details)
            if name is not None:
                user.set(name)
            return await continuation(details)

    return Authenticate()


@pytest.mark.parametrize("kind", KINDS)
def test_aio_what_a_call_sets_reaches_no_other_call(module: Any, kind: str) -> None:
    ends: list[str] = []

    async def one(request: Any, context: Any) -> bytes:
        context.add_done_callback(lambda _: ends.append(replaced("callback")))
        return replaced("handler").encode()

    async def many(request: Any, context: Any) -> AsyncIterator[bytes]:
        yield await one(request, context)
        assert user.get() == "handler"

    async def scenario(channel: Any) -> None:
        for _ in range(2):
            assert await aio_responses(channel, kind, metadata=(("user", "ann"),)) == [b"ann"]
            assert await aio_responses(channel, kind) == [b"nobody"]

    run_aio(module, handlers(module, one, many), scenario, [aio_authenticating(module)])
    assert "callback" not in ends


@pytest.mark.parametrize("kind", KINDS)
def test_aio_functions_that_block_have_the_variables_of_their_call(kind: str) -> None:
    module = trunkline.grpc

    def one(request: Any, context: Any) -> bytes:
        return replaced("handler").encode()

    def many(request: Any, context: Any) -> Iterator[bytes]:
        yield replaced("handler").encode()

    async def scenario(channel: Any) -> None:
        for _ in range(2):
            assert await aio_responses(channel, kind, metadata=(("user", "ann"),)) == [b"ann"]
            assert await aio_responses(channel, kind) == [b"nobody"]

    interceptors = [aio_authenticating(module)]
    run_aio(module, handlers(module, one, many), scenario, interceptors, futures.ThreadPoolExecutor(1))


@pytest.mark.parametrize("kind", KINDS)
def test_aio_tokens_are_reset_from_the_interceptor_to_the_end(kind: str) -> None:
    module: Any = trunkline.grpc
    tokens: list[Any] = []
    ends: list[str] = []

    class SignIn(module.aio.ServerInterceptor):  # type: ignore[misc]
        async def intercept_service(self, continuation: Any, details: Any) -> Any:
            tokens.append(user.set("ann"))
            return await continuation(details)

    def end(_: Any) -> None:
        user.reset(tokens.pop())
        ends.append(user.get())

    async def one(request: Any, context: Any) -> bytes:
        context.add_done_callback(end)
        before = user.get()
        user.reset(tokens.pop())
        tokens.append(user.set("bob"))
        return before.encode()

    async def many(request: Any, context: Any) -> AsyncIterator[bytes]:
        yield await one(request, context)

    async def scenario(channel: Any) -> None:
        for _ in range(2):
            assert await aio_responses(channel, kind) == [b"ann"]

    run_aio(module, handlers(module, one, many), scenario, [SignIn()])
    assert ends == ["nobody", "nobody"]


@pytest.mark.parametrize("kind", KINDS)
def test_aio_two_hundred_calls_at_a_time(module: Any, kind: str) -> None:
    arrived = 0
    all_here = asyncio.Event()

    async def scenario(channel: Any) -> None:
        nonlocal arrived
        for turn in range(2):
            arrived = 0
            all_here.clear()
            names = [f"{turn}-{number}" for number in range(MANY)]
            calls = [aio_responses(channel, kind, metadata=(("user", name),)) for name in names]
            assert await asyncio.gather(*calls) == [[name.encode()] for name in names]

    async def one(request: Any, context: Any) -> bytes:
        nonlocal arrived
        arrived += 1
        if arrived == MANY:
            all_here.set()
        await all_here.wait()
        return user.get().encode()

    async def many(request: Any, context: Any) -> AsyncIterator[bytes]:
        yield await one(request, context)

    run_aio(module, handlers(module, one, many), scenario, [aio_authenticating(module)])

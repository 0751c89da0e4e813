# SPDX-License-Identifier: MIT
"""The context variables of a served call are its own, whatever sets them. So are those of a future's end."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio, testing

#: Seconds, for what happens much sooner.
SOON = 60.0
#: The calls that run at a time.
MANY = 200

user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")


class Name(str):
    """A message of the codec below."""


class Signing(trunkline.Codec):
    """A codec that notes the variable when it reads and when it writes, and then sets it."""

    name = "signing"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def _note(self, change: str) -> None:
        self.seen.append(user.get())
        user.set(change)

    def supports(self, kind: Any) -> bool:
        return kind is Name

    def encode(self, message: Any) -> bytes:
        self._note("encoder")
        return str(message).encode()

    def decode(self, data: bytes, kind: Any) -> Any:
        self._note("decoder")
        return Name(bytes(data).decode())


def replaced(by: str) -> str:
    """Sets the variable and returns what it was."""
    before = user.get()
    user.set(by)
    return before


class Plain:
    """Handlers that block, of every kind."""

    def unary(self, request: str) -> str:
        return replaced(request)

    def unary_with_context(self, request: str, context: trunkline.Context) -> str:
        return replaced(request)

    def client_stream(self, requests: Iterator[str]) -> str:
        return [replaced(request) for request in requests][0]

    def server_stream(self, request: str) -> Iterator[str]:
        yield replaced(request)
        yield user.get()

    def both(self, requests: Iterator[str]) -> Iterator[str]:
        for request in requests:
            yield replaced(request)


class Coroutines:
    """Handlers on the event loop, of every kind."""

    async def unary(self, request: str) -> str:
        await asyncio.sleep(0)
        return replaced(request)

    async def unary_with_context(self, request: str, context: trunkline.Context) -> str:
        return replaced(request)

    async def client_stream(self, requests: AsyncIterator[str]) -> str:
        return [replaced(request) async for request in requests][0]

    async def server_stream(self, request: str) -> AsyncIterator[str]:
        yield replaced(request)
        yield user.get()

    async def both(self, requests: AsyncIterator[str]) -> AsyncIterator[str]:
        async for request in requests:
            yield replaced(request)


def first_values(channel: trunkline.Channel) -> list[str]:
    """Calls methods of every kind and returns what their handlers have found first."""
    found = [channel.call("All/unary", "ann", str), channel.call("All/unary_with_context", "ann", str)]
    with channel.stream("All/client_stream", str, str) as stream:
        found += stream.exchange(["ann", "bob"])
    with channel.stream("All/both", str, str) as stream:
        first, second = stream.exchange(["ann", "bob"])
    assert second == "ann"  # one context for all of a call
    responses = list(channel.server_stream("All/server_stream", "ann", str))
    assert responses[1] == "ann"
    return [*found, first, responses[0]]


def setting(call: trunkline.IncomingCall) -> Iterator[None]:
    assert user.get() == "nobody"
    user.set("interceptor")
    yield


async def setting_later(call: trunkline.IncomingCall) -> AsyncIterator[None]:
    assert user.get() == "nobody"
    user.set("interceptor")
    yield


@pytest.mark.parametrize("intercepted", [False, True])
@pytest.mark.parametrize("form", ["blocking", "coroutines", "functions of asyncio"])
def test_what_a_call_sets_reaches_no_other_call(form: str, intercepted: bool) -> None:
    server: Any
    if form == "blocking":
        server = trunkline.Server(threads=1, interceptors=[setting] if intercepted else [])
    else:
        server = aio.Server(threads=1, interceptors=[setting_later] if intercepted else [])
    server.add_service(Coroutines() if form == "coroutines" else Plain(), "All")

    with testing.serve(server) as channel:
        for _ in range(3):
            assert set(first_values(channel)) == {"interceptor" if intercepted else "nobody"}


@pytest.mark.parametrize("kind", [trunkline.Server, aio.Server])
def test_codecs_run_in_the_context_of_their_call(kind: Any) -> None:
    codec = Signing()
    server = kind(threads=1, codecs=[codec])
    in_handler: list[str] = []

    @server.method  # type: ignore[untyped-decorator]
    def mirror(name: Name) -> Name:
        in_handler.append(replaced("handler"))
        return name

    @server.method  # type: ignore[untyped-decorator]
    def mirrors(names: Iterator[Name]) -> Iterator[Name]:
        yield from names

    with testing.serve(server, codecs=[Signing()]) as channel:
        for _ in range(3):
            assert contextvars.copy_context().run(channel.call, "mirror", Name("ann"), Name) == "ann"
        assert codec.seen[:2] == codec.seen[2:4] == codec.seen[4:]
        assert codec.seen[0] == "nobody" and set(in_handler) == {"decoder"}
        codec.seen.clear()
        for _ in range(2):
            with channel.stream("mirrors", Name, Name) as stream:
                assert contextvars.copy_context().run(list, stream.exchange([Name("ann")])) == ["ann"]
    assert codec.seen[:2] == codec.seen[2:] == ["nobody", "decoder"]


@pytest.mark.parametrize("kind", [trunkline.Server, aio.Server])
def test_tokens_are_reset_from_the_interceptor_to_the_end(kind: Any) -> None:
    ends: list[str] = []
    tokens: list[contextvars.Token[str]] = []

    def signing_in(call: trunkline.IncomingCall) -> Iterator[None]:
        token = user.set("ann")
        yield
        user.reset(token)
        ends.append(user.get())

    def handled() -> str:
        tokens.append(user.set("bob"))
        user.reset(tokens.pop())
        return user.get()

    server = kind(threads=1, interceptors=[signing_in])
    if kind is aio.Server:

        async def unary() -> str:
            await asyncio.sleep(0)
            return handled()

        async def stream(requests: AsyncIterator[str]) -> AsyncIterator[str]:
            token = user.set("bob")
            try:
                async for _ in requests:
                    yield handled()
            finally:
                user.reset(token)

        server.add("unary", unary)
        server.add("stream", stream)
    else:

        def stream_of_functions(requests: Iterator[str]) -> Iterator[str]:
            token = user.set("bob")
            try:
                for _ in requests:
                    yield handled()
            finally:
                user.reset(token)

        server.add("unary", handled)
        server.add("stream", stream_of_functions)

    with testing.serve(server) as channel:
        for _ in range(2):
            assert channel.call("unary", response=str) == "ann"
            with channel.stream("stream", str, str) as stream_call:
                assert list(stream_call.exchange(["x", "y"])) == ["bob", "bob"]
    assert ends == ["nobody"] * 4


def test_two_hundred_calls_at_a_time_on_threads() -> None:
    barrier = threading.Barrier(MANY)

    def signing_in(call: trunkline.IncomingCall) -> Iterator[None]:
        assert user.get() == "nobody"
        token = user.set(str(call.request))
        yield
        user.reset(token)

    server = trunkline.Server(threads=MANY, interceptors=[signing_in])

    @server.method
    def who(name: str) -> str:
        barrier.wait(SOON)
        return user.get()

    with testing.serve(server) as channel:
        for turn in range(2):
            names = [f"{turn}-{number}" for number in range(MANY)]
            calls = [channel.submit("who", name, str) for name in names]
            assert [call.result(SOON) for call in calls] == names


def test_two_hundred_calls_at_a_time_on_a_loop() -> None:
    async def main() -> None:
        server = aio.Server()
        arrived = 0
        all_here = asyncio.Event()

        @server.method
        async def who(name: str) -> list[str]:
            nonlocal arrived
            before = replaced(name)
            arrived += 1
            if arrived % MANY == 0:
                all_here.set()
            await all_here.wait()
            return [before, user.get()]

        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            for turn in range(2):
                all_here.clear()
                names = [f"{turn}-{number}" for number in range(MANY)]
                calls = [channel.call("who", name, list[str]) for name in names]
                found = await asyncio.wait_for(asyncio.gather(*calls), SOON)
                assert found == [["nobody", name] for name in names]

    asyncio.run(main())


def test_a_task_factory_that_runs_at_once_leaks_nothing() -> None:
    """A factory may run a task's first step in the context of the code that makes the task."""

    def at_once(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> Any:
        if coroutine.__name__ != "run":
            return asyncio.Task(coroutine, loop=loop, **options)
        done = loop.create_future()
        try:
            coroutine.send(None)
        except StopIteration as ended:
            done.set_result(ended.value)
        return done

    async def main() -> None:
        server = aio.Server()

        @server.method
        async def who(name: str) -> str:
            return replaced(name)

        asyncio.get_running_loop().set_task_factory(at_once)
        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            found = [await asyncio.wait_for(channel.call("who", "ann", str), SOON) for _ in range(3)]
            assert found == ["nobody"] * 3

    asyncio.run(main())


def test_what_the_end_of_a_future_sets_reaches_no_other_future() -> None:
    """The futures of a channel complete on one thread."""
    server = trunkline.Server(threads=1)
    server.add("echo", lambda request: request)
    seen: list[str] = []

    with testing.serve(server) as channel:
        for _ in range(3):
            over = threading.Event()
            future = channel.submit("echo", 1)
            future.add_done_callback(lambda _: seen.append(replaced("callback")))
            future.add_done_callback(lambda _, over=over: over.set())  # type: ignore[misc]
            assert over.wait(SOON)
    assert seen == ["nobody"] * 3


def test_interceptors_of_a_future_reset_their_tokens() -> None:
    """They begin on the thread of the caller, and end on that of the channel."""
    ends: list[str] = []

    def signing_in(call: trunkline.OutgoingCall) -> Iterator[None]:
        token = user.set("ann")
        yield
        user.reset(token)
        ends.append(user.get())

    server = trunkline.Server(threads=1)
    server.add("echo", lambda request: request)

    def call_as(name: str, channel: trunkline.Channel) -> None:
        user.set(name)
        assert channel.submit("echo", 1, int).result(SOON) == 1
        assert user.get() == name  # the interceptor has a copy

    with testing.serve(server, interceptors=[signing_in]) as channel:
        for name in ("bob", "carol"):
            contextvars.copy_context().run(call_as, name, channel)
    assert ends == ["bob", "carol"]


def test_callbacks_of_states_share_no_context() -> None:
    """Each state is reported on the thread of the channel, or by the reader of the loop."""
    server = trunkline.Server(threads=1)
    server.add("echo", lambda request: request)
    seen: list[str] = []
    states: list[str] = []

    def note(state: str) -> None:
        seen.append(replaced(state))
        states.append(state)

    def note_until_ready(set_ready: Callable[[], None]) -> Callable[[str], None]:
        def report(state: str) -> None:
            note(state)
            if state == "ready":
                set_ready()

        return report

    async def on_a_loop(endpoint: str) -> None:
        ready = asyncio.Event()
        async with aio.Channel(endpoint) as channel:
            channel.on_state_change(note_until_ready(ready.set))
            await channel.wait_for_ready(SOON)
            await asyncio.wait_for(ready.wait(), SOON)

    with server.serve("tcp://127.0.0.1:0") as running:
        asyncio.run(on_a_loop(running.endpoint))
        ready = threading.Event()
        with trunkline.Channel(running.endpoint) as channel:
            channel.on_state_change(note_until_ready(ready.set))
            channel.wait_for_ready(SOON)
            assert ready.wait(SOON)
    assert states.count("ready") == 2 and set(seen) == {"nobody"}

# SPDX-License-Identifier: MIT
"""Resolvers of the application: what they report, when, on which threads, and what happens when they fail."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import ResolvedServer, aio


def named(name: str) -> trunkline.Server:
    server = trunkline.Server()

    @server.method("Name")
    def name_of(request: str) -> str:
        return name

    return server


class Pair:
    """Servers "a" and "b"."""

    def __init__(self, a: str, b: str) -> None:
        self.a = a
        self.b = b


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with named("a").serve("tcp://127.0.0.1:0") as a, named("b").serve("tcp://127.0.0.1:0") as b:
        yield Pair(a.endpoint, b.endpoint)


class Listed(trunkline.Resolver):
    """Reports what it was made with, and what the test says later."""

    def __init__(self, *servers: ResolvedServer | str) -> None:
        self.servers = servers
        self.events: list[str] = []
        self.updates: trunkline.ResolverUpdates

    def start(self, updates: trunkline.ResolverUpdates) -> None:
        self.events.append("start")
        self.updates = updates
        updates.update(self.servers)

    def refresh(self) -> None:
        self.events.append("refresh")

    def close(self) -> None:
        self.events.append("close")


def channel_of(resolver: trunkline.Resolver, **options: Any) -> trunkline.Channel:
    return trunkline.Channel("own:///name", resolvers={"own": lambda target: resolver}, slow_start=0.0, **options)


def call_until(channel: trunkline.Channel, names: set[str]) -> None:
    """Calls, none of which may fail, until 20 in a row were served by `names`."""
    deadline = time.monotonic() + 60.0
    while {channel.call("Name", "", str, timeout=50.0, wait_for_ready=True) for _ in range(20)} != names:
        assert time.monotonic() < deadline, f"the calls are not served by {names}"


def test_a_factory_gets_the_target(pair: Pair) -> None:
    targets: list[trunkline.Target] = []

    def make(target: trunkline.Target) -> trunkline.Resolver:
        targets.append(target)
        return Listed()

    with trunkline.Channel("grpc+own://user:secret@host:1/a/b%20c?d=e", resolvers={"own": make}):
        assert targets == [
            trunkline.Target("own", "grpc", "user:secret@host:1", "a/b%20c", "d=e", "grpc+own://...@host:1/a/b%20c?d=e")
        ]


def test_servers_are_replaced_and_the_resolver_is_closed(pair: Pair) -> None:
    resolver = Listed(pair.a)

    with channel_of(resolver) as channel:
        assert resolver.events == []
        call_until(channel, {"a"})
        assert resolver.events == ["start"]
        thread = threading.Thread(target=resolver.updates.update, args=([ResolvedServer(pair.b, 2.0, "z", 1, "h:1")],))
        thread.start()
        thread.join()
        call_until(channel, {"b"})
        (state,) = channel.servers
        assert (state.endpoint, state.weight, state.zone, state.priority) == (pair.b, 2.0, "z", 1)
    assert resolver.events == ["start", "close"]
    resolver.updates.update([pair.a])
    resolver.updates.fail("too late")


def test_addresses_are_called_as_the_uri_says(pair: Pair) -> None:
    address = pair.a.removeprefix("tcp://")
    own = {"own": lambda target: Listed(address)}

    with trunkline.Channel("own:///name", resolvers=own) as plain, trunkline.Channel(
        "grpc+own:///name", resolvers=own
    ) as grpc:
        assert plain.call("Name", "", str, timeout=50.0) == grpc.call("Name", "", str, timeout=50.0) == "a"
        assert [plain.servers[0].endpoint, grpc.servers[0].endpoint] == [f"tcp://{address}", f"grpc://{address}"]


def test_it_hears_of_servers_that_fail(pair: Pair) -> None:
    resolver = Listed("tcp://127.0.0.1:1", pair.a)

    with channel_of(resolver) as channel:
        deadline = time.monotonic() + 60.0
        while "refresh" not in resolver.events and time.monotonic() < deadline:
            assert channel.call("Name", "", str, timeout=50.0, wait_for_ready=True) == "a"
        assert resolver.events[:2] == ["start", "refresh"]


@pytest.mark.parametrize(
    ("error", "kind"),
    [("no such name", trunkline.Unavailable), (trunkline.NotFound("no such name"), trunkline.NotFound)],
)
def test_a_failure_fails_calls_until_servers_are_known(
    pair: Pair, error: str | trunkline.RpcError, kind: type[trunkline.RpcError]
) -> None:
    class Failing(Listed):
        def start(self, updates: trunkline.ResolverUpdates) -> None:
            self.updates = updates
            updates.fail(error)

    resolver = Failing()
    with channel_of(resolver) as channel:
        with pytest.raises(kind, match="no such name") as failure:
            channel.call("Name", "", str, timeout=50.0)
        assert not failure.value.may_have_run
        resolver.updates.update([pair.a])
        assert channel.call("Name", "", str, timeout=50.0, wait_for_ready=True) == "a"
        resolver.updates.fail(error)
        call_until(channel, {"a"})


def test_exceptions_are_logged_and_fail_the_resolution(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(trunkline.Resolver):
        def start(self, updates: trunkline.ResolverUpdates) -> None:
            raise KeyError("a table")

        def close(self) -> None:
            raise OSError("a socket")

    with caplog.at_level(logging.ERROR, "trunkline"), channel_of(Broken()) as channel:
        with pytest.raises(trunkline.Unavailable, match="resolve own:///name: Broken.start raised KeyError: 'a table'"):
            channel.call("Name", "", str, timeout=50.0)
        channel.close()

    assert [record.getMessage() for record in caplog.records] == [
        "resolve own:///name: Broken.start raised KeyError",
        "resolve own:///name: Broken.close raised OSError",
    ]


def test_an_exception_of_refresh_keeps_the_servers(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    class Tired(Listed):
        def refresh(self) -> None:
            self.events.append("refresh")
            raise RuntimeError("no")

    resolver = Tired("tcp://127.0.0.1:1", pair.a)
    with caplog.at_level(logging.ERROR, "trunkline"), channel_of(resolver) as channel:
        deadline = time.monotonic() + 60.0
        while "refresh" not in resolver.events and time.monotonic() < deadline:
            channel.call("Name", "", str, timeout=50.0, wait_for_ready=True)
        call_until(channel, {"a"})

    assert "resolve own:///name: Tired.refresh raised RuntimeError" in {each.getMessage() for each in caplog.records}


@pytest.mark.parametrize(
    ("servers", "error", "text"),
    [
        (["tcp://"], trunkline.InvalidArgument, "host is missing"),
        (["127.0.0.1"], trunkline.InvalidArgument, "port"),
        ([ResolvedServer("tcp://a:1", weight=0.0)], ValueError, "the weight is 0.0"),
        ([ResolvedServer("tcp://a:1", weight=float("nan"))], ValueError, "the weight is nan"),
        ([ResolvedServer("tcp://a:1", priority=-1)], ValueError, "priority"),
        ([ResolvedServer("tcp://a:1", zone=1)], TypeError, "zone"),  # type: ignore[arg-type]
        ([("tcp://a:1", 1.0)], TypeError, "a server is a tuple"),
    ],
)
def test_what_it_reports_is_checked(pair: Pair, servers: list[Any], error: type[Exception], text: str) -> None:
    resolver = Listed(pair.a)
    with channel_of(resolver) as channel:
        call_until(channel, {"a"})
        with pytest.raises(error, match=text):
            resolver.updates.update(servers)
        call_until(channel, {"a"})


def no_resolver(target: trunkline.Target) -> Any:
    return "servers"


def refused(target: trunkline.Target) -> trunkline.Resolver:
    raise LookupError(target.path)


@pytest.mark.parametrize(
    ("resolvers", "error", "text"),
    [
        ({"tcp": Listed}, ValueError, "add resolver 'tcp': the scheme is that of an endpoint"),
        ({"Own": Listed}, ValueError, "add resolver 'Own'"),
        ({"own": 1}, TypeError, "the factory of 'own' is a int"),
        ({"own": no_resolver}, TypeError, "the factory of 'own' has made a str"),
        ({"own": refused}, LookupError, "name"),
        ({}, trunkline.InvalidArgument, "unknown scheme 'own'"),
    ],
)
def test_a_wrong_factory_is_refused(resolvers: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        trunkline.Channel("own:///name", resolvers=resolvers)


def test_it_may_replace_one_of_the_library(pair: Pair) -> None:
    with trunkline.Channel("dns:///name:1", resolvers={"dns": lambda target: Listed(pair.a)}) as channel:
        assert channel.call("Name", "", str, timeout=50.0) == "a"


class Polling(trunkline.Resolver):
    """Reports from a thread of its own, which `close` waits for."""

    def __init__(self, servers: Callable[[], list[str]], pause: float) -> None:
        self._servers = servers
        self._pause = pause
        self._is_closed = threading.Event()
        self._thread: threading.Thread | None = None
        self.reports = 0

    def start(self, updates: trunkline.ResolverUpdates) -> None:
        self._thread = threading.Thread(target=self._run, args=(updates,))
        self._thread.start()

    def close(self) -> None:
        self._is_closed.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self, updates: trunkline.ResolverUpdates) -> None:
        while not self._is_closed.wait(self._pause):
            updates.update(self._servers())
            self.reports += 1


def test_close_may_wait_for_a_thread_that_reports(pair: Pair) -> None:
    for _ in range(50):
        resolver = Polling(lambda: [pair.a, pair.b], pause=0.0)
        with channel_of(resolver) as channel:
            channel.call("Name", "", str, timeout=50.0, wait_for_ready=True)
        reports = resolver.reports
        assert reports > 0 and resolver._thread is not None and not resolver._thread.is_alive()


@pytest.mark.parametrize("ends", ["close", "destroy"])
def test_a_channel_may_end_while_threads_report(pair: Pair, ends: str) -> None:
    resolvers: list[Listed] = []
    is_over = threading.Event()
    failures: list[BaseException] = []

    def report() -> None:
        try:
            while not is_over.is_set():
                for resolver in resolvers[-2:]:
                    if "start" in resolver.events:
                        resolver.updates.update([pair.a, pair.b])
                        resolver.updates.fail("sometimes")
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=report) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for turn in range(200):
            resolvers.append(Listed(pair.a))
            channel = channel_of(resolvers[-1])
            if turn % 2:
                channel.on_state_change(lambda state: None)  # starts a thread for the loop
            channel.call("Name", "", str, timeout=50.0, wait_for_ready=True)
            if ends == "close":
                channel.close()
            del channel
        gc.collect()
    finally:
        is_over.set()
        for thread in threads:
            thread.join(60.0)

    assert not failures and not any(thread.is_alive() for thread in threads)
    assert all(resolver.events[0] == "start" and resolver.events[-1] == "close" for resolver in resolvers)
    assert all(resolver.events.count("close") == 1 for resolver in resolvers)


def test_asyncio(pair: Pair) -> None:
    has_called: asyncio.Event

    class OnTheLoop(trunkline.Resolver):
        """Reports from a task of the event loop."""

        def __init__(self, target: trunkline.Target) -> None:
            self._loop = asyncio.get_running_loop()
            self._task: asyncio.Task[None] | None = None

        def start(self, updates: trunkline.ResolverUpdates) -> None:
            self._loop.call_soon_threadsafe(self._begin, updates)

        def _begin(self, updates: trunkline.ResolverUpdates) -> None:
            self._task = self._loop.create_task(self._run(updates))

        async def _run(self, updates: trunkline.ResolverUpdates) -> None:
            await asyncio.sleep(0.01)
            updates.update([pair.a])
            await has_called.wait()
            updates.update([pair.b])

        def close(self) -> None:
            if self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)

    async def run() -> None:
        nonlocal has_called
        has_called = asyncio.Event()
        async with aio.Channel("own:///name", resolvers={"own": OnTheLoop}) as channel:
            names: list[str] = []
            while names[-1:] != ["b"]:
                names.append(await channel.call("Name", "", str, timeout=50.0))
                has_called.set()
            assert set(names) == {"a", "b"}

    asyncio.run(run())


def test_a_forked_child_neither_reports_nor_closes(pair: Pair) -> None:
    resolver = Listed(pair.a)
    with channel_of(resolver) as channel:
        call_until(channel, {"a"})
        child = os.fork()
        if child == 0:
            # An alarm ends a child that waits for a lock of the parent.
            signal.alarm(100)
            try:
                resolver.updates.update([pair.b])
                resolver.updates.fail("in the child")
                channel.close()
                del channel
                gc.collect()
                own = Listed(pair.b)
                with channel_of(own) as anew:
                    assert anew.call("Name", "", str, timeout=50.0) == "b"
                os._exit(0 if resolver.events == ["start"] and own.events == ["start", "close"] else 3)
            except BaseException:
                os._exit(4)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        call_until(channel, {"a"})
    assert resolver.events == ["start", "close"]

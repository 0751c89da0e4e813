# SPDX-License-Identifier: MIT
"""What happens where a thread cannot be started: from the end of the main thread on Python 3.12 refuses each, and a
destructor starts none."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from concurrent import futures
from threading import Event, Thread

import pytest
import trunkline
import trunkline.grpc
from trunkline._process import exit, threads
from trunkline._process.daemon_pool import DaemonPool

from .ending import end_of
from .waiting import wait_until


def refuse(thread: Thread) -> None:
    """Stands for ``Thread.start()``."""
    raise RuntimeError("can't create new thread at interpreter shutdown")


def fail(thread: Thread) -> None:
    """Stands for ``Thread.start()`` of a system that is out of threads."""
    raise RuntimeError("can't start new thread")


def test_a_function_that_gets_no_thread_at_exit_runs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Thread, "start", refuse)

    assert threads.begin_in_thread(lambda: 1).result(0) == 1

    threads.join_all(0.0)


def test_a_function_that_gets_no_thread_at_another_time_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Thread, "start", fail)
    calls: list[int] = []

    with pytest.raises(RuntimeError, match="can't start new thread"):
        threads.begin_in_thread(calls.append, 1)

    assert calls == []
    threads.join_all(0.0)


def test_threads_that_have_ended_are_not_waited_for() -> None:
    for _ in range(100):
        threads.begin_in_thread(int).result()

    wait_until(lambda: not threads._waiting)


def test_a_pool_without_threads_runs_the_function_at_once_at_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = DaemonPool(2, "test")
    monkeypatch.setattr(Thread, "start", refuse)

    assert pool.submit(lambda: 1).result(0) == 1

    pool.close()
    pool.join(0.0)


def test_a_pool_without_threads_fails_at_another_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = DaemonPool(2, "test")
    monkeypatch.setattr(Thread, "start", fail)

    with pytest.raises(RuntimeError, match="can't start new thread"):
        pool.submit(int)

    assert pool.waiting() == 0
    pool.close()
    pool.join(0.0)


@pytest.mark.parametrize("start", [refuse, fail])
def test_a_pool_with_threads_leaves_the_function_to_them(
    monkeypatch: pytest.MonkeyPatch, start: Callable[[Thread], None]
) -> None:
    pool = DaemonPool(2, "test")
    go_on = Event()
    first = pool.submit(go_on.wait, 60)
    monkeypatch.setattr(Thread, "start", start)

    second = pool.submit(lambda: 2)
    go_on.set()

    assert first.result(60)
    assert second.result(60) == 2
    pool.close()


class BusyServer:
    """A server of grpcio's interface, with a call in progress whose handler waits until ``go_on`` is set."""

    def __init__(self) -> None:
        self.begun, self.go_on = Event(), Event()
        begun, go_on = self.begun, self.go_on

        def work(request: bytes, context: object) -> bytes:
            begun.set()
            assert go_on.wait(60)
            return request

        self.server = trunkline.grpc.server(futures.ThreadPoolExecutor(2))
        handlers = {"Work": trunkline.grpc.unary_unary_rpc_method_handler(work)}
        self.server.add_generic_rpc_handlers((trunkline.grpc.method_handlers_generic_handler("t.T", handlers),))
        port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()
        self.channel = trunkline.grpc.insecure_channel(f"127.0.0.1:{port}")
        self.call = self.channel.unary_unary("/t.T/Work").future(b"1")
        assert begun.wait(60)


def test_the_destructor_of_a_server_starts_no_thread_and_waits_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(exit._servers)
    busy = BusyServer()
    monkeypatch.setattr(Thread, "start", refuse)

    del busy.server

    # The handler still waits.
    assert busy.call.code() == trunkline.grpc.StatusCode.UNAVAILABLE
    busy.go_on.set()
    wait_until(lambda: len(exit._servers) == before)
    monkeypatch.undo()
    busy.channel.close()


@pytest.mark.parametrize("grace", [None, 0, 0.01])
def test_a_server_that_is_stopped_without_a_thread(monkeypatch: pytest.MonkeyPatch, grace: float | None) -> None:
    before = len(exit._servers)
    busy = BusyServer()
    monkeypatch.setattr(Thread, "start", refuse)

    stopped = busy.server.stop(grace)

    assert stopped.is_set()
    assert busy.call.code() == trunkline.grpc.StatusCode.UNAVAILABLE
    busy.go_on.set()
    wait_until(lambda: len(exit._servers) == before)
    monkeypatch.undo()
    busy.channel.close()


def test_a_handler_that_stops_its_server_without_a_thread() -> None:
    server = trunkline.Server(threads=2)
    holder: list[trunkline.RunningServer] = []

    @server.method
    def stop() -> None:
        start = Thread.start
        Thread.start = refuse  # type: ignore[method-assign, assignment]
        try:
            holder[0].stop()
        finally:
            Thread.start = start  # type: ignore[method-assign]

    holder.append(server.serve("tcp://127.0.0.1:0"))
    with trunkline.Channel(holder[0].endpoint, max_retries=0) as channel:
        with pytest.raises(trunkline.Unavailable):
            channel.call("stop")

    assert holder[0].wait(60)


#: Runs ``at_exit()`` while no thread can be started, as in an atexit callback of Python 3.12.
AT_EXIT = """
import asyncio, atexit, sys, threading
from concurrent import futures

def refuse(self):
    raise RuntimeError("can't create new thread at interpreter shutdown")

def refused():
    threading.Thread.start = refuse
    at_exit()
    print("done\\n", end="")  # in one piece, as other threads may print too

FIRST
import trunkline
import trunkline.grpc as grpc
import trunkline.grpc.aio
from trunkline import aio

begun = threading.Event()

def handle(request, context):
    begun.set()
    while context.is_active():
        threading.Event().wait(0.01)
    return request

async def handle_async(request, context):
    begun.set()
    await asyncio.sleep(1000)

def server_of(module, function, *arguments):
    server = module.server(*arguments)
    handlers = {"Hold": grpc.unary_unary_rpc_method_handler(function)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("t.T", handlers),))
    return server, server.add_insecure_port("127.0.0.1:0")

LAST
"""

SCENES = {
    "stop(None)": """
        server, _ = server_of(grpc, handle, futures.ThreadPoolExecutor(2))
        server.start()
        def at_exit(): server.stop(None).wait()
    """,
    "stop(1)": """
        server, _ = server_of(grpc, handle, futures.ThreadPoolExecutor(2))
        server.start()
        def at_exit(): server.stop(0.1).wait()
    """,
    "stop(None) of several ports": """
        server, _ = server_of(grpc, handle, futures.ThreadPoolExecutor(2))
        server.add_insecure_port("127.0.0.1:0")
        server.start()
        def at_exit(): server.stop(None).wait()
    """,
    "stop(1) with a call in progress": """
        server, port = server_of(grpc, handle, futures.ThreadPoolExecutor(2))
        server.start()
        call = grpc.insecure_channel(f"127.0.0.1:{port}").unary_unary("/t.T/Hold").future(b"")
        begun.wait()
        def at_exit(): server.stop(0.1).wait()
    """,
    "destructor": """
        server, _ = server_of(grpc, handle, futures.ThreadPoolExecutor(2))
        server.start()
        def at_exit():
            global server
            del server
    """,
    "subscribe": """
        channel = grpc.insecure_channel("127.0.0.1:1")
        channel.unary_unary("/t.T/Hold").future(b"")
        def at_exit():
            states = []
            channel.subscribe(states.append, try_to_connect=True)
            assert states
            channel.close()
    """,
    "a native server": """
        running = trunkline.Server().serve("tcp://127.0.0.1:0")
        def at_exit(): running.shutdown()
    """,
    "an asyncio server": """
        loop = asyncio.new_event_loop()
        server = aio.Server()
        @server.method
        async def echo(request: bytes) -> bytes: return request
        @server.method
        def blocking(request: bytes) -> bytes: return request
        async def begin():
            running = server.serve("tcp://127.0.0.1:0")
            channel = aio.Channel(running.endpoint)
            assert await channel.call("echo", b"1", bytes) == b"1"
            return running, channel
        running, channel = loop.run_until_complete(begin())
        async def end():
            if channel.state != "closed":
                assert await channel.call("blocking", b"1", bytes) == b"1"
            await channel.close()
            await running.shutdown()
        def at_exit():
            loop.run_until_complete(end())
            loop.close()
    """,
    "grpc.aio": """
        loop = asyncio.new_event_loop()
        async def begin():
            server, port = server_of(grpc.aio, handle_async)
            await server.start()
            return server, grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        server, channel = loop.run_until_complete(begin())
        async def end():
            await server.stop(0.1)
            await channel.close()
        def at_exit():
            loop.run_until_complete(end())
            loop.close()
    """,
    "a cancelled call with callbacks": """
        def handle_with_callback(request, context):
            context.add_callback(lambda: print("called back\\n", end=""))
            threading.Thread.start = refuse
            context.cancel()
            return request
        server, port = server_of(grpc, handle_with_callback, futures.ThreadPoolExecutor(2))
        server.start()
        call = grpc.insecure_channel(f"127.0.0.1:{port}").unary_unary("/t.T/Hold").future(b"")
        assert call.code() is grpc.StatusCode.CANCELLED
        def at_exit(): server.stop(None).wait()
    """,
}

#: The lines that scenes print.
OUTPUT_OF = {"a cancelled call with callbacks": ["called back"]}


@pytest.mark.parametrize("moment", ["FIRST", "LAST"], ids=["after the package's exit", "before the package's exit"])
@pytest.mark.parametrize("name", SCENES)
def test_an_exit_without_new_threads(name: str, moment: str) -> None:
    script = AT_EXIT.replace(moment, "atexit.register(refused)").replace("FIRST", "").replace("LAST", "")

    output = end_of(script + textwrap.dedent(SCENES[name]))

    # The callbacks of a call run while the server stops or later, for which the exit waits.
    assert sorted(output.splitlines()) == sorted(["done", *OUTPUT_OF.get(name, [])])

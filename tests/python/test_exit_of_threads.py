# SPDX-License-Identifier: MIT
"""The end of the interpreter while daemon threads wait for the package: they end without a word, what waits for them is
not held up, and the locks that they have are released."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pytest

from .ending import PRELUDE, Peer, end_of


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.stop()


#: Defines ``make()``, which returns ``call(name, request)`` on a channel of its own.
KINDS = {
    "native": """
import trunkline

def make():
    channel = trunkline.Channel(endpoint)
    return lambda name, request: channel.call("t.T/" + name, request, bytes)
""",
    "grpc": """
import trunkline.grpc

def make():
    channel = trunkline.grpc.insecure_channel(target)
    return lambda name, request: channel.unary_unary("/t.T/" + name)(request)
""",
}


def end(peer: Peer, kind: str, before: str, work: str) -> list[str]:
    """Ends a process whose daemon thread runs ``work``, once that has begun a call. ``before``: runs before the package
    is imported, so that what it registers runs after the package's own part of the exit."""
    script = (
        PRELUDE
        + textwrap.dedent(before)
        + KINDS[kind]
        + "call = make()\n"
        + textwrap.dedent(work)
        + "thread = threading.Thread(target=work, daemon=True)\nthread.start()\nwait_for_call()\n"
    )
    return end_of(script, *peer.addresses).splitlines()


@pytest.mark.parametrize("kind", KINDS)
def test_a_thread_that_is_joined_at_exit(peer: Peer, kind: str) -> None:
    before = """
        stop = threading.Event()
        atexit.register(lambda: (stop.set(), thread.join(), print("joined")))
    """
    work = """
        def work():
            try:
                while not stop.is_set():
                    try:
                        call("Hold", token)
                    except Exception:
                        pass
            finally:
                print("finally")
    """
    assert end(peer, kind, before, work) == ["finally", "joined"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_lock_around_a_call_that_is_taken_at_exit(peer: Peer, kind: str) -> None:
    before = """
        lock = threading.Lock()
        atexit.register(lambda: (lock.acquire(), print("taken")))
    """
    work = """
        def work():
            with lock:
                call("Hold", token)
    """
    assert end(peer, kind, before, work) == ["taken"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_logging_handler_that_makes_calls(peer: Peer, kind: str) -> None:
    work = """
        class Handler(logging.Handler):
            def emit(self, record):
                call("Hold", token)

        log = logging.getLogger("application")
        log.propagate = False
        log.addHandler(Handler())
        atexit.register(print, "exit")

        def work():
            while True:
                log.error("something")
    """
    assert end(peer, kind, "", work) == ["exit"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("make", "expected"),
    [("make()", ["echo", "finally", "joined"]), ("call", ["finally", "joined"])],
    ids=["a new channel", "a channel that the exit has closed"],
)
def test_a_thread_that_begins_at_exit(peer: Peer, kind: str, make: str, expected: list[str]) -> None:
    before = f"""
        def at_exit():
            def run():
                try:
                    print({make}("Echo", b"echo").decode())
                finally:
                    print("finally")
            late = threading.Thread(target=run)
            late.start()
            late.join()
            print("joined")

        atexit.register(at_exit)
    """
    work = """
        def work():
            call("Hold", token)
    """
    assert end(peer, kind, before, work) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_the_main_thread_is_told_the_error(peer: Peer, kind: str) -> None:
    before = """
        def at_exit():
            try:
                call("Echo", b"")
            except Exception as error:
                print(type(error).__name__)

        atexit.register(at_exit)
    """
    work = """
        def work():
            call("Hold", token)
    """
    assert end(peer, kind, before, work) == [{"native": "FailedPrecondition", "grpc": "ValueError"}[kind]]


#: What a daemon thread waits for when the interpreter ends.
WAITS = {
    "call": 'channel.call("t.T/Hold", token, bytes)',
    "call with info": """
        info = trunkline.ResponseInfo()
        channel.call("t.T/Hold", token, bytes, response_info=info)
    """,
    "result of a future": 'channel.submit("t.T/Hold", token, bytes).result()',
    "exception of a future": 'channel.submit("t.T/Hold", token, bytes).exception().args',
    "futures": """
        from concurrent.futures import wait
        futures = [channel.submit("t.T/Hold", token, bytes) for _ in range(3)]
        wait(futures)
        for future in futures:
            future.result()
    """,
    "map": 'list(channel.map("t.T/Hold", [token] * 3, bytes))',
    "as_completed": 'list(channel.as_completed("t.T/Hold", [token] * 3, bytes))',
    "map with interceptors": """
        def pass_on(call):
            yield
        with trunkline.Channel(endpoint, interceptors=[pass_on]) as other:
            list(other.map("t.T/Hold", [token] * 3, bytes))
    """,
    "read": 'list(channel.server_stream("t.T/Give", token, bytes))',
    "read in a block": """
        with channel.server_stream("t.T/Give", token, bytes) as stream:
            for message in stream:
                pass
    """,
    "write": """
        with channel.stream("t.T/Both", bytes, bytes) as stream:
            stream.write(token)
            while True:
                stream.write(bytes(100_000))
    """,
    "requests": """
        def requests():
            yield token
            while True:
                yield bytes(100_000)
        channel.client_stream("t.T/Take", requests(), bytes)
    """,
    "exchange": """
        def requests():
            yield token
            while True:
                yield bytes(100_000)
        list(channel.stream("t.T/Both", bytes, bytes).exchange(requests()))
    """,
    "requests that make calls": """
        def requests():
            yield token
            while True:
                yield channel.call("t.T/Hold", token, bytes)
        list(channel.stream("t.T/Both", bytes, bytes).exchange(requests()))
    """,
    "requests that fail at their end": """
        def requests():
            try:
                yield token
                while True:
                    yield bytes(100_000)
            finally:
                raise ValueError
        list(channel.stream("t.T/Both", bytes, bytes).exchange(requests()))
    """,
    "finish": """
        stream = channel.server_stream("t.T/Give", token, bytes)
        stream.finish()
    """,
    "close": """
        future = channel.submit("t.T/Hold", token, bytes)
        wait_for_call()
        channel.close(100)
        future.result()
    """,
    "leaving a block": """
        with channel:
            channel.call("t.T/Hold", token, bytes)
    """,
    "a channel of its own": """
        with trunkline.Channel(endpoint) as own:
            while True:
                own.call("t.T/Hold", token, bytes)
    """,
    "channel after channel": """
        while True:
            with trunkline.Channel(endpoint) as own:
                own.call("t.T/Hold", token, bytes)
    """,
    "ready": """
        channel.submit("t.T/Hold", token, bytes)
        trunkline.Channel("tcp://127.0.0.1:1").wait_for_ready(100)
    """,
    "shutdown": """
        server = trunkline.Server()
        @server.method
        def pass_on() -> bytes:
            return channel.call("t.T/Hold", token, bytes)
        running = server.serve("tcp://127.0.0.1:0")
        own = trunkline.Channel(running.endpoint)
        call = own.submit("pass_on", None, bytes)
        wait_for_call()
        running.shutdown(100)
    """,
    "stop": """
        server = trunkline.Server()
        @server.method
        def pass_on() -> bytes:
            return channel.call("t.T/Hold", token, bytes)
        running = server.serve("tcp://127.0.0.1:0")
        own = trunkline.Channel(running.endpoint)
        call = own.submit("pass_on", None, bytes)
        wait_for_call()
        running.stop()
    """,
    "end of a server": """
        channel.submit("t.T/Hold", token, bytes)
        trunkline.Server().serve("tcp://127.0.0.1:0").wait()
    """,
    "grpc: call": 'stub.unary_unary("/t.T/Hold")(token)',
    "grpc: with_call": 'stub.unary_unary("/t.T/Hold").with_call(token)',
    "grpc: result": 'stub.unary_unary("/t.T/Hold").future(token).result()',
    "grpc: exception": 'stub.unary_unary("/t.T/Hold").future(token).exception().code().name',
    "grpc: code": 'stub.unary_unary("/t.T/Hold").future(token).code().name',
    "grpc: responses": 'list(stub.unary_stream("/t.T/Give")(token))',
    "grpc: status of a stream": 'stub.unary_stream("/t.T/Give")(token).code().name',
    "grpc: metadata": """
        call = stub.unary_stream("/t.T/Give")(token)
        next(call)
        call.trailing_metadata()
    """,
    "grpc: requests": """
        def requests():
            yield token
            while True:
                yield bytes(100_000)
        stub.stream_unary("/t.T/Take")(requests())
    """,
    "grpc: requests that fail at their end": """
        def requests():
            try:
                yield token
                while True:
                    yield bytes(100_000)
            finally:
                raise ValueError
        list(stub.stream_stream("/t.T/Both")(requests()))
    """,
    "grpc: result of requests": 'stub.stream_unary("/t.T/Take").future(iter([token])).result()',
    "grpc: both": """
        def requests():
            yield token
            threading.Event().wait()
        list(stub.stream_stream("/t.T/Both")(requests()))
    """,
    "grpc: interceptors": """
        class PassOn(trunkline.grpc.UnaryUnaryClientInterceptor):
            def intercept_unary_unary(self, continuation, details, request):
                return continuation(details, request)
        trunkline.grpc.intercept_channel(stub, PassOn()).unary_unary("/t.T/Hold")(token)
    """,
    "grpc: ready": """
        channel.submit("t.T/Hold", token, bytes)
        trunkline.grpc.channel_ready_future(trunkline.grpc.insecure_channel("127.0.0.1:1")).result()
    """,
    "grpc: end of a server": """
        from concurrent.futures import ThreadPoolExecutor
        server = trunkline.grpc.server(ThreadPoolExecutor(2))
        server.add_insecure_port("127.0.0.1:0")
        server.start()
        channel.submit("t.T/Hold", token, bytes)
        server.wait_for_termination()
    """,
}


@pytest.mark.parametrize("name", WAITS)
def test_a_daemon_thread_that_waits(peer: Peer, name: str) -> None:
    script = (
        PRELUDE
        + "import trunkline, trunkline.grpc\n"
        + "channel = trunkline.Channel(endpoint)\nstub = trunkline.grpc.insecure_channel(target)\n"
        + "def work():\n"
        + textwrap.indent(textwrap.dedent(WAITS[name]), "    ")
        + "\nthreading.Thread(target=work, daemon=True).start()\nwait_for_call()\n"
    )
    end_of(script, *peer.addresses)


#: The same on an event loop in a daemon thread.
COROUTINES = {
    "call": """
        async with aio.Channel(endpoint) as channel:
            while True:
                await channel.call("t.T/Hold", token, bytes)
    """,
    "gather": """
        async with aio.Channel(endpoint) as channel:
            await asyncio.gather(*(channel.call("t.T/Hold", token, bytes) for _ in range(3)))
    """,
    "tasks that nobody awaits": """
        async with aio.Channel(endpoint) as channel:
            tasks = [asyncio.ensure_future(channel.call("t.T/Hold", token, bytes)) for _ in range(3)]
            await asyncio.sleep(1000)
    """,
    "submit": """
        async with aio.Channel(endpoint) as channel:
            await channel.submit("t.T/Hold", token, bytes)
    """,
    "map": """
        async with aio.Channel(endpoint) as channel:
            async for _ in channel.map("t.T/Hold", [token] * 3, bytes):
                pass
    """,
    "as_completed": """
        async with aio.Channel(endpoint) as channel:
            async for _ in channel.as_completed("t.T/Hold", [token] * 3, bytes):
                pass
    """,
    "read": """
        async with aio.Channel(endpoint) as channel:
            async with channel.server_stream("t.T/Give", token, bytes) as stream:
                async for _ in stream:
                    pass
    """,
    "write": """
        async with aio.Channel(endpoint) as channel:
            async with channel.stream("t.T/Both", bytes, bytes) as stream:
                await stream.write(token)
                while True:
                    await stream.write(bytes(100_000))
    """,
    "exchange": """
        async def requests():
            yield token
            while True:
                yield bytes(100_000)
        async with aio.Channel(endpoint) as channel:
            async for _ in channel.stream("t.T/Both", bytes, bytes).exchange(requests()):
                pass
    """,
    "requests": """
        async def requests():
            yield token
            while True:
                yield bytes(100_000)
        async with aio.Channel(endpoint) as channel:
            await channel.client_stream("t.T/Take", requests(), bytes)
    """,
    "requests that make calls": """
        async def requests():
            yield token
            while True:
                yield await channel.call("t.T/Hold", token, bytes)
        async with aio.Channel(endpoint) as channel:
            await channel.client_stream("t.T/Take", requests(), bytes)
    """,
    "map of requests that make calls": """
        async def requests():
            yield token
            await channel.call("t.T/Hold", token, bytes)
        async with aio.Channel(endpoint) as channel:
            async for _ in channel.map("t.T/Echo", requests(), bytes):
                pass
            await asyncio.sleep(1000)
    """,
    "requests that fail at their end": """
        async def requests():
            try:
                yield token
                while True:
                    yield bytes(100_000)
            finally:
                raise ValueError
        async with aio.Channel(endpoint) as channel:
            async for _ in channel.stream("t.T/Both", bytes, bytes).exchange(requests()):
                pass
    """,
    "interceptors that make calls": """
        async def ask(call):
            await channel.call("t.T/Hold", token, bytes)
            yield
        async with aio.Channel(endpoint) as channel, aio.Channel(endpoint, interceptors=[ask]) as other:
            async with other.server_stream("t.T/Give", token, bytes) as stream:
                await stream.read()
    """,
    "read after a read that was given up": """
        async with aio.Channel(endpoint) as channel:
            async with channel.server_stream("t.T/Give", token, bytes) as stream:
                await stream.read()
                while True:
                    try:
                        await asyncio.wait_for(stream.read(), 0.001)
                    except asyncio.TimeoutError:
                        pass
    """,
    "map that is given up": """
        async with aio.Channel(endpoint) as channel:
            responses = channel.map("t.T/Hold", [token] * 3, bytes)
            while True:
                try:
                    await asyncio.wait_for(anext(responses), 0.001)
                except asyncio.TimeoutError:
                    pass
    """,
    "close": """
        channel = aio.Channel(endpoint)
        task = asyncio.ensure_future(channel.call("t.T/Hold", token, bytes))
        async with aio.Channel(endpoint) as other:  # a call that waits for a connection would end with the close
            await other.call("t.T/Await", token, bytes)
        await channel.close(100)
    """,
    "ready": """
        async with aio.Channel(endpoint) as channel:
            call = asyncio.ensure_future(channel.call("t.T/Hold", token, bytes))
            await aio.Channel("tcp://127.0.0.1:1").wait_for_ready(100)
    """,
    "calls between pauses": """
        async with aio.Channel(endpoint) as channel:
            call = asyncio.ensure_future(channel.call("t.T/Hold", token, bytes))
            while True:
                await asyncio.sleep(0.001)
                await channel.call("t.T/Echo", b"", bytes)
    """,
    "a server": """
        server = aio.Server()
        @server.method
        async def pass_on() -> bytes:
            return await channel.call("t.T/Hold", token, bytes)
        async with aio.Channel(endpoint) as channel, server.serve("tcp://127.0.0.1:0") as running:
            async with aio.Channel(running.endpoint) as own:
                await own.call("pass_on", None, bytes)
    """,
    "shutdown": """
        server = aio.Server()
        @server.method
        async def pass_on() -> bytes:
            return await channel.call("t.T/Hold", token, bytes)
        channel = aio.Channel(endpoint)
        running = server.serve("tcp://127.0.0.1:0")
        own = aio.Channel(running.endpoint)
        call = own.submit("pass_on", None, bytes)
        while not running.totals()["open_calls"]:
            await asyncio.sleep(0.01)
        await running.shutdown(100)
    """,
    "grpc: call": """
        async with trunkline.grpc.aio.insecure_channel(target) as channel:
            await channel.unary_unary("/t.T/Hold")(token)
    """,
    "grpc: code": """
        async with trunkline.grpc.aio.insecure_channel(target) as channel:
            await channel.unary_unary("/t.T/Hold")(token).code()
    """,
    "grpc: code of a stream": """
        async with trunkline.grpc.aio.insecure_channel(target) as channel:
            await channel.unary_stream("/t.T/Give")(token).code()
    """,
    "grpc: responses": """
        async with trunkline.grpc.aio.insecure_channel(target) as channel:
            async for _ in channel.unary_stream("/t.T/Give")(token):
                pass
    """,
    "grpc: read": """
        async with trunkline.grpc.aio.insecure_channel(target) as channel:
            call = channel.stream_stream("/t.T/Both")()
            await call.write(token)
            while True:
                await call.read()
    """,
    "grpc: requests": """
        async def requests():
            yield token
            while True:
                yield bytes(100_000)
        async with trunkline.grpc.aio.insecure_channel(target) as channel:
            await channel.stream_unary("/t.T/Take")(requests())
    """,
    "grpc: a server": """
        async def hold(request, context):
            return await channel.call("t.T/Hold", token, bytes)
        handler = trunkline.grpc.unary_unary_rpc_method_handler(hold)
        server = trunkline.grpc.aio.server()
        server.add_generic_rpc_handlers((trunkline.grpc.method_handlers_generic_handler("s.S", {"Hold": handler}),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        channel = aio.Channel(endpoint)
        call = trunkline.grpc.aio.insecure_channel(f"127.0.0.1:{port}").unary_unary("/s.S/Hold")(b"")
        await server.wait_for_termination()
    """,
}

RUNNERS = {
    "asyncio.run": "asyncio.run(main())",
    "run_until_complete": """
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(main())
        finally:
            loop.close()
    """,
    "run_forever": """
        loop = asyncio.new_event_loop()
        kept.append(loop.create_task(main()))
        loop.run_forever()
    """,
    "uvloop": "uvloop.run(main())",
}


#: With these every runner is tried.
_TRIED_WITH_ALL = ("call", "gather", "tasks that nobody awaits", "calls between pauses", "a server")


@pytest.mark.parametrize(
    ("name", "runner"),
    [(name, "asyncio.run") for name in COROUTINES]
    + [(name, runner) for name in _TRIED_WITH_ALL for runner in RUNNERS if runner != "asyncio.run"],
)
def test_an_event_loop_in_a_daemon_thread(peer: Peer, name: str, runner: str) -> None:
    if runner == "uvloop":
        pytest.importorskip("uvloop")
    script = (
        PRELUDE
        + "import trunkline, trunkline.grpc.aio\nfrom trunkline import aio\nkept = []\n"
        + ("import uvloop\n" if runner == "uvloop" else "")
        + "async def main():\n"
        + textwrap.indent(textwrap.dedent(COROUTINES[name]), "    ")
        + "\ndef work():\n"
        + textwrap.indent(textwrap.dedent(RUNNERS[runner]), "    ")
        + "\nthreading.Thread(target=work, daemon=True).start()\nwait_for_call()\n"
    )
    end_of(script, *peer.addresses)


def test_a_loop_that_runs_for_ever_serves_others_at_exit(peer: Peer) -> None:
    script = (
        PRELUDE
        + """
import concurrent.futures

def at_exit():
    async def flush():
        await asyncio.sleep(0)
        return "flushed"
    print(asyncio.run_coroutine_threadsafe(flush(), loop).result())
    try:
        asyncio.run_coroutine_threadsafe(channel.call("t.T/Echo", b"", bytes), loop).result()
    except concurrent.futures.CancelledError:
        print("cancelled")

atexit.register(at_exit)
from trunkline import aio

loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, daemon=True).start()
channel = aio.Channel(endpoint)
future = asyncio.run_coroutine_threadsafe(channel.call("t.T/Hold", token, bytes), loop)
wait_for_call()
"""
    )
    assert end_of(script, *peer.addresses).splitlines() == ["flushed", "cancelled"]

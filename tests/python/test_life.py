# SPDX-License-Identifier: MIT
"""Forks, exits, signals, processes and threads. Each scenario runs in its own process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PRELUDE = """
import asyncio, os, signal, subprocess, sys, threading, time
import trunkline
from trunkline import aio

server = trunkline.Server(threads=4)

@server.method
def echo(request: bytes) -> bytes:
    return request

@server.method
def who() -> int:
    return os.getpid()

begun = threading.Event()
cancelled = threading.Event()

@server.method
def block(context: trunkline.Context) -> None:
    begun.set()
    while not context.is_cancelled():
        time.sleep(0.01)
    cancelled.set()
    os.write(1, b"cancelled\\n")  # whole, whatever other threads print

async_server = aio.Server()

@async_server.method
async def aecho(request: bytes) -> bytes:
    return request
"""

#: So often each scenario is played, to show that it does not hang now and then.
TIMES = int(os.environ.get("TRUNKLINE_TEST_REPEAT", "2"))

#: For the modules of scenarios.
pytestmark = scenarios = pytest.mark.timeout(300 + 10 * TIMES)


def play(script: str, *, expect: str = "", code: int = 0) -> str:
    output = ""
    for _ in range(TIMES):
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-W", "error", "-c", PRELUDE + textwrap.dedent(script)],
            capture_output=True,
            text=True,
            timeout=200,
        )
        output = done.stdout
        assert done.returncode == code, done.stderr
        assert not done.stderr, done.stderr
        if expect:
            assert output.splitlines() == expect.splitlines()
    return output


def test_exit_with_everything_alive() -> None:
    play(
        """
        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        assert channel.call("echo", b"x") == b"x"
        futures = [channel.submit("echo", b"y") for _ in range(100)]
        stream = channel.stream("echo", bytes, bytes)
        mapping = channel.map("echo", [b"x"] * 100)
        next(mapping)
        """
    )


def test_exit_with_a_call_that_waits_in_a_thread() -> None:
    play(
        """
        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        def wait():
            try:
                channel.call("block")
            except trunkline.RpcError:
                pass
        threading.Thread(target=wait, daemon=True).start()
        assert begun.wait(20)
        """,
        expect="cancelled",
    )


def test_exit_from_a_loop_that_was_left_open() -> None:
    play(
        """
        async def main():
            running = async_server.serve("tcp://127.0.0.1:0")
            channel = aio.Channel(running.endpoint)
            assert await channel.call("aecho", b"x") == b"x"
            return running, channel
        kept = asyncio.run(main())
        """
    )


def test_a_forked_child_has_channels_of_its_own() -> None:
    play(
        """
        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        assert channel.call("echo", b"x") == b"x"
        future = channel.submit("echo", b"x")
        stream = channel.stream("echo", bytes, bytes)
        pid = os.fork()
        if pid == 0:
            for use in (lambda: channel.call("echo", b"x"), lambda: channel.submit("echo", b"x"),
                        lambda: stream.read(), lambda: channel.wait_for_ready(1)):
                try:
                    use()
                except trunkline.FailedPrecondition as error:
                    assert "before fork()" in str(error), error
                else:
                    os._exit(3)
            with trunkline.Channel(running.endpoint) as own:
                if own.call("echo", b"child") != b"child":
                    os._exit(4)
            # Not the child's to end.
            running.stop()
            channel.close()
            with server.serve("tcp://127.0.0.1:0") as mine, trunkline.Channel(mine.endpoint) as own:
                if own.call("who") != os.getpid():
                    os._exit(5)
            sys.exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        assert channel.call("echo", b"parent") == b"parent"
        assert future.result(20) == b"x"
        running.stop()
        """
    )


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(tmp_path: Path, method: str) -> None:
    script = tmp_path / "work.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import multiprocessing
            import trunkline

            def work(endpoint, number):
                with trunkline.Channel(endpoint) as channel:
                    return channel.call("double", number)

            if __name__ == "__main__":
                server = trunkline.Server(threads=4)

                @server.method
                def double(request: int) -> int:
                    return 2 * request

                with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
                    assert channel.call("double", 1) == 2
                    with multiprocessing.get_context({method!r}).Pool(2) as pool:
                        doubled = pool.starmap(work, [(running.endpoint, i) for i in range(8)])
                        assert doubled == [2 * i for i in range(8)]
                    assert channel.call("double", 2) == 4
            """
        )
    )
    for _ in range(TIMES):
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=200)
        assert done.returncode == 0 and not done.stderr, done.stderr


def test_a_subprocess_with_live_channels() -> None:
    play(
        """
        with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
            channel.submit("echo", b"x").result(20)
            assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True).stdout == b"1\\n"
            assert channel.call("echo", b"x") == b"x"
        """
    )


@pytest.mark.parametrize("use", ['call("block")', 'call("block", response_info=trunkline.ResponseInfo())'])
def test_a_keyboard_interrupt_cancels_the_call(use: str) -> None:
    # Nothing uses the channel after the interrupt: that would write the cancellation too.
    output = play(
        f"""
        with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
            def interrupt():
                begun.wait(20)
                os.kill(os.getpid(), signal.SIGINT)
            threading.Thread(target=interrupt).start()
            try:
                channel.{use}
            except KeyboardInterrupt:
                os.write(1, b"interrupted\\n")
            assert cancelled.wait(60)
            assert channel.call("echo", b"x") == b"x"
        """
    )
    assert sorted(output.split()) == ["cancelled", "interrupted"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_until_signal(number: int) -> None:
    play(
        f"""
        running = server.serve("tcp://127.0.0.1:0")
        before = signal.getsignal({int(number)})
        def end():
            while signal.getsignal({int(number)}) is before:
                time.sleep(0.001)
            os.kill(os.getpid(), {int(number)})
        threading.Thread(target=end).start()
        assert running.run_until_signal() == {int(number)}
        assert running.wait(0)
        async def main():
            running = async_server.serve("tcp://127.0.0.1:0")
            asyncio.get_running_loop().call_soon(os.kill, os.getpid(), {int(number)})
            assert await running.run_until_signal() == {int(number)}
        asyncio.run(main())
        """
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_until_signal_with_an_open_stream(number: int) -> None:
    """It returns the signal, and logs what is cut off, instead of raising that."""
    play(
        f"""
        import logging
        from collections.abc import AsyncIterator, Iterator

        lines = []
        class Handler(logging.Handler):
            def emit(self, record):
                lines.append(record.getMessage())
        logging.getLogger("trunkline.server").addHandler(Handler())

        @server.method
        def endless() -> Iterator[int]:
            number = 0
            while True:
                yield number
                number += 1
                time.sleep(0.001)

        @async_server.method
        async def aendless() -> AsyncIterator[int]:
            number = 0
            while True:
                yield number
                number += 1
                await asyncio.sleep(0.001)

        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        stream = channel.server_stream("endless", None, int)
        assert stream.read() == 0
        before = signal.getsignal({int(number)})
        def end():
            while signal.getsignal({int(number)}) is before:
                time.sleep(0.001)
            os.kill(os.getpid(), {int(number)})
        threading.Thread(target=end).start()
        assert running.run_until_signal(grace=0.05) == {int(number)}
        assert running.wait(0)
        assert ["calls cut off: 1" in line for line in lines] == [True], lines
        lines.clear()

        async def main():
            running = async_server.serve("tcp://127.0.0.1:0")
            async with aio.Channel(running.endpoint) as channel:
                stream = channel.server_stream("aendless", None, int)
                assert await stream.read() == 0
                asyncio.get_running_loop().call_soon(os.kill, os.getpid(), {int(number)})
                assert await running.run_until_signal(grace=0.05) == {int(number)}
                stream.cancel()
        asyncio.run(main())
        assert ["calls cut off: 1" in line for line in lines] == [True], lines
        """
    )


def test_several_processes_share_a_port() -> None:
    play(
        """
        with server.serve("tcp://127.0.0.1:0", workers=3) as running:
            seen = set()
            for _ in range(200):
                with trunkline.Channel(running.endpoint) as channel:
                    seen.add(channel.call("who"))
                if len(seen) == 3:
                    break
            assert len(seen) == 3 and os.getpid() in seen, seen
        for pid in seen - {os.getpid()}:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                continue
            raise AssertionError("a child is left")
        """
    )


@pytest.mark.parametrize("run", ["asyncio.run", "uvloop.run"])
def test_several_processes_with_event_loops(run: str) -> None:
    play(
        f"""
        import uvloop

        @async_server.method
        async def pid() -> int:
            await asyncio.sleep(0.001)
            return os.getpid()

        async def main():
            async with async_server.serve("tcp://127.0.0.1:0", workers=3) as running:
                seen = set()
                for _ in range(200):
                    async with aio.Channel(running.endpoint) as channel:
                        seen.update(await asyncio.gather(*(channel.call("pid") for _ in range(3))))
                    if len(seen) == 3:
                        break
                assert len(seen) == 3 and os.getpid() in seen, seen
            for pid in seen - {{os.getpid()}}:
                try:
                    os.kill(pid, 0)
                except ProcessLookupError:
                    continue
                raise AssertionError("a child is left")

        {run}(main())
        """
    )


def test_uvloop_comes_and_goes() -> None:
    play(
        """
        import uvloop

        async def main():
            async with async_server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
                assert await asyncio.gather(*(channel.call("aecho", b"x") for _ in range(20))) == [b"x"] * 20
        for _ in range(5):
            uvloop.run(main())
        threads = [threading.Thread(target=lambda: uvloop.run(main())) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """
    )


def test_loops_that_come_and_go() -> None:
    play(
        """
        running = server.serve("tcp://127.0.0.1:0")
        channel = aio.Channel(running.endpoint)
        async def main(number):
            text = str(number).encode()
            responses = await asyncio.gather(*(channel.call("echo", text) for _ in range(20)))
            assert responses == [text] * 20
        for number in range(10):
            asyncio.run(main(number))
        threads = [threading.Thread(target=lambda n=n: asyncio.run(main(n))) for n in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        running.stop()
        """
    )


def test_a_call_on_a_loop_that_ends_first() -> None:
    play(
        """
        running = server.serve("tcp://127.0.0.1:0")
        channel = aio.Channel(running.endpoint)
        async def leave():
            asyncio.ensure_future(channel.call("block"))
            while not begun.is_set():
                await asyncio.sleep(0.001)
        asyncio.run(leave())
        async def again():
            assert await channel.call("echo", b"x") == b"x"
        asyncio.run(again())
        running.stop()
        """,
        expect="cancelled",
    )


@pytest.mark.parametrize("order", ["grpc,google.protobuf,numpy,trunkline", "trunkline,numpy,google.protobuf,grpc"])
def test_beside_grpc(order: str) -> None:
    play(
        "import "
        + order
        + """
from concurrent.futures import ThreadPoolExecutor
from google.protobuf.wrappers_pb2 import StringValue
import grpc, numpy

class Echo(grpc.GenericRpcHandler):
    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(
            lambda request, context: request, StringValue.FromString, StringValue.SerializeToString)

@server.method
def proto(request: StringValue) -> StringValue:
    return request

theirs = grpc.server(ThreadPoolExecutor(2), handlers=[Echo()])
port = theirs.add_insecure_port("127.0.0.1:0")
theirs.start()
with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel, \\
        grpc.insecure_channel(f"127.0.0.1:{port}") as other:
    ask = other.unary_unary("/a/b", StringValue.SerializeToString, StringValue.FromString)
    for i in range(50):
        message = StringValue(value=str(i))
        assert ask(message) == message
        assert channel.call("proto", message, StringValue) == message
    assert len(channel.call("echo", numpy.zeros(1000), memoryview, codec="bytes")) == 8000
theirs.stop(0).wait()
"""
    )

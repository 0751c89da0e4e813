# SPDX-License-Identifier: MIT
"""Exits, forks and interrupts during calls. Each scenario runs in its own process."""

from __future__ import annotations

import pytest

from .test_life import play, scenarios

pytestmark = scenarios


def test_exit_with_an_unreferenced_server() -> None:
    play(
        """
        import gc
        endpoint = server.serve("tcp://127.0.0.1:0").endpoint
        gc.collect()
        channel = trunkline.Channel(endpoint)
        calls = threading.Semaphore(0)
        def work():
            try:
                while True:
                    channel.call("echo", b"x")
                    calls.release()
            except trunkline.RpcError:
                pass
        threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
        for thread in threads: thread.start()
        assert all(calls.acquire(timeout=20) for _ in range(100))
        """
    )


def test_exit_continues_after_a_failed_close() -> None:
    play(
        """
        import logging
        from trunkline._process import exit
        logging.disable()
        class Broken:
            def _close_at_exit(self):
                raise SystemExit(3)
        broken = Broken()
        exit.track_channel(broken)
        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        future = channel.submit("block")
        assert begun.wait(20)
        """,
        expect="cancelled",
    )


@pytest.mark.parametrize("run", ["asyncio.run(main())", "asyncio.new_event_loop().run_until_complete(main())"])
def test_exit_with_a_plain_handler_of_a_loop(run: str) -> None:
    play(
        f"""
        import logging, warnings
        warnings.simplefilter("ignore", ResourceWarning)
        # asyncio.run() cancels the handler, which is logged unless the client has cancelled its call before.
        logging.getLogger("trunkline.server").setLevel(logging.ERROR)
        async_server.add("block", block)
        async def main():
            running = async_server.serve("tcp://127.0.0.1:0")
            channel = aio.Channel(running.endpoint)
            call = asyncio.ensure_future(channel.call("block"))
            while not begun.is_set():
                await asyncio.sleep(0.01)
            call.add_done_callback(lambda call: call.cancelled() or call.exception())
            return running, channel, call
        kept = {run}
        """,
        expect="cancelled",
    )


def test_exit_while_a_task_waits_to_be_ready() -> None:
    play(
        """
        async def main():
            try:
                await asyncio.wait_for(aio.Channel("tcp://127.0.0.1:1").wait_for_ready(100.0), 0.1)
            except asyncio.TimeoutError:
                os.write(1, b"left\\n")
        begin = time.monotonic()
        asyncio.run(main())
        assert time.monotonic() - begin < 50.0
        """,
        expect="left",
    )


@pytest.mark.parametrize("leave", ["del channel; gc.collect()", "sys.exit(0)", "asyncio.run(channel.close())"])
def test_a_child_leaves_the_loops_of_its_parent_alone(leave: str) -> None:
    play(
        f"""
        import gc
        running = server.serve("tcp://127.0.0.1:0")
        loop = asyncio.new_event_loop()
        channel = aio.Channel(running.endpoint)
        async def ask(text):
            return await asyncio.wait_for(channel.call("echo", text), 50)
        assert loop.run_until_complete(ask(b"x")) == b"x"
        pid = os.fork()
        if pid == 0:
            import warnings
            warnings.simplefilter("ignore")
            {leave}
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        assert loop.run_until_complete(ask(b"y")) == b"y"
        loop.close()
        """
    )


def test_a_child_leaves_the_servers_of_its_parent_alone() -> None:
    play(
        """
        async def main():
            running = async_server.serve("tcp://127.0.0.1:0")
            channel = aio.Channel(running.endpoint)
            assert await channel.call("aecho", b"x") == b"x"
            pid = os.fork()
            if pid == 0:
                running._close()
                stopping = running.stop()
                try:
                    stopping.send(None)
                except StopIteration:
                    os._exit(0)
                os._exit(3)
            assert os.waitpid(pid, 0)[1] == 0
            assert await asyncio.wait_for(channel.call("aecho", b"y"), 50) == b"y"
            await channel.close()
            await running.stop()
        asyncio.run(main())
        """
    )


@pytest.mark.parametrize(
    "use",
    [
        'channel.server_stream("block_stream").read()',
        'list(channel.server_stream("block_stream"))',
        'list(channel.map("block", [None]))',
        'list(channel.as_completed("block", [None]))',
        'channel.client_stream("block_requests", [1])',
        'channel.bind(Blocks).block(1)',
    ],
)
def test_a_keyboard_interrupt_of_what_waits(use: str) -> None:
    output = play(
        f"""
        from collections.abc import Iterator

        @server.method
        def block_stream(context: trunkline.Context) -> Iterator[int]:
            block(context)
            yield 1

        @server.method
        def block_requests(requests: Iterator[int], context: trunkline.Context) -> None:
            block(context)

        class Blocks:
            def block(self, request: int, context: trunkline.Context) -> None:
                block(context)
        server.add_service(Blocks)

        with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
            def interrupt():
                begun.wait(20)
                os.kill(os.getpid(), signal.SIGINT)
            threading.Thread(target=interrupt).start()
            try:
                {use}
            except KeyboardInterrupt:
                os.write(1, b"interrupted\\n")
            assert cancelled.wait(60)  # although nothing uses the channel any more
            assert channel.call("echo", b"x") == b"x"
        """
    )
    assert sorted(output.split()) == ["cancelled", "interrupted"]

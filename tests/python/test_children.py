# SPDX-License-Identifier: MIT
"""Futures, channels and servers of the parent in a forked child. Each scenario runs in its own process."""

from __future__ import annotations

from .test_life import play


def test_a_future_of_the_parent_fails_in_a_child() -> None:
    play(
        """
        import concurrent.futures
        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        future = channel.submit("block")
        ended = channel.submit("echo", b"x")
        assert ended.result(20) == b"x" and begun.wait(20)
        future.add_done_callback(lambda _: os.write(1, b"called back\\n"))
        future._condition.acquire()  # as of the thread that completes it
        pid = os.fork()
        if pid == 0:
            assert concurrent.futures.wait([future], timeout=20).done == {future}
            for use in (future.result, future.exception):
                try:
                    error = use(20)
                except trunkline.FailedPrecondition as raised:
                    error = raised
                assert "before fork()" in str(error), error
            assert not future.cancel() and ended.result(20) == b"x"
            channel.close(0)
            os._exit(0)
        future._condition.release()
        assert os.waitpid(pid, 0)[1] == 0
        assert not future.done() and future.cancel()
        channel.close()
        running.stop()
        """,
        expect="called back\ncancelled",
    )


def test_locks_that_were_held_at_the_fork() -> None:
    play(
        """
        from trunkline._sync import futures
        running = server.serve("tcp://127.0.0.1:0")
        channels = [trunkline.Channel(running.endpoint) for _ in range(2)]
        assert channels[0].submit("echo", b"x").result(20) == b"x"
        futures.dispatcher_lock.acquire()  # as of another thread
        running._stopping.acquire()
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            for channel in channels:
                for use in (lambda: channel.submit("echo", b"x"), lambda: channel.call_oneway("echo", b"x")):
                    try:
                        use()
                    except trunkline.FailedPrecondition:
                        pass
                    else:
                        os._exit(3)
                channel.close()
            running.stop()
            with trunkline.Channel(running.endpoint) as own:
                assert own.submit("echo", b"child").result(20) == b"child"
            os._exit(0)
        futures.dispatcher_lock.release()
        running._stopping.release()
        assert os.waitpid(pid, 0)[1] == 0
        assert channels[0].submit("echo", b"x").result(20) == b"x"
        """
    )


def test_a_child_that_closes_a_channel_completes_no_futures_of_the_parent() -> None:
    play(
        """
        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        blocked, go = threading.Event(), threading.Event()
        first = channel.submit("echo", b"0")
        first.add_done_callback(lambda _: (blocked.set(), go.wait(20)))
        assert blocked.wait(20)
        futures = [channel.submit("echo", b"x") for _ in range(3)]
        parent = os.getpid()
        for future in futures:
            future.add_done_callback(lambda _: os.write(1, b"parent\\n" if os.getpid() == parent else b"child\\n"))
        channel.call("echo", b"9")  # runs the loop, so their responses have arrived
        pid = os.fork()
        if pid == 0:
            channel.close(0)
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        go.set()
        assert [future.result(20) for future in futures] == [b"x"] * 3
        channel.close()
        """,
        expect="parent\nparent\nparent",
    )

# SPDX-License-Identifier: MIT
"""Forks from within the library: the child gets an error, and the parent is not affected."""

from __future__ import annotations

import pytest

from .test_life import play

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


def test_a_child_finds_nothing_in_an_inbox() -> None:
    play(
        """
        import select
        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        inbox = channel._core.make_inbox(True)
        expects = trunkline._core.Expects.response
        call = channel._core.begin("echo", b"x", "bytes", None, expects, inbox, "tag")
        channel.call("echo", b"y")
        while not select.select([inbox], [], [], 0)[0]:
            channel.call("echo", b"y")
        pid = os.fork()
        if pid == 0:
            os._exit(0 if inbox.take() == [] else 3)
        assert os.waitpid(pid, 0)[1] == 0
        # The child has not read the descriptor that it shares with its parent, either.
        assert os.read(inbox.fileno(), 8)
        assert [tag for tag, outcome in inbox.take()] == ["tag"]
        running.stop()
        """
    )


@pytest.mark.parametrize(
    "wait",
    [
        'channel.call("block")',
        'list(channel.map("block", [None] * 2))',
        'list(channel.as_completed("block", [None] * 2))',
        'channel.server_stream("drip", None, int).read()',
        "running.shutdown(60)",
        "channel.close(60)",
    ],
)
def test_a_signals_handler_that_forks(wait: str) -> None:
    play(
        f"""
        from collections.abc import Iterator

        @server.method
        def drip(context: trunkline.Context) -> Iterator[int]:
            block(context)
            yield 1

        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        parent = os.getpid()
        children = []
        def fork(*_):
            children.append(os.fork())
            if children[-1] == 0:
                signal.alarm(60)
        signal.signal(signal.SIGUSR1, fork)
        if {wait!r}.startswith(("running", "channel.close")):
            kept = channel.submit("block")
            assert begun.wait(20)
        def wait_until_it_drains():
            try:
                while True:
                    with trunkline.Channel(running.endpoint, max_retries=0) as other:
                        other.call("echo", b"x", timeout=20)
            except trunkline.Unavailable:
                pass
        def interrupt():
            begun.wait(20)
            if {wait!r}.startswith("running"):
                wait_until_it_drains()
            elif {wait!r}.startswith("channel.close"):
                while channel.state != "closed":  # as it is once close() has begun
                    time.sleep(0.001)
            time.sleep(0.3)  # so it waits by then
            os.kill(parent, signal.SIGUSR1)
            while not children:
                time.sleep(0.001)
            os.kill(parent, signal.SIGINT)
        threading.Thread(target=interrupt, daemon=True).start()
        try:
            {wait}
        except trunkline.FailedPrecondition as error:
            assert os.getpid() != parent and "before fork()" in str(error), error
            os._exit(0)
        except KeyboardInterrupt:
            assert os.getpid() == parent
        else:
            os._exit(3)
        assert os.waitpid(children[0], 0)[1] == 0
        channel.close(0)
        running.stop()
        """
    )


def test_a_handler_that_forks() -> None:
    play(
        """
        import logging
        logging.disable()
        def report(raised):
            os._exit(7 if isinstance(raised.exc_value, trunkline.FailedPrecondition) else 3)
        threading.excepthook = report

        @server.method
        def spawn() -> int:
            pid = os.fork()
            if pid == 0:
                raise RuntimeError("the child's task fails")
            return pid

        with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
            child = channel.call("spawn", response=int, timeout=20)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            assert {channel.call("who", response=int, timeout=20) for _ in range(20)} == {os.getpid()}
        """
    )

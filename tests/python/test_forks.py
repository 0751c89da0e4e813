# SPDX-License-Identifier: MIT
"""A forked child inherits no locked mutex, no names and no ports from its parent."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import trunkline

from .test_life import play, scenarios

pytestmark = [scenarios, pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")]


def child_ends(child: int, seconds: float) -> bool:
    """Waits for the child. Returns whether it exited with status 0 in time, and kills it if it did not exit."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def in_a_child(task: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            task()
            os._exit(0)
        finally:
            os._exit(1)
    return child


def test_children_forked_while_other_threads_drop_references() -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def large(request: int) -> bytes:
        return bytes(20_000)

    def serve_a_little() -> None:
        with trunkline.Server(threads=1).serve("inproc://a-child"):
            pass

    with (
        server.serve(f"unix:@trunkline-forks-{os.getpid()}") as running,
        trunkline.Channel(running.endpoint) as channel,
    ):
        ended = threading.Event()

        def traffic() -> None:
            requests = itertools.takewhile(lambda _: not ended.is_set(), itertools.repeat(1))
            for _ in channel.map("large", requests, bytes, window=256):
                pass

        thread = threading.Thread(target=traffic)
        thread.start()
        try:
            end = time.monotonic() + 1.5
            while time.monotonic() < end:
                assert child_ends(in_a_child(serve_a_little), 60.0)
        finally:
            ended.set()
            thread.join()


def test_a_childs_inproc_names_are_its_own() -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def who() -> int:
        return os.getpid()

    def call_and_serve() -> None:
        with trunkline.Channel("inproc://forked", max_retries=0) as channel:
            with pytest.raises(trunkline.Unavailable):
                channel.call("who", timeout=50.0)
        with server.serve("inproc://forked") as running, trunkline.Channel(running.endpoint) as channel:
            assert channel.call("who", response=int, timeout=50.0) == os.getpid()

    with server.serve("inproc://forked") as running, trunkline.Channel(running.endpoint) as channel:
        assert channel.call("who", response=int) == os.getpid()
        assert child_ends(in_a_child(call_and_serve), 100.0)
        assert channel.call("who", response=int, timeout=50.0) == os.getpid()


def test_a_port_is_free_again_although_a_forked_child_lives() -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def who() -> int:
        return os.getpid()

    running = server.serve("tcp://127.0.0.1:0")
    child = in_a_child(lambda: time.sleep(600))
    try:
        running.stop()
        with trunkline.Channel(running.endpoint, max_retries=0) as channel, pytest.raises(trunkline.Unavailable):
            channel.call("who", timeout=50.0)
        with server.serve(running.endpoint) as again, trunkline.Channel(again.endpoint) as channel:
            assert channel.call("who", response=int, timeout=50.0) == os.getpid()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


ENDPOINTS = ["tcp://127.0.0.1:0", "unix:@trunkline-forks-again-{pid}", "unix://{folder}/socket"]


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=["tcp", "abstract", "path"])
def test_a_name_and_its_connections_end_with_the_parents_server_although_a_child_lives(
    tmp_path: Path, endpoint: str
) -> None:
    play(
        f"""
        endpoint = "{endpoint}".format(pid=os.getpid(), folder="{tmp_path}")
        running = server.serve(endpoint)
        channel = trunkline.Channel(running.endpoint, max_retries=0)
        assert channel.call("who") == os.getpid()
        reported, tell = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(tell)
            os.read(reported, 1)
            # Nothing that the child opens is mistaken for what its parent had.
            with server.serve("unix:@trunkline-child-%d" % os.getpid()) as own, trunkline.Channel(own.endpoint) as mine:
                assert mine.call("who") == os.getpid()
            os._exit(0)
        os.close(reported)
        assert channel.call("who") == os.getpid()  # the parent is unaffected
        running.stop()
        try:
            channel.call("who", timeout=20.0)
        except trunkline.Unavailable:
            pass
        with server.serve(running.endpoint) as again, trunkline.Channel(again.endpoint) as other:
            assert other.call("who") == os.getpid()
        os.close(tell)
        assert os.waitpid(child, 0)[1] == 0
        print("done")
        """,
        expect="done",
    )


def test_the_peer_sees_that_a_process_has_ended_although_its_child_lives() -> None:
    play(
        """
        with server.serve("tcp://127.0.0.1:0") as running:
            reported, tell = os.pipe()
            client = os.fork()
            if client == 0:
                os.close(tell)
                with trunkline.Channel(running.endpoint) as channel:
                    channel.call("who")
                    if os.fork() == 0:
                        os.read(reported, 1)  # until the test ends
                    os._exit(0)
            os.close(reported)
            assert os.waitpid(client, 0)[1] == 0
            end = time.monotonic() + 60.0
            while running.totals()["connections"] > 0:
                assert time.monotonic() < end
                time.sleep(0.001)
            assert running.totals()["connections_accepted"] == 1
            os.write(tell, b"x")
        """
    )

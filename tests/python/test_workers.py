# SPDX-License-Identifier: MIT
"""Worker threads do not delay each other's calls, and a server releases what it was given."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import pytest
import trunkline


@pytest.mark.parametrize("threads", [1, 2])
def test_responses_do_not_wait_for_other_handlers(threads: int) -> None:
    server = trunkline.Server(threads=threads)
    released = threading.Event()

    @server.method
    def quick(request: int) -> int:
        return request

    @server.method
    def sometimes(request: bool) -> None:
        if request:
            released.wait(60)

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        for _ in range(200):
            channel.call("sometimes", False)  # so it is known to be quick
        responses = [channel.submit("quick", number, int) for number in range(3)]
        blocked = [channel.submit("sometimes", True) for _ in range(threads)]

        try:
            assert [future.result(20) for future in responses] == [0, 1, 2]
        finally:
            released.set()
        for future in blocked:
            future.result(20)


def test_responses_do_not_wait_while_another_worker_runs_the_loop() -> None:
    server = trunkline.Server(threads=3)
    released = threading.Event()

    @server.method
    def quick(request: int) -> int:
        return request

    @server.method
    def sometimes(request: bool) -> None:
        if request:
            released.wait(60)

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        try:
            for _ in range(20):
                mixed = [channel.submit("quick", number, int) for number in range(8)]
                blocked = channel.submit("sometimes", True)
                assert [future.result(20) for future in mixed] == list(range(8))
                released.set()
                blocked.result(20)
                released.clear()
                for _ in range(110):
                    channel.call("sometimes", False)
        finally:
            released.set()


def test_a_stopped_server_lets_go_of_its_handlers() -> None:
    class Model:
        pass

    def serve() -> weakref.ref[Model]:
        model = Model()
        server = trunkline.Server(threads=1)

        def predict(request: int) -> bool:
            return model is not None

        server.add("predict", predict)
        with server.serve("inproc://workers-model"):
            pass
        return weakref.ref(model)

    kept = serve()
    gc.collect()

    assert kept() is None


def test_batches_are_those_with_calls() -> None:
    server = trunkline.Server(threads=4)

    @server.method
    def echo(request: int) -> int:
        return request

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        for number in range(20):
            assert channel.call("echo", number) == number
            time.sleep(0.005)  # workers are woken in between to look after the loop
        stats = running.totals()

    assert stats["python_calls"] == 20
    assert stats["python_batches"] <= 20

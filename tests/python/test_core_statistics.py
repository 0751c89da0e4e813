# SPDX-License-Identifier: MIT
"""The statistics of the core, as it gives them to Python."""

import os

import pytest
import trunkline

from .test_life import play


def test_methods_are_counted_once_that_is_asked_for() -> None:
    server = trunkline.Server()

    @server.method("Echo")
    def echo(request: bytes) -> bytes:
        return request

    @server.method("Fail")
    def fail(request: bytes) -> bytes:
        raise trunkline.NotFound("no")

    with server.serve("inproc://core-statistics") as running, trunkline.Channel(running.endpoint) as channel:
        channel.call("Echo", b"before", bytes)
        off = running._core.statistics()

        running._core.collect_statistics()
        channel.call("Echo", b"12345", bytes)
        with pytest.raises(trunkline.NotFound):
            channel.call("Fail", b"", bytes)
        on = running._core.statistics()

    assert not off["is_collected"]
    assert off["methods"] == []
    assert off["calls_ok"] == 1
    assert on["is_collected"]
    assert on["process_id"] == os.getpid()
    assert on["calls_ok"] == 2
    assert on["uptime_ns"] > 0
    assert [loop["connections"] for loop in on["loops"]] == [1]
    methods = {method["method"]: method for method in on["methods"]}
    assert methods["Echo"]["finished_by_code"] == {0: 1}
    assert methods["Echo"]["bytes_received"] == 5
    assert methods["Echo"]["bytes_sent"] == 5
    assert methods["Echo"]["in_flight"] == 0
    latency = methods["Echo"]["latency"]
    assert latency["count"] == 1
    assert 0 < latency["min_ns"] == latency["max_ns"] == latency["sum_ns"]
    assert latency["p999_ns"] == latency["max_ns"]
    assert [bucket["count"] for bucket in latency["buckets"]] == [1]
    assert latency["buckets"][0]["upper_ns"] >= latency["max_ns"]
    assert methods["Fail"]["finished_by_code"] == {trunkline.StatusCode.NOT_FOUND.value: 1}


def test_statistics_outlive_their_server() -> None:
    server = trunkline.Server()

    @server.method("Echo")
    def echo(request: bytes) -> bytes:
        return request

    with server.serve("inproc://core-statistics-later") as running, trunkline.Channel(running.endpoint) as channel:
        running._core.collect_statistics()
        channel.call("Echo", b"x", bytes)

    assert [method["started"] for method in running._core.statistics()["methods"]] == [1]
    with pytest.raises(trunkline.FailedPrecondition):
        running._core.collect_statistics()


def test_a_server_stops_while_threads_read_its_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_PERTURB_", "165")  # what is used after its end is wrong

    play(
        """
        end = time.monotonic() + 2

        def read():
            started.wait()
            while not stopped.is_set():
                running._core.statistics()

        while time.monotonic() < end:
            running = trunkline.Server(threads=1).serve("tcp://127.0.0.1:0")
            running._core.collect_statistics()
            started, stopped = threading.Barrier(5), threading.Event()
            threads = [threading.Thread(target=read) for _ in range(4)]
            for thread in threads:
                thread.start()
            started.wait()
            running.stop()
            stopped.set()
            for thread in threads:
                thread.join()
        """
    )

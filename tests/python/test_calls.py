# SPDX-License-Identifier: MIT
"""Blocking calls of plain functions."""

from __future__ import annotations

import threading
import time

import pytest
import trunkline

from .conftest import Serve


def echo_server() -> trunkline.Server:
    server = trunkline.Server(threads=4)

    @server.method("Echo/Say")
    def say(request: bytes) -> bytes:
        return request

    return server


def test_bytes_come_back(serve: Serve) -> None:
    channel = serve(echo_server())

    assert channel.call("Echo/Say", b"hello") == b"hello"
    assert channel.call("Echo/Say", b"") == b""


@pytest.mark.parametrize("size", [1, 1023, 65536, 1 << 20, 5_000_000])
def test_any_size_comes_back(serve: Serve, size: int) -> None:
    channel = serve(echo_server())
    channel.wait_for_ready(20)  # before the server's hello a message has 4 MiB at most
    request = bytes(range(256)) * (size // 256) + b"x" * (size % 256)

    assert channel.call("Echo/Say", request) == request


def test_buffers_are_sent_as_bytes(serve: Serve) -> None:
    channel = serve(echo_server())

    assert channel.call("Echo/Say", bytearray(b"abc")) == b"abc"
    assert channel.call("Echo/Say", memoryview(b"abcd")[1:]) == b"bcd"


def test_response_as_memoryview(serve: Serve) -> None:
    channel = serve(echo_server())

    response = channel.call("Echo/Say", b"abc", memoryview)

    assert isinstance(response, memoryview) and response.tobytes() == b"abc"


def test_unix_socket(tmp_path_factory: pytest.TempPathFactory) -> None:
    endpoint = f"unix://{tmp_path_factory.mktemp('u')}/s"

    with echo_server().serve(endpoint) as running, trunkline.Channel(endpoint) as channel:
        assert running.endpoint == endpoint
        assert channel.call("Echo/Say", b"x") == b"x"


def test_several_endpoints(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = f"unix://{tmp_path_factory.mktemp('u')}/s"

    with echo_server().serve("tcp://127.0.0.1:0", path) as running:
        assert len(running.endpoints) == 2
        for endpoint in running.endpoints:
            with trunkline.Channel(endpoint) as channel:
                assert channel.call("Echo/Say", b"x") == b"x"


def test_unknown_method(serve: Serve) -> None:
    channel = serve(echo_server())

    with pytest.raises(trunkline.Unimplemented, match="no such method") as caught:
        channel.call("Echo/Sing", b"la")

    assert caught.value.may_have_run is False
    assert caught.value.peer == channel.endpoint


def test_many_threads_share_a_channel(serve: Serve) -> None:
    channel = serve(echo_server())
    wrong = []

    def work(number: int) -> None:
        for i in range(100):
            text = f"{number}/{i}".encode()
            if channel.call("Echo/Say", text) != text:
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong


def test_blocking_handlers_run_side_by_side(serve: Serve) -> None:
    together = threading.Barrier(4)
    server = trunkline.Server(threads=4)

    @server.method
    def meet(request: int) -> int:
        together.wait(20)
        return request

    channel = serve(server)

    # Ends only if four handlers are inside at once.
    assert list(channel.map("meet", [1, 2, 3, 4])) == [1, 2, 3, 4]


def test_a_blocked_handler_does_not_hold_back_others(serve: Serve) -> None:
    release = threading.Event()
    server = trunkline.Server(threads=2)

    @server.method
    def block(request: None) -> None:
        release.wait(30)

    @server.method
    def quick(request: int) -> int:
        return request

    channel = serve(server)
    blocked = channel.submit("block")

    assert [channel.call("quick", i) for i in range(50)] == list(range(50))
    assert not blocked.done()
    release.set()
    assert blocked.result(20) is None


def test_a_handler_calls_its_own_server() -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def inner(request: int) -> int:
        return request + 1

    @server.method
    def outer(request: int) -> int:
        with trunkline.Channel(endpoints[0]) as channel:
            return int(channel.call("inner", request)) * 10

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        endpoints = [running.endpoint]
        assert channel.call("outer", 1) == 20


def test_calls_per_gil_are_counted() -> None:
    with echo_server().serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        list(channel.map("Echo/Say", [b"12345678"] * 5000, window=256))
        stats = running.totals()

    assert stats["python_calls"] == 5000
    assert stats["python_batches"] < 2500


def test_a_closed_channel_refuses(serve: Serve) -> None:
    channel = serve(echo_server())
    channel.call("Echo/Say", b"x")

    channel.close()
    channel.close()

    assert channel.state == "closed"
    for use in (lambda: channel.call("Echo/Say", b"x"), lambda: channel.submit("Echo/Say", b"x")):
        with pytest.raises(trunkline.FailedPrecondition, match="closed"):
            use()


def test_no_server_listens() -> None:
    with trunkline.Channel("tcp://127.0.0.1:1") as channel:
        with pytest.raises(trunkline.Unavailable) as caught:
            channel.call("Echo/Say", b"x")
        with pytest.raises(trunkline.DeadlineExceeded, match="connect"):
            channel.wait_for_ready(0.05)

    assert caught.value.may_have_run is False
    assert caught.value.origin == trunkline.Origin.TRANSPORT


def test_wait_for_ready(serve: Serve) -> None:
    channel = serve(echo_server())

    assert channel.state == "idle"
    channel.wait_for_ready(20)
    assert channel.state == "ready"


def test_closing_ends_what_waits(serve: Serve) -> None:
    release = threading.Event()
    server = trunkline.Server(threads=2)

    @server.method
    def block(request: None) -> None:
        release.wait(30)

    channel = serve(server)
    ended: list[BaseException] = []

    def wait() -> None:
        try:
            channel.call("block")
        except trunkline.RpcError as error:
            ended.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while channel.state != "ready":
        time.sleep(0.001)
    with pytest.raises(trunkline.DeadlineExceeded, match="1 calls were cancelled"):
        channel.close(0.05)
    thread.join(20)
    release.set()

    assert [type(error) for error in ended] == [trunkline.Cancelled]

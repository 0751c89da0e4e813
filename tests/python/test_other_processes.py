# SPDX-License-Identifier: MIT
"""Processes of multiprocessing and of concurrent.futures, with each start method: channels that a child makes work, and
one that it has from its parent is refused with a text that says why."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.pool import Pool
from typing import Any, NamedTuple

import pytest
import trunkline
import trunkline.grpc
from trunkline import aio

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

METHODS = ["spawn", "fork", "forkserver"]


class Addresses(NamedTuple):
    """The endpoint of a native server, and the target of one of grpcio's interface."""

    endpoint: str
    target: str


@pytest.fixture(scope="module")
def addresses() -> Iterator[Addresses]:
    server = trunkline.Server(threads=4)

    @server.method("t.T/Double")
    def double(number: bytes) -> bytes:
        return number * 2

    other = trunkline.grpc.server(ThreadPoolExecutor(4))
    methods = {"Double": trunkline.grpc.unary_unary_rpc_method_handler(lambda number, context: number * 2)}
    other.add_generic_rpc_handlers((trunkline.grpc.method_handlers_generic_handler("t.T", methods),))
    port = other.add_insecure_port("127.0.0.1:0")
    other.start()
    with server.serve("tcp://127.0.0.1:0") as running:
        yield Addresses(running.endpoint, f"127.0.0.1:{port}")
    other.stop(None)


def call_native(addresses: Addresses) -> bytes:
    with trunkline.Channel(addresses.endpoint) as channel:
        assert channel.submit("t.T/Double", b"1", bytes).result(60) == b"11"
        return channel.call("t.T/Double", b"2", bytes, timeout=60.0)


def call_grpc(addresses: Addresses) -> bytes:
    with trunkline.grpc.insecure_channel(addresses.target) as channel:
        method = channel.unary_unary("/t.T/Double")
        assert method.future(b"1").result(60) == b"11"
        answer = method(b"2", timeout=60.0)
        assert isinstance(answer, bytes)
        return answer


def call_async(addresses: Addresses) -> bytes:
    import asyncio

    async def main() -> bytes:
        async with aio.Channel(addresses.endpoint) as channel:
            return await channel.call("t.T/Double", b"2", bytes, timeout=60.0)

    return asyncio.run(main())


def serve_and_call(addresses: Addresses) -> bytes:
    server = trunkline.Server(threads=2)

    @server.method
    def ask() -> bytes:
        return call_native(addresses)

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        return channel.call("ask", None, bytes, timeout=60.0)


TASKS: list[Callable[[Addresses], bytes]] = [call_native, call_grpc, call_async, serve_and_call]


def in_use(addresses: Addresses) -> list[Any]:
    """Objects of the parent, with threads and connections, that are there when it makes its children."""
    channel = trunkline.Channel(addresses.endpoint)
    assert channel.submit("t.T/Double", b"1", bytes).result(60) == b"11"
    other = trunkline.grpc.insecure_channel(addresses.target)
    assert other.unary_unary("/t.T/Double").future(b"1").result(60) == b"11"
    return [channel, other]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("task", TASKS)
def test_a_process_pool(addresses: Addresses, task: Callable[[Addresses], bytes], method: str) -> None:
    channel, other = in_use(addresses)
    context = multiprocessing.get_context(method)

    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(task, [addresses] * 4, timeout=120)) == [b"22"] * 4

    assert channel.call("t.T/Double", b"3", bytes) == b"33"
    channel.close()
    other.close()


@pytest.mark.parametrize("method", METHODS)
def test_a_process_and_a_pool_of_multiprocessing(addresses: Addresses, method: str) -> None:
    channel, other = in_use(addresses)
    context: Any = multiprocessing.get_context(method)
    process = context.Process(target=call_native, args=(addresses,))

    process.start()
    process.join(120)
    pool: Pool = context.Pool(2)
    with pool:
        assert pool.map_async(call_grpc, [addresses] * 4).get(120) == [b"22"] * 4

    assert process.exitcode == 0
    channel.close()
    other.close()


_of_parent: list[Any] = []


def use_channel_of_parent(kind: int) -> str:
    try:
        if kind == 0:
            _of_parent[0].call("t.T/Double", b"1", bytes)
        elif kind == 1:
            _of_parent[0].submit("t.T/Double", b"1", bytes).result(60)
        else:
            _of_parent[1].unary_unary("/t.T/Double")(b"1")
    except Exception as error:
        return str(error)
    return "it works"


def test_the_channel_of_the_parent_in_a_forked_child(addresses: Addresses) -> None:
    _of_parent[:] = in_use(addresses)
    try:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
            texts = list(pool.map(use_channel_of_parent, range(3), timeout=120))
    finally:
        for channel in _of_parent:
            channel.close()
        _of_parent.clear()

    assert ["before fork()" in text for text in texts] == [True] * 3


@pytest.mark.parametrize("kind", [trunkline.Channel, aio.Channel, trunkline.grpc.insecure_channel])
def test_a_channel_cannot_be_sent_to_another_process(kind: Callable[[str], Any]) -> None:
    channel = kind("tcp://127.0.0.1:1" if kind is not trunkline.grpc.insecure_channel else "127.0.0.1:1")

    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(channel)

# SPDX-License-Identifier: MIT
"""Bytes, buffers and arrays as messages; long ones are not copied."""

from __future__ import annotations

import base64
import concurrent.futures
import sys
import threading
from typing import Any, Optional

import numpy
import numpy.typing
import pytest
import trunkline

from .conftest import Serve


@pytest.fixture
def channel(serve: Serve) -> trunkline.Channel:
    server = trunkline.Server(threads=2)

    @server.method
    def anything(request: Any) -> Any:
        return request

    @server.method
    def total(request: memoryview) -> bytes:
        return bytes(numpy.frombuffer(request, dtype=numpy.float64).sum().tobytes())

    return serve(server)


def test_numpy_buffers(channel: trunkline.Channel) -> None:
    numbers = numpy.arange(100_000, dtype=numpy.float64)

    response = channel.call("total", numbers, memoryview, codec="bytes")

    assert numpy.frombuffer(response, dtype=numpy.float64)[0] == numbers.sum()


def test_hints_of_numpy(serve: Serve) -> None:
    server = trunkline.Server(threads=2)

    def size(request: Any) -> bytes:
        return f"{type(request).__name__} {len(request)}".encode()

    def count(request: Any) -> int:
        return len(request)

    for number, hint in enumerate((numpy.ndarray, numpy.typing.NDArray[numpy.float64], Optional[bytes])):
        for function in (size, count):
            function.__annotations__["request"] = hint
            server.add(f"{function.__name__}{number}", function)
    channel = serve(server)
    numbers = numpy.arange(3, dtype=numpy.float64)

    for number, expected in enumerate((b"ndarray 24", b"ndarray 3", b"bytes 24")):
        assert channel.call(f"size{number}", numbers.data) == expected
        assert channel.call(f"size{number}", numbers, codec="bytes") == expected
        assert channel.call(f"count{number}", numbers.data, int) == int(expected.split()[1])


@pytest.mark.parametrize("length", [0, 3, 100_000])
def test_arrays_both_ways(serve: Serve, length: int) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def twice(request: numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.float32]:
        assert not request.flags.writeable or not length
        doubled: numpy.typing.NDArray[numpy.float32] = request * numpy.float32(2)
        return doubled

    channel = serve(server)
    numbers = numpy.arange(length, dtype=numpy.float32)

    response = channel.call("twice", numbers, numpy.typing.NDArray[numpy.float32])

    assert response.dtype == numpy.float32
    assert (response == 2 * numbers).all() and len(response) == length


def test_an_array_of_other_elements_is_refused_as_the_response(serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def upcast() -> numpy.typing.NDArray[numpy.float32]:
        return numpy.ones(3)  # type: ignore[return-value]

    @server.method
    def any_array() -> numpy.ndarray:
        return numpy.ones(3)

    channel = serve(server)
    with pytest.raises(trunkline.Internal):
        channel.call("upcast", None, numpy.typing.NDArray[numpy.float32])
    assert channel.call("any_array", None, numpy.typing.NDArray[numpy.float64]).tolist() == [1.0, 1.0, 1.0]


def test_arrays_in_json_are_base64(serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def reverse(numbers: numpy.typing.NDArray[numpy.uint8]) -> numpy.typing.NDArray[numpy.uint8]:
        turned: numpy.typing.NDArray[numpy.uint8] = numbers[::-1].copy()
        return turned

    channel = serve(server)

    sent = base64.b64encode(b"12").decode()
    turned = {"dtype": "|u1", "shape": [2], "data": "MjE="}
    assert channel.call("reverse", sent, codec="json") == turned
    assert channel.call("reverse", {**turned, "data": sent}, codec="json") == turned
    for wrong in ("no base64!", 5):
        with pytest.raises(trunkline.InvalidArgument, match="the json request does not decode as"):
            channel.call("reverse", wrong, str, codec="json")


def test_bytes_that_are_no_array(channel: trunkline.Channel, serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def count(request: numpy.typing.NDArray[numpy.float64]) -> bytes:
        return b"%d" % len(request)

    with pytest.raises(trunkline.InvalidArgument, match="bytes request does not decode as"):
        serve(server).call("count", b"12345")
    with pytest.raises(trunkline.Internal, match="bytes response does not decode as"):
        channel.call("anything", b"12345", numpy.typing.NDArray[numpy.float64], codec="bytes")
    with pytest.raises((BufferError, ValueError), match="contiguous"):
        channel.call("anything", numpy.zeros((4, 4))[:, 1], memoryview, codec="bytes")


@pytest.fixture
def large() -> "numpy.typing.NDArray[numpy.uint8]":
    return numpy.arange(1 << 20, dtype=numpy.uint8)


def test_large_bytes_that_come_are_not_copied(channel: trunkline.Channel, large: Any) -> None:
    view = channel.call("anything", bytes(large), memoryview)

    assert view.readonly and not isinstance(view.obj, bytes)
    assert view == memoryview(large)
    assert isinstance(channel.call("anything", bytes(large)), bytes)
    assert channel.call("anything", bytes(large), bytearray) == large.tobytes()
    small = channel.call("anything", b"few", memoryview)
    assert bytes(small) == b"few"


@pytest.mark.parametrize("is_read_only", [True, False])
def test_large_bytes_that_go_are_not_copied(serve: Serve, large: Any, is_read_only: bool) -> None:
    """A borrowed buffer is referenced during the call and no longer, as its reference count shows."""
    server = trunkline.Server(threads=1)
    arrived, release = threading.Event(), threading.Event()

    @server.method
    def hold(request: memoryview) -> int:
        arrived.set()
        release.wait(20)
        return sum(request[:256])

    channel = serve(server)
    large.flags.writeable = not is_read_only
    before = sys.getrefcount(large)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        view = memoryview(large)
        held = channel.submit("hold", view, int) if is_read_only else pool.submit(channel.call, "hold", view, int)
        assert arrived.wait(20)
        # A later call's: it waits for a thread of the server's, with its bytes on this side or on their way.
        copied = large.copy()
        count = sys.getrefcount(copied)
        snapshot = channel.submit("hold", copied.data, int)
        assert sys.getrefcount(copied) == count
        copied[:] = 0
        release.set()
        assert held.result(20) == snapshot.result(20) == sum(range(256))
    del held, view
    assert channel.call("hold", b"\1", int) == 1
    assert sys.getrefcount(large) == before


def test_a_bytearray_can_grow_while_its_bytes_travel(channel: trunkline.Channel) -> None:
    data = bytearray(1 << 20)

    future = channel.submit("anything", data)
    data.extend(b"more")

    assert future.result(20) == bytes(1 << 20)
    assert channel.call("anything", data) == data
    data.extend(b"more")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes have buffers from Python 3.12 on")
def test_an_exporter_that_gives_other_memory_each_time(channel: trunkline.Channel) -> None:
    class Temporary(trunkline.Codec):
        name = "temporary"

        def supports(self, kind: Any) -> bool:
            return kind is bytes

        def encode(self, message: Any) -> Any:
            class Exporter:
                def __buffer__(self, flags: int) -> memoryview:
                    return memoryview(bytes(bytearray(message)))

            return Exporter()

        def decode(self, data: bytes, kind: Any) -> Any:
            return data

    server = trunkline.Server(codecs=[Temporary()])

    @server.method
    def same(request: bytes) -> bytes:
        return request

    data = bytes(range(256)) * 1000
    with server.serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, codecs=[Temporary()]) as other:
            for _ in range(100):
                assert other.call("same", data, bytes, codec="temporary") == data

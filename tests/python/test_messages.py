# SPDX-License-Identifier: MIT
"""Messages by type hints."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import datetime
import enum
import sys
import threading
from typing import Any, Optional, TypedDict

import msgspec
import numpy
import numpy.typing
import pydantic
import pytest
from google.protobuf import duration_pb2, timestamp_pb2, wrappers_pb2

import trunkline

from .conftest import Serve


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Item(msgspec.Struct):
    name: str
    tags: list[str] = []


class Person(TypedDict):
    name: str
    age: int


class Order(pydantic.BaseModel):
    number: int
    items: list[str]


@pytest.fixture
def channel(serve: Serve) -> trunkline.Channel:
    server = trunkline.Server(threads=2)

    @server.method
    def mirror(request: Point) -> Point:
        return Point(request.y, request.x)

    @server.method
    def rename(request: Item) -> Item:
        return Item(request.name.upper(), request.tags)

    @server.method
    def older(request: Person) -> Person:
        return {"name": request["name"], "age": request["age"] + 1}

    @server.method
    def count(request: Order) -> Order:
        return Order(number=len(request.items), items=request.items)

    @server.method
    def anything(request: Any) -> Any:
        return request

    @server.method
    def untyped(request):  # type: ignore[no-untyped-def]
        return request

    @server.method
    def ping() -> None:
        return None

    @server.method
    def length(request: wrappers_pb2.StringValue) -> wrappers_pb2.Int64Value:
        return wrappers_pb2.Int64Value(value=len(request.value))

    @server.method
    def total(request: memoryview) -> bytes:
        return bytes(numpy.frombuffer(request, dtype=numpy.float64).sum().tobytes())

    return serve(server)


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_dataclass(channel: trunkline.Channel, codec: str) -> None:
    assert channel.call("mirror", Point(1, 2), Point, codec=codec) == Point(2, 1)
    assert channel.call("mirror", {"x": 1}, codec=codec) == {"x": 0, "y": 1}


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_struct(channel: trunkline.Channel, codec: str) -> None:
    assert channel.call("rename", Item("a", ["b"]), Item, codec=codec) == Item("A", ["b"])


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_typed_dict(channel: trunkline.Channel, codec: str) -> None:
    assert channel.call("older", {"name": "Ann", "age": 7}, Person, codec=codec) == {"name": "Ann", "age": 8}


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_pydantic(channel: trunkline.Channel, codec: str) -> None:
    answer = channel.call("count", Order(number=0, items=["a", "b"]), Order, codec=codec)

    assert answer == Order(number=2, items=["a", "b"])


@pytest.mark.parametrize("codec", ["msgpack", "json"])
@pytest.mark.parametrize("value", [None, True, 7, 1.5, "text", [1, "a", None], {"a": {"b": [1]}}], ids=repr)
def test_builtins(channel: trunkline.Channel, codec: str, value: object) -> None:
    assert channel.call("anything", value, codec=codec) == value
    assert channel.call("untyped", value, codec=codec) == value


def test_no_message(channel: trunkline.Channel) -> None:
    assert channel.call("ping") is None


def test_protobuf(channel: trunkline.Channel) -> None:
    answer = channel.call("length", wrappers_pb2.StringValue(value="four"), wrappers_pb2.Int64Value)

    assert answer == wrappers_pb2.Int64Value(value=4)


def test_protobuf_as_json(channel: trunkline.Channel) -> None:
    assert channel.call("length", "four", codec="json") == "4"


def test_protobuf_response_needs_its_class(channel: trunkline.Channel) -> None:
    with pytest.raises(TypeError, match="give its class"):
        channel.call("length", wrappers_pb2.StringValue(value="four"))


def test_numpy_buffers(channel: trunkline.Channel) -> None:
    numbers = numpy.arange(100_000, dtype=numpy.float64)

    answer = channel.call("total", numbers, memoryview)

    assert numpy.frombuffer(answer, dtype=numpy.float64)[0] == numbers.sum()


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
        assert channel.call(f"size{number}", numbers) == expected
        assert channel.call(f"count{number}", numbers, int) == int(expected.split()[1])


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

    answer = channel.call("twice", numbers, numpy.typing.NDArray[numpy.float32])

    assert answer.dtype == numpy.float32
    assert (answer == 2 * numbers).all() and len(answer) == length


def test_an_array_of_other_elements_is_no_answer(serve: Serve) -> None:
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


def test_bytes_that_are_no_array(channel: trunkline.Channel, serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def count(request: numpy.typing.NDArray[numpy.float64]) -> bytes:
        return b"%d" % len(request)

    with pytest.raises(trunkline.InvalidArgument, match="bytes request does not decode as"):
        serve(server).call("count", b"12345")
    with pytest.raises(trunkline.Internal, match="bytes response does not decode as"):
        channel.call("anything", b"12345", numpy.typing.NDArray[numpy.float64])
    with pytest.raises((BufferError, ValueError), match="contiguous"):
        channel.call("anything", numpy.zeros((4, 4))[:, 1], memoryview)


def test_numbers_of_numpy_are_numbers(channel: trunkline.Channel) -> None:
    sent = {"mean": numpy.float64(1.5), "count": numpy.int64(3), "is_good": numpy.bool_(True), "small": numpy.float32(0.5)}

    assert channel.call("anything", sent) == {"mean": 1.5, "count": 3, "is_good": True, "small": 0.5}
    assert channel.call("anything", numpy.float32(2.0), float) == 2.0


def test_protobuf_within_other_messages(channel: trunkline.Channel) -> None:
    for codec in ("msgpack", "json"):
        assert channel.call("anything", [wrappers_pb2.Int32Value(value=7)], codec=codec) == [7]
        answer = channel.call("anything", [wrappers_pb2.Int32Value(value=7)], list[wrappers_pb2.Int32Value], codec=codec)
        assert answer == [wrappers_pb2.Int32Value(value=7)]


class Colour(enum.Enum):
    red = "red"


class Account(pydantic.BaseModel):
    name: str = pydantic.Field(alias="accountName")
    home: pydantic.AnyUrl
    since: datetime.datetime


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_pydantic_there_and_back(channel: trunkline.Channel, codec: str) -> None:
    account = Account(
        accountName="ann", home=pydantic.AnyUrl("https://example.org/"), since=datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)
    )

    assert channel.call("anything", account, Account, codec=codec) == account


def test_errors_of_decoding_tell_no_secret(channel: trunkline.Channel, serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def paint(request: Colour) -> None: ...

    @server.method
    def open_account(request: Account) -> None: ...

    @server.method
    def number(request: wrappers_pb2.Int32Value) -> None: ...

    channel = serve(server)
    for method, request in (
        ("paint", "hunter2"),
        ("open_account", {"accountName": ["hunter2"], "home": "hunter2"}),
        ("number", "hunter2"),
    ):
        with pytest.raises(trunkline.InvalidArgument, match="does not decode as") as raised:
            channel.call(method, request, codec="json")
        assert "hunter2" not in str(raised.value)


def test_a_response_of_another_type(serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def number() -> int:
        return "text"  # type: ignore[return-value]

    @server.method
    def ratio() -> float:
        return 1

    @server.method
    def duration() -> duration_pb2.Duration:
        return timestamp_pb2.Timestamp(seconds=5)  # pyright: ignore[reportReturnType]

    channel = serve(server)
    with pytest.raises(trunkline.Internal):
        channel.call("number")
    assert channel.call("ratio", None, float) == 1.0
    with pytest.raises(trunkline.Internal):
        channel.call("duration", None, duration_pb2.Duration)


def test_a_response_that_needs_its_class_is_not_asked_for(serve: Serve) -> None:
    server = trunkline.Server(threads=1)
    served: list[str] = []

    @server.method
    def note(request: wrappers_pb2.StringValue) -> wrappers_pb2.StringValue:
        served.append(request.value)
        return request

    channel = serve(server)
    with pytest.raises(TypeError, match="give its class"):
        channel.call("note", wrappers_pb2.StringValue(value="x"))
    channel.call("note", wrappers_pb2.StringValue(value="y"), wrappers_pb2.StringValue)
    assert served == ["y"]


def test_a_request_that_does_not_decode(channel: trunkline.Channel) -> None:
    for method, request, codec in (
        ("mirror", {"x": "text"}, "msgpack"),
        ("mirror", [1], "json"),
        ("count", {"number": "x"}, "json"),
    ):
        with pytest.raises(trunkline.InvalidArgument, match="does not decode"):
            channel.call(method, request, codec=codec)
    with pytest.raises(trunkline.InvalidArgument, match="does not decode"):
        channel.call("length", wrappers_pb2.BytesValue(value=b"\xff"), wrappers_pb2.Int64Value)


def test_a_request_that_does_not_encode(channel: trunkline.Channel) -> None:
    with pytest.raises((TypeError, NotImplementedError)):
        channel.call("anything", object())
    with pytest.raises(TypeError, match="does not fit"):
        channel.call("anything", b"bytes", codec="json")
    with pytest.raises(ValueError, match="none of"):
        channel.call("anything", 1, codec="xml")


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
    """What is borrowed is held meanwhile, which the references to it tell; and no longer."""
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
        held = channel.submit("hold", large, int) if is_read_only else pool.submit(channel.call, "hold", large, int)
        assert arrived.wait(20)
        # A later call's: it waits for a thread of the server's, with its bytes on this side or on their way.
        copied = large.copy()
        count = sys.getrefcount(copied)
        snapshot = channel.submit("hold", copied, int)
        assert sys.getrefcount(copied) == count
        copied[:] = 0
        release.set()
        assert held.result(20) == snapshot.result(20) == sum(range(256))
    del held
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

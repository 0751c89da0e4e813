# SPDX-License-Identifier: MIT
"""Arrays of numpy travel with their element type and shape."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy
import numpy.typing
import pytest
import trunkline
from trunkline import aio

from .conftest import Serve

Floats = numpy.typing.NDArray[numpy.float32]


@dataclasses.dataclass
class Picture:
    name: str
    pixels: numpy.typing.NDArray[numpy.uint8]


@pytest.fixture
def server() -> trunkline.Server:
    server = trunkline.Server(threads=2)

    @server.method
    def same(request: numpy.ndarray) -> numpy.ndarray:
        return request

    @server.method
    def turn(request: Floats) -> Floats:
        turned: Floats = request.T
        return turned

    @server.method
    def darken(picture: Picture) -> Picture:
        return Picture(picture.name, picture.pixels // 2)

    @server.method
    def rows(request: Floats) -> Iterator[Floats]:
        yield from request

    @server.method
    def anything(request: Any) -> Any:
        return request

    return server


ARRAYS = [
    numpy.arange(12, dtype=numpy.float64).reshape(3, 4),
    numpy.arange(12, dtype=">i2").reshape(2, 2, 3),
    numpy.arange(24, dtype=numpy.uint8).reshape(4, 6)[::2, ::3],
    numpy.asfortranarray(numpy.arange(6, dtype=numpy.complex64).reshape(2, 3)),
    numpy.array(7.5),
    numpy.zeros((0, 3), numpy.int64),
    numpy.array([True, False]),
    numpy.array(["2026-01-02", "NaT"], "datetime64[D]"),
    numpy.array(["a", "bcd"]),
    numpy.ones((300, 400), numpy.float32),
]


@pytest.mark.parametrize("codec", ["msgpack", "json", None])
@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_an_array_arrives_as_it_was(serve: Serve, server: trunkline.Server, array: Any, codec: str | None) -> None:
    came = serve(server).call("same", array, numpy.ndarray, codec=codec)

    assert came.dtype == array.dtype.newbyteorder("=") and came.shape == array.shape
    assert numpy.array_equal(came, array, equal_nan=array.dtype.kind in "fcM")
    assert not came.flags.writeable and came.flags.aligned


def test_shapes_on_every_way(server: trunkline.Server) -> None:
    numbers = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)

    async def ask(endpoint: str) -> Any:
        async with aio.Channel(endpoint) as channel:
            rows = [row async for row in channel.server_stream("rows", numbers, Floats)]
            return await channel.call("turn", numbers, Floats), rows

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        turned, rows = asyncio.run(ask(running.endpoint))
        for came in (turned, channel.call("turn", numbers, Floats), *channel.map("turn", [numbers], Floats)):
            assert numpy.array_equal(came, numbers.T)
        assert [row.tolist() for row in rows] == numbers.tolist()


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_an_array_within_a_message(serve: Serve, server: trunkline.Server, codec: str) -> None:
    picture = Picture("dark", numpy.full((4, 5), 200, numpy.uint8))

    came = serve(server).call("darken", picture, Picture, codec=codec)

    assert came.name == "dark" and numpy.array_equal(came.pixels, numpy.full((4, 5), 100))


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_other_elements_are_refused(serve: Serve, server: trunkline.Server, codec: str) -> None:
    channel = serve(server)
    numbers = numpy.ones(3)

    text = "expected an array of float32, got one of float64"
    with pytest.raises(trunkline.InvalidArgument, match=f"call turn: .* {text}"):
        channel.call("turn", numbers, Floats, codec=codec)
    with pytest.raises(trunkline.Internal, match=text):
        channel.call("same", numbers, Floats, codec=codec)
    text = r"expected an array of uint8, got one of int64 - at `\$.pixels`"
    with pytest.raises(trunkline.InvalidArgument, match=text):
        channel.call("darken", {"name": "x", "pixels": numpy.arange(3)}, codec=codec)
    assert channel.call("turn", numbers.astype(">f4"), Floats, codec=codec).dtype == numpy.float32


def test_plain_bytes_for_those_who_want_them(serve: Serve, server: trunkline.Server) -> None:
    channel = serve(server)
    numbers = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)

    assert channel.call("same", numbers, bytes, codec="bytes") == numbers.tobytes()
    assert channel.call("turn", numbers, Floats, codec="bytes").tolist() == numbers.ravel().tolist()
    assert channel.call("turn", numbers.tobytes(), Floats).tolist() == numbers.ravel().tolist()
    assert channel.call("anything", numbers) == {"dtype": "<f4", "shape": [2, 3], "data": numbers.tobytes()}


GOOD: dict[str, Any] = {"dtype": "<f4", "shape": [2], "data": base64.b64encode(bytes(8)).decode()}
WRONG: list[Any] = [
    {"dtype": "O"},
    {"dtype": "i4,i4"},
    {"dtype": "U0"},
    {"dtype": "no type"},
    {"dtype": 4},
    {"shape": [3]},
    {"shape": [-1]},
    {"shape": [1 << 62, 4]},
    {"shape": "2"},
    {"shape": [True, 2]},
    {"shape": [1] * 65 + [2]},
    {"data": "no base64!"},
    {"data": 5},
    {"data": None},
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_what_is_no_array_is_refused(serve: Serve, server: trunkline.Server, wrong: dict[str, Any]) -> None:
    channel = serve(server)

    assert channel.call("turn", GOOD, Floats, codec="json").tolist() == [0.0, 0.0]
    with pytest.raises(trunkline.InvalidArgument, match="does not decode as"):
        channel.call("same", {**GOOD, **wrong}, codec="json")
    for field in GOOD:
        with pytest.raises(trunkline.InvalidArgument, match=f"an array needs the field '{field}'"):
            channel.call("same", {key: value for key, value in GOOD.items() if key != field}, codec="json")


@pytest.mark.parametrize("array", [numpy.array([object()]), numpy.zeros(2, "i4,i4")], ids=["objects", "records"])
def test_elements_without_plain_values_are_not_sent(serve: Serve, server: trunkline.Server, array: Any) -> None:
    with pytest.raises(TypeError, match="call same: the request does not encode as msgpack: cannot encode an array of"):
        serve(server).call("same", array)

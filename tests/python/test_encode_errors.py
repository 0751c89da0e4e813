# SPDX-License-Identifier: MIT
"""Messages that cannot be encoded: the error names the method and the field."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy
import pydantic
import pytest
import trunkline
from trunkline import aio, testing
from trunkline._messages.builtin_codecs import encoder


class Opaque:
    """Has no form in any codec."""


@dataclasses.dataclass
class Line:
    article: str
    extra: Any = None


class Order(msgspec.Struct):
    lines: list[Line]
    notes: Any = None


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
    order: Any


BAD: list[tuple[Any, str]] = [
    (Opaque(), "cannot encode Opaque"),
    (Order([Line("a"), Line("b", Opaque())]), r"its field \$\.lines\[1\]\.extra \(Opaque\): cannot encode Opaque"),
    (Order([], {"by": [1, {"x": 2**70}]}), r"its field \$\.notes\.by\[1\]\.x \(int\): "),
    ({1: Opaque()}, r"its field \$\[1\] \(Opaque\)"),
    ({"a": {Opaque()}}, r"its field \$\.a\[\.\.\.\] \(Opaque\)"),
    (Model(order=Opaque()), r"its field \$\.order \(Opaque\)"),
    ("\ud800", ".*surrogate"),
]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = trunkline.Server(threads=1)
    server.add("take", lambda request: None)

    def take_all(requests: Iterator[Any]) -> None:
        list(requests)

    server.add("take_all", take_all)
    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


@pytest.mark.parametrize("message, text", BAD, ids=[text for _, text in BAD])
def test_a_request_that_cannot_be_encoded(endpoint: str, message: Any, text: str) -> None:
    one = f"^call take: the request does not encode as msgpack: {text}"
    many = f"^call take_all: the request does not encode as msgpack: {text}"
    with trunkline.Channel(endpoint) as channel:
        for use in (channel.call, channel.submit, channel.call_oneway, channel.server_stream):
            with pytest.raises((TypeError, ValueError), match=one):
                use("take", message)
        for many_calls in (channel.map, channel.as_completed):
            with pytest.raises((TypeError, ValueError), match=one):
                list(many_calls("take", [1, message]))
        with pytest.raises((TypeError, ValueError), match=many):
            channel.client_stream("take_all", [1, message])
        with channel.stream("take_all") as stream, pytest.raises((TypeError, ValueError), match=many):
            stream.write(message)

    async def main() -> None:
        async with aio.Channel(endpoint) as channel:
            with pytest.raises((TypeError, ValueError), match=one):
                await channel.call("take", message)
            with pytest.raises((TypeError, ValueError), match=one):
                [each async for each in channel.map("take", [1, message])]
            with pytest.raises((TypeError, ValueError), match=many):
                await channel.client_stream("take_all", [1, message])

    asyncio.run(main())


@pytest.mark.parametrize("is_async", [False, True])
def test_a_response_that_cannot_be_encoded_is_logged_with_its_field(
    caplog: pytest.LogCaptureFixture, is_async: bool
) -> None:
    server: Any = aio.Server(threads=1) if is_async else trunkline.Server(threads=1)

    def order() -> Order:
        return Order([Line("a", Opaque())])

    async def order_async() -> Order:
        return order()

    def orders() -> Iterator[Order]:
        yield order()

    def wrong() -> int:
        return "text"  # type: ignore[return-value]

    server.add("order", order_async if is_async else order)
    server.add("orders", orders)
    server.add("wrong", wrong)
    with testing.serve(server) as channel:
        with pytest.raises(trunkline.Internal, match="^internal: handler of order raised an exception$"):
            channel.call("order")
        with pytest.raises(trunkline.Internal, match="^internal: handler of orders raised an exception$"):
            list(channel.server_stream("orders"))
        with pytest.raises(trunkline.Internal):
            channel.call("wrong")

    field = "its field $.lines[0].extra (Opaque): cannot encode Opaque"
    for name in ("order", "orders"):
        assert f"TypeError: call {name}: the response does not encode as msgpack: {field}" in caplog.text
    assert "call wrong: the response does not encode as msgpack: the message is of type str, not int" in caplog.text


def test_what_a_codec_of_the_application_raises_is_raised_as_it_is() -> None:
    class Refused(Exception):
        pass

    class Strict(trunkline.Codec):
        name = "strict"

        def supports(self, kind: Any) -> bool:
            return kind is Opaque

        def encode(self, message: Any) -> bytes:
            raise Refused("not today")

        def decode(self, data: bytes, kind: Any) -> Any:
            return data

    with trunkline.Channel("tcp://127.0.0.1:1", codecs=[Strict()]) as channel:
        with pytest.raises(Refused, match="^not today$"):
            channel.call("take", Opaque())


@dataclasses.dataclass
class Reading:
    value: float
    note: str | None = None


class Measured(pydantic.BaseModel):
    value: float


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf], ids=str)
@pytest.mark.parametrize(
    ("field", "wrap"),
    [
        ("", lambda number: number),
        (r"\$\[1\]", lambda number: [None, number]),
        (r"\$\.a\.b", lambda number: {"n": 2**70, "a": {"b": number}}),
        (r"\$\.value", lambda number: Reading(number, "null")),
        (r"\$\.value", lambda number: Measured(value=number)),
        ("", lambda number: numpy.float64(number)),
    ],
)
def test_json_has_no_form_for_nan_and_infinity(endpoint: str, number: float, field: str, wrap: Any) -> None:
    text = f"the request does not encode as json: .*{field}.*NaN and infinity have no form in JSON"
    with trunkline.Channel(endpoint) as channel, pytest.raises(ValueError, match=text):
        channel.call("take", wrap(number), codec="json")


@pytest.mark.parametrize(
    "message",
    [
        {"a": None, "b": "null", "c": 2.5},
        {"n": 2**70, "a": None},
        [None, b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", numpy.array([math.nan])],
        Reading(1.0),
        Measured(value=1.0),
    ],
    ids=str,
)
def test_null_in_json_is_no_number(endpoint: str, message: Any) -> None:
    with trunkline.Channel(endpoint) as channel:
        assert channel.call("take", message, codec="json") is None


def test_a_response_of_nan_is_an_error_in_json(endpoint: str) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def ratio() -> float:
        return math.nan

    @server.method
    def readings() -> list[Reading]:
        return [Reading(1.0), Reading(math.inf)]

    with testing.serve(server) as channel:
        assert math.isnan(channel.call("ratio", response=float))
        for method in ("ratio", "readings"):
            with pytest.raises(trunkline.Internal):
                channel.call(method, codec="json")


@pytest.mark.parametrize("kind", [int, str, list[str], dict[str, int | None], Line], ids=str)
def test_types_without_floats_are_encoded_by_msgspec_alone(kind: Any) -> None:
    assert inspect.isbuiltin(encoder("json", kind)) == (kind is not Line)

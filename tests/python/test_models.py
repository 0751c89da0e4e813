# SPDX-License-Identifier: MIT
"""Models of pydantic as messages: how they are validated, and what is sent of them."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
from typing import Any, Optional

import msgspec
import pydantic
import pytest
import trunkline
from google.protobuf import wrappers_pb2
from trunkline._messages.builtin_codecs import decode_error_text, decode_errors, decoder, encoder

from .conftest import Serve


class Colour(enum.Enum):
    red = "red"


class Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True)

    when: datetime.datetime
    number: int = 0
    price: decimal.Decimal = decimal.Decimal(1)
    colour: Colour = Colour.red
    pair: tuple[int, int] = (1, 2)
    data: bytes = b""


class StrictField(pydantic.BaseModel):
    when: datetime.datetime = pydantic.Field(strict=True)


class Account(pydantic.BaseModel):
    price: decimal.Decimal
    owner: Optional[Strict] = None


@dataclasses.dataclass
class Envelope:
    content: Strict


@pydantic.dataclasses.dataclass
class Purchase:
    quantity: int = pydantic.Field(default=1, gt=0)
    tags: list[str] = pydantic.Field(default_factory=list)
    price: int = pydantic.Field(default=3, alias="unitPrice")
    page: Optional[pydantic.AnyUrl] = None
    data: bytes = b""

    @pydantic.field_validator("tags")
    @classmethod
    def _check_tags(cls, tags: list[str]) -> list[str]:
        if "" in tags:
            raise ValueError("tags have a name")
        return tags


@pydantic.dataclasses.dataclass(slots=True)
class Slotted:
    quantity: int = pydantic.Field(default=1, gt=0)


@pydantic.dataclasses.dataclass
class Counted:
    quantity: int = pydantic.Field(default=1, gt=0, alias="howMany")


class Shelf(msgspec.Struct):
    content: Counted
    slotted: Slotted


@dataclasses.dataclass
class Mixed:
    content: Counted
    number: wrappers_pb2.Int32Value


def formats(codec: str) -> Any:
    return msgspec.json if codec == "json" else msgspec.msgpack


def decoded(kind: Any, codec: str, value: Any) -> Any:
    return decoder(kind, codec)(formats(codec).encode(value))


@pytest.mark.parametrize("codec", ["json", "msgpack"])
@pytest.mark.parametrize(
    "when", [datetime.datetime(2026, 1, 2), datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)], ids=str
)
def test_strict_models_there_and_back(codec: str, when: datetime.datetime) -> None:
    sent = Strict(when=when, number=3, price=decimal.Decimal("0.10"), pair=(3, 4), data=b"text")

    for kind, message in [(Strict, sent), (list[Strict], [sent]), (dict[str, Strict], {"a": sent})]:
        assert decoder(kind, codec)(encoder(codec, kind)(message)) == message
    account = Account(price=decimal.Decimal(1), owner=sent)
    assert decoder(Account, codec)(encoder(codec, Account)(account)) == account


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_strict_models_within_dataclasses(codec: str) -> None:
    sent = Envelope(Strict(when=datetime.datetime(2026, 1, 2)))

    assert decoded(Envelope, codec, {"content": {"when": "2026-01-02T00:00:00"}}) == sent


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_strict_fields_of_other_models(codec: str) -> None:
    assert decoded(StrictField, codec, {"when": "2026-01-02T00:00:00"}).when == datetime.datetime(2026, 1, 2)


@pytest.mark.parametrize("codec", ["json", "msgpack"])
@pytest.mark.parametrize("kind", [Strict, list[Strict], Envelope], ids=str)
def test_strict_models_take_no_text_for_numbers(codec: str, kind: Any) -> None:
    fields = {"when": "2026-01-02T00:00:00", "number": "3"}
    value = {Strict: fields, Envelope: {"content": fields}}.get(kind, [fields])

    with pytest.raises(decode_errors()) as caught:
        decoded(kind, codec, value)

    assert "number: Input should be a valid integer" in decode_error_text(caught.value)


def test_strict_models_take_bytes_of_messagepack() -> None:
    received = decoded(Strict, "msgpack", {"when": "2026-01-02T00:00:00", "data": b"\xff\x00"})

    assert received.data == b"\xff\x00"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "the message is empty or ends too early"),
        (b'{"price":', "the message is empty or ends too early"),
        (b'{"price":NaN}', "JSON is malformed"),
        (b'{"price":1,"owner":-Infinity}', "JSON is malformed"),
        (b'{"price":hunter2}', "Invalid JSON: expected value at line 1 column 10"),
        (b'{"price":"hunter2"}', "price: Input should be a valid decimal"),
    ],
    ids=repr,
)
def test_json_that_is_no_model(content: bytes, text: str) -> None:
    with pytest.raises(decode_errors()) as caught:
        decoder(Account, "json")(content)

    assert text in decode_error_text(caught.value)
    assert "hunter2" not in decode_error_text(caught.value)


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_dataclasses_of_pydantic(serve: Serve, codec: str) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def mirror(purchase: Purchase) -> Purchase:
        return purchase

    channel = serve(server)

    assert channel.call("mirror", {}, Purchase, codec=codec) == Purchase()
    sent = Purchase(5, ["a"], unitPrice=7, page=pydantic.AnyUrl("https://example.org/"), data=b"text")
    assert channel.call("mirror", sent, Purchase, codec=codec) == sent
    assert channel.call("mirror", {"unitPrice": 8}, codec=codec)["unitPrice"] == 8
    with pytest.raises(trunkline.InvalidArgument, match="quantity: Input should be greater than 0"):
        channel.call("mirror", {"quantity": -5}, codec=codec)
    with pytest.raises(trunkline.InvalidArgument, match="tags: Value error, tags have a name"):
        channel.call("mirror", {"tags": [""]}, codec=codec)


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_dataclasses_of_pydantic_within_what_it_does_not_know(codec: str) -> None:
    shelf = decoded(Shelf, codec, {"content": {}, "slotted": {}})
    assert (shelf.content.quantity, shelf.slotted.quantity) == (1, 1)
    mixed = decoded(Mixed, codec, {"content": {}, "number": 3})
    assert (mixed.content.quantity, mixed.number.value) == (1, 3)
    for kind, value in [
        (Shelf, {"content": {"quantity": 0}, "slotted": {}}),
        (Shelf, {"content": {}, "slotted": {"quantity": 0}}),
        (Mixed, {"content": {"quantity": 0}, "number": 3}),
    ]:
        with pytest.raises(decode_errors(), match="greater than 0"):
            decoded(kind, codec, value)


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_types_of_pydantic(codec: str) -> None:
    assert decoded(pydantic.AnyUrl, codec, "https://example.org/") == pydantic.AnyUrl("https://example.org/")
    with pytest.raises(decode_errors(), match="Input should be a valid URL"):
        decoded(pydantic.AnyUrl, codec, "nowhere")


class Square(pydantic.BaseModel):
    side: int

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def area(self) -> int:
        return self.side**2


class ClosedSquare(Square, extra="forbid"):
    pass


class OpenSquare(Square, extra="allow"):
    pass


class StoredSquare(Square):
    notes: pydantic.Json[list[int]] = [1]


class Drawing(pydantic.BaseModel):
    squares: list[Square]


class ClosedDrawing(pydantic.BaseModel):
    squares: list[ClosedSquare]


@pydantic.dataclasses.dataclass
class PlainSquare:
    side: int

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def area(self) -> int:
        return self.side**2


@pytest.mark.parametrize("codec", ["json", "msgpack"])
@pytest.mark.parametrize(
    ("message", "sent"),
    [
        (Square(side=3), {"side": 3, "area": 9}),
        (Drawing(squares=[Square(side=3)]), {"squares": [{"side": 3, "area": 9}]}),
        (PlainSquare(3), {"side": 3, "area": 9}),
        (ClosedSquare(side=3), {"side": 3}),
        (ClosedDrawing(squares=[ClosedSquare(side=3)]), {"squares": [{"side": 3}]}),
        (OpenSquare(side=3), {"side": 3}),
        (StoredSquare(side=3), {"side": 3, "notes": "[1]"}),
    ],
    ids=repr,
)
def test_computed_fields_are_sent_to_those_who_ignore_them(codec: str, message: Any, sent: Any) -> None:
    content = encoder(codec, type(message))(message)

    assert formats(codec).decode(content) == sent
    assert decoder(type(message), codec)(content) == message

# SPDX-License-Identifier: MIT
"""Types of messages without a definition, and how a server with them describes itself."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Annotated, Any, Generic, NamedTuple, TypedDict, TypeVar

import msgspec
import numpy
import numpy.typing
import pydantic
import trunkline
from trunkline import testing
from trunkline.services import add_reflection

from .reflecting import described, field_types, message_of

Samples = numpy.typing.NDArray[numpy.float32]
Item = TypeVar("Item")


class Color(enum.Enum):
    """Of paint."""

    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    """How loud."""

    LOW = 1
    High = 5
    HIGH = 6


class Flags(enum.IntFlag):
    A = 1


class Tag(NamedTuple):
    name: str
    weight: int


@dataclasses.dataclass
class Node:
    value: int
    children: list[Node] = dataclasses.field(default_factory=list)
    parent: Node | None = None


class Circle(msgspec.Struct, tag_field="shape", tag="circle"):
    """Round."""

    radius: Annotated[float, msgspec.Meta(description="In metres.")] = 1.5


class Square(msgspec.Struct, tag_field="shape", tag="square", rename={"side": "side-length"}):
    side: float


class Pair(msgspec.Struct, array_like=True):
    a: int
    b: int


class Person(TypedDict, total=False):
    name: str


class Order(pydantic.BaseModel):
    """An order of a customer."""

    number: int = pydantic.Field(alias="orderNumber", description="Unique.")
    lines: list[str] = []
    next: Order | None = None


class Numbers(pydantic.RootModel[list[int]]):
    """Some."""


@dataclasses.dataclass
class Box(Generic[Item]):
    item: Item


def file_of(*handlers: Callable[..., Any], name: str = "example.Service") -> Any:
    """Of a service with these methods, as a pool accepts it."""
    server = trunkline.Server(threads=1)
    add_reflection(server)
    for handler in handlers:
        server.add(f"{name}/{handler.__name__}", handler)
    with testing.serve(server) as channel:
        file, _ = described(channel, name)
    return file


def fields_of(hint: Any, name: str = "Message") -> dict[str, str]:
    def take(message: Any) -> None: ...

    take.__annotations__ = {"message": hint, "return": None}
    return field_types(message_of(file_of(take), name))

# SPDX-License-Identifier: MIT
"""Fields that a message omits: objects have them as their own, so that they are sent on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Generic, Optional, TypedDict, TypeVar

import msgspec
import pytest
import trunkline
from trunkline._messages.builtin_codecs import decoder
from trunkline._messages.defaults import completer

from .conftest import Serve

T = TypeVar("T")


@dataclasses.dataclass
class Part:
    name: str
    count: int = 1
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Frozen:
    depth: int = 3


@dataclasses.dataclass(slots=True)
class Slotted:
    part: Part
    depth: int = 3


@dataclasses.dataclass
class Tree:
    children: list[Tree]
    part: Optional[Part] = None  # noqa: UP045


@dataclasses.dataclass
class Chain:
    rest: Chain | None


@dataclasses.dataclass
class Box(Generic[T]):
    content: T
    more: list[T]


@dataclasses.dataclass
class PartBox(Box[Part]):
    first: Part


@dataclasses.dataclass
class ListBox(Box[list[T]], Generic[T]):
    first: T


@dataclasses.dataclass
class PartListBox(ListBox[Part]):
    pass


class StructBox(msgspec.Struct, Generic[T]):
    content: T


class PartStructBox(StructBox[Part]):
    pass


class Shelf(msgspec.Struct):
    part: Part


class Wrapped(TypedDict, total=False):
    part: Part


@dataclasses.dataclass
class Marked:
    part: Annotated[Part, msgspec.Meta(description="of a machine")]
    last: Final[Part]
    seen: int = dataclasses.field(default=0, init=False)
    known: ClassVar[list[Part]] = []


WHOLE = {"name": "a", "count": 1, "tags": []}
BARE = {"name": "a"}


@pytest.mark.parametrize("codec", ["json", "msgpack"])
@pytest.mark.parametrize(
    ("kind", "sent", "whole"),
    [
        (Part, BARE, WHOLE),
        (Frozen, {}, {"depth": 3}),
        (Slotted, {"part": BARE}, {"part": WHOLE, "depth": 3}),
        (
            Tree,
            {"children": [{"children": [], "part": BARE}, {"children": []}]},
            {
                "children": [{"children": [], "part": WHOLE}, {"children": [], "part": None}],
                "part": None,
            },
        ),
        (Box[Part], {"content": BARE, "more": [BARE]}, {"content": WHOLE, "more": [WHOLE]}),
        (
            PartBox,
            {"content": BARE, "more": [BARE], "first": BARE},
            {"content": WHOLE, "more": [WHOLE], "first": WHOLE},
        ),
        (
            PartListBox,
            {"content": [BARE], "more": [[BARE]], "first": BARE},
            {"content": [WHOLE], "more": [[WHOLE]], "first": WHOLE},
        ),
        (
            ListBox[Part],
            {"content": [BARE], "more": [[BARE]], "first": BARE},
            {"content": [WHOLE], "more": [[WHOLE]], "first": WHOLE},
        ),
        (PartStructBox, {"content": BARE}, {"content": WHOLE}),
        (Shelf, {"part": BARE}, {"part": WHOLE}),
        (Wrapped, {"part": BARE}, {"part": WHOLE}),
        (Wrapped, {}, {}),
        (Marked, {"part": BARE, "last": BARE}, {"part": WHOLE, "last": WHOLE, "seen": 0}),
        (list[Part], [BARE], [WHOLE]),
        (Sequence[Part], [BARE], [WHOLE]),
        (tuple[Part, ...], [BARE], [WHOLE]),
        (tuple[int, Part], [1, BARE], [1, WHOLE]),
        (dict[str, Part], {"x": BARE}, {"x": WHOLE}),
        (Mapping[str, list[Part]], {"x": [BARE]}, {"x": [WHOLE]}),
        (Part | None, BARE, WHOLE),
        (int | list[Part] | None, [BARE], [WHOLE]),
        (int | list[Part] | None, 7, 7),
    ],
    ids=str,
)
def test_omitted_fields_are_sent_on(codec: str, kind: Any, sent: Any, whole: Any) -> None:
    form: Any = msgspec.json if codec == "json" else msgspec.msgpack
    encode, decode = form.encode, form.decode

    message = decoder(kind, codec)(encode(sent))

    assert decode(encode(message)) == whole


@pytest.mark.parametrize("kind", [int, Any, list[int], dict[str, int], Chain, Shelf | None], ids=str)
def test_types_that_omit_nothing_cost_nothing(kind: Any) -> None:
    expected = kind == Shelf | None

    assert (completer(kind) is not None) == expected


def test_a_method_that_returns_its_request(serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def mirror(request: Part) -> Part:
        return request

    channel = serve(server)

    assert channel.call("mirror", BARE) == WHOLE

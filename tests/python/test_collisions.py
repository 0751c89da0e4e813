# SPDX-License-Identifier: MIT
"""Messages whose keys or items are chosen to have the same hash are refused before they are decoded, and others never
are."""

from __future__ import annotations

import dataclasses
import decimal
import functools
import json
import random
import struct
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypedDict

import msgspec
import pydantic
import pytest
import trunkline
from trunkline import _core
from trunkline._messages.builtin_codecs import decoder
from trunkline._messages.collisions import collision_check

P = 2**61 - 1
LIMIT = 1000


def integers(count: int) -> list[int]:
    """Different integers with one hash."""
    return [number * P for number in range(count)]


def in_json(items: list[Any]) -> bytes:
    return json.dumps(items).encode()


def as_keys(items: list[Any]) -> bytes:
    return json.dumps(dict.fromkeys(map(str, items), 1)).encode()


def fractions(count: int) -> list[str]:
    """Different decimal numbers with one hash, each with other digits."""
    return [str(decimal.Decimal(7 * pow(10, power, P) % P).scaleb(-power)) for power in range(1, count + 1)]


def pairs(count: int) -> list[tuple[int, int]]:
    """Different pairs of short integers with one hash: the second item undoes what the first one does to it."""
    multiplier, size = 14029467366897019727, 2**64
    chance = random.Random(1)
    found: list[tuple[int, int]] = []
    while len(found) < count:
        one = chance.randrange(P)
        mixed = (2870177450012600261 + one * multiplier) % size
        mixed = (mixed << 31 | mixed >> 33) % size * 11400714785074694791 % size
        other = (12345 - mixed) * pow(multiplier, -1, size) % size
        other -= size if other >= size // 2 else 0
        if -P < other < P and other != -1:
            found.append((one, other))
    return found


def disguises(number: int) -> list[str]:
    """Forms of a decimal number that Decimal() reads. Whatever the number, it has the same hash."""
    text = f"{7 * pow(10, number, P) % P}e-{number}"
    return [
        text.replace("-", "-0_"),
        f"_+{text}",
        f"\u2003{text}\u0085",
        f"\n\x1c{text}\t",
        text.translate({ord("0") + digit: 0x660 + digit for digit in range(10)}),
        text.translate({ord("0") + digit: 0x1D7CE + digit for digit in range(10)}),
    ]


def disguised(count: int) -> list[str]:
    """Different decimal numbers with one hash, in all forms."""
    return [disguises(number)[number % 6] for number in range(1, count + 1)]


def in_disguise(form: int, count: int) -> bytes:
    return in_json([disguises(number)[form] for number in range(count)])


class Point(NamedTuple):
    x: int
    y: int


class Frozen(msgspec.Struct, frozen=True):
    x: int


@dataclasses.dataclass
class Numbers:
    numbers: set[int]


class Nested(msgspec.Struct):
    inner: list[Numbers]


class Mapped(TypedDict):
    counts: dict[int, str]


class Model(pydantic.BaseModel):
    numbers: frozenset[int] = frozenset()
    counts: dict[int, int] = {}


class Amounts(pydantic.BaseModel):
    amounts: frozenset[decimal.Decimal]


@dataclasses.dataclass
class OfModels:
    models: list[Model]


def wrapped(name: str, content: bytes) -> bytes:
    return b'{"%s":%s}' % (name.encode(), content)


JSON: dict[str, tuple[Any, Callable[[int], bytes]]] = {
    "set of int": (set[int], lambda n: in_json(integers(n))),
    "set of negative int": (set[int], lambda n: in_json([-each for each in integers(n)])),
    "frozenset of int": (frozenset[int], lambda n: in_json(integers(n))),
    "set of anything": (set[Any], lambda n: in_json(integers(n))),
    "bare set": (set, lambda n: in_json(integers(n))),
    "set of int or str": (set[int | str], lambda n: in_json(integers(n))),
    "dict by int": (dict[int, int], lambda n: as_keys(integers(n))),
    "dict by escaped int": (dict[int, int], lambda n: as_keys(integers(n)).replace(b'"1', b'"\\u0031')),
    "set of Decimal": (set[decimal.Decimal], lambda n: in_json(fractions(n))),
    "set of Decimal as numbers": (set[decimal.Decimal], lambda n: in_json(fractions(n)).replace(b'"', b"")),
    "dict by Decimal": (dict[decimal.Decimal, int], lambda n: as_keys(fractions(n))),
    **{
        f"set of Decimal in disguise {form}": (set[decimal.Decimal], functools.partial(in_disguise, form))
        for form in range(6)
    },
    "set of Decimal in disguise, not escaped": (set[decimal.Decimal], lambda n: msgspec.json.encode(disguised(n))),
    "set of negative Decimal in disguise": (
        set[decimal.Decimal],
        lambda n: in_json([f"_-{disguises(number)[0]}" for number in range(n)]),
    ),
    "set of Decimal with long exponents": (
        set[decimal.Decimal],
        lambda n: in_json([f"{7 * pow(10, number, P) % P}e-{10**18 + number}" for number in range(n)]),
    ),
    "in a model of Decimal, in disguise": (Amounts, lambda n: wrapped("amounts", in_json(disguised(n)))),
    "as text between spaces in a model": (
        Model,
        lambda n: wrapped("numbers", in_json([f"\u3000{each}\u2028" for each in integers(n)])),
    ),
    "as text after newlines in a model": (
        Model,
        lambda n: wrapped("numbers", in_json([f"\n{each}" for each in integers(n)])),
    ),
    "set of UUID": (set[uuid.UUID], lambda n: in_json([str(uuid.UUID(int=each)) for each in integers(n)])),
    "dict by UUID": (dict[uuid.UUID, int], lambda n: as_keys([uuid.UUID(int=each) for each in integers(n)])),
    "set of tuples": (set[tuple[int, int]], lambda n: in_json(pairs(n))),
    "set of tuples of -1 and -2": (
        set[tuple[int, ...]],
        lambda n: in_json([[-1 - (number >> bit & 1) for bit in range(12)] for number in range(n)]),
    ),
    "set of named tuples": (set[Point], lambda n: in_json(pairs(n))),
    "set of instances": (set[Frozen], lambda n: in_json([{"x": each} for each in integers(n)])),
    "in a dataclass": (Numbers, lambda n: wrapped("numbers", in_json(integers(n)))),
    "in a list in a Struct": (Nested, lambda n: b'{"inner":[%s]}' % wrapped("numbers", in_json(integers(n)))),
    "in a TypedDict": (Mapped, lambda n: wrapped("counts", as_keys(integers(n)).replace(b": 1", b': "1"'))),
    "in an optional": (set[int] | None, lambda n: in_json(integers(n))),
    "in a model": (Model, lambda n: wrapped("numbers", in_json(integers(n)))),
    "as text in a model": (Model, lambda n: wrapped("numbers", in_json(list(map(str, integers(n)))))),
    "keys in a model": (Model, lambda n: wrapped("counts", as_keys(integers(n)))),
    "in a model in a dataclass": (OfModels, lambda n: b'{"models":[%s]}' % wrapped("numbers", in_json(integers(n)))),
}


@pytest.mark.parametrize("case", JSON)
def test_collisions_in_json_are_refused(case: str) -> None:
    kind, message = JSON[case]

    decoder(kind, "json")(message(LIMIT))
    with pytest.raises(ValueError, match="more than 1000 keys of a map, or items of a list, have the same hash"):
        decoder(kind, "json")(message(LIMIT + 1))


def packed_map(keys: list[Any]) -> bytes:
    return b"\xdf" + struct.pack(">I", len(keys)) + b"".join(msgspec.msgpack.encode(key) + b"\xc0" for key in keys)


class Anything(pydantic.BaseModel):
    content: Any


MSGPACK: dict[str, tuple[Any, Callable[[int], bytes]]] = {
    "anything": (Any, lambda n: packed_map(pairs(n))),
    "anything in a list": (list[Any], lambda n: b"\x91" + packed_map(pairs(n))),
    "bare dict": (dict, lambda n: packed_map(pairs(n))),
    "dict by tuple": (dict[tuple[int, int], None], lambda n: packed_map(pairs(n))),
    "set of tuples": (set[tuple[int, int]], lambda n: msgspec.msgpack.encode(pairs(n))),
    "set of UUID": (set[uuid.UUID], lambda n: msgspec.msgpack.encode([uuid.UUID(int=each) for each in integers(n)])),
    "set of UUID as bytes": (
        set[uuid.UUID],
        lambda n: msgspec.msgpack.Encoder(uuid_format="bytes").encode([uuid.UUID(int=each) for each in integers(n)]),
    ),
    "set of Decimal": (set[decimal.Decimal], lambda n: msgspec.msgpack.encode(fractions(n))),
    "set of Decimal in disguise": (set[decimal.Decimal], lambda n: msgspec.msgpack.encode(disguised(n))),
    "in a model": (Anything, lambda n: b"\x81\xa7content" + packed_map(pairs(n))),
    "as bytes in a model": (
        Model,
        lambda n: msgspec.msgpack.encode({"numbers": [str(each).encode() for each in integers(n)]}),
    ),
}


@pytest.mark.parametrize("case", MSGPACK)
def test_collisions_in_msgpack_are_refused(case: str) -> None:
    kind, message = MSGPACK[case]

    decoder(kind, "msgpack")(message(LIMIT))
    with pytest.raises(ValueError, match="more than 1000 keys of a map, or items of a list, have the same hash"):
        decoder(kind, "msgpack")(message(LIMIT + 1))


CHANCE = random.Random(7)
HARMLESS: dict[str, tuple[Any, list[Any]]] = {
    "long integers": (set[int], [CHANCE.randrange(2**256) for _ in range(5000)]),
    "the same integers": (set[int], [CHANCE.choice(integers(900)) for _ in range(20_000)]),
    "short integers": (set[int], list(range(-20_000, 20_000))),
    "UUIDs": (set[uuid.UUID], [str(uuid.UUID(int=CHANCE.randrange(2**128))) for _ in range(5000)]),
    "tuples": (set[tuple[float, int]], [(CHANCE.random(), number % 7) for number in range(5000)]),
}


@pytest.mark.parametrize("case", HARMLESS)
@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_other_messages_pass(case: str, codec: str) -> None:
    kind, items = HARMLESS[case]
    if codec == "msgpack" and case in ("long integers", "the same integers"):
        items = [each % 2**64 for each in items]  # MessagePack has none that are longer
    encode = msgspec.json.encode if codec == "json" else msgspec.msgpack.encode

    decoded = decoder(kind, codec)(encode(items))

    assert len(decoded) == len({tuple(each) if isinstance(each, tuple) else each for each in items})


@pytest.mark.parametrize("escapes", [True, False])
def test_names_in_many_languages_pass(escapes: bool) -> None:
    class Named(pydantic.BaseModel):
        counts: dict[str, int]
        numbers: set[int] = set()
        amounts: set[decimal.Decimal] = set()

    stems = [
        "Müller", "Ольга", "山田", "محمد", "ณัฐ", "𝒜da", "\u00a0a\n",
        "_", "e", "-", "٥ أسماء", "𝟛 names",
    ]
    counts = {f"{stem}{letter}{number}": number for stem in stems for letter in "xyé" for number in range(100)}
    message = json.dumps({"counts": counts}, ensure_ascii=escapes).encode()

    assert decoder(Named, "json")(message).counts == counts
    assert decoder(Named, "msgpack")(msgspec.msgpack.encode({"counts": counts})).counts == counts


@pytest.mark.parametrize(
    ("kind", "codec"),
    [
        (dict[str, list[int]], "json"),
        (Any, "json"),
        (dict, "json"),
        (dict[str, Any], "json"),
        (set[str], "json"),
        (set[float], "json"),
        (list[tuple[int, ...]], "json"),
        (dict[str, int], "msgpack"),
        (set[int], "msgpack"),
        (dict[int, str], "msgpack"),
        (list[float], "msgpack"),
        (set[bytes], "msgpack"),
    ],
)
def test_types_without_such_parts_are_not_checked(kind: Any, codec: str) -> None:
    assert collision_check(kind, codec) is None


def test_a_model_without_such_parts_is_not_checked() -> None:
    class Plain(pydantic.BaseModel):
        names: set[str]
        counts: dict[str, int]

    assert collision_check(Plain, "json") is None


def test_few_of_the_integers_of_msgpack_and_of_floats_have_the_same_hash() -> None:
    of_msgpack = [each for each in range(-4 * P, 9 * P, P) if -(2**63) <= each < 2**64]
    floats = {2.0 ** (61 * power + 1) for power in range(-17, 16)}

    assert len(of_msgpack) <= 13 and len({hash(each) for each in of_msgpack}) == 1
    assert len(floats) == 33 and len({hash(each) for each in floats}) == 1


def pieces(chance: random.Random) -> Iterator[bytes]:
    for _ in range(2000):
        yield chance.randbytes(chance.randrange(60))
        yield bytes(chance.choice(b'[]{}",:1-e.\\u0tfn ') for _ in range(40))
    for one in (b"[", b"\x91", b"\x81", b'{"":', b"\x81\x91"):
        yield one * 100_000
    yield b"\xdd\xff\xff\xff\xff"
    yield b"\xdf\xff\xff\xff\xff"
    yield b'["\\'
    yield b'"\\u00'
    yield b""


@pytest.mark.parametrize("form", ["text", "decimal", "uuid"])
def test_what_is_no_message_has_no_collisions(form: str) -> None:
    for data in pieces(random.Random(11)):
        for is_json in (True, False):
            assert not _core.has_collisions(data, is_json, form, True)


def test_floats_have_the_hashes_of_python() -> None:
    chance = random.Random(5)
    floats = [struct.unpack("d", chance.randbytes(8))[0] for _ in range(40)]
    for each in (*(number for number in floats if number == number), 0.5, -1.5, 1e300, 5e-324, 2.0**61):
        step = P if hash(each) >= 0 else -P
        same = ["[%d]" % (hash(each) + number * step) for number in range(LIMIT)]

        assert not _core.has_collisions(f"[{','.join(same)}]".encode(), True, "text", True)
        assert _core.has_collisions(f"[{','.join([*same, f'[{each!r}]'])}]".encode(), True, "text", True)


def test_servers_and_clients_refuse_them() -> None:
    server = trunkline.Server()

    @server.method
    def count(numbers: set[int]) -> int:
        return len(numbers)

    @server.method
    def hostile(number: int) -> list[int]:
        return integers(number)

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        assert channel.call("count", integers(LIMIT), int, codec="json", timeout=20) == LIMIT
        with pytest.raises(trunkline.InvalidArgument, match="call count: the json request .* have the same hash"):
            channel.call("count", integers(LIMIT + 1), int, codec="json", timeout=20)

        with pytest.raises(trunkline.RpcError, match="have the same hash"):
            channel.call("hostile", LIMIT + 1, set[int], codec="json", timeout=20)

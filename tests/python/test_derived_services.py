# SPDX-License-Identifier: MIT
"""Descriptions of services without a definition: what names, docstrings and options become."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from types import GenericAlias
from typing import Any

import pytest
import trunkline
from google.protobuf import descriptor_pb2, descriptor_pool, timestamp_pb2, wrappers_pb2
from trunkline import aio, testing
from trunkline.services import _definitions, add_reflection

from .commanding import needs_command, run
from .described_types import Circle, Node, Order, file_of
from .reflecting import ask, comments, described, facts_of, files_of, message_of, services


def test_handlers_without_hints_without_requests_and_with_a_context() -> None:
    def untyped(request):  # type: ignore[no-untyped-def]
        return request

    def nothing() -> None: ...

    def reported(context: trunkline.Context) -> str:
        return ""

    methods = file_of(untyped, nothing, reported).service[0].method
    value, empty, text = "Value", "Empty", "StringValue"
    assert [(each.name, each.input_type[17:], each.output_type[17:]) for each in methods] == [
        ("nothing", empty, empty),
        ("reported", empty, text),
        ("untyped", value, value),
    ]


def test_streams() -> None:
    def down(request: int) -> Iterator[str]:
        raise NotImplementedError

    def up(requests: Iterator[int]) -> str:
        raise NotImplementedError

    def both(requests: Iterator[int]) -> Iterator[str]:
        raise NotImplementedError

    methods = file_of(down, up, both).service[0].method
    assert {each.name: (each.client_streaming, each.server_streaming) for each in methods} == {
        "both": (True, True),
        "down": (False, True),
        "up": (True, False),
    }


def test_the_option_says_codec_and_path() -> None:
    server = trunkline.Server()
    add_reflection(server)

    def mixed(request: wrappers_pb2.Int32Value) -> int:
        raise NotImplementedError

    def raw(request: bytes) -> bytes:
        raise NotImplementedError

    server.add("a.Service/plain", lambda: 1, idempotent=True)
    server.add("a.Service/mixed", mixed, no_side_effects=True)
    server.add("a.Service/raw", raw)
    server.add("Arith.Multiply", lambda: 1)
    server.add("/b.Service/slash", lambda: 1)
    server.add("more-than letters", lambda: 1)
    with testing.serve(server) as channel:
        file, pool = described(channel, "a.Service")
        arith, _ = described(channel, "Arith")
        slash, _ = described(channel, "b.Service")
        gathered, _ = described(channel, "trunkline.Methods")

    facts = {name: facts_of(file, name) for name in ("plain", "mixed", "raw")}
    assert {name: (each.path, each.codec) for name, each in facts.items()} == {
        "plain": ("", "msgpack"),
        "mixed": ("", "json"),
        "raw": ("", "msgpack"),
    }
    assert [each.options.idempotency_level for each in file.service[0].method] == [1, 2, 0]
    assert facts_of(arith, "Multiply").path == "Arith.Multiply"
    assert facts_of(slash, "slash").path == "/b.Service/slash"
    assert facts_of(gathered, "more_than_letters").path == "more-than letters"


def test_protobuf_messages_under_a_name_without_a_definition_have_no_codec() -> None:
    def stamp(request: timestamp_pb2.Timestamp) -> timestamp_pb2.Timestamp:
        raise NotImplementedError

    file = file_of(stamp)
    assert not file.service[0].method[0].HasField("options")
    assert list(file.dependency) == ["google/protobuf/timestamp.proto"]


class Shop:
    """Sells things.

    All day.
    """

    __trunkline_service__ = "example.Shop"

    def open(self, circle: Circle) -> Order:
        """Opens it."""
        raise NotImplementedError

    def quiet(self, node: Node) -> None: ...


@pytest.mark.parametrize("make", [trunkline.Server, aio.Server])
def test_docstrings_become_comments(make: Any) -> None:
    server = make()
    add_reflection(server)
    server.add_service(Shop)

    with testing.serve(server) as channel:
        file, _ = described(channel, "example.Shop")

    assert file.name == "trunkline/derived/example.Shop.proto"
    index = {message.name: number for number, message in enumerate(file.message_type)}
    reported = comments(file)
    assert reported[6, 0] == " Sells things.\n\n All day.\n"
    assert reported[6, 0, 2, 0] == " Opens it.\n"
    assert reported[4, index["Circle"]] == " Round.\n"
    assert reported[4, index["Circle"], 2, 0] == ' Always "circle".\n'
    assert reported[4, index["Circle"], 2, 1] == " In metres. By default 1.5.\n"
    assert reported[4, index["Order"]] == " An order of a customer.\n"
    assert reported[4, index["Order"], 2, 0] == " Unique.\n"
    assert (4, index["Node"]) not in reported
    assert (6, 0, 2, 1) not in reported


def test_services_share_types_and_each_is_complete() -> None:
    def take(node: Node) -> Node:
        return node

    server = trunkline.Server()
    add_reflection(server)
    for name in ("a.One/take", "a.Two/take", "b.c.Three/take", "take"):
        server.add(name, take)
    with testing.serve(server) as channel:
        files = {name: described(channel, name)[0] for name in ("a.One", "a.Two", "b.c.Three", "trunkline.Methods")}

    types = {name: file.service[0].method[0].input_type for name, file in files.items()}
    assert len(set(types.values())) == 1
    assert sum(len(file.message_type) for file in files.values()) == 1


def test_types_of_the_same_name_are_distinguished() -> None:
    first = dataclasses.make_dataclass("Thing", [("a", int)])
    second = dataclasses.make_dataclass("Thing", [("b", int)])

    def take(thing: Any) -> Any:
        raise NotImplementedError

    take.__annotations__ = {"thing": first, "return": second}
    file = file_of(take)
    assert [message.name for message in file.message_type] == ["Thing", "Thing_"]


def test_a_type_and_its_service_of_the_same_name() -> None:
    def take(node: Node) -> None: ...

    file = file_of(take, name="example.Node")
    assert (file.service[0].name, file.message_type[0].name) == ("Node", "Node_")


@pytest.mark.parametrize(
    "names, found",
    [
        (["my-service/x", "my_service/x"], ["my_service"]),
        (["1st/x"], ["_1st"]),
        (["a/x", "a.b/y"], ["a.b", "trunkline.Methods"]),
        (["grpc/x"], ["trunkline.Methods"]),
        (["grpc.reflection.v1.ServerReflection/other"], ["trunkline.Methods"]),
        (["grpc.reflection.v1.ServerReflection.Inner/x"], ["trunkline.Methods"]),
        (["trunkline.Methods/x", "x"], ["trunkline.Methods"]),
        (["trunkline/x"], ["trunkline.Methods"]),
        (["trunkline.Methods.Inner/x", "x"], ["trunkline.Methods"]),
        (["a//x", "a..b/x", ".", "/", "..", "é/é"], ["_", "a._.b", "trunkline.Methods"]),
    ],
)
def test_names_of_services_that_clash_or_are_none(names: list[str], found: list[str]) -> None:
    server = trunkline.Server()
    add_reflection(server)
    for name in names:
        server.add(name, lambda: None)

    with testing.serve(server) as channel:
        reported = [name for name in services(channel) if not name.startswith("grpc.reflection")]
        assert reported == found
        paths = []
        for service in reported:
            file, _ = described(channel, service)
            for method in file.service[0].method:
                paths.append(facts_of(file, method.name).path or f"{service}/{method.name}")
        assert sorted(paths) == sorted(names)


def shop_classes() -> tuple[Any, Any]:
    """Messages ``shop.Order`` and ``shop.Line`` of a definition with a method ``shop.Orders/Place``."""
    pool = descriptor_pool.DescriptorPool()
    file = descriptor_pb2.FileDescriptorProto(name="clash/orders.proto", package="shop", syntax="proto3")
    for name in ("Order", "Line"):
        file.message_type.add(name=name).field.add(name="number", number=1, type=3, label=1)
    file.service.add(name="Orders").method.add(name="Place", input_type=".shop.Order", output_type=".shop.Order")
    pool.AddSerializedFile(file.SerializeToString())
    return _definitions.class_of(pool, "shop.Order"), _definitions.class_of(pool, "shop.Line")


def serving_clashes() -> trunkline.Server:
    order, line = shop_classes()
    orders: Any = GenericAlias(Iterator, (order,))

    @dataclasses.dataclass
    class Line:
        number: int

    @dataclasses.dataclass
    class Box:
        foo: dict[str, int]
        FooEntry: str
        foo_entry: str

    def early(request: Any) -> Any: ...
    def late(request: Any) -> Any: ...
    def mixed(request: Any) -> Any: ...
    def place(requests: Any) -> Any: ...

    early.__annotations__ = {"request": Line, "return": Box}
    late.__annotations__ = {"request": line, "return": line}
    mixed.__annotations__ = {"request": order, "return": Line}
    place.__annotations__ = {"requests": orders, "return": order}
    server = trunkline.Server(threads=2)
    add_reflection(server)
    server.add("shop.A/early", early)
    server.add("shop.B/late", late)
    server.add("shop.B/mixed", mixed)
    server.add("shop.Orders/Place", place)
    return server


def test_no_name_is_defined_twice() -> None:
    with testing.serve(serving_clashes()) as channel:
        files = {}
        for service in services(channel):
            for file in files_of(ask(channel, file_containing_symbol=service)):
                files[file.name] = file
        box = message_of(described(channel, "shop.A")[0], "Box")

    names = [name for file in files.values() for name in defined_names(file)]
    assert sorted(names) == sorted(set(names))
    assert "shop.Line" in names and "shop.Line_" in names
    assert [field.name for field in box.field] == ["foo", "FooEntry_2", "foo_entry"]
    assert [nested.name for nested in box.nested_type] == ["FooEntry"]


@needs_command
def test_the_command_accepts_names_that_would_clash() -> None:
    with serving_clashes().serve("tcp://127.0.0.1:0") as running:
        for service in ("shop.A", "shop.B", "trunkline.Methods"):
            done = run("list", running.endpoint, service)
            assert (done.status, done.messages) == (0, "")


def test_a_method_of_another_kind_than_its_definition_says_is_described_as_it_is() -> None:
    with testing.serve(serving_clashes()) as channel:
        assert "shop.Orders" not in services(channel)
        file, _ = described(channel, "trunkline.Methods")
        mixed, _ = described(channel, "shop.B")
    (place,) = file.service[0].method
    assert (place.name, place.client_streaming, place.server_streaming) == ("shop_Orders_Place", True, False)
    assert facts_of(file, "shop_Orders_Place").path == "shop.Orders/Place"
    assert facts_of(mixed, "mixed").codec == "json"


def defined_names(file: Any) -> Iterator[str]:
    """Full names of what a file declares."""

    def of_message(scope: str, message: Any) -> Iterator[str]:
        name = f"{scope}.{message.name}"
        yield name
        for part in (*message.field, *message.oneof_decl):
            yield f"{name}.{part.name}"
        for nested in message.nested_type:
            yield from of_message(name, nested)

    for message in file.message_type:
        yield from of_message(file.package, message)
    for service in file.service:
        yield f"{file.package}.{service.name}"

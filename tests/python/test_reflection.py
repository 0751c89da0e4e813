# SPDX-License-Identifier: MIT
"""Reflection: which services there are, and the files that describe those with a definition."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trunkline
from google.protobuf import descriptor_pb2, descriptor_pool, wrappers_pb2
from trunkline import aio, testing
from trunkline.services import _definitions, add_health, add_reflection

from . import reflecting
from .reflecting import ask, ask_all, files_of, pool_of

Make = Callable[[], Any]

BUILT_IN = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"]


@pytest.fixture(params=[trunkline.Server, aio.Server], ids=["blocking", "asyncio"])
def make(request: Any) -> Make:
    def make_server() -> Any:
        server = request.param(threads=1)
        add_reflection(server)
        return server

    return make_server


def shop_pool() -> Any:
    """Returns a pool with a definition in three files: messages, a service, and an extension."""
    pool = descriptor_pool.DescriptorPool()
    orders = descriptor_pb2.FileDescriptorProto(name="shop/orders.proto", package="shop", syntax="proto2")
    order = orders.message_type.add(name="Order")
    order.field.add(name="number", number=1, type=3, label=1)
    order.nested_type.add(name="Line").field.add(name="item", number=1, type=9, label=1)
    order.enum_type.add(name="State").value.add(name="OPEN", number=0)
    order.extension_range.add(start=100, end=200)
    uses_orders: Any = {"package": "shop", "dependency": ["shop/orders.proto"]}
    service = descriptor_pb2.FileDescriptorProto(name="shop/service.proto", **uses_orders)
    methods = service.service.add(name="Orders").method
    methods.add(name="Place", input_type=".shop.Order", output_type=".shop.Order")
    methods.add(name="Drop", input_type=".shop.Order", output_type=".shop.Order")
    gift = descriptor_pb2.FileDescriptorProto(name="shop/gift.proto", **uses_orders)
    gift.extension.add(name="wrapping", number=123, type=9, label=1, extendee=".shop.Order")
    for file in (orders, service, gift):
        pool.AddSerializedFile(file.SerializeToString())
    return pool


def add_shop(server: Any, method: str = "shop.Orders/Place") -> None:
    order = _definitions.class_of(shop_pool(), "shop.Order")

    def place(request: Any) -> Any:
        return request

    place.__annotations__ = {"request": order, "return": order}
    server.add(method, place)


def test_lists_services_in_order(make: Make) -> None:
    server = make()
    add_shop(server)
    add_health(server)
    server.add("later/on", lambda: None)

    with testing.serve(server) as channel:
        found = reflecting.services(channel)

    assert found == ["grpc.health.v1.Health", *BUILT_IN, "later", "shop.Orders"]


def test_describes_the_methods_that_each_server_has(make: Make) -> None:
    server = make()
    with testing.serve(server) as before:
        assert reflecting.services(before) == BUILT_IN
        server.add("b/x", lambda: None)
        with testing.serve(server) as after:
            server.remove("b/x")
            assert reflecting.services(after) == ["b", *BUILT_IN]
            assert reflecting.services(before) == ["b", *BUILT_IN]
        with testing.serve(server) as later:
            assert reflecting.services(later) == BUILT_IN


@pytest.mark.parametrize("symbol", ["shop.Orders", "shop.Orders.Place", "shop.Orders.Drop"])
def test_finds_the_file_of_a_service_with_what_it_needs(make: Make, symbol: str) -> None:
    server = make()
    add_shop(server)

    with testing.serve(server) as channel:
        files = files_of(ask(channel, file_containing_symbol=symbol))

    assert [file.name for file in files] == ["shop/service.proto", "shop/orders.proto"]
    assert pool_of(files).FindServiceByName("shop.Orders").methods_by_name["Place"].input_type.full_name == "shop.Order"


@pytest.mark.parametrize(
    "symbol",
    ["shop.Order", "shop.Order.number", "shop.Order.Line", "shop.Order.Line.item", "shop.Order.OPEN"],
)
def test_finds_the_file_of_what_a_message_declares(make: Make, symbol: str) -> None:
    server = make()
    add_shop(server)
    with testing.serve(server) as channel:
        assert [file.name for file in files_of(ask(channel, file_containing_symbol=symbol))] == ["shop/orders.proto"]


def test_finds_files_by_name_and_extensions_that_no_service_needs(make: Make) -> None:
    server = make()
    add_shop(server)
    which = {"containing_type": "shop.Order", "extension_number": 123}

    with testing.serve(server) as channel:
        by_name = files_of(ask(channel, file_by_filename="shop/orders.proto"))
        numbers = ask(channel, all_extension_numbers_of_type="shop.Order").all_extension_numbers_response
        extension = files_of(ask(channel, file_containing_extension=which))
        none = ask(channel, all_extension_numbers_of_type="shop.Order.Line").all_extension_numbers_response

    assert [file.name for file in by_name] == ["shop/orders.proto"]
    assert (numbers.base_type_name, list(numbers.extension_number)) == ("shop.Order", [123])
    assert [file.name for file in extension] == ["shop/gift.proto", "shop/orders.proto"]
    assert (none.base_type_name, list(none.extension_number)) == ("shop.Order.Line", [])


def test_sends_each_file_once_per_stream_beside_the_one_asked_for(make: Make) -> None:
    server = make()
    add_shop(server)
    with testing.serve(server) as channel:
        responses = ask_all(
            channel,
            [
                {"file_by_filename": "shop/orders.proto"},
                {"file_containing_symbol": "shop.Orders"},
                {"file_containing_symbol": "shop.Orders"},
            ],
        )
    names = [[file.name for file in files_of(response)] for response in responses]
    assert names == [["shop/orders.proto"], ["shop/service.proto"], ["shop/service.proto"]]


@pytest.mark.parametrize(
    "request_, code, text",
    [
        ({"file_by_filename": "no.proto"}, 5, "reflect: this server does not know file 'no.proto'"),
        ({"file_containing_symbol": "no.Symbol"}, 5, "reflect: this server does not know symbol 'no.Symbol'"),
        ({"file_containing_symbol": ""}, 5, "reflect: this server does not know symbol ''"),
        ({"all_extension_numbers_of_type": "no.M"}, 5, "reflect: this server does not know message 'no.M'"),
        (
            {"file_containing_extension": {"containing_type": "no.M", "extension_number": 3}},
            5,
            "reflect: this server does not know extension 3 of 'no.M'",
        ),
        (
            {"file_containing_extension": {"containing_type": "shop.Order", "extension_number": 3}},
            5,
            "reflect: this server does not know extension 3 of 'shop.Order'",
        ),
        ({"host": "only"}, 3, "reflect: the request is empty"),
    ],
)
def test_responds_to_bad_requests_with_errors_and_continues(
    make: Make, request_: dict[str, Any], code: int, text: str
) -> None:
    server = make()
    add_shop(server)

    with testing.serve(server) as channel:
        failed, good = ask_all(channel, [request_, {"host": "h", "list_services": ""}])

    assert (failed.error_response.error_code, failed.error_response.error_message) == (code, text)
    assert failed.original_request == reflecting.messages_of()[0](**request_)
    assert good.valid_host == "h"
    assert good.WhichOneof("message_response") == "list_services_response"


def test_errors_show_no_more_than_the_beginning_of_a_long_name(make: Make) -> None:
    with testing.serve(make()) as channel:
        reported = ask(channel, file_containing_symbol="x" * 5000).error_response.error_message
    assert len(reported) < 300


def orders_service() -> Any:
    """Returns a service class like those of generated code."""
    pool = shop_pool()
    order = _definitions.class_of(pool, "shop.Order")

    class OrdersService:
        """Where orders go."""

        __trunkline_service__ = "shop.Orders"
        __trunkline_methods__ = {
            "place": trunkline.MethodDefinition("shop.Orders/Place", "unary", order, order),
            "drop": trunkline.MethodDefinition("shop.Orders/Drop", "unary", order, order),
        }
        __trunkline_file__ = pool.FindFileByName("shop/service.proto")

        def place(self, request: Any, context: trunkline.Context) -> Any:
            """Places one."""

        def drop(self, request: Any, context: trunkline.Context) -> Any:
            """The method shop.Orders/Drop."""

    class Orders(OrdersService):
        """How this one does it."""

        def place(self, request: Any, context: trunkline.Context) -> Any:
            """By hand."""
            return request

    return Orders


def test_docstrings_of_generated_services_are_the_comments_of_their_definition(make: Make) -> None:
    server = make()
    server.add_service(orders_service())

    with testing.serve(server) as channel:
        assert reflecting.services(channel) == [*BUILT_IN, "shop.Orders"]
        file, _ = reflecting.described(channel, "shop.Orders")

    assert file.name == "shop/service.proto"
    assert reflecting.comments(file) == {(6, 0): " Where orders go.\n", (6, 0, 2, 0): " Places one.\n"}


def test_what_generated_classes_say_of_services_without_comments_is_no_comment(make: Make) -> None:
    service = orders_service()
    service.__mro__[1].__doc__ = "Serves shop.Orders with functions."
    server = make()
    server.add_service(service)
    with testing.serve(server) as channel:
        file, _ = reflecting.described(channel, "shop.Orders")
    assert (6, 0) not in reflecting.comments(file)


def test_serves_the_older_name_as_well(make: Make) -> None:
    server = make()
    add_shop(server)
    with testing.serve(server) as channel:
        files = files_of(ask(channel, reflecting.V1ALPHA, file_containing_symbol="shop.Orders"))
    assert [file.name for file in files] == ["shop/service.proto", "shop/orders.proto"]


@pytest.mark.parametrize(
    "service, file",
    [
        ("grpc.health.v1.Health", "grpc/health/v1/health.proto"),
        ("grpc.reflection.v1.ServerReflection", "grpc/reflection/v1/reflection.proto"),
        ("grpc.reflection.v1alpha.ServerReflection", "grpc/reflection/v1alpha/reflection.proto"),
    ],
)
def test_built_in_services_have_the_names_of_grpc(make: Make, service: str, file: str) -> None:
    server = make()
    add_health(server)

    with testing.serve(server) as channel:
        found, pool = reflecting.described(channel, service)

    assert found.name == file
    package = service.rpartition(".")[0]
    for method in pool.FindServiceByName(service).methods:
        assert method.input_type.full_name.startswith(f"{package}.")
    if "Health" in service:
        assert (
            reflecting.comments(found)[6, 0, 2, 0]
            == " Returns the current status. Fails with NOT_FOUND for a service that has none.\n"
        )


def test_a_definition_that_is_served_otherwise_is_not_described_as_its_service(make: Make) -> None:
    server = make()

    @server.method("shop.Orders/Place")  # type: ignore[untyped-decorator]
    def place(request: wrappers_pb2.StringValue) -> wrappers_pb2.StringValue:
        return request

    with testing.serve(server) as channel:
        _, pool = reflecting.described(channel, "shop.Orders")
    assert pool.FindServiceByName("shop.Orders").methods[0].input_type.full_name == "google.protobuf.StringValue"


def test_a_method_that_its_service_does_not_define_is_gathered(make: Make) -> None:
    server = make()
    add_shop(server)
    server.add("shop.Orders/count", lambda: 1)

    with testing.serve(server) as channel:
        assert reflecting.services(channel) == [*BUILT_IN, "shop.Orders", "trunkline.Methods"]
        file, _ = reflecting.described(channel, "trunkline.Methods")
    assert reflecting.facts_of(file, "shop_Orders_count").path == "shop.Orders/count"


def test_may_be_added_once() -> None:
    server = trunkline.Server()
    add_reflection(server)
    with pytest.raises(ValueError, match="ServerReflectionInfo' is registered already"):
        add_reflection(server)


def test_is_added_completely_or_not_at_all() -> None:
    server = trunkline.Server()
    server.add(reflecting.method_of(reflecting.V1ALPHA), lambda: None)
    with pytest.raises(ValueError, match="v1alpha"):
        add_reflection(server)
    assert not server.remove(reflecting.method_of())


def test_what_cannot_be_described_is_an_error_in_the_response(make: Make, monkeypatch: Any, caplog: Any) -> None:
    def fail(*arguments: Any) -> Any:
        raise RuntimeError("no")

    monkeypatch.setattr("trunkline.services._reflection.Description", fail)
    with testing.serve(make()) as channel:
        reported = ask(channel, list_services="*").error_response
    assert (reported.error_code, reported.error_message) == (13, "reflect: the server's methods could not be described")
    assert "RuntimeError: no" in caplog.text


def test_open_streams_leave_the_workers_to_others_and_are_bounded() -> None:
    server = trunkline.Server(threads=1)
    add_reflection(server, max_streams=3)
    server.add("ping", lambda: "pong")
    request, response = reflecting.messages_of()

    def opened(channel: trunkline.Channel) -> Iterator[Any]:
        for _ in range(3):
            stream = channel.stream(reflecting.method_of(), request, response)
            stream.write(request(list_services="*"))
            assert stream.read().list_services_response.service
            yield stream

    with testing.serve(server) as channel:
        streams = list(opened(channel))
        assert channel.call("ping", None, str, timeout=20.0) == "pong"
        with pytest.raises(trunkline.ResourceExhausted, match="max_concurrent_calls"):
            ask(channel, list_services="*")
        for stream in streams:
            stream.close_writes()
            stream.finish()
        assert "trunkline.Methods" in reflecting.services(channel)


def test_many_ask_at_once_while_methods_come_and_go() -> None:
    server = trunkline.Server(threads=4)
    add_reflection(server)
    add_shop(server)
    failures: list[BaseException] = []

    def change() -> None:
        for number in range(8):
            server.add(f"come{number}/go", lambda: None)
            with testing.serve(server) as other:
                assert f"come{number}" in reflecting.services(other)
            server.remove(f"come{number}/go")

    def read(channel: trunkline.Channel) -> None:
        try:
            for _ in range(15):
                assert "shop.Orders" in reflecting.services(channel)
                reflecting.described(channel, "shop.Order")
        except BaseException as error:
            failures.append(error)

    with testing.serve(server) as channel:
        threads = [threading.Thread(target=read, args=(channel,)) for _ in range(4)] + [threading.Thread(target=change)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def test_from_asyncio() -> None:
    async def main() -> list[str]:
        server = aio.Server()
        add_reflection(server)
        request, response = reflecting.messages_of()
        async with testing.aserve(server) as channel:
            stream = channel.stream(reflecting.method_of(), request, response)
            responses = [response async for response in stream.exchange([request(list_services="*")])]
        return [each.name for each in responses[0].list_services_response.service]

    assert asyncio.run(main()) == BUILT_IN

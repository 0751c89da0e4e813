# SPDX-License-Identifier: MIT
"""The OpenAPI document of a server: a validator takes it, and it says of each type what its JSON is."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Annotated, Any, Generic, Literal, TypeVar

import annotated_types
import msgspec
import pydantic
import pytest
from google.protobuf import descriptor_pb2, duration_pb2, struct_pb2, timestamp_pb2, wrappers_pb2
from openapi_spec_validator import OpenAPIV31SpecValidator
from trunkline import services

import trunkline
import trunkline.aio


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


@dataclasses.dataclass
class Point:
    """A place."""

    x: int
    y: float = 0.0
    near: list[Point] = dataclasses.field(default_factory=list)


class Order(msgspec.Struct, tag=True):
    name: Annotated[str, msgspec.Meta(min_length=1, description="Whose it is.")]
    size: Size = Size.SMALL
    places: dict[str, Point] = {}
    paid: bytes | None = None


class Model(pydantic.BaseModel):
    point: Point
    kind: Literal["a", "b"] = "a"


def document_of(running: Any, path: str = "/openapi.json") -> dict[str, Any]:
    with urllib.request.urlopen(running.endpoint.replace("tcp", "http") + path, timeout=10) as response:
        assert response.headers["content-type"] == "application/json"
        document: dict[str, Any] = json.load(response)
    OpenAPIV31SpecValidator(document).validate()
    return document


def resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = schema["$ref"].removeprefix("#/components/schemas/")
    found: dict[str, Any] = document["components"]["schemas"][name]
    return found


def request_of(document: dict[str, Any], path: str) -> Any:
    return document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]


def response_of(document: dict[str, Any], path: str) -> Any:
    return document["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]["schema"]


def sent(running: Any, path: str) -> tuple[str, bytes]:
    """The type and the content of what GET answers."""
    with urllib.request.urlopen(running.endpoint.replace("tcp", "http") + path, timeout=10) as response:
        return response.headers["content-type"], response.read()


def fixed_query(document: dict[str, Any], path: str) -> dict[str, str]:
    parameters = document["paths"][path]["get"]["parameters"]
    return {each["name"]: each["schema"]["const"] for each in parameters if each["name"] != "message"}


def add_methods(server: trunkline.Server | trunkline.aio.Server) -> None:
    @server.method(no_side_effects=True)
    def Greet(name: str) -> str:
        """Greets.

        Nobody in particular."""
        return name

    @server.method("shop.Orders/Add")
    def add(order: Order) -> Point | None: ...

    @server.method("shop.Orders/Watch")
    def watch(since: int = 0) -> Iterator[Order]:
        yield Order("a")

    @server.method("Bytes")
    def raw(data: bytes) -> bytes:
        return data

    @server.method("Model")
    def model(given: Model) -> Model:
        return given

    @server.method("Nothing")
    def nothing() -> None: ...

    @server.method("Any{}/thing?")
    def anything(given): ...  # type: ignore[no-untyped-def]

    @server.method("Upload")
    def upload(parts: Iterator[bytes]) -> int:
        return sum(map(len, parts))

    server.route("GET", "/page", lambda: "page")
    server.add("Again", lambda: None, idempotent=True)


def test_the_document_is_valid_and_has_what_plain_http_can_call() -> None:
    server = trunkline.Server()
    add_methods(server)
    services.add_openapi(server, title="Shop", version="2.1", description="Of orders.")
    with server.serve("tcp://127.0.0.1:0") as running:
        document = document_of(running)

    assert document["info"] == {"title": "Shop", "version": "2.1", "description": "Of orders."}
    assert sorted(document["paths"]) == [
        "/Again",
        "/Any%7B%7D/thing%3F",
        "/Bytes",
        "/Greet",
        "/Model",
        "/Nothing",
        "/shop.Orders/Add",
        "/shop.Orders/Watch",
    ]
    greet = document["paths"]["/Greet"]
    assert sorted(greet) == ["get", "post"]
    assert sorted(document["paths"]["/Again"]) == ["post"]
    assert (greet["post"]["summary"], greet["post"]["description"]) == ("Greets.", "Nobody in particular.")
    assert greet["get"]["parameters"][0]["content"]["application/json"]["schema"] == {"type": "string"}
    assert request_of(document, "/Greet") == {"type": "string"}
    assert document["paths"]["/shop.Orders/Add"]["post"]["tags"] == ["shop.Orders"]
    order = resolved(document, request_of(document, "/shop.Orders/Add"))
    assert order["required"] == ["type", "name"]
    assert order["properties"]["name"] == {"type": "string", "minLength": 1, "description": "Whose it is."}
    assert resolved(document, order["properties"]["size"])["enum"] == ["l", "s"]
    point = resolved(document, order["properties"]["places"]["additionalProperties"])
    assert point["description"] == "A place."
    assert resolved(document, point["properties"]["near"]["items"]) == point
    watch = document["paths"]["/shop.Orders/Watch"]["post"]
    assert watch["requestBody"]["required"] is False
    assert "application/x-ndjson" in watch["responses"]["200"]["content"]
    assert "application/octet-stream" in document["paths"]["/Bytes"]["post"]["requestBody"]["content"]
    assert resolved(document, request_of(document, "/Model"))["properties"]["kind"]["enum"] == ["a", "b"]
    assert "requestBody" not in document["paths"]["/Nothing"]["post"]
    assert request_of(document, "/Any%7B%7D/thing%3F") == {}


def test_streams_without_side_effects_answer_get() -> None:
    server = trunkline.Server()

    @server.method("Count", no_side_effects=True)
    def count(limit: int) -> Iterator[int]:
        yield from range(limit)

    services.add_openapi(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        item = document_of(running)["paths"]["/Count"]
        assert sent(running, "/Count?message=2") == ("application/x-ndjson", b"0\n1\n")

    assert sorted(item) == ["get", "post"]
    assert [each["name"] for each in item["get"]["parameters"]] == ["message"]
    assert item["get"]["responses"] == item["post"]["responses"]


def test_bytes_are_described_as_they_are_sent() -> None:
    server = trunkline.Server()

    @server.method("Echo", no_side_effects=True)
    def echo(data: bytes) -> bytes:
        return data

    @server.method("Size", no_side_effects=True)
    def size(data: bytes) -> int:
        return len(data)

    @server.method("Text", no_side_effects=True)
    def text(given: str) -> bytes:
        return given.encode()

    services.add_openapi(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        document = document_of(running)
        query = urllib.parse.urlencode({"message": "-_8=", **fixed_query(document, "/Echo")})
        assert sent(running, f"/Echo?{query}") == ("application/octet-stream", b"\xfb\xff")
        assert sent(running, "/Size?message=%22YWI=%22") == ("application/json", b"2")
        assert sent(running, "/Text?message=%22a%22") == ("application/json", b'"YQ=="')

    raw: dict[str, Any] = {"application/octet-stream": {}}
    base64 = {"type": "string", "contentEncoding": "base64"}
    for verb in ("get", "post"):
        assert document["paths"]["/Echo"][verb]["responses"]["200"]["content"] == raw
    assert document["paths"]["/Echo"]["post"]["requestBody"]["content"] == raw
    assert request_of(document, "/Size") == base64
    assert response_of(document, "/Text") == base64


def test_methods_of_a_private_console_are_left_out() -> None:
    server = trunkline.Server()
    services.add_openapi(server)
    server.add_console(endpoint="tcp://127.0.0.1:0")
    with server.serve("tcp://127.0.0.1:0") as running:
        assert document_of(running)["paths"] == {}


def test_protobuf_is_described_as_its_json_is() -> None:
    server = trunkline.Server()

    @server.method("Describe")
    def describe(given: descriptor_pb2.FieldDescriptorProto) -> descriptor_pb2.FileDescriptorProto: ...

    @server.method("When")
    def when(given: timestamp_pb2.Timestamp) -> duration_pb2.Duration: ...

    @server.method("Map")
    def map_of(given: struct_pb2.Struct) -> wrappers_pb2.Int64Value: ...

    services.add_openapi(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        document = document_of(running)

    field = resolved(document, request_of(document, "/Describe"))
    assert field["properties"]["typeName"] == {"type": "string"}
    assert "LABEL_OPTIONAL" in resolved(document, field["properties"]["label"])["enum"]
    file = resolved(document, response_of(document, "/Describe"))
    messages = file["properties"]["messageType"]
    assert messages["type"] == "array"
    assert resolved(document, messages["items"])["properties"]["nestedType"] == messages
    assert request_of(document, "/When") == {"type": "string", "format": "date-time"}
    assert request_of(document, "/Map") == {"type": "object"}
    assert response_of(document, "/Map") == {"type": ["string", "integer"], "format": "int64"}


def test_there_is_none_unless_asked_for_and_methods_that_are_added_join_it() -> None:
    server = trunkline.Server()
    with server.serve("tcp://127.0.0.1:0") as running:
        with pytest.raises(urllib.error.HTTPError, match="404"):
            document_of(running)
        services.add_openapi(server, path="/api.json")
        assert document_of(running, "/api.json")["paths"] == {}
        server.add("Later", lambda: None)
        assert list(document_of(running, "/api.json")["paths"]) == ["/Later"]
    with pytest.raises(ValueError, match="registered already"):
        services.add_openapi(server, path="/api.json")
    with pytest.raises(ValueError, match="register route"):
        services.add_openapi(server, path="api.json")


def test_servers_on_event_loops_have_it_too() -> None:
    server = trunkline.aio.Server()
    add_methods(server)
    services.add_openapi(server)
    services.add_health(server)

    async def main() -> dict[str, Any]:
        async with server.serve("tcp://127.0.0.1:0") as running:
            return await asyncio.to_thread(document_of, running)

    assert "/grpc.health.v1.Health/Check" in asyncio.run(main())["paths"]


Item = TypeVar("Item")


class User(pydantic.BaseModel):
    name: str


class Box(pydantic.BaseModel, Generic[Item]):
    content: Item


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]


@dataclasses.dataclass
class Limits:
    count: Annotated[int, pydantic.Field(gt=3, le=9)]
    names: Annotated[list[str], annotated_types.Len(1, 2)]


class Household(msgspec.Struct):
    point: Point
    pets: list[Cat]
    owner: User


def other_point() -> Any:
    @dataclasses.dataclass
    class Point:
        z: int

    return Point


class Nested:
    @dataclasses.dataclass
    class Point:
        z: int


def document_of_types(*kinds: Any) -> dict[str, Any]:
    """The types are the requests of methods with the names 0, 1 and so on."""
    server = trunkline.Server()
    for number, kind in enumerate(kinds):

        def take(given: Any) -> None: ...

        take.__annotations__["given"] = kind
        server.add(str(number), take)
    services.add_openapi(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        return document_of(running)


def test_constraints_of_pydantic_are_described() -> None:
    number, names = Annotated[int, pydantic.Field(gt=3, le=9)], Annotated[list[int], annotated_types.Len(2)]

    document = document_of_types(number, names, Limits, list[Limits])

    assert request_of(document, "/0") == {"type": "integer", "exclusiveMinimum": 3, "maximum": 9}
    assert request_of(document, "/1") == {"type": "array", "items": {"type": "integer"}, "minItems": 2}
    limits = resolved(document, request_of(document, "/2"))["properties"]
    assert (limits["count"]["exclusiveMinimum"], limits["count"]["maximum"]) == (3, 9)
    assert (limits["names"]["minItems"], limits["names"]["maxItems"]) == (1, 2)
    assert request_of(document, "/3")["items"] == request_of(document, "/2")


def test_unions_of_models_are_described() -> None:
    either = Annotated[Cat | Dog, pydantic.Field(discriminator="kind")]

    document = document_of_types(Cat | Dog, list[Cat | Dog], either)

    cat, dog = request_of(document, "/0")["anyOf"]
    assert resolved(document, cat)["properties"]["kind"]["const"] == "cat"
    assert resolved(document, dog)["properties"]["kind"]["const"] == "dog"
    assert request_of(document, "/1") == {"type": "array", "items": {"anyOf": [cat, dog]}}
    assert request_of(document, "/2")["discriminator"]["mapping"] == {"cat": cat["$ref"], "dog": dog["$ref"]}


@pytest.mark.parametrize("third", [Nested.Point, other_point()], ids=["elsewhere", "same_place"])
def test_classes_of_one_name_are_different_components(third: Any) -> None:
    points = [Point, other_point(), third]
    users = [User, pydantic.create_model("User", age=(int, ...)), pydantic.create_model("User", size=(int, ...))]

    document = document_of_types(*points, *users, Model, Household)

    found = [resolved(document, request_of(document, f"/{number}"))["properties"] for number in range(8)]
    assert [sorted(each) for each in found[:3]] == [["near", "x", "y"], ["z"], ["z"]]
    assert [sorted(each) for each in found[3:6]] == [["name"], ["age"], ["size"]]
    assert len({request_of(document, f"/{number}")["$ref"] for number in range(6)}) == 6
    assert resolved(document, found[6]["point"])["properties"].keys() == found[0].keys()
    assert resolved(document, found[7]["point"])["properties"].keys() == found[0].keys()
    assert found[7]["owner"] == request_of(document, "/3")
    assert resolved(document, found[7]["pets"]["items"])["title"] == "Cat"


def test_names_of_generic_models_are_names_of_components() -> None:
    document = document_of_types(Box[int], Box[User], list[Box[int]])

    assert resolved(document, request_of(document, "/0"))["properties"]["content"]["type"] == "integer"
    box = resolved(document, request_of(document, "/1"))
    assert resolved(document, box["properties"]["content"])["title"] == "User"
    assert request_of(document, "/2")["items"] == request_of(document, "/0")
    for name in document["components"]["schemas"]:
        assert re.fullmatch(r"[a-zA-Z0-9._-]+", name)

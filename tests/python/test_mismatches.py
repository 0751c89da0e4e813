# SPDX-License-Identifier: MIT
"""Messages of unexpected types, and invalid signatures of handlers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Any, Union

import msgspec
import numpy
import pytest
import trunkline
from google.protobuf.wrappers_pb2 import Int64Value, StringValue
from trunkline import aio, testing


class Kinds:
    """Methods of many kinds of messages."""

    def double(self, number: int) -> int:
        assert type(number) is int
        return 2 * number

    def size(self, data: bytes) -> int:
        return len(data)

    def blank(self, count: int) -> bytes:
        return bytes(count)

    def length(self, text: StringValue) -> int:
        return len(text.value)

    def raw(self, text: StringValue) -> bytes:
        return bytes(text.value.encode())

    def text(self, text: StringValue) -> StringValue:
        return text

    def optional(self, data: Union[bytes, None]) -> Any:
        return data

    def nest(self, request: list[Any]) -> int:
        return len(request)

    def wrong(self, number: int) -> Any:
        return "text"

    def nothing(self, request: None) -> None:
        assert request is None


class AsyncKinds:
    """Some of the methods of Kinds as coroutines."""

    async def double(self, number: int) -> int:
        assert type(number) is int
        return 2 * number

    async def text(self, text: StringValue) -> StringValue:
        return text

    async def nest(self, request: list[Any]) -> int:
        return len(request)


@pytest.fixture
def channel() -> Iterator[trunkline.Channel]:
    with testing.serve(Kinds) as channel:
        yield channel


WRONG = [
    ("double", b"\x02", "bytes"),
    ("double", b"\x02", "protobuf"),
    ("text", b"\xa1x", "bytes"),
    ("text", b"\xa1x", "msgpack"),
    ("text", b"{bad", "json"),
    ("text", b"\xff", "protobuf"),
    ("size", b"[1]", "json"),
    ("nest", b"\x91" * 100_000, "msgpack"),
    ("nest", b"[" * 100_000, "json"),
    ("double", b"\xc1", "msgpack"),
    ("nothing", b"x", "bytes"),
]


@pytest.mark.parametrize("method, data, codec", WRONG, ids=lambda value: str(value)[:12])
def test_a_request_of_another_codec_or_type(
    channel: trunkline.Channel, caplog: pytest.LogCaptureFixture, method: str, data: bytes, codec: str
) -> None:
    with pytest.raises(trunkline.InvalidArgument, match="does not decode"):
        channel._core.call(f"Kinds/{method}", data, codec, None, trunkline._core.Expects.response)

    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("method, data, codec", [each for each in WRONG if each[0] in ("double", "text", "nest")])
def test_a_request_of_another_codec_or_type_for_a_coroutine(
    caplog: pytest.LogCaptureFixture, method: str, data: bytes, codec: str
) -> None:
    async def main() -> None:
        server = aio.Server(threads=1)
        server.add_service(AsyncKinds)
        async with server.serve("inproc://mismatches") as running:

            def ask() -> None:
                with trunkline.Channel(running.endpoint) as channel:
                    channel._core.call(f"AsyncKinds/{method}", data, codec, None, trunkline._core.Expects.response)

            with pytest.raises(trunkline.InvalidArgument, match="does not decode"):
                await asyncio.to_thread(ask)

    asyncio.run(main())
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_messages_of_two_kinds_travel_in_a_codec_of_both(channel: trunkline.Channel) -> None:
    assert channel.call("Kinds/size", b"abc", int) == 3
    assert channel.call("Kinds/size", b"abc", codec="msgpack") == 3
    assert channel.call("Kinds/size", numpy.zeros(3).data, int) == 24
    assert channel.call("Kinds/blank", 3, bytes) == bytes(3)
    assert channel.call("Kinds/length", StringValue(value="four"), int) == 4
    assert channel.call("Kinds/raw", StringValue(value="four"), bytes) == b"four"
    assert channel.call("Kinds/optional", b"abc") == b"abc"
    assert channel.call("Kinds/nothing") is None
    client = channel.bind(Kinds)
    assert (client.size(b"abc"), client.blank(3), client.length(StringValue(value="x"))) == (3, bytes(3), 1)
    with pytest.raises(trunkline.InvalidArgument, match="its response int cannot be encoded as 'bytes'"):
        channel.call("Kinds/size", b"abc")
    with pytest.raises(trunkline.InvalidArgument, match="its response int cannot be encoded as 'protobuf'"):
        channel.call("Kinds/length", StringValue(value="four"), Int64Value)


def test_a_response_that_does_not_decode_is_internal_and_local(channel: trunkline.Channel) -> None:
    async def ask() -> list[Any]:
        async with aio.Channel(channel.endpoint) as other:
            with pytest.raises(trunkline.Internal):
                await other.call("Kinds/wrong", 1, int)
            return [each async for each in other.map("Kinds/wrong", [1, 2], int, return_exceptions=True)]

    with pytest.raises(trunkline.Internal, match="response does not decode as int") as caught:
        channel.call("Kinds/wrong", 1, int)
    assert caught.value.origin == trunkline.Origin.LOCAL
    assert isinstance(caught.value.__cause__, msgspec.ValidationError)
    assert isinstance(channel.submit("Kinds/wrong", 1, int).exception(20), trunkline.Internal)
    outcomes = list(channel.map("Kinds/wrong", [1, 2], int, return_exceptions=True))
    outcomes += [each for _, each in channel.as_completed("Kinds/wrong", [1, 2], int, return_exceptions=True)]
    outcomes += asyncio.run(ask())
    assert [type(outcome) for outcome in outcomes] == [trunkline.Internal] * 6
    with pytest.raises(trunkline.Internal):
        list(channel.map("Kinds/wrong", [1, 2], int))


def test_hints_of_which_no_message_can_be_made_are_refused() -> None:
    def both(request: Union[list[int], list[str]]) -> int:
        return 1

    for server in (trunkline.Server(threads=1), aio.Server(threads=1)):
        with pytest.raises(TypeError, match="list"):
            server.add("both", both)


def test_a_context_is_known_by_its_hint_and_by_its_name_if_it_has_none() -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def named(context: str) -> str:
        return context

    @server.method
    def unhinted(request, context):  # type: ignore[no-untyped-def]
        return [request, context.method]

    @server.method
    def hinted(request: int, call: trunkline.Context) -> str:
        return f"{request} {call.method}"

    @server.method
    def optional(request: int, call: Union[trunkline.Context, None] = None) -> bool:
        return isinstance(call, trunkline.Context)

    with testing.serve(server) as channel:
        assert channel.call("named", "text") == "text"
        assert channel.call("unhinted", 1) == [1, "unhinted"]
        assert channel.call("hinted", 1) == "1 hinted"
        assert channel.call("optional", 1) is True


def test_parameters_that_are_neither_request_nor_context_are_refused() -> None:
    def add(a: int, b: int = 3) -> int:
        return a + b

    def text(request: int, context: str) -> int:
        return request

    def keyword(request: int, *, limit: int) -> int:
        return request

    def unhinted(request, other):  # type: ignore[no-untyped-def]
        return request

    server = trunkline.Server(threads=1)
    for function, name in ((add, "b"), (text, "context"), (keyword, "limit"), (unhinted, "other")):
        with pytest.raises(TypeError, match=rf"handler .*{function.__name__}: its parameter '{name}'"):
            server.add(function.__name__, function)


def test_classes_without_a_module_are_types_of_messages() -> None:
    """Classes of protobuf that are made at run time may have no module."""
    server = trunkline.Server(threads=1)

    def take(request: Any) -> None:
        return None

    plain: Any = msgspec.defstruct("Plain", [("x", int)])
    plain.__module__ = None
    take.__annotations__["request"] = plain
    server.add("take", take)

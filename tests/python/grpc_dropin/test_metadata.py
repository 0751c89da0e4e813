# SPDX-License-Identifier: MIT
"""Metadata, peers and other things that a handler sees of its call."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import StringValue

from .pairs import SOON, Pair, handler, method, serving, text


def told(request: StringValue, context: Any) -> StringValue:
    context.send_initial_metadata((("initial", "i"), ("initial-bin", b"\x00\xff")))
    context.set_trailing_metadata((("trailing", "t"), ("trailing", "u")))
    sent = [(each.key, each.value) for each in context.invocation_metadata() if each.key.startswith("key")]
    return text(repr(sent))


def streamed(request: StringValue, context: Any) -> Iterator[StringValue]:
    context.send_initial_metadata((("initial", "i"),))
    yield text("one")
    context.set_trailing_metadata((("trailing", "t"),))


def test_metadata_of_a_unary_call(pair: Pair) -> None:
    with serving(pair.server, {"Told": ("unary_unary", told)}) as target:
        with pair.client.insecure_channel(target) as channel:
            sent = (("key", "v"), ("key-bin", b"\xff\x00"), ("key", "w"))

            response, call = method(channel, "Told", "unary_unary").with_call(text(""), metadata=sent, timeout=SOON)

            assert sorted(eval(response.value), key=repr) == sorted(sent, key=repr)
            initial = dict(call.initial_metadata())
            assert (initial["initial"], initial["initial-bin"]) == ("i", b"\x00\xff")
            trailing = [tuple(each) for each in call.trailing_metadata()]
            assert [each for each in trailing if each[0] == "trailing"] == [("trailing", "t"), ("trailing", "u")]

            future = method(channel, "Told", "unary_unary").future(text(""), metadata=sent, timeout=SOON)
            assert dict(future.initial_metadata())["initial"] == "i"


def test_metadata_of_a_stream(pair: Pair) -> None:
    with serving(pair.server, {"Streamed": ("unary_stream", streamed)}) as target:
        with pair.client.insecure_channel(target) as channel:
            call = method(channel, "Streamed", "unary_stream")(text(""), timeout=SOON)

            assert dict(call.initial_metadata())["initial"] == "i"
            assert [response.value for response in call] == ["one"]
            assert dict(call.trailing_metadata())["trailing"] == "t"


def test_invalid_metadata_is_refused(pair: Pair) -> None:
    invalid = (("a name", "v"),)
    with pair.client.insecure_channel("127.0.0.1:9") as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Told", "unary_unary")(text(""), metadata=invalid, timeout=SOON)
        error: Any = raised.value
        assert error.code() is pair.client.StatusCode.INTERNAL
        future = method(channel, "Told", "unary_unary").future(text(""), metadata=invalid, timeout=SOON)
        assert future.exception(SOON).code() is pair.client.StatusCode.INTERNAL
        with pytest.raises(pair.client.RpcError):
            next(method(channel, "Streamed", "unary_stream")(text(""), metadata=invalid, timeout=SOON))


def test_initial_metadata_is_sent_once(pair: Pair) -> None:
    raised: list[BaseException] = []

    def twice(request: StringValue, context: Any) -> StringValue:
        context.send_initial_metadata((("initial", "i"),))
        try:
            context.send_initial_metadata((("initial", "j"),))
        except ValueError as error:
            raised.append(error)
        return request

    with serving(pair.server, {"Twice": ("unary_unary", twice)}) as target:
        with pair.client.insecure_channel(target) as channel:
            method(channel, "Twice", "unary_unary")(text(""), timeout=SOON)

    assert len(raised) == 1


def test_what_a_handler_sees_of_its_client(pair: Pair) -> None:
    seen: dict[str, Any] = {}

    def look(request: StringValue, context: Any) -> StringValue:
        seen.update(
            peer=context.peer(),
            identities=context.peer_identities(),
            key=context.peer_identity_key(),
            active=context.is_active(),
            left=context.time_remaining(),
        )
        return request

    with serving(pair.server, {"Look": ("unary_unary", look)}) as target:
        with pair.client.insecure_channel(target) as channel:
            method(channel, "Look", "unary_unary")(text(""), timeout=SOON)

    assert re.fullmatch(r"ipv4:127\.0\.0\.1:\d+", seen["peer"])
    assert seen["identities"] is None and seen["key"] is None
    assert seen["active"] is True
    assert SOON / 2 < seen["left"] < SOON + 1


def test_initial_metadata_reaches_the_client_at_once(pair: Pair) -> None:
    seen = threading.Event()

    def stream(request: StringValue, context: Any) -> Iterator[StringValue]:
        context.send_initial_metadata((("initial", "i"),))
        yield text("yes" if seen.wait(SOON) else "too late")

    def streams(requests: Iterator[StringValue], context: Any) -> StringValue:
        context.send_initial_metadata((("initial", "i"),))
        return text("yes" if seen.wait(SOON) else "too late")

    methods: Any = {"Stream": ("unary_stream", stream), "Streams": ("stream_unary", streams)}
    with serving(pair.server, methods) as target, pair.client.insecure_channel(target) as channel:
        call = method(channel, "Stream", "unary_stream")(text(""), timeout=SOON)
        assert dict(call.initial_metadata())["initial"] == "i"
        seen.set()
        assert [each.value for each in call] == ["yes"]
        assert dict(call.initial_metadata())["initial"] == "i"

        seen.clear()
        future = method(channel, "Streams", "stream_unary").future(iter([text("")]), timeout=SOON)
        assert dict(future.initial_metadata())["initial"] == "i"
        seen.set()
        assert future.result(SOON).value == "yes"


def test_initial_metadata_reaches_a_client_for_asyncio_at_once(pair: Pair) -> None:
    async def run() -> None:
        seen = asyncio.Event()

        async def stream(request: StringValue, context: Any) -> Any:
            await context.send_initial_metadata((("initial", "i"),))
            await asyncio.wait_for(seen.wait(), SOON)
            yield text("yes")

        server = pair.server.aio.server()
        handlers = {"Stream": handler(pair.server, "unary_stream", stream)}
        server.add_generic_rpc_handlers((pair.server.method_handlers_generic_handler("test.Text", handlers),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with pair.client.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = method(channel, "Stream", "unary_stream")(text(""), timeout=SOON)
            assert (await call.initial_metadata())["initial"] == "i"
            seen.set()
            assert [each.value async for each in call] == ["yes"]
        await server.stop(None)

    asyncio.run(run())


def test_initial_metadata_of_a_call_that_fails(pair: Pair) -> None:
    def fail(request: StringValue, context: Any) -> Iterator[StringValue]:
        context.abort(pair.server.StatusCode.NOT_FOUND, "nothing")
        yield request

    with serving(pair.server, {"Fail": ("unary_stream", fail)}) as target:
        with pair.client.insecure_channel(target) as channel:
            call = method(channel, "Fail", "unary_stream")(text(""), timeout=SOON)

            assert not dict(call.initial_metadata()).get("initial")
            assert call.code() is pair.client.StatusCode.NOT_FOUND

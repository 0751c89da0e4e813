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


#: Metadata that gRPC does not send: it ends its call.
INVALID: dict[str, Any] = {
    "capitals": (("Key", "v"),),
    "capitals in bytes": ((b"Key", b"v"),),
    "a space": (("a key", "v"),),
    "no name": (("", "v"),),
    "a header of HTTP": ((":path", "v"),),
    "an asterisk": (("k*", "v"),),
    "a name that is not ASCII": (("k\u00e9", "v"),),
    "a value that is not ASCII": (("key", "\u00e9"),),
    "a line": (("key", "a\nb"),),
}
#: What is no metadata: it raises.
NONE: dict[str, tuple[Any, type[Exception]]] = {
    "a number": (42, TypeError),
    "numbers": ((5,), TypeError),
    "a name that is a number": (((1, "v"),), TypeError),
    "a value that is a number": ((("key", 1),), TypeError),
    "text as binary value": ((("key-bin", "v"),), TypeError),
    "a bytearray": ((("key", bytearray(b"v")),), TypeError),
    "three": ((("a", "b", "c"),), ValueError),
    "one": ((("a",),), ValueError),
    "text": ("abc", ValueError),
}
#: Metadata that is sent, and how it arrives.
SENT: dict[str, tuple[Any, list[tuple[str, Any]]]] = {
    "bytes": (((b"key", b"v"),), [("key", "v")]),
    "a value in bytes": ((("key", b"v"),), [("key", "v")]),
    "binary": (((b"key-bin", b"\xff"),), [("key-bin", b"\xff")]),
    "no value": ((("key", None),), [("key", "")]),
    "lists": ([["key", "v"]], [("key", "v")]),
    "punctuation": ((("key.a_b-1", "v"),), [("key.a_b-1", "v")]),
    "names of gRPC": ((("te", "x"), ("content-type", "x"), ("user-agent", "x"), ("key", "v")), [("key", "v")]),
}


def of_keys(metadata: Any) -> list[tuple[str, Any]]:
    """The pairs of the test."""
    return [(each.key, each.value) for each in metadata or () if each.key.startswith("key")]


@pytest.mark.parametrize("metadata", INVALID.values(), ids=INVALID)
def test_requests_with_metadata_that_is_not_sent(pair: Pair, metadata: Any) -> None:
    internal = (pair.client.StatusCode.INTERNAL, "Invalid metadata")
    with pair.client.insecure_channel("127.0.0.1:9") as channel:
        unary = method(channel, "Told", "unary_unary")
        for begin in (unary, unary.with_call, method(channel, "Told", "stream_unary")):
            request: Any = text("") if begin in (unary, unary.with_call) else iter((text(""),))
            with pytest.raises(pair.client.RpcError) as raised:
                begin(request, metadata=metadata, timeout=SOON)
            error: Any = raised.value
            assert (error.code(), error.details()) == internal
        futures: list[Any] = [
            unary.future(text(""), metadata=metadata, timeout=SOON),
            method(channel, "Told", "stream_unary").future(iter((text(""),)), metadata=metadata, timeout=SOON),
        ]
        streams: list[Any] = [
            method(channel, "Told", "unary_stream")(text(""), metadata=metadata, timeout=SOON),
            method(channel, "Told", "stream_stream")(iter((text(""),)), metadata=metadata, timeout=SOON),
        ]
        for stream in streams:
            with pytest.raises(pair.client.RpcError):
                next(stream)
        for call in (*futures, *streams):
            assert (call.code(), call.details()) == internal


@pytest.mark.parametrize(("metadata", "error"), NONE.values(), ids=NONE)
def test_requests_with_what_is_no_metadata(pair: Pair, metadata: Any, error: type[Exception]) -> None:
    with pair.client.insecure_channel("127.0.0.1:9") as channel:
        unary = method(channel, "Told", "unary_unary")
        for begin in (unary, unary.future, unary.with_call, method(channel, "Told", "unary_stream")):
            with pytest.raises(error):
                begin(text(""), metadata=metadata, timeout=SOON)


@pytest.mark.parametrize(("metadata", "arrived"), SENT.values(), ids=SENT)
def test_metadata_both_ways(pair: Pair, metadata: Any, arrived: list[tuple[str, Any]]) -> None:
    seen: list[Any] = []

    def answer(request: StringValue, context: Any) -> StringValue:
        seen.extend(of_keys(context.invocation_metadata()))
        context.send_initial_metadata(metadata)
        context.set_trailing_metadata(metadata)
        return request

    with serving(pair.server, {"Answer": ("unary_unary", answer)}) as target:
        with pair.client.insecure_channel(target) as channel:
            unary = method(channel, "Answer", "unary_unary")
            _, call = unary.with_call(text(""), metadata=metadata, timeout=SOON)

    assert seen == arrived
    assert of_keys(call.initial_metadata()) == arrived
    assert of_keys(call.trailing_metadata()) == arrived


@pytest.mark.parametrize("where", ["send_initial_metadata", "set_trailing_metadata"])
@pytest.mark.parametrize("metadata", INVALID.values(), ids=INVALID)
def test_handlers_with_metadata_that_is_not_sent(pair: Pair, where: str, metadata: Any) -> None:
    def answer(request: StringValue, context: Any) -> StringValue:
        getattr(context, where)(metadata)
        return request

    with serving(pair.server, {"Answer": ("unary_unary", answer)}) as target:
        with pair.client.insecure_channel(target) as channel, pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Answer", "unary_unary")(text(""), timeout=SOON)

    error: Any = raised.value
    assert (error.code(), error.details()) == (pair.client.StatusCode.INTERNAL, "Invalid metadata")


def test_metadata_of_credentials_that_is_not_sent(pair: Pair) -> None:
    def plugin(context: Any, callback: Any) -> None:
        callback((("Key", "v"),), None)

    channel_credentials = pair.client.composite_channel_credentials(
        pair.client.local_channel_credentials(), pair.client.metadata_call_credentials(plugin)
    )
    server = pair.server.server(None)
    port = server.add_secure_port("127.0.0.1:0", pair.server.local_server_credentials())
    server.start()
    with pair.client.secure_channel(f"127.0.0.1:{port}", channel_credentials) as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Told", "unary_unary")(text(""), timeout=SOON)
    server.stop(None).wait(SOON)

    error: Any = raised.value
    assert (error.code(), error.details()) == (pair.client.StatusCode.UNAVAILABLE, "Illegal metadata")


def said(request: StringValue, context: Any) -> StringValue:
    return text(repr([each.value for each in context.invocation_metadata() if each.key == "user-agent"]))


AGENTS: dict[str, tuple[list[tuple[str, str]], str, str]] = {
    "of the library": ([], "", ""),
    "before": ([("grpc.primary_user_agent", "orders/2.1")], "orders/2.1 ", ""),
    "behind": ([("grpc.secondary_user_agent", "(test)")], "", " (test)"),
    "around": (
        [("grpc.primary_user_agent", "orders/2.1"), ("grpc.secondary_user_agent", "(test)")],
        "orders/2.1 ",
        " (test)",
    ),
}


@pytest.mark.parametrize(("options", "before", "behind"), AGENTS.values(), ids=AGENTS)
def test_the_user_agent(pair: Pair, options: list[tuple[str, str]], before: str, behind: str) -> None:
    library = "trunkline/" if pair.client.__name__ == "trunkline.grpc" else "grpc-python/"
    with serving(pair.server, {"Said": ("unary_unary", said)}) as target:
        with pair.client.insecure_channel(target, options=options) as channel:
            # What the application sends under that name is not sent.
            metadata = (("user-agent", "another"), ("key", "v"))
            for _ in range(2):
                agents = eval(method(channel, "Said", "unary_unary")(text(""), metadata=metadata, timeout=SOON).value)

                assert len(agents) == 1
                assert agents[0].startswith(before + library)
                assert agents[0].endswith(behind)
                assert agents[0].isprintable()

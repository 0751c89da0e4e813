# SPDX-License-Identifier: MIT
"""Errors, from handlers to callers."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import logging
import pickle
import traceback
from collections.abc import Iterator
from typing import Any

import msgspec
import pydantic
import pytest
import trunkline
from google.protobuf import any_pb2, wrappers_pb2
from trunkline import aio, testing

from .conftest import Serve

CODES = [code for code in trunkline.StatusCode if code != trunkline.StatusCode.OK]


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.name.lower())
def test_an_error_arrives_as_the_same_class(serve: Serve, code: trunkline.StatusCode) -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def fail(request: int) -> None:
        raise trunkline.RpcError(
            "no way",
            code=request,
            details=[("example/Type", b"\x00\x01")],
            trailing_metadata=[("reason", "because"), ("data-bin", b"\xff")],
        )

    channel = serve(server)

    with pytest.raises(trunkline.RpcError) as caught:
        channel.call("fail", int(code))

    error = caught.value
    assert type(error) is type(trunkline.RpcError("", code=code))
    assert (error.code, error.message, str(error)) == (code, "no way", f"{code.name.lower()}: no way")
    assert error.details() == (("example/Type", b"\x00\x01"),)
    assert error.trailing_metadata["reason"] == "because"
    assert error.trailing_metadata["data-bin"] == b"\xff"
    assert error.origin == trunkline.Origin.PEER
    assert error.may_have_run
    assert error.peer == channel.endpoint


def test_abort_in_a_handler(serve: Serve) -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def fail(request: None, context: trunkline.Context) -> None:
        context.abort(trunkline.StatusCode.ABORTED, "again", trailing_metadata=[("a", "1"), ("a", "2")])

    with pytest.raises(trunkline.Aborted, match="again") as caught:
        serve(server).call("fail")

    assert caught.value.trailing_metadata.get_all("a") == ["1", "2"]


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration])
def test_other_exceptions_are_internal_and_logged(
    serve: Serve, caplog: pytest.LogCaptureFixture, kind: type[BaseException]
) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def fail(request: None) -> None:
        raise kind("the secret")

    @server.method
    def fine(request: int) -> int:
        return request

    channel = serve(server)

    with caplog.at_level(logging.ERROR, "trunkline.server"), pytest.raises(trunkline.Internal) as caught:
        channel.call("fail")

    assert "secret" not in str(caught.value)
    record = caplog.records[0]
    assert record.exc_info is not None and record.exc_info[0] is kind
    assert "fail" in record.getMessage()
    # The worker continues.
    assert channel.call("fine", 7) == 7


def test_a_response_of_the_wrong_type_is_internal(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def text(request: bytes) -> bytes:
        return "text"  # type: ignore[return-value]

    with pytest.raises(trunkline.Internal):
        serve(server).call("text", b"x")

    assert "TypeError" in caplog.text


def test_errors_survive_pickling() -> None:
    error = trunkline.NotFound("gone", details=[("t", b"v")], trailing_metadata={"a": "b"})
    error.may_have_run = False

    again = pickle.loads(pickle.dumps(error))

    assert type(again) is trunkline.NotFound
    assert (again.message, again.details(), again.may_have_run) == ("gone", (("t", b"v"),), False)
    assert again.trailing_metadata == error.trailing_metadata


def test_metadata_is_asked_by_name() -> None:
    metadata = trunkline.Metadata([("a", "1"), ("b-bin", b"\xff"), ("a", "2")])

    assert (metadata["a"], metadata.get("b-bin")) == ("1", b"\xff")
    assert (metadata.get("c"), metadata.get("c", "d")) == (None, "d")
    assert metadata.get_all("a") == ["1", "2"] and metadata.get_all("c") == []
    assert metadata.names() == ["a", "b-bin"] and "a" in metadata and "c" not in metadata
    assert list(metadata) == [("a", b"1"), ("b-bin", b"\xff"), ("a", b"2")] and len(metadata) == 3
    with pytest.raises(KeyError):
        metadata["c"]
    assert not isinstance(metadata, tuple) and not trunkline.Metadata()
    assert repr(metadata) == "Metadata([('a', b'1'), ('b-bin', b'\\xff'), ('a', b'2')])"
    for same in (pickle.loads(pickle.dumps(metadata)), copy.deepcopy(metadata), trunkline.Metadata(metadata)):
        assert same == metadata and hash(same) == hash(metadata)
    assert metadata != trunkline.Metadata({"a": "1"}) and metadata != [("a", b"1")]


@pytest.mark.parametrize("metadata", ["abc", b"abc", 5, [1], ["ab"], [("a", "b", "c")]])
def test_other_objects_as_metadata_are_refused(serve: Serve, metadata: Any) -> None:
    channel = serve(trunkline.Server(threads=1))

    for use in (channel.call, channel.submit, channel.server_stream):
        with pytest.raises(TypeError, match="^metadata"):
            use("x", b"", metadata=metadata)
    with pytest.raises(TypeError, match="^metadata"):
        trunkline.NotFound("x", trailing_metadata=metadata)


def test_an_error_has_the_class_of_its_code() -> None:
    assert type(trunkline.RpcError("x", code=5)) is trunkline.NotFound
    assert type(trunkline.RpcError("x")) is trunkline.RpcError
    with pytest.raises(ValueError, match="not the code of an error"):
        trunkline.RpcError("x", code=17)
    with pytest.raises(ValueError, match="its code is NOT_FOUND"):
        trunkline.NotFound("x", code=13)


@pytest.mark.parametrize("timeout", [-1.0, float("nan"), float("-inf"), -0.001])
def test_bad_timeouts_are_refused(serve: Serve, timeout: float) -> None:
    channel = serve(trunkline.Server(threads=1))

    for use in (
        lambda: channel.call("x", b"", timeout=timeout),
        lambda: channel.submit("x", b"", timeout=timeout),
        lambda: channel.wait_for_ready(timeout),
        lambda: channel.close(timeout),
    ):
        with pytest.raises(ValueError, match="finite number of seconds"):
            use()


def test_bad_options_are_refused() -> None:
    with pytest.raises(TypeError, match="unknown option 'colour'"):
        trunkline.Channel("tcp://127.0.0.1:1", colour=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="max_retries"):
        trunkline.Channel("tcp://127.0.0.1:1", max_retries="many")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_frame_bytes"):
        trunkline.Server(max_frame_bytes=1)
    with pytest.raises(trunkline.InvalidArgument, match="nonsense"):
        trunkline.Channel("nonsense")
    with pytest.raises(ValueError, match="threads"):
        trunkline.Server(threads=0)


def test_a_port_in_use_is_reported() -> None:
    server = trunkline.Server(threads=1)
    with server.serve("tcp://127.0.0.1:0") as running:
        with pytest.raises(trunkline.AlreadyExists, match="listen"):
            server.serve(running.endpoint)


def raise_what_is_hard_to_tell(request: str) -> None:
    if request == "exception":
        raise trunkline.InvalidArgument(ValueError("the text"))
    if request == "set":
        error = trunkline.NotFound("")
        error.message = ValueError("the text")  # type: ignore[assignment]
        raise error
    if request == "ok":
        fine = trunkline.NotFound("the text")
        fine.code = trunkline.StatusCode.OK
        raise fine
    if request == "surrogate":
        raise trunkline.NotFound("the text \udc80")
    if request == "undescribed":
        error = trunkline.NotFound("the text")
        error.trailing_metadata = trunkline.Metadata._of([("Bad Name", b"v")])
        raise error
    raise trunkline.NotFound("the text", trailing_metadata={request: "v"})


@pytest.mark.parametrize(
    "request_, expected",
    [
        ("exception", trunkline.InvalidArgument),
        ("set", trunkline.NotFound),
        ("surrogate", trunkline.NotFound),
        ("ok", trunkline.Internal),
        ("Bad Name", trunkline.Internal),
        ("undescribed", trunkline.Internal),
    ],
)
def test_an_error_that_is_hard_to_describe_is_reported(request_: str, expected: type[trunkline.RpcError]) -> None:
    blocking, asynchronous = trunkline.Server(threads=1), aio.Server(threads=1)
    blocking.add("fail", raise_what_is_hard_to_tell)

    @asynchronous.method
    async def fail(request: str) -> None:
        raise_what_is_hard_to_tell(request)

    async def main() -> None:
        async with asynchronous.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            with pytest.raises(expected) as caught:
                await channel.call("fail", request_)
            assert type(caught.value) is expected

    with blocking.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with pytest.raises(expected) as caught:
            channel.call("fail", request_)
    if expected is not trunkline.Internal:
        assert "the text" in caught.value.message
    asyncio.run(main())


def test_metadata_and_details_of_the_wrong_type_are_refused() -> None:
    with pytest.raises(TypeError, match="'n': its value is int, not str or bytes"):
        trunkline.NotFound("x", trailing_metadata={"n": 3})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the name 3 is not a str"):
        trunkline.NotFound("x", trailing_metadata={3: "n"})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'Bad Name'"):
        trunkline.NotFound("x", trailing_metadata={"Bad Name": "n"})
    with pytest.raises(TypeError, match="a type URL and bytes"):
        trunkline.NotFound("x", details=[("type/url", 3)])
    assert trunkline.Detail.of(("type/url", bytearray(b"v"))) == ("type/url", b"v")
    with trunkline.Channel("tcp://127.0.0.1:1") as channel:
        with pytest.raises(TypeError, match="not str or bytes"):
            channel.call("x", b"", metadata={"n": 3})  # type: ignore[arg-type]


@dataclasses.dataclass
class OutOfStock:
    article: str
    left: int


class Limit(msgspec.Struct):
    name: str
    value: float


class Problem(pydantic.BaseModel):
    field: str = pydantic.Field(alias="fieldName")
    reasons: list[OutOfStock] = []


STRUCTURES = [
    OutOfStock("apples", 3),
    Limit("size", 1.5),
    Problem(fieldName="count", reasons=[OutOfStock("pears", 0)]),
]


@pytest.mark.parametrize("is_async", [False, True])
def test_structures_as_details(is_async: bool) -> None:
    server = aio.Server(threads=1)

    @server.method
    def fail() -> None:
        raise trunkline.FailedPrecondition("no", details=[*STRUCTURES, wrappers_pb2.StringValue(value="x")])

    async def ask(endpoint: str) -> trunkline.RpcError:
        async with aio.Channel(endpoint) as channel:
            with pytest.raises(trunkline.FailedPrecondition) as caught:
                await channel.call("fail")
            return caught.value

    def ask_blocking(endpoint: str) -> trunkline.RpcError:
        with trunkline.Channel(endpoint) as channel, pytest.raises(trunkline.FailedPrecondition) as caught:
            channel.call("fail")
        return caught.value

    async def main() -> trunkline.RpcError:
        async with server.serve("tcp://127.0.0.1:0") as running:
            return await (ask(running.endpoint) if is_async else asyncio.to_thread(ask_blocking, running.endpoint))

    error = asyncio.run(main())

    for structure in STRUCTURES:
        assert error.details(type(structure)) == [structure]
    assert error.details(wrappers_pb2.StringValue) == [wrappers_pb2.StringValue(value="x")]
    names = [each.type_url for each in error.details()]
    assert names[:2] == ["trunkline.msgpack/OutOfStock", "trunkline.msgpack/Limit"]
    assert pickle.loads(pickle.dumps(error)).details(OutOfStock) == [STRUCTURES[0]]


def test_an_any_is_the_detail_that_it_holds() -> None:
    packed = any_pb2.Any()
    packed.Pack(wrappers_pb2.StringValue(value="x"))

    error = trunkline.NotFound("x", details=[packed])

    assert error.details() == (trunkline.Detail(packed.type_url, packed.value),)
    assert error.details(wrappers_pb2.StringValue) == [wrappers_pb2.StringValue(value="x")]


def test_details_of_other_classes() -> None:
    class OutOfStock:
        pass

    @dataclasses.dataclass
    class Limit:
        name: int

    error = trunkline.NotFound("x", details=STRUCTURES)
    with pytest.raises(TypeError, match="nor of structures"):
        error.details(OutOfStock)
    with pytest.raises(ValueError, match="details: one does not decode as Limit: Expected `int`, got `str`"):
        error.details(Limit)
    with pytest.raises(TypeError, match="a detail of type OutOfStock cannot be encoded"):
        trunkline.NotFound("x", details=[STRUCTURES[0].__class__(object(), 1)])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="a detail is a message, a structure or a pair, not object"):
        trunkline.NotFound("x", details=[object()])


def test_errors_are_of_the_public_module() -> None:
    for kind in (trunkline.RpcError, trunkline.NotFound, trunkline.Detail, trunkline.StatusCode, trunkline.Origin):
        assert kind.__module__ == "trunkline"
    text = "".join(traceback.format_exception_only(trunkline.NotFound("no such order")))
    assert text == "trunkline.NotFound: not_found: no such order\n"
    assert pickle.loads(pickle.dumps(trunkline.NotFound)) is trunkline.NotFound


@pytest.mark.parametrize("exposes", [False, True])
@pytest.mark.parametrize("name", ["fail", "fail_blocking", "fail_stream"])
@pytest.mark.parametrize("is_async", [False, True])
def test_the_text_of_an_exception_is_sent_on_request(
    caplog: pytest.LogCaptureFixture, is_async: bool, name: str, exposes: bool
) -> None:
    kind: Any = aio.Server if is_async else trunkline.Server
    server = kind(threads=2, expose_exception_text=exposes)

    async def fail() -> None:
        raise KeyError("secret")

    def fail_blocking(context: trunkline.Context) -> None:
        raise KeyError("secret")

    def fail_stream() -> Iterator[int]:
        raise KeyError("secret")
        yield 1

    def fail_plain() -> None:
        raise KeyError("secret")

    server.add("fail", fail if is_async else fail_plain)
    server.add("fail_blocking", fail_blocking)
    server.add("fail_stream", fail_stream)

    with testing.serve(server) as channel, pytest.raises(trunkline.Internal) as caught:
        list(channel.server_stream(name)) if name == "fail_stream" else channel.call(name)

    text = f"handler of {name} raised "
    assert caught.value.message == text + ("KeyError: 'secret'" if exposes else "an exception")
    assert "KeyError: 'secret'" in caplog.text


def test_the_text_of_an_exception_that_has_none() -> None:
    class Wordless(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    server = trunkline.Server(threads=1, expose_exception_text=True)

    @server.method
    def fail() -> None:
        raise Wordless

    with testing.serve(server) as channel, pytest.raises(trunkline.Internal) as caught:
        channel.call("fail")
    assert caught.value.message == "handler of fail raised an exception"

# SPDX-License-Identifier: MIT
"""Contexts, metadata, deadlines, cancellation of blocking calls."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Iterator

import pytest
import trunkline
from trunkline import testing

from .conftest import Serve
from .waiting import wait_until


def test_a_context_describes_the_call(serve: Serve) -> None:
    server = trunkline.Server(threads=2)

    @server.method("Who/Am")
    def who(request: None, context: trunkline.Context) -> dict[str, str]:
        return {"method": context.method, "peer": context.peer, "codec": context.codec}

    facts = serve(server).call("Who/Am")

    assert facts["method"] == "Who/Am"
    assert facts["peer"].startswith("tcp://127.0.0.1:")
    assert facts["codec"] == "msgpack"


def test_metadata_goes_both_ways(serve: Serve) -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def meta(context: trunkline.Context) -> list[str]:
        context.add_leading_metadata("lead", "l")
        context.add_trailing_metadata("trail", "t1")
        context.add_trailing_metadata("trail", "t2")
        context.add_trailing_metadata("raw-bin", b"\x00\xff")
        sent = context.metadata
        assert sent.get("a") == "1" and sent.get("c") is None
        return [str(value) for value in sent.get_all("a")] + [sent["b-bin"].hex()]  # type: ignore[union-attr]

    channel = serve(server)
    response_info = trunkline.ResponseInfo()

    response = channel.call("meta", metadata=[("a", "1"), ("a", "2"), ("b-bin", b"\x01")], response_info=response_info)

    assert response == ["1", "2", "01"]
    assert response_info.leading_metadata["lead"] == "l"
    assert response_info.trailing_metadata.get_all("trail") == ["t1", "t2"]
    assert response_info.trailing_metadata["raw-bin"] == b"\x00\xff"
    assert response_info.peer == channel.endpoint


@pytest.mark.parametrize("metadata", [{"a:b": "x"}, {"": "x"}, {"a b": "x"}])
def test_invalid_metadata_names_are_refused(serve: Serve, metadata: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="name"):
        serve(trunkline.Server(threads=1)).call("x", b"", metadata=metadata)


def test_metadata_names_are_the_same_in_upper_and_lower_case(serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def read(context: trunkline.Context) -> list[object]:
        return [list(context.metadata.names()), context.metadata["X-ID"], "x-Id" in context.metadata]

    assert serve(server).call("read", metadata={"X-Id": "7", "!#$": "x"}) == [["x-id", "!#$"], "7", True]


def test_deadlines_travel(serve: Serve) -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def left(context: trunkline.Context) -> float | None:
        return context.time_left()

    channel = serve(server)

    assert channel.call("left") is None
    assert 50 < channel.call("left", timeout=60.0) <= 60


def test_a_deadline_ends_the_call(serve: Serve) -> None:
    server = trunkline.Server(threads=2)
    is_cancelled = threading.Event()

    @server.method
    def block(context: trunkline.Context) -> bool:
        # The server may notice it later than the caller.
        wait_until(context.is_cancelled)
        is_cancelled.set()
        return True

    channel = serve(server)
    channel.wait_for_ready(20)

    # Long enough that the call begins.
    with pytest.raises(trunkline.DeadlineExceeded):
        channel.call("block", timeout=1.0)

    assert is_cancelled.wait(60)


def test_a_call_inherits_the_deadline_of_the_call_it_is_made_in() -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def inner(context: trunkline.Context) -> float | None:
        return context.time_left()

    @server.method
    def outer() -> list[float | None]:
        with trunkline.Channel(endpoints[0]) as channel:
            return [channel.call("inner"), channel.call("inner", timeout=1000.0)]

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        endpoints = [running.endpoint]
        inherited, own = channel.call("outer", timeout=60.0)

    assert 0 < inherited <= 60
    assert 900 < own <= 1000


def test_cancelling_a_future_cancels_the_call(serve: Serve) -> None:
    begun, ended = threading.Event(), threading.Event()
    server = trunkline.Server(threads=2)

    @server.method
    def block(context: trunkline.Context) -> None:
        begun.set()
        while not context.is_cancelled():
            ended.wait(0.001)
        ended.set()

    channel = serve(server)
    future = channel.submit("block")
    assert begun.wait(20)

    assert future.cancel()

    assert future.cancelled()
    assert ended.wait(20)


def test_a_context_is_of_no_use_after_its_call(serve: Serve) -> None:
    kept: list[trunkline.Context] = []
    server = trunkline.Server(threads=1)

    @server.method
    def keep(context: trunkline.Context) -> None:
        kept.append(context)

    channel = serve(server)
    channel.call("keep")

    with pytest.raises(trunkline.FailedPrecondition, match="has finished"):
        kept[0].time_left()
    assert kept[0].is_cancelled()


@pytest.mark.parametrize("compressor", trunkline.built_in_compressors())
def test_a_compressor_by_name(serve: Serve, compressor: str) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def squeeze(request: bytes, context: trunkline.Context) -> bytes:
        assert context.set_compressor(compressor)
        assert not context.set_compressor("nonsense")
        return request

    channel = serve(server)

    assert channel.call("squeeze", b"a" * 100_000, compressor=compressor) == b"a" * 100_000
    with pytest.raises(trunkline.InvalidArgument, match="nonsense"):
        channel.call("squeeze", b"x", compressor="nonsense")


def test_the_handlers_signature_is_checked() -> None:
    server = trunkline.Server(threads=1)

    def three(a: int, b: int, c: int) -> None: ...

    async def coroutine(request: int) -> None: ...

    with pytest.raises(TypeError, match="takes \\(request\\)"):
        server.add("three", three)
    with pytest.raises(TypeError, match="trunkline.aio.Server"):
        server.add("coroutine", coroutine)
    with pytest.raises(TypeError, match="name"):
        server.add("", lambda request: request)
    server.add("twice", lambda request: request)
    with pytest.raises(ValueError, match="registered already"):
        server.add("twice", lambda request: request)
    assert server.remove("twice") and not server.remove("twice")


@pytest.mark.parametrize("intercepted", [False, True])
def test_context_variables_of_a_call_are_its_own(intercepted: bool) -> None:
    variable = contextvars.ContextVar("variable", default="unset")
    kept: list[str] = []

    def interceptor(call: trunkline.IncomingCall) -> Iterator[None]:
        kept.append(variable.get())
        variable.set("intercepted")
        yield
        kept.append(variable.get())

    def replaced() -> str:
        before = variable.get()
        variable.set("handled")
        return before

    server = trunkline.Server(threads=1, interceptors=[interceptor] if intercepted else [])
    server.add("plain", lambda request: replaced())
    server.add("nothing", replaced)

    @server.method
    def stream(requests: Iterator[int]) -> Iterator[str]:
        for _ in requests:
            yield replaced()

    first = "intercepted" if intercepted else "unset"
    with testing.serve(server) as channel:
        for _ in range(3):
            assert channel.call("plain", 1, str) == first
            assert channel.call("nothing", response=str) == first
            # One context for all of it.
            assert list(channel.stream("stream", int, str).exchange([1, 2])) == [first, "handled"]
    if intercepted:
        # What handlers set is seen by the interceptors around them, as elsewhere in Python.
        assert set(kept[::2]) == {"unset"} and set(kept[1::2]) == {"handled"}

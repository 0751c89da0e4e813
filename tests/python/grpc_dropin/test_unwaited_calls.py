# SPDX-License-Identifier: MIT
"""Streaming calls of blocking clients that no thread waits for, and what they say once their channel is closed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import StringValue

from . import test_calls as calls
from .pairs import PAIRS, SOON, Pair, method, serving, text

#: Pairs whose client is ours.
OURS = {name: pair for name, pair in PAIRS.items() if name.startswith("trunkline-to-")}


class Handlers:
    """Methods that tell when their handlers have begun, and what they have received."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.received: list[str] = []

    def letters(self, request: StringValue, context: Any) -> Iterator[StringValue]:
        self.received.append(request.value)
        self.begun.set()
        return calls.letters(request, context)

    def echo(self, requests: Iterator[StringValue], context: Any) -> Iterator[StringValue]:
        self.begun.set()
        return calls.echo(requests, context)

    def joined(self, requests: Iterator[StringValue], context: Any) -> StringValue:
        self.begun.set()
        return calls.joined(requests, context)

    def methods(self) -> dict[str, Any]:
        return {
            "Upper": ("unary_unary", calls.upper),
            "Letters": ("unary_stream", self.letters),
            "Echo": ("stream_stream", self.echo),
            "Joined": ("stream_unary", self.joined),
        }


@pytest.mark.parametrize("is_connected", [False, True])
def test_a_call_with_a_stream_of_responses_is_sent_at_once(pair: Pair, is_connected: bool) -> None:
    handlers = Handlers()
    with serving(pair.server, handlers.methods()) as target, pair.client.insecure_channel(target) as channel:
        if is_connected:
            method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)

        call = method(channel, "Letters", "unary_stream")(text("abc"), timeout=SOON)

        assert handlers.begun.wait(SOON)
        assert handlers.received == ["abc"]
        assert [each.value for each in call] == ["a", "b", "c"]


def test_a_request_longer_than_the_window_is_sent(pair: Pair) -> None:
    handlers = Handlers()
    with serving(pair.server, handlers.methods()) as target, pair.client.insecure_channel(target) as channel:
        call = method(channel, "Letters", "unary_stream")(text("a" * 1_000_000), timeout=SOON)

        assert handlers.begun.wait(SOON)
        call.cancel()


@pytest.mark.parametrize(("name", "kind"), [("Echo", "stream_stream"), ("Joined", "stream_unary")])
def test_a_call_is_sent_before_its_first_request(pair: Pair, name: str, kind: str) -> None:
    handlers, released = Handlers(), threading.Event()

    def requests() -> Iterator[StringValue]:
        released.wait(SOON)
        yield text("a")

    with serving(pair.server, handlers.methods()) as target, pair.client.insecure_channel(target) as channel:
        begin = method(channel, name, kind)
        call = (begin.future if kind == "stream_unary" else begin)(requests(), timeout=SOON)

        assert handlers.begun.wait(SOON)
        released.set()
        assert call.result(SOON).value == "a" if kind == "stream_unary" else next(call).value == "aa"


def test_initial_metadata_of_a_call_that_is_being_sent(pair: Pair) -> None:
    def told(request: StringValue, context: Any) -> Iterator[StringValue]:
        context.send_initial_metadata((("initial", "i"),))
        yield request

    with serving(pair.server, {"Told": ("unary_stream", told)}) as target:
        with pair.client.insecure_channel(target) as channel:
            for _ in range(3):
                call = method(channel, "Told", "unary_stream")(text("a"), timeout=SOON)
                assert dict(call.initial_metadata())["initial"] == "i"
                assert dict(call.initial_metadata())["initial"] == "i"
                assert [each.value for each in call] == ["a"]


@pytest.mark.parametrize("pair", OURS.values(), ids=OURS)
def test_calls_share_one_thread(pair: Pair) -> None:
    handlers = Handlers()
    with serving(pair.server, handlers.methods()) as target, pair.client.insecure_channel(target) as channel:
        before = set(threading.enumerate())
        letters = method(channel, "Letters", "unary_stream")

        # More than are kept until those that have ended are dropped.
        for _ in range(300):
            assert len(list(letters(text("ab"), timeout=SOON))) == 2
        unread = [letters(text("ab"), timeout=SOON) for _ in range(100)]

        added = {thread.name for thread in set(threading.enumerate()) - before if thread.name.startswith("trunkline")}
        drivers = [thread for thread in set(threading.enumerate()) - before if thread.name == "trunkline-driver"]
        assert len(drivers) == 1 and not added & {"trunkline-channel", "trunkline-requests"}
        assert [len(list(call)) for call in unread] == [2] * 100
    drivers[0].join(SOON)
    assert not drivers[0].is_alive()


@pytest.mark.parametrize("pair", OURS.values(), ids=OURS)
def test_a_channel_whose_futures_have_a_thread_needs_no_other(pair: Pair) -> None:
    handlers = Handlers()
    with serving(pair.server, handlers.methods()) as target, pair.client.insecure_channel(target) as channel:
        method(channel, "Upper", "unary_unary").future(text("a"), timeout=SOON).result()

        call = method(channel, "Letters", "unary_stream")(text("abc"), timeout=SOON)

        assert handlers.begun.wait(SOON)
        assert call._answers == []


@pytest.mark.parametrize("pair", OURS.values(), ids=OURS)
def test_a_refused_thread_leaves_the_call_to_its_reader(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: Any) -> None:
        raise RuntimeError("can't start new thread")

    handlers = Handlers()
    with serving(pair.server, handlers.methods()) as target, pair.client.insecure_channel(target) as channel:
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", refuse)
            call = method(channel, "Letters", "unary_stream")(text("abc"), timeout=SOON)

        assert [each.value for each in call] == ["a", "b", "c"]
        # The next one has its thread.
        handlers.begun.clear()
        again = method(channel, "Letters", "unary_stream")(text("abc"), timeout=SOON)
        assert handlers.begun.wait(SOON) and again.is_active() is not None


def test_a_call_whose_channel_is_closed_tells_how_it_has_ended(pair: Pair) -> None:
    released = threading.Event()

    def requests() -> Iterator[StringValue]:
        yield text("a")
        released.wait(SOON)

    with serving(pair.server, calls.METHODS) as target:
        channel = pair.client.insecure_channel(target)
        begun = [method(channel, "Echo", "stream_stream")(requests(), timeout=SOON) for _ in range(4)]
        assert [next(call).value for call in begun] == ["aa"] * 4

        channel.close()

        cancelled = pair.client.StatusCode.CANCELLED
        code, told, added, read = begun
        assert code.code() is cancelled and not code.is_active() and not code.cancelled()
        assert "closed" in told.details() and told.trailing_metadata() == ()
        assert added.add_callback(lambda: None) is False
        assert added.exception(SOON).code() is cancelled
        with pytest.raises(pair.client.RpcError) as raised:
            next(read)
        error: Any = raised.value
        assert error.code() is cancelled
        released.set()


def test_a_call_whose_channel_is_closed_at_once(pair: Pair) -> None:
    with serving(pair.server, calls.METHODS) as target:
        channel = pair.client.insecure_channel(target)
        call = method(channel, "Letters", "unary_stream")(text("abc"), timeout=SOON)

        channel.close()

        assert call.code() is pair.client.StatusCode.CANCELLED
        assert call.initial_metadata() is not None

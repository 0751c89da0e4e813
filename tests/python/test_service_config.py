# SPDX-License-Identifier: MIT
"""Service configs and hedging, with every kind of channel."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import trunkline
import trunkline.grpc
import trunkline.grpc.aio
from google.protobuf.wrappers_pb2 import StringValue
from trunkline import aio

SOON = 20.0
CONFIG = {
    "methodConfig": [
        {
            "name": [{"service": "test.Flaky"}],
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.01s",
                "maxBackoff": "0.1s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["ABORTED"],
            },
        },
        {"name": [{"service": "test.Slow"}], "timeout": "0.2s"},
    ]
}


class Flaky:
    """A server whose method fails twice for each request."""

    def __init__(self) -> None:
        self.attempts: dict[str, int] = {}
        self.server = trunkline.Server()
        self.server.add("test.Flaky/Ask", self.ask)
        self.server.add("test.Flaky/AskMessage", self.ask_message)
        self.server.add("test.Slow/Ask", self.wait)

    def ask(self, request: bytes) -> bytes:
        self.count(request.decode())
        return request

    def ask_message(self, request: StringValue) -> StringValue:
        self.count(request.value)
        return request

    def count(self, request: str) -> None:
        count = self.attempts[request] = self.attempts.get(request, 0) + 1
        if count < 3:
            raise trunkline.Aborted("a conflict")

    def wait(self, request: bytes, context: trunkline.Context) -> bytes:
        while not context.is_cancelled():
            time.sleep(0.001)
        return request


@pytest.fixture
def flaky() -> Iterator[tuple[Flaky, str]]:
    made = Flaky()
    with made.server.serve("tcp://127.0.0.1:0") as running:
        yield made, running.endpoint


@pytest.mark.parametrize("config", [CONFIG, json.dumps(CONFIG)], ids=["mapping", "text"])
@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_a_listed_code_is_retried(flaky: tuple[Flaky, str], scheme: str, config: Any) -> None:
    server, endpoint = flaky
    uri = endpoint.replace("tcp", scheme, 1)
    with trunkline.Channel(uri, service_config=config) as channel:
        assert channel.call("test.Flaky/Ask", b"blocking", bytes, timeout=SOON, codec="bytes") == b"blocking"

    async def run() -> None:
        async with aio.Channel(uri, service_config=config) as channel:
            assert await channel.call("test.Flaky/Ask", b"asyncio", bytes, timeout=SOON, codec="bytes") == b"asyncio"

    asyncio.run(run())
    assert server.attempts == {"blocking": 3, "asyncio": 3}


def ask_message(channel: Any) -> Any:
    return channel.unary_unary("/test.Flaky/AskMessage", StringValue.SerializeToString, StringValue.FromString)


def test_a_listed_code_is_retried_by_the_interface_of_grpcio(flaky: tuple[Flaky, str]) -> None:
    server, endpoint = flaky
    target = endpoint.removeprefix("tcp://")
    options = [("grpc.service_config", json.dumps(CONFIG))]
    with trunkline.grpc.insecure_channel(target, options) as channel:
        call = ask_message(channel)
        assert call(StringValue(value="blocking"), timeout=SOON).value == "blocking"
        assert call.future(StringValue(value="future"), timeout=SOON).result(SOON).value == "future"
        stream = channel.unary_stream(
            "/test.Flaky/AskMessage", StringValue.SerializeToString, StringValue.FromString
        )
        assert [each.value for each in stream(StringValue(value="stream"), timeout=SOON)] == ["stream"]

    async def run() -> None:
        async with trunkline.grpc.aio.insecure_channel(target, options) as channel:
            assert (await ask_message(channel)(StringValue(value="asyncio"), timeout=SOON)).value == "asyncio"

    asyncio.run(run())
    assert server.attempts == {"blocking": 3, "future": 3, "stream": 3, "asyncio": 3}


def test_retries_can_be_turned_off_by_the_interface_of_grpcio(flaky: tuple[Flaky, str]) -> None:
    server, endpoint = flaky
    options = [("grpc.service_config", json.dumps(CONFIG)), ("grpc.enable_retries", 0)]
    with trunkline.grpc.insecure_channel(endpoint.removeprefix("tcp://"), options) as channel:
        with pytest.raises(trunkline.grpc.RpcError):
            ask_message(channel)(StringValue(value="once"), timeout=SOON)

    assert server.attempts == {"once": 1}


def test_the_timeout_of_a_method_applies(flaky: tuple[Flaky, str]) -> None:
    with trunkline.Channel(flaky[1], service_config=CONFIG) as channel:
        with pytest.raises(trunkline.DeadlineExceeded):
            channel.call("test.Slow/Ask", b"", bytes)
        with pytest.raises(trunkline.DeadlineExceeded):
            channel.call("test.Slow/Ask", b"", bytes, timeout=SOON)


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ("{", "service_config: service config: decode json"),
        ({"methodConfig": [{"name": [{}], "timeout": 1}]}, "methodConfig\\[0\\].timeout"),
    ],
)
def test_a_wrong_config_is_refused(config: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        trunkline.Channel("tcp://127.0.0.1:1", service_config=config)


# --- hedging ---


@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_a_call_that_is_slow_is_sent_to_another_server(scheme: str) -> None:
    cancelled = threading.Event()
    quick, stuck = trunkline.Server(), trunkline.Server()

    @quick.method("Ask")
    def answer(request: str) -> str:
        return "quick"

    @stuck.method("Ask")
    def hang(request: str, context: trunkline.Context) -> str:
        while not context.is_cancelled():
            time.sleep(0.001)
        cancelled.set()
        return "stuck"

    with quick.serve("tcp://127.0.0.1:0") as a, stuck.serve("tcp://127.0.0.1:0") as b:
        uri = f"{a.endpoint},{b.endpoint}".replace("tcp", scheme)
        with trunkline.Channel(uri, balancing="round_robin", slow_start=0.0, hedging={"delay": 0.02}) as channel:
            until = time.monotonic() + SOON
            # The first calls all go to the server that is connected first.
            while not cancelled.is_set() and time.monotonic() < until:
                assert channel.call("Ask", "", str, timeout=SOON, wait_for_ready=True, idempotent=True) == "quick"
            assert cancelled.is_set(), "the loser is told"
            with pytest.raises(trunkline.DeadlineExceeded):
                for _ in range(6):
                    channel.call("Ask", "", str, timeout=0.5)


@pytest.mark.parametrize(
    ("hedging", "error", "text"),
    [
        ({"max_attempts": 1}, ValueError, "hedging.max_attempts"),
        ({"max_attempts": 6}, ValueError, "hedging.max_attempts"),
        ({"percentile": 1.0}, ValueError, "hedging.percentile"),
        ({"max_extra": 0.0}, ValueError, "hedging.max_extra"),
        ({"delay": -1.0}, ValueError, "delay"),
        ({"non_fatal_codes": [trunkline.StatusCode.OK]}, ValueError, "not the code of an error"),
        ({"often": True}, TypeError, "unknown option 'often'"),
        (0.95, TypeError, "must be a dict"),
    ],
)
def test_hedging_out_of_range_is_refused(hedging: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        trunkline.Channel("tcp://127.0.0.1:1", hedging=hedging)

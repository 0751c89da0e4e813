# SPDX-License-Identifier: MIT
"""Retries by a service config, between all implementations: what servers say about them, and when there are none."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import pytest

import trunkline.grpc
from trunkline.grpc._status_details import decode_details, encode_status, split_trailing

from .pairs import SOON, Pair

KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")
PUSHBACK = "grpc-retry-pushback-ms"


def options_of(policy: dict[str, Any] | None = None, **more: Any) -> list[tuple[str, Any]]:
    """Options of a channel that makes three attempts at each method."""
    retries = {
        "maxAttempts": 3,
        "initialBackoff": "0.01s",
        "maxBackoff": "0.01s",
        "backoffMultiplier": 1,
        "retryableStatusCodes": ["UNAVAILABLE"],
        **(policy or {}),
    }
    return [("grpc.service_config", json.dumps({"methodConfig": [{"name": [{}], "retryPolicy": retries}], **more}))]


class Failing:
    """Methods of each kind that fail until they have been called ``failures`` times, and note their attempts."""

    def __init__(self, module: Any, **manner: Any) -> None:
        self._module = module
        self._manner: dict[str, Any] = {"failures": 99, "code": "UNAVAILABLE", **manner}
        #: What each attempt has had as grpc-previous-rpc-attempts, and when it came.
        self.attempts: list[str | None] = []
        self.times: list[float] = []
        #: Set once the client has seen the headers or the message; attempts that have sent them wait for it. A client of
        #: grpcio that gets them together with the status retries the call.
        self.seen = threading.Event()

    def handle(self, request: Any, context: Any) -> None:
        metadata = dict(context.invocation_metadata())
        self.attempts.append(metadata.get("grpc-previous-rpc-attempts"))
        self.times.append(time.monotonic())
        if not isinstance(request, bytes):
            list(request)
        if "headers" in self._manner:
            context.send_initial_metadata(self._manner["headers"])
            assert self.seen.wait(SOON)

    def fail(self, context: Any) -> None:
        if len(self.attempts) > self._manner["failures"]:
            return
        if "pushback" in self._manner:
            context.set_trailing_metadata(((PUSHBACK, self._manner["pushback"]),))
        context.abort(getattr(self._module.StatusCode, self._manner["code"]), "not yet")

    def one(self, request: Any, context: Any) -> bytes:
        self.handle(request, context)
        self.fail(context)
        return b"fine"

    def many(self, request: Any, context: Any) -> Iterator[bytes]:
        self.handle(request, context)
        if self._manner.get("message"):
            yield b"first"
            assert self.seen.wait(SOON)
        self.fail(context)
        yield b"fine"

    @contextlib.contextmanager
    def serving(self) -> Iterator[str]:
        server = self._module.server(futures.ThreadPoolExecutor(2))
        methods = {
            kind: getattr(self._module, f"{kind}_rpc_method_handler")(self.one if kind.endswith("unary") else self.many)
            for kind in KINDS
        }
        server.add_generic_rpc_handlers((self._module.method_handlers_generic_handler("S", methods),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            server.stop(None).wait(SOON)


def outcome(module: Any, channel: Any, kind: str, size: int = 1) -> str:
    """How a call ends: with the code of an error, or with its last response."""
    method = getattr(channel, kind)(f"/S/{kind}")
    request: Any = iter([bytes(size)]) if kind.startswith("stream") else bytes(size)
    try:
        response = method(request, timeout=SOON)
        return str((response if isinstance(response, bytes) else list(response)[-1]).decode())
    except module.RpcError as error:
        return str(error.code().name)


def begun(channel: Any, kind: str) -> Any:
    """A call that has begun."""
    method = getattr(channel, kind)(f"/S/{kind}")
    request: Any = iter([b"1"]) if kind.startswith("stream") else b"1"
    return (method.future if kind.endswith("unary") else method)(request, timeout=SOON)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("manner", "ends", "attempts"),
    [
        ({}, "UNAVAILABLE", [None, "1", "2"]),
        ({"failures": 1}, "fine", [None, "1"]),
        ({"code": "INTERNAL"}, "INTERNAL", [None]),
    ],
)
def test_listed_codes_are_retried(
    pair: Pair, kind: str, manner: dict[str, Any], ends: str, attempts: list[str | None]
) -> None:
    failing = Failing(pair.server, **manner)
    with failing.serving() as target, pair.client.insecure_channel(target, options_of()) as channel:
        assert outcome(pair.client, channel, kind) == ends
    assert failing.attempts == attempts


def needs_the_core(request: pytest.FixtureRequest, reason: str) -> None:
    request.applymarker(pytest.mark.xfail(strict=True, reason=reason))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pushback", ["-1", "soon"])
def test_a_server_says_that_it_wants_no_retry(
    pair: Pair, kind: str, pushback: str, request: pytest.FixtureRequest
) -> None:
    if pair.server is trunkline.grpc:
        needs_the_core(request, "a status of the core has no retry_after() that is negative")
    failing = Failing(pair.server, pushback=pushback)
    with failing.serving() as target, pair.client.insecure_channel(target, options_of()) as channel:
        assert outcome(pair.client, channel, kind) == "UNAVAILABLE"
    assert failing.attempts == [None]


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_says_when_it_wants_the_retry(pair: Pair, kind: str) -> None:
    failing = Failing(pair.server, pushback="200", failures=2)
    with failing.serving() as target, pair.client.insecure_channel(target, options_of()) as channel:
        assert outcome(pair.client, channel, kind) == "fine"
    assert failing.attempts == [None, "1", "2"]
    # The pauses of the policy are a twentieth of that. However slow the machine is, no attempt comes earlier.
    assert all(after - before > 0.15 for before, after in zip(failing.times, failing.times[1:]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("headers", [(("a", "b"),), ()])
def test_a_call_that_has_headers_is_not_retried(pair: Pair, kind: str, headers: Any) -> None:
    failing = Failing(pair.server, headers=headers)
    if kind == "unary_unary":
        # Its callers see the headers when it has ended.
        if pair.client is not trunkline.grpc:
            pytest.skip("grpcio retries it if the status comes together with the headers")
        failing.seen.set()
    with failing.serving() as target, pair.client.insecure_channel(target, options_of()) as channel:
        call = begun(channel, kind)
        assert [(name, value) for name, value in call.initial_metadata() if name == "a"] == list(headers)
        failing.seen.set()
        assert call.code() is pair.client.StatusCode.UNAVAILABLE
    assert failing.attempts == [None]


@pytest.mark.parametrize("kind", ["unary_stream", "stream_stream"])
def test_a_stream_that_has_a_message_is_not_retried(pair: Pair, kind: str) -> None:
    failing = Failing(pair.server, message=True)
    with failing.serving() as target, pair.client.insecure_channel(target, options_of()) as channel:
        call = begun(channel, kind)
        assert next(call) == b"first"
        failing.seen.set()
        assert call.code() is pair.client.StatusCode.UNAVAILABLE
    assert failing.attempts == [None]


@pytest.mark.parametrize("kind", ["unary_stream", "stream_unary", "stream_stream"])
def test_requests_of_streams_are_held_up_to_a_length(pair: Pair, kind: str) -> None:
    """It is 256 KiB by default, and what the option says otherwise."""
    failing = Failing(pair.server)
    small = [*options_of(), ("grpc.per_rpc_retry_buffer_size", 10)]
    with failing.serving() as target:
        for options, size, count in ((options_of(), 200_000, 3), (options_of(), 300_000, 1), (small, 1000, 1)):
            failing.attempts.clear()
            with pair.client.insecure_channel(target, options) as channel:
                assert outcome(pair.client, channel, kind, size) == "UNAVAILABLE"
            assert len(failing.attempts) == count, size


def test_throttling(pair: Pair) -> None:
    failing = Failing(pair.server)
    options = options_of(retryThrottling={"maxTokens": 6, "tokenRatio": 0.5})
    counts = []
    with failing.serving() as target, pair.client.insecure_channel(target, options) as channel:
        for _ in range(4):
            failing.attempts.clear()
            assert outcome(pair.client, channel, "unary_unary") == "UNAVAILABLE"
            counts.append(len(failing.attempts))
    assert counts == [3, 1, 1, 1]


def test_five_attempts_at_most_and_none_without_retries(pair: Pair) -> None:
    failing = Failing(pair.server)
    with failing.serving() as target:
        with pair.client.insecure_channel(target, options_of({"maxAttempts": 9})) as channel:
            assert outcome(pair.client, channel, "unary_unary") == "UNAVAILABLE"
        assert len(failing.attempts) == 5
        options = [*options_of(), ("grpc.enable_retries", 0)]
        with pair.client.insecure_channel(target, options) as channel:
            assert outcome(pair.client, channel, "unary_unary") == "UNAVAILABLE"
        assert len(failing.attempts) == 6


def test_futures_and_calls_of_asyncio_are_retried(pair: Pair) -> None:
    failing = Failing(pair.server, failures=2)

    async def main(target: str) -> None:
        async with pair.client.aio.insecure_channel(target, options=options_of()) as channel:
            for kind in KINDS:
                failing.attempts.clear()
                method = getattr(channel, kind)(f"/S/{kind}")
                call = method(iter([b"x"]) if kind.startswith("stream") else b"x", timeout=SOON)
                response = await call if kind.endswith("unary") else [each async for each in call][-1]
                assert (response, failing.attempts) == (b"fine", [None, "1", "2"])

    with failing.serving() as target:
        asyncio.run(asyncio.wait_for(main(target), SOON))
        with pair.client.insecure_channel(target, options_of()) as channel:
            for kind in ("unary_unary", "stream_unary"):
                failing.attempts.clear()
                method = getattr(channel, kind)(f"/S/{kind}")
                future = method.future(iter([b"x"]) if kind.startswith("stream") else b"x", timeout=SOON)
                assert future.result(SOON) == b"fine" and failing.attempts == [None, "1", "2"]


def test_the_time_of_a_retry_becomes_a_detail() -> None:
    """The core says from it when it wants the call again. One of the handler's own counts first."""
    pause = (PUSHBACK, b"1500")
    expected = ("type.googleapis.com/google.rpc.RetryInfo", b"\x0a\x08\x08\x01\x10\x80\xca\xb5\xee\x01")

    kept, details = split_trailing([("a", b"1"), pause])
    assert (kept, details) == ([("a", b"1")], [expected])

    class Own:
        type_url, value = "type.googleapis.com/google.rpc.RetryInfo", b"\x0a\x02\x08\x07"

    status = encode_status(14, "", [Own()])
    kept, details = split_trailing([pause, ("grpc-status-details-bin", status)])
    assert kept == [] and details == decode_details(status)
    for other in (b"-1", b"soon", b""):
        assert split_trailing([(PUSHBACK, other)]) == ([(PUSHBACK, other)], [])

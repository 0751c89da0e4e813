# SPDX-License-Identifier: MIT
"""The package connectrpc calls servers in C++ and Python: over Connect, gRPC and gRPC-Web, blocking and with asyncio.

The service is that of tests/interop/wrapper_types.proto.
"""

from __future__ import annotations

import asyncio
import base64
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.wrappers_pb2 import BytesValue, Int64Value, StringValue

from .pages import ROOT

# It needs Python 3.11.
pytest.importorskip("connectrpc")
import pyqwest
from connectrpc.client import ConnectClient, ConnectClientSync, ResponseMetadata
from connectrpc.code import Code
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType

BUILT = os.environ.get("TRUNKLINE_BUILT_INTEROP")
#: Milliseconds, for calls that are to end well.
TIMEOUT = 20_000
METADATA = {"leading-a": "1", "trailing-b-bin": base64.b64encode(b"\x00\xff").decode().rstrip("=")}


class Way(NamedTuple):
    """How calls are made."""

    protocol: str
    version: int
    codec: str = "proto"

    @property
    def options(self) -> dict[str, Any]:
        codecs = {"proto": google_protobuf_binary_codec, "json": google_protobuf_json_codec}
        return {"protocol": ProtocolType[self.protocol], "codec": codecs[self.codec]()}

    @property
    def http_version(self) -> Any:
        return pyqwest.HTTPVersion.HTTP1 if self.version == 1 else pyqwest.HTTPVersion.HTTP2


WAYS = [
    Way("CONNECT", 1),
    Way("CONNECT", 1, "json"),
    Way("CONNECT", 2),
    Way("GRPC", 2),
    Way("GRPC", 2, "json"),
    Way("GRPC_WEB", 1),
    Way("GRPC_WEB", 2),
]


def method(name: str, request: Any, response: Any, kind: str = "UNARY") -> Any:
    return MethodInfo(
        name=name,
        service_name="interop.Grpc",
        input=request,
        output=response,
        idempotency_level=IdempotencyLevel.UNKNOWN,
        stream_type=StreamType[kind],
    )


ECHO = method("Echo", BytesValue, BytesValue)
FAIL = method("Fail", StringValue, StringValue)
FAIL_LATE = method("FailLate", StringValue, Int64Value, "SERVER_STREAM")
MISSING = method("Missing", StringValue, StringValue)
RANGE = method("Range", Int64Value, Int64Value, "SERVER_STREAM")
SUM = method("Sum", Int64Value, Int64Value, "CLIENT_STREAM")
CHAT = method("Chat", BytesValue, BytesValue, "BIDI_STREAM")
HANG, HANGING, CANCELLED, TIME_LEFT = (
    method(name, Int64Value, Int64Value) for name in ("Hang", "Hanging", "Cancelled", "TimeLeft")
)


@pytest.fixture(scope="module", params=["cpp", "python"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "python":
        command = [sys.executable, str(ROOT / "tests/proxies/backend.py")]
    elif BUILT is None:
        pytest.skip("TRUNKLINE_BUILT_INTEROP is not set")
    else:
        command = [f"{BUILT}/grpc_server"]
    with subprocess.Popen([*command, "tcp://127.0.0.1:0"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1].replace("tcp://", "http://")
        process.terminate()
        assert process.wait(30) == 0


@pytest.fixture(params=WAYS, ids=lambda way: f"{way.protocol.lower()}-{way.version}-{way.codec}")
def way(request: pytest.FixtureRequest) -> Way:
    assert isinstance(request.param, Way)
    return request.param


@pytest.fixture
def client(address: str, way: Way) -> Iterator[Any]:
    with (
        pyqwest.SyncHTTPTransport(http_version=way.http_version) as transport,
        ConnectClientSync(address, http_client=pyqwest.SyncClient(transport), **way.options) as client,
    ):
        yield client


def call(client: Any, chosen: Any, request: Any, **options: Any) -> Any:
    return client.execute_unary(request=request, method=chosen, **{"timeout_ms": TIMEOUT, **options})


def expect_failure(error: ConnectError) -> None:
    assert (error.code, error.message) == (Code.FAILED_PRECONDITION, "100 % café\n")
    duration, opaque = error.details
    assert duration.type_name == "google.protobuf.Duration"
    assert Duration.FromString(duration.message_bytes) == Duration(seconds=7)
    # Connect sends the name of the type, without what stands before it.
    assert opaque.type_name.removeprefix("example.com/") == "opaque"
    assert opaque.message_bytes == b"\x00\xff"


def expect_metadata(seen: Any) -> None:
    assert seen.headers["leading-a"] == "1"
    assert base64.b64decode(seen.trailers["trailing-b-bin"] + "==") == b"\x00\xff"


def expect_cancelled(client: Any, before: int) -> None:
    """The server sees one cancellation more."""
    end = time.monotonic() + 60
    while (now := call(client, CANCELLED, Int64Value()).value) == before and time.monotonic() < end:
        time.sleep(0.005)
    assert now == before + 1


def test_messages_of_any_size(client: Any) -> None:
    for size in (0, 1, 70_000, 2_000_000):
        data = os.urandom(size // 2) + bytes(size - size // 2)

        assert call(client, ECHO, BytesValue(value=data)).value == data


def test_a_server_stream(client: Any) -> None:
    responses = client.execute_server_stream(request=Int64Value(value=1000), method=RANGE, timeout_ms=TIMEOUT)

    assert [response.value for response in responses] == list(range(1000))


def test_metadata(client: Any) -> None:
    with ResponseMetadata() as seen:
        call(client, ECHO, BytesValue(), headers=METADATA)
    expect_metadata(seen)

    with ResponseMetadata() as seen:
        list(
            client.execute_server_stream(
                request=Int64Value(value=2), method=RANGE, headers=METADATA, timeout_ms=TIMEOUT
            )
        )
    expect_metadata(seen)


def test_errors(client: Any) -> None:
    with pytest.raises(ConnectError) as failed:
        call(client, FAIL, StringValue())
    expect_failure(failed.value)

    values = []
    with pytest.raises(ConnectError) as failed:
        for response in client.execute_server_stream(request=StringValue(), method=FAIL_LATE, timeout_ms=TIMEOUT):
            values.append(response.value)
    assert values == [1]
    expect_failure(failed.value)

    with pytest.raises(ConnectError, match="no such method") as failed:
        call(client, MISSING, StringValue())
    assert failed.value.code == Code.UNIMPLEMENTED


def test_deadlines(client: Any) -> None:
    assert 0 < call(client, TIME_LEFT, Int64Value()).value <= TIMEOUT
    assert call(client, TIME_LEFT, Int64Value(), timeout_ms=None).value == -1
    before = call(client, CANCELLED, Int64Value()).value

    # Long enough that the call reaches its server.
    with pytest.raises(ConnectError) as failed:
        call(client, HANG, Int64Value(), timeout_ms=1000)

    assert failed.value.code == Code.DEADLINE_EXCEEDED
    expect_cancelled(client, before)


def test_a_stream_that_is_left(client: Any) -> None:
    before = call(client, CANCELLED, Int64Value()).value
    responses = client.execute_server_stream(request=Int64Value(value=1 << 50), method=RANGE)
    for response in responses:
        if response.value == 100:
            break

    responses.close()

    expect_cancelled(client, before)


def test_streams_of_requests(client: Any, way: Way) -> None:
    numbers = (Int64Value(value=value) for value in (1, 2, 39))
    assert client.execute_client_stream(request=numbers, method=SUM, timeout_ms=TIMEOUT).value == 42

    words = [b"one", b"two", b"three"]
    requests = (BytesValue(value=word) for word in words)
    responses = client.execute_bidi_stream(request=requests, method=CHAT, timeout_ms=TIMEOUT)
    assert [response.value for response in responses] == words


def test_get(address: str) -> None:
    with ConnectClientSync(address, codec=google_protobuf_json_codec()) as client:
        assert call(client, ECHO, BytesValue(value=b"by GET"), use_get=True).value == b"by GET"
        with pytest.raises(ConnectError):
            call(client, FAIL, StringValue(), use_get=True)


# --- asyncio ---


def test_asyncio(address: str, way: Way) -> None:
    async def call(client: Any, chosen: Any, request: Any, **options: Any) -> Any:
        return await client.execute_unary(request=request, method=chosen, **{"timeout_ms": TIMEOUT, **options})

    async def numbers() -> AsyncIterator[Int64Value]:
        for value in (1, 2, 39):
            yield Int64Value(value=value)

    async def take_turns(client: Any) -> None:
        """Sends a request when the response to the last one is there."""
        answered = asyncio.Queue[bytes]()

        async def requests() -> AsyncIterator[BytesValue]:
            for word in (b"one", b"two"):
                yield BytesValue(value=word)
                assert await answered.get() == word

        async for response in client.execute_bidi_stream(request=requests(), method=CHAT, timeout_ms=TIMEOUT):
            answered.put_nowait(response.value)

    async def play(client: Any) -> None:
        sizes = [0, 1, 70_000, 2_000_000] + [10] * 50
        responses = await asyncio.gather(*(call(client, ECHO, BytesValue(value=bytes(size))) for size in sizes))
        assert [len(response.value) for response in responses] == sizes
        stream = client.execute_server_stream(request=Int64Value(value=100), method=RANGE, timeout_ms=TIMEOUT)
        assert [response.value async for response in stream] == list(range(100))
        assert (await client.execute_client_stream(request=numbers(), method=SUM, timeout_ms=TIMEOUT)).value == 42
        if way.version == 2:
            await take_turns(client)
        with pytest.raises(ConnectError) as failed:
            await call(client, FAIL, StringValue())
        expect_failure(failed.value)

        before = (await call(client, CANCELLED, Int64Value())).value
        hanging = asyncio.ensure_future(call(client, HANG, Int64Value(), timeout_ms=None))
        while (await call(client, HANGING, Int64Value())).value == 0:
            await asyncio.sleep(0.005)
        hanging.cancel()
        with pytest.raises((ConnectError, asyncio.CancelledError)):
            await hanging
        while (await call(client, CANCELLED, Int64Value())).value == before:
            await asyncio.sleep(0.005)

    async def main() -> None:
        async with (
            pyqwest.HTTPTransport(http_version=way.http_version) as transport,
            ConnectClient(address, http_client=pyqwest.Client(transport), **way.options) as client,
        ):
            await asyncio.wait_for(play(client), 100)

    asyncio.run(main())

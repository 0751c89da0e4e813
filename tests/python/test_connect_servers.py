# SPDX-License-Identifier: MIT
"""Channels call servers of Connect of other makes, over Connect and gRPC-Web, blocking and with asyncio: those of the
package connectrpc, which speak HTTP/1.1 only, or the one at ``TRUNKLINE_CONNECT_SERVER`` (host:port), which hosts the
service of ``js/tests/definitions/connect_service.proto``."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import trunkline
from google.protobuf.wrappers_pb2 import BytesValue, Int64Value, StringValue
from trunkline import aio

from .pages import ROOT
from .waiting import ESTABLISHED, states_of_connections_to, wait_until

OTHER_SERVER = os.environ.get("TRUNKLINE_CONNECT_SERVER")
if OTHER_SERVER is None:
    # It needs Python 3.11.
    pytest.importorskip("connectrpc")
    pytest.importorskip("uvicorn")

METADATA: list[tuple[str, str | bytes]] = [("x-a", "1"), ("x-b-bin", b"\0\xff")]


def serve(*arguments: str) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.python.connect_server", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if OTHER_SERVER is None:
        yield from serve("asgi")
    else:
        yield OTHER_SERVER


@pytest.fixture(scope="module")
def wsgi() -> Iterator[str]:
    yield from serve("wsgi")


@pytest.fixture(params=["http", "grpc-web"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["auto", "1.1"])
def channel(request: pytest.FixtureRequest, scheme: str, server: str) -> Iterator[trunkline.Channel]:
    with trunkline.Channel(f"{scheme}://{server}", http_version=request.param) as channel:
        yield channel


def values(numbers: range) -> Iterator[Int64Value]:
    return (Int64Value(value=number) for number in numbers)


def test_unary_calls(channel: trunkline.Channel) -> None:
    for size in (0, 1, 70_000, 3_000_000):
        request = BytesValue(value=bytes(size))
        assert channel.call("test.Service/Echo", request, BytesValue, timeout=20.0) == request


def test_calls_side_by_side(channel: trunkline.Channel) -> None:
    futures = [
        channel.submit("test.Service/Echo", BytesValue(value=b"%d" % number), BytesValue, timeout=30.0)
        for number in range(500)
    ]

    assert [future.result(30).value for future in futures] == [b"%d" % number for number in range(500)]


def test_streams(channel: trunkline.Channel) -> None:
    numbers = []
    with pytest.raises(trunkline.OutOfRange, match="café"):
        for response in channel.server_stream("test.Service/Count", Int64Value(value=1000), Int64Value, timeout=20.0):
            numbers.append(response.value)
    assert numbers == list(range(1000))
    total = channel.client_stream("test.Service/Total", values(range(1000)), Int64Value, timeout=20.0)
    assert total.value == 499500


def test_metadata_and_errors(channel: trunkline.Channel) -> None:
    info = trunkline.ResponseInfo()
    request = BytesValue(value=b"x")
    channel.call(
        "test.Service/Echo", request, BytesValue, metadata=METADATA, response_info=info, timeout=20.0
    )
    with pytest.raises(trunkline.Aborted, match="100 % café") as failed:
        channel.call(
            "test.Service/Fail", StringValue(value="100 % café"), StringValue, metadata=METADATA, timeout=20.0
        )

    expected = [("x-a", b"1"), ("x-b-bin", b"\0\xff")]
    for found in (
        info.leading_metadata,
        info.trailing_metadata,
        failed.value.leading_metadata,
        failed.value.trailing_metadata,
    ):
        assert sorted(entry for entry in found if entry[0].startswith("x-")) == expected


def test_unimplemented_and_deadlines(channel: trunkline.Channel) -> None:
    with pytest.raises(trunkline.Unimplemented):
        channel.call("test.Service/Nothing", BytesValue(), BytesValue, timeout=20.0)
    with pytest.raises(trunkline.DeadlineExceeded):
        channel.call("test.Service/Wait", Int64Value(value=10_000), Int64Value, timeout=0.2)
    # The connection of the call has ended, and the channel has others.
    assert channel.call("test.Service/Wait", Int64Value(value=1), Int64Value, timeout=20.0).value == 1


@pytest.mark.parametrize("compressor", ["identity", "gzip"])
def test_compression(channel: trunkline.Channel, compressor: str) -> None:
    request = BytesValue(value=bytes(100_000))

    assert channel.call("test.Service/Echo", request, BytesValue, compressor=compressor, timeout=20.0) == request


def test_a_server_that_has_closed_the_connection_meanwhile(scheme: str, server: str) -> None:
    with trunkline.Channel(f"{scheme}://{server}", max_http1_connections=1) as channel:
        for _ in range(3):
            channel.call("test.Service/Echo", BytesValue(value=b"x"), BytesValue, timeout=20.0)
            # The servers keep it for one second. Nobody runs the loop of the channel meanwhile.
            port = int(server.rpartition(":")[2])
            wait_until(lambda: ESTABLISHED not in states_of_connections_to(port))


def test_json_and_get(server: str) -> None:
    with trunkline.Channel(f"http://{server}", http_get=True) as channel:
        request = StringValue(value="x")
        for codec in ("protobuf", "json"):
            response = channel.call(
                "test.Service/Look", request, StringValue, codec=codec, idempotent=True, timeout=20.0
            )
            assert response.value == "GET x"
        assert channel.call("test.Service/Look", request, StringValue, timeout=20.0).value == "POST x"


def test_calls_with_asyncio(scheme: str, server: str) -> None:
    async def numbers() -> AsyncIterator[Int64Value]:
        for value in values(range(100)):
            yield value

    async def calls() -> None:
        async with aio.Channel(f"{scheme}://{server}") as channel:
            waits = [
                channel.call("test.Service/Wait", Int64Value(value=50), Int64Value, timeout=20.0) for _ in range(100)
            ]
            assert [response.value for response in await asyncio.gather(*waits)] == [50] * 100
            total = await channel.client_stream("test.Service/Total", numbers(), Int64Value, timeout=20.0)
            assert total.value == 4950
            received = []
            with pytest.raises(trunkline.OutOfRange):
                async for response in channel.server_stream(
                    "test.Service/Count", Int64Value(value=10), Int64Value, timeout=20.0
                ):
                    received.append(response.value)
            assert received == list(range(10))

    asyncio.run(calls())


def test_wsgi_where_responses_last_until_the_end_of_the_connection(scheme: str, wsgi: str) -> None:
    # It speaks HTTP/1.0, and answers the preface of HTTP/2 with a page without a head.
    with trunkline.Channel(f"{scheme}://{wsgi}") as channel:
        for size in (0, 1, 70_000):
            request = BytesValue(value=bytes(size))
            assert channel.call("test.Service/Echo", request, BytesValue, timeout=20.0) == request
        with pytest.raises(trunkline.Aborted, match="why"):
            channel.call("test.Service/Fail", StringValue(value="why"), StringValue, timeout=20.0)
        numbers = []
        with pytest.raises(trunkline.OutOfRange):
            for response in channel.server_stream(
                "test.Service/Count", Int64Value(value=100), Int64Value, timeout=20.0
            ):
                numbers.append(response.value)
        assert numbers == list(range(100))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_uvicorn_with_tls_which_knows_nothing_of_alpn(scheme: str, tmp_path: Path) -> None:
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    for address in serve("asgi", certificate, key):
        with trunkline.Channel(f"{scheme}s://{address}", ca_file=certificate) as channel:
            for _ in range(10):
                response = channel.call("test.Service/Wait", Int64Value(value=1), Int64Value, timeout=20.0)
                assert response.value == 1

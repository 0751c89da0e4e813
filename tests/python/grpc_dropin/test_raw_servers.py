# SPDX-License-Identifier: MIT
"""What a client sends to a server, and how its calls end if the server breaks the rules."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import trunkline.grpc as grpc

from . import raw_server as raw
from .pairs import IMPLEMENTATIONS, SOON
from .raw_server import RawServer

Code = grpc.StatusCode

#: How a call ends, and the bytes with which its server answers the headers of the request.
ENDS: dict[str, tuple[Any, Callable[[int], bytes | None]]] = {
    "closes": (Code.UNAVAILABLE, lambda id: None),
    "no grpc-status": (Code.UNKNOWN, lambda id: raw.leading(id) + raw.headers(id, ("a", "b"), ends=True)),
    "no trailers": (Code.INTERNAL, lambda id: raw.leading(id) + raw.message(id, ends=True)),
    "grpc-status of letters": (Code.UNKNOWN, lambda id: raw.leading(id) + raw.trailers(id, "ok")),
    "grpc-status twice": (Code.UNKNOWN, lambda id: raw.leading(id) + raw.trailers(id, "0", ("grpc-status", "5"))),
    "a message that is too long": (Code.RESOURCE_EXHAUSTED, lambda id: raw.leading(id) + raw.message(id, length=2**31)),
    "an incomplete message": (
        Code.INTERNAL,
        lambda id: raw.leading(id) + raw.message(id, b"x", length=9) + raw.trailers(id),
    ),
    "an unannounced compression": (Code.INTERNAL, lambda id: raw.leading(id) + raw.message(id, b"x", flag=1)),
    "DATA without headers": (Code.INTERNAL, lambda id: raw.message(id, b"x")),
    "a page of HTML": (
        Code.UNAVAILABLE,
        lambda id: raw.headers(id, (":status", "503"), ("content-type", "text/html"), ends=True),
    ),
    "a reset": (Code.CANCELLED, lambda id: raw.frame(raw.RST_STREAM, (8).to_bytes(4, "big"), stream=id)),
    "PUSH_PROMISE": (
        Code.UNAVAILABLE,
        lambda id: raw.frame(raw.PUSH_PROMISE, (2).to_bytes(4, "big") + b"\x88", flags=4, stream=id),
    ),
    "a window of 2^31": (Code.UNAVAILABLE, lambda id: raw.frame(raw.WINDOW_UPDATE, b"\x7f\xff\xff\xff")),
    "a header block that ends nowhere": (
        Code.UNAVAILABLE,
        lambda id: raw.frame(raw.HEADERS, b"\x88", stream=id) + 2000 * raw.frame(raw.CONTINUATION, b"\x88", stream=id),
    ),
    "PING without end": (Code.UNAVAILABLE, lambda id: 5000 * raw.frame(raw.PING, b"8 bytes!")),
    "interim responses without end": (Code.UNAVAILABLE, lambda id: 5000 * raw.headers(id, (":status", "103"))),
}


@pytest.fixture
def tls(pem: dict[str, bytes], tmp_path: Path) -> ssl.SSLContext:
    """Of the server."""
    for file in ("server.key", "server.pem"):
        (tmp_path / file).write_bytes(pem[file])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    return context


@pytest.mark.parametrize("kind", ["unary_unary", "unary_stream", "stream_unary", "stream_stream"])
@pytest.mark.parametrize("name", ENDS)
def test_every_call_ends_once(kind: str, name: str) -> None:
    code, respond = ENDS[name]
    ends: list[Any] = []

    with RawServer(respond) as server, grpc.insecure_channel(server.target) as channel:
        method = getattr(channel, kind)("/test.Text/Say")
        request: Any = b"x" if kind.startswith("unary") else iter([b"x"])
        call = method.future(request, timeout=SOON) if kind.endswith("unary") else method(request, timeout=SOON)
        call.add_done_callback(ends.append)
        with pytest.raises(grpc.RpcError):
            call.result() if kind.endswith("unary") else list(call)

        assert call.code() is code, call.details()
    assert ends == [call]


@pytest.mark.parametrize("kind", ["unary_unary", "unary_stream", "stream_unary", "stream_stream"])
@pytest.mark.parametrize("name", ENDS)
def test_every_call_for_asyncio_ends_once(kind: str, name: str) -> None:
    code, respond = ENDS[name]
    ends: list[Any] = []

    async def call_once(target: str) -> None:
        async with grpc.aio.insecure_channel(target) as channel:
            method = getattr(channel, kind)("/test.Text/Say")
            call = method(b"x" if kind.startswith("unary") else iter([b"x"]), timeout=SOON)
            call.add_done_callback(ends.append)
            with pytest.raises(grpc.aio.AioRpcError) as raised:
                await call if kind.endswith("unary") else [each async for each in call]

            assert raised.value.code() is code, raised.value.details()
            assert await call.code() is code
            await asyncio.sleep(0)
            assert ends == [call]

    with RawServer(respond) as server:
        asyncio.run(asyncio.wait_for(call_once(server.target), SOON))


@pytest.mark.parametrize("client", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
def test_initial_metadata_without_fields_is_noticed_before_the_first_message(client: Any) -> None:
    with RawServer(raw.leading) as server, client.insecure_channel(server.target) as channel:
        call = channel.unary_stream("/test.Text/Say")(b"", timeout=SOON)

        assert call.initial_metadata() == ()
        assert call.is_active()
        call.cancel()


@pytest.mark.parametrize("client", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
def test_initial_metadata_without_fields_is_noticed_for_asyncio(client: Any) -> None:
    async def call_once(target: str) -> None:
        async with client.aio.insecure_channel(target) as channel:
            call = channel.unary_stream("/test.Text/Say")(b"", timeout=SOON)

            assert not await call.initial_metadata()
            assert not call.done()
            call.cancel()

    with RawServer(raw.leading) as server:
        asyncio.run(asyncio.wait_for(call_once(server.target), SOON))


@pytest.mark.parametrize("client", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
@pytest.mark.parametrize(
    "options, authority",
    [
        ([], None),
        ([("grpc.default_authority", "b.org:7")], "b.org:7"),
        ([("grpc.ssl_target_name_override", "a.org"), ("grpc.default_authority", "b.org")], "b.org"),
    ],
)
def test_authority_on_the_wire(client: Any, options: list[tuple[str, Any]], authority: str | None) -> None:
    with RawServer() as server:
        with client.insecure_channel(server.target, options) as channel:
            assert channel.unary_unary("/test.Text/Say")(b"", timeout=SOON) == b""

        assert [request[":authority"] for request in server.requests] == [authority or server.target]


@pytest.mark.parametrize("client", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
@pytest.mark.parametrize(
    "options, name, authority",
    [
        ([], None, None),
        ([("grpc.ssl_target_name_override", "localhost")], "localhost", "localhost"),
        ([("grpc.ssl_target_name_override", "localhost"), ("grpc.default_authority", "b.org")], "localhost", "b.org"),
        ([("grpc.default_authority", "localhost")], "localhost", "localhost"),
        ([("grpc.default_authority", "localhost:7")], "localhost", "localhost:7"),
    ],
)
def test_names_of_a_secure_channel_on_the_wire(
    client: Any,
    tls: ssl.SSLContext,
    pem: dict[str, bytes],
    options: list[tuple[str, Any]],
    name: str | None,
    authority: str | None,
) -> None:
    with RawServer(tls=tls) as server:
        credentials = client.ssl_channel_credentials(pem["ca.pem"])
        with client.secure_channel(server.target, credentials, options) as channel:
            assert channel.unary_unary("/test.Text/Say")(b"", timeout=SOON) == b""

        assert server.server_names == [name]
        assert [request[":authority"] for request in server.requests] == [authority or server.target]
        assert server.requests[0][":scheme"] == "https"


def test_a_server_of_tls_that_does_not_agree_on_http2(tls: ssl.SSLContext, pem: dict[str, bytes]) -> None:
    with RawServer(tls=tls) as server:
        tls.set_alpn_protocols(["http/1.1"])
        with grpc.secure_channel(server.target, grpc.ssl_channel_credentials(pem["ca.pem"])) as channel:
            with pytest.raises(grpc.RpcError) as raised:
                channel.unary_unary("/test.Text/Say")(b"", timeout=SOON)

        error: Any = raised.value
        assert error.code() is Code.UNAVAILABLE
        assert server.requests == []

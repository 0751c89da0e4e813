# SPDX-License-Identifier: MIT
"""Metadata there and back: repeated names, binary values, on every kind of call."""

from __future__ import annotations

from trunkline import Metadata, ResponseInfo

from .cases import Client, case

BINARY = b"\x00\xff\x80"
SENT: list[tuple[str, str | bytes]] = [
    ("leading-a", "1"),
    ("leading-a", "2"),
    ("leading-b-bin", BINARY),
    ("other", "x"),
    ("trailing-a", "grüße"),
    ("trailing-a", ""),
    ("trailing-b-bin", BINARY),
    ("trailing-b-bin", b""),
    ("leading-a", "3"),
]


def expect_echoed(leading: Metadata, trailing: Metadata) -> None:
    assert list(leading) == [("leading-a", b"1"), ("leading-a", b"2"), ("leading-b-bin", BINARY), ("leading-a", b"3")]
    assert leading.get_all("leading-a") == ["1", "2", "3"] and leading["leading-b-bin"] == BINARY
    assert trailing.get_all("trailing-a") == ["grüße", ""]
    assert trailing.get_all("trailing-b-bin") == [BINARY, b""]
    assert len(trailing) == 4


@case
async def metadata_of_unary(client: Client) -> None:
    response_info = ResponseInfo()
    await client.channel.call("interop.Test/Echo", b"m", metadata=SENT, response_info=response_info)
    expect_echoed(response_info.leading_metadata, response_info.trailing_metadata)
    assert response_info.peer.startswith("tcp://127.0.0.1:")


@case
async def metadata_of_client_stream(client: Client) -> None:
    stream = client.channel.stream("interop.Test/Sum", int, metadata=SENT)
    await stream.write(1)
    await stream.close_writes()
    await stream.read()
    await stream.finish()
    expect_echoed(stream.leading_metadata, stream.trailing_metadata)


@case
async def metadata_of_server_stream(client: Client) -> None:
    for messages in (0, 2):
        stream = client.channel.server_stream("interop.Test/Range", messages, metadata=SENT)
        assert len([message async for message in stream]) == messages
        await stream.finish()
        expect_echoed(stream.leading_metadata, stream.trailing_metadata)


@case
async def metadata_of_bidirectional(client: Client) -> None:
    async with client.channel.stream("interop.Test/Chat", bytes, bytes, metadata=SENT) as stream:
        await stream.write(b"m")
        await stream.read()
        leading = stream.leading_metadata
        assert len(stream.trailing_metadata) == 0
        await stream.close_writes()
        await stream.read()
        await stream.finish()
        expect_echoed(leading, stream.trailing_metadata)

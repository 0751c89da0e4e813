# SPDX-License-Identifier: MIT
"""Metadata there and back: repeated names, binary values, on every kind of call."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import trunkline
from trunkline import Metadata, Origin, ResponseInfo, aio

from .cases import Client, case, raising

BINARY = b"\x00\xff\x80"
NOT_ASCII = "grüße"
#: What gRPC refuses before anything is sent.
REFUSED = "entry trailing-a has a value that is not printable ASCII"


def text_for(client: Client) -> str:
    """gRPC carries printable ASCII, and other values under names that end in -bin."""
    return "gruesse" if client.is_grpc else NOT_ASCII


def sent_with(text: str) -> list[tuple[str, str | bytes]]:
    return [
        ("leading-a", "1"),
        ("leading-a", "2"),
        ("leading-b-bin", BINARY),
        ("other", "x"),
        ("trailing-a", text),
        ("trailing-a", ""),
        ("trailing-b-bin", BINARY),
        ("trailing-b-bin", b""),
        ("leading-a", "3"),
    ]


def sent(client: Client) -> list[tuple[str, str | bytes]]:
    return sent_with(text_for(client))


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    with raising(trunkline.InvalidArgument, may_have_run=False, origin=Origin.LOCAL) as caught:
        yield
    assert REFUSED in caught.error.message


async def expect_refused_stream(stream: aio.ClientStream[Any, Any]) -> None:
    with refusing():
        await stream.read()
    with refusing():
        await stream.finish()


def expect_echoed(client: Client, leading: Metadata, trailing: Metadata) -> None:
    assert list(leading) == [("leading-a", b"1"), ("leading-a", b"2"), ("leading-b-bin", BINARY), ("leading-a", b"3")]
    assert leading.get_all("leading-a") == ["1", "2", "3"] and leading["leading-b-bin"] == BINARY
    assert trailing.get_all("trailing-a") == [text_for(client), ""]
    assert trailing.get_all("trailing-b-bin") == [BINARY, b""]
    assert len(trailing) == 4


@case
async def metadata_of_unary(client: Client) -> None:
    response_info = ResponseInfo()
    await client.channel.call("interop.Test/Echo", b"m", metadata=sent(client), response_info=response_info)
    expect_echoed(client, response_info.leading_metadata, response_info.trailing_metadata)
    assert response_info.peer == client.address
    if client.is_grpc:
        with refusing():
            await client.channel.call("interop.Test/Echo", b"m", metadata=sent_with(NOT_ASCII))


@case
async def metadata_of_client_stream(client: Client) -> None:
    if client.is_grpc:
        await expect_refused_stream(client.channel.stream("interop.Test/Sum", int, metadata=sent_with(NOT_ASCII)))
    stream = client.channel.stream("interop.Test/Sum", int, metadata=sent(client))
    await stream.write(1)
    await stream.close_writes()
    await stream.read()
    await stream.finish()
    expect_echoed(client, stream.leading_metadata, stream.trailing_metadata)


@case
async def metadata_of_server_stream(client: Client) -> None:
    if client.is_grpc:
        metadata = sent_with(NOT_ASCII)
        await expect_refused_stream(client.channel.server_stream("interop.Test/Range", 2, metadata=metadata))
    for messages in (0, 2):
        stream = client.channel.server_stream("interop.Test/Range", messages, metadata=sent(client))
        assert len([message async for message in stream]) == messages
        await stream.finish()
        expect_echoed(client, stream.leading_metadata, stream.trailing_metadata)


@case
async def metadata_of_bidirectional(client: Client) -> None:
    if client.is_grpc:
        metadata = sent_with(NOT_ASCII)
        await expect_refused_stream(client.channel.stream("interop.Test/Chat", bytes, bytes, metadata=metadata))
    async with client.channel.stream("interop.Test/Chat", bytes, bytes, metadata=sent(client)) as stream:
        await stream.write(b"m")
        await stream.read()
        leading = stream.leading_metadata
        assert len(stream.trailing_metadata) == 0
        await stream.close_writes()
        await stream.read()
        await stream.finish()
        expect_echoed(client, leading, stream.trailing_metadata)

# SPDX-License-Identifier: MIT
"""Calls that look the same through every proxy, whatever protocol the channel speaks."""

from __future__ import annotations

import pytest
import trunkline
from google.protobuf.duration_pb2 import Duration
from google.protobuf.wrappers_pb2 import BytesValue, StringValue


def echo(channel: trunkline.Channel, message: BytesValue) -> BytesValue:
    return channel.call("interop.Grpc/Echo", message, BytesValue, timeout=40)


def check_metadata(channel: trunkline.Channel) -> None:
    sent: dict[str, str | bytes] = {
        "leading-text": "a b",
        "leading-bytes-bin": b"\x00\xff,",
        "trailing-bytes-bin": b"\x00",
    }
    info = trunkline.ResponseInfo()

    channel.call("interop.Grpc/Echo", BytesValue(), BytesValue, timeout=20, metadata=sent, response_info=info)

    assert info.leading_metadata["leading-text"] == "a b"
    assert info.leading_metadata["leading-bytes-bin"] == b"\x00\xff,"
    assert info.trailing_metadata["trailing-bytes-bin"] == b"\x00"


def check_errors(channel: trunkline.Channel) -> None:
    with pytest.raises(trunkline.FailedPrecondition) as raised:
        channel.call(
            "interop.Grpc/Fail", StringValue(), StringValue, timeout=20, metadata={"trailing-a": "b"}
        )

    assert raised.value.message == "100 % café\n"
    assert raised.value.details(Duration) == [Duration(seconds=7)]
    assert raised.value.trailing_metadata["trailing-a"] == "b"
    with pytest.raises(trunkline.Unimplemented):
        channel.call("interop.Grpc/Missing", StringValue(), StringValue, timeout=20)

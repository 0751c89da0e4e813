# SPDX-License-Identifier: MIT
"""What both servers in Python share: they return metadata and requested statuses."""

from __future__ import annotations

from typing import Any, NoReturn

from google.protobuf.duration_pb2 import Duration
from trunkline import Context

MAX_MESSAGE_BYTES = 8 << 20


def echo_metadata(context: Context) -> None:
    for name, value in context.metadata:
        if name.startswith("leading-"):
            context.add_leading_metadata(name, value)
        if name.startswith("trailing-"):
            context.add_trailing_metadata(name, value)


def fail(request: Any, context: Context) -> NoReturn:
    duration = Duration(seconds=request["code"], nanos=7)
    context.abort(request["code"], request["message"], [duration, ("example.com/opaque", b"\x00\xff")])

# SPDX-License-Identifier: MIT
"""What the tests of interceptors share: a journal, a token, and methods of every kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import trunkline


class Journal:
    """Records what interceptors of either side see."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.lines: list[str] = []

    def __call__(self, call: trunkline.OutgoingCall | trunkline.IncomingCall) -> Iterator[None]:
        self.lines.append(f"{self.name}> {call.method} {call.kind}")
        try:
            response = yield
        except BaseException as error:
            self.lines.append(f"{self.name}< {type(error).__name__}")
            raise
        self.lines.append(f"{self.name}< {response}")


def add_methods(server: trunkline.Server) -> trunkline.Server:
    @server.method
    def double(request: int) -> int:
        if request < 0:
            raise trunkline.InvalidArgument("negative")
        return 2 * request

    @server.method
    def tokens(context: trunkline.Context) -> list[str]:
        return [str(value) for value in context.metadata.get_all("token")]

    @server.method
    def count(request: int) -> Iterator[int]:
        yield from range(request)

    @server.method
    def total(requests: Iterator[int]) -> int:
        return sum(requests)

    @server.method
    def each(requests: Iterator[int]) -> Iterator[int]:
        for request in requests:
            if request < 0:
                raise trunkline.InvalidArgument("negative")
            yield 2 * request

    return server


def token(value: str) -> Callable[[trunkline.OutgoingCall], Iterator[None]]:
    def add_token(call: trunkline.OutgoingCall) -> Iterator[None]:
        call.set_metadata("token", value)
        yield

    return add_token


def refusing(call: Any) -> Iterator[None]:
    raise trunkline.PermissionDenied("not today")
    yield

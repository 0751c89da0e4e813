# SPDX-License-Identifier: MIT
"""Reflection: its streams when the server drains."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import trunkline
from trunkline import aio, testing
from trunkline.services import add_reflection

from . import reflecting
from .waiting import takes_less

Make = Callable[[], Any]


@pytest.fixture(params=[trunkline.Server, aio.Server], ids=["blocking", "asyncio"])
def make(request: Any) -> Make:
    def make_server() -> Any:
        server = request.param(threads=1)
        add_reflection(server)
        return server

    return make_server


def test_idle_streams_end_with_the_server(make: Make) -> None:
    request, response = reflecting.messages_of()

    def reflect() -> None:
        with contextlib.ExitStack() as stack:
            with testing.serve(make()) as channel:
                other = stack.enter_context(trunkline.Channel(channel.endpoint))
                stream = other.stream(reflecting.method_of(), request, response)
                stream.write(request(list_services="*"))
                stream.read()
            with pytest.raises(trunkline.Unavailable, match="ServerReflectionInfo: the server is shutting down"):
                stream.read()

    # A server that waited for the stream would wait for 5 s.
    assert takes_less(4.0, reflect)


def test_handlers_that_wait_for_room_end_with_the_server(make: Make) -> None:
    request, response = reflecting.messages_of()
    with contextlib.ExitStack() as stack:
        with testing.serve(make()) as channel:
            other = stack.enter_context(trunkline.Channel(channel.endpoint, call_credit_bytes=65536))
            stream = other.stream(reflecting.method_of(), request, response)
            for _ in range(400):
                stream.write(request(file_containing_symbol="grpc.reflection.v1.ServerReflection"))
            responses: list[Any] = [stream.read()]
            time.sleep(0.5)  # until it waits for room
            ends = threading.Event()

            def read_once_it_ends() -> None:
                assert ends.wait(60)
                time.sleep(1.0)
                with pytest.raises(trunkline.Unavailable, match="the server is shutting down"):
                    responses.extend(iter(stream.read, None))

            reader = threading.Thread(target=read_once_it_ends)
            reader.start()
            ends.set()
        reader.join()
    assert 0 < len(responses) < 400

# SPDX-License-Identifier: MIT
"""What objects show of themselves, and short errors for arguments of wrong types."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest
import trunkline
from trunkline import aio
from trunkline.services import add_health

from .test_life import play


def test_channels_and_servers_show_what_they_are() -> None:
    server = trunkline.Server(threads=1)
    assert repr(server) == "<trunkline.Server 0 methods>"
    server.add("one", lambda: 1)
    add_health(server)
    assert repr(server) == "<trunkline.Server 1 method>"

    name = f"unix:@representations-{os.getpid()}"
    with server.serve("tcp://127.0.0.1:0", name) as running:
        assert repr(running) == f"<trunkline.RunningServer {running.endpoint} {name} running>"
        with trunkline.Channel(running.endpoint) as channel:
            assert repr(channel) == f"<trunkline.Channel {running.endpoint} idle>"
            channel.call("one")
            assert repr(channel) == f"<trunkline.Channel {running.endpoint} ready>"
        assert repr(channel) == f"<trunkline.Channel {running.endpoint} closed>"
    assert repr(running).endswith(" stopped>")


def test_those_of_asyncio_too() -> None:
    server = aio.Server()

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            assert repr(running) == f"<trunkline.aio.RunningServer {running.endpoint} running>"
            assert repr(channel) == f"<trunkline.aio.Channel {running.endpoint} idle>"

    assert repr(server) == "<trunkline.aio.Server 0 methods>"
    asyncio.run(main())


def test_a_forked_child_can_show_a_channel() -> None:
    play(
        """
        channel = trunkline.Channel("tcp://127.0.0.1:1")
        child = os.fork()
        if child == 0:
            os._exit(repr(channel) != "<trunkline.Channel tcp://127.0.0.1:1 of the parent process>")
        assert os.waitpid(child, 0)[1] == 0
        """
    )


NAME = r"^the name of the method is None \(NoneType\), not a str$"


def test_a_method_that_is_no_str_is_a_short_error() -> None:
    none: Any = None
    request = {"secret": "value"}
    with trunkline.Channel("tcp://127.0.0.1:1") as channel:
        uses = (channel.call, channel.submit, channel.call_oneway, channel.server_stream, channel.stream)
        for use in uses:
            with pytest.raises(TypeError, match=NAME):
                use(none, request)
        with pytest.raises(TypeError, match=NAME):
            channel.client_stream(none, [request])
        for many in (channel.map, channel.as_completed):
            with pytest.raises(TypeError, match=NAME):
                list(many(none, [request]))

    async def main() -> None:
        async with aio.Channel("tcp://127.0.0.1:1") as channel:
            with pytest.raises(TypeError, match=NAME):
                await channel.call(none, request)
            with pytest.raises(TypeError, match=NAME):
                [each async for each in channel.map(none, [request])]
            with pytest.raises(TypeError, match=NAME):
                channel.server_stream(none, request)

    asyncio.run(main())


def test_other_arguments_of_wrong_types() -> None:
    five: Any = 5
    for channel_class in (trunkline.Channel, aio.Channel):
        with pytest.raises(TypeError, match=r"^Channel: the endpoint is 5 \(int\), not a str$"):
            channel_class(five)
    with trunkline.Channel("tcp://127.0.0.1:1") as channel:
        with pytest.raises(TypeError, match=r"^compressor is 5 \(int\), not a str$"):
            channel.call("m", 1, compressor=five)
    server = trunkline.Server(threads=1)
    with pytest.raises(TypeError, match=r"^serve: the endpoint is 5 \(int\), not a str$"):
        server.serve(five)
    with pytest.raises(ValueError, match="^method m: max_concurrent_calls is -1, not 0 to"):
        server.add("m", lambda: 1, max_concurrent_calls=-1)

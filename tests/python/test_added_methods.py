# SPDX-License-Identifier: MIT
"""Methods that are added while their server runs."""

from __future__ import annotations

import asyncio

import pytest
import trunkline
from trunkline import aio
from trunkline.services import add_health

from .test_life import play


class Greeter:
    def greet(self, name: str) -> str:
        return f"hello, {name}"


def test_a_method_added_after_serve_is_served() -> None:
    server = trunkline.Server(threads=2)
    with server.serve("tcp://127.0.0.1:0") as running, server.serve("tcp://127.0.0.1:0") as other:
        with trunkline.Channel(running.endpoint) as channel, trunkline.Channel(other.endpoint) as second:
            with pytest.raises(trunkline.Unimplemented):
                channel.call("double", 1)

            server.add("double", lambda request: 2 * request)
            server.add_service(Greeter)
            add_health(server)

            assert channel.call("double", 4) == second.call("double", 4) == 8
            assert channel.bind(Greeter).greet("ann") == "hello, ann"
            with pytest.raises(ValueError, match="registered already"):
                server.add("double", lambda request: 2 * request)
    server.add("late", lambda: 1)  # as the stopped servers do not mind


def test_a_method_that_cannot_be_served_is_not_added() -> None:
    server = trunkline.Server()
    with server.serve("tcp://127.0.0.1:0"):
        for _ in range(2):
            with pytest.raises(ValueError, match="method late: max_concurrent_calls is -1"):
                server.add("late", lambda: 1, max_concurrent_calls=-1)
        with pytest.raises(ValueError, match="max_concurrent_calls is -1"):
            server.route("GET", "/late", lambda: "", max_concurrent_calls=-1)
        server.add("late", lambda: 1)
        assert server.remove("late")
        with pytest.raises(ValueError, match="method late: a running server serves it still"):
            server.add("late", lambda: 2)
        assert not server.remove("late")
    assert not server._methods


@pytest.mark.parametrize("server", [trunkline.Server(), aio.Server()], ids=["blocking", "asyncio"])
def test_options_of_a_method_are_checked_before_a_server_runs(server: trunkline.Server | aio.Server) -> None:
    with pytest.raises(ValueError, match="max_concurrent_calls is -1"):
        server.add("late", lambda: 1, max_concurrent_calls=-1)
    with pytest.raises(TypeError, match="max_concurrent_calls is '3' .str., not an integer"):
        server.method("late", max_concurrent_calls="3")(lambda: 1)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="name of 2000 bytes is not 1 to 1024 bytes"):
        server.add("l" * 2000, lambda: 1)
    assert not server.remove("late")


def test_a_method_added_after_serve_is_served_on_an_event_loop() -> None:
    server = aio.Server()

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            with pytest.raises(trunkline.Unimplemented):
                await channel.call("double", 1)

            @server.method
            async def double(request: int) -> int:
                return 2 * request

            await asyncio.to_thread(server.add, "triple", lambda request: 3 * request)

            assert await channel.call("double", 4) == 8
            assert await channel.call("triple", 4) == 12

    asyncio.run(main())


@pytest.mark.parametrize(
    "serve",
    [
        'with server.serve("tcp://127.0.0.1:0", workers=2): add(server)',
        'async def main():\n    async with async_server.serve("tcp://127.0.0.1:0", workers=2): add(async_server)\n'
        "asyncio.run(main())",
    ],
    ids=["threads", "asyncio"],
)
def test_several_processes_refuse_a_method_as_the_others_would_not_have_it(serve: str) -> None:
    play(
        f"""
def add(server):
    try:
        server.add("double", echo)
    except RuntimeError as error:
        os.write(1, str(error).encode())
{serve}
""",
        expect="method double: the server runs in 2 processes; add methods before serve()",
    )

# SPDX-License-Identifier: MIT
"""What clients over HTTP say they are: ``Context.user_agent`` and the option ``user_agent`` of channels."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio

from .commanding import run

LIBRARY = f"trunkline/{trunkline.__version__}"
#: The schemes, and whether they carry a user agent.
SCHEMES = {"grpc": True, "http": True, "grpc-web": True, "tcp": False, "ws": False}
#: The options of channels, beside the usual version of HTTP.
VERSIONS: dict[str, Any] = {"2": {"http_version": "2"}, "1.1": {"http_version": "1.1"}}


def who(context: trunkline.Context) -> str:
    return context.user_agent


def page(request: trunkline.HttpRequest, context: trunkline.Context) -> str:
    assert request.method == "GET"
    return context.user_agent


def each(context: trunkline.Context) -> Iterator[str]:
    yield context.user_agent


async def who_later(context: trunkline.Context) -> str:
    await asyncio.sleep(0)
    return context.user_agent


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = trunkline.Server(threads=2)
    server.add("who", who)
    server.add("each", each)
    server.route("GET", "/who-page")(page)
    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


def of(scheme: str, endpoint: str) -> str:
    return endpoint.replace("tcp:", f"{scheme}:", 1)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_handlers_learn_what_clients_say(endpoint: str, scheme: str, version: str) -> None:
    options: dict[str, Any] = VERSIONS[version] if scheme in ("http", "grpc-web") else {}
    with trunkline.Channel(of(scheme, endpoint), **options) as plain:
        with trunkline.Channel(of(scheme, endpoint), user_agent=f"orders/2.1 {LIBRARY}", **options) as named:
            for _ in range(3):
                heard = [channel.call("who", None, str) for channel in (plain, named)]
                heard += [text for channel in (plain, named) for text in channel.server_stream("each", None, str)]

                expected = [LIBRARY, f"orders/2.1 {LIBRARY}"] * 2 if SCHEMES[scheme] else [""] * 4
                assert heard == expected


@pytest.mark.parametrize("scheme", SCHEMES)
def test_handlers_of_asyncio_and_its_channels(scheme: str) -> None:
    async def main() -> list[str]:
        server = aio.Server()
        server.add("who", who_later)
        async with server.serve("tcp://127.0.0.1:0") as running:
            async with aio.Channel(of(scheme, running.endpoint), user_agent="orders/2.1") as channel:
                return list(await asyncio.gather(*(channel.call("who", None, str) for _ in range(20))))

    assert asyncio.run(main()) == ["orders/2.1" if SCHEMES[scheme] else ""] * 20


def ask(endpoint: str, path: str, agents: list[bytes | None]) -> list[str]:
    """Sends requests over one connection of HTTP/1.1, as a proxy does for several clients."""
    connection = http.client.HTTPConnection(endpoint.partition("://")[2], timeout=30)
    answers = []
    try:
        for agent in agents:
            method = "GET" if path == "/who-page" else "POST"
            connection.putrequest(method, path, skip_accept_encoding=True)
            if agent is not None:
                connection.putheader("User-Agent", agent)
            if method == "POST":
                connection.putheader("Content-Type", "application/json")
                connection.putheader("Content-Length", "4")
            connection.endheaders(b"null" if method == "POST" else None)
            answers.append(connection.getresponse().read().decode().strip().strip('"'))
    finally:
        connection.close()
    return answers


@pytest.mark.parametrize("path", ["/who", "/who-page"])
def test_each_request_of_a_connection_has_its_own(endpoint: str, path: str) -> None:
    agents = [b"curl/8.5.0", b"curl/8.5.0", None, b"Go-http-client/1.1", b"curl/8.5.0", b"", b"caf\xe9", b"x" * 3000]

    expected = ["curl/8.5.0", "curl/8.5.0", "", "Go-http-client/1.1", "curl/8.5.0", "", "caf\ufffd", "x" * 1024]
    assert ask(endpoint, path, agents) == expected


@pytest.mark.parametrize("wrong", [" a", "a ", "a\r\nb: c", "caf\u00e9", "x" * 1025])
def test_what_cannot_be_sent_is_refused(wrong: str) -> None:
    for make in (trunkline.Channel, aio.Channel):
        with pytest.raises(ValueError, match="user_agent is not up to 1024 printable ASCII characters"):
            make("grpc://127.0.0.1:1", user_agent=wrong)


def test_the_command_sends_it(endpoint: str) -> None:
    sent = run("call", of("grpc", endpoint), "who", "--codec", "json", "--user-agent", "orders/2.1 (test)")
    usual = run("call", of("http", endpoint), "who", "--codec", "json")
    refused = run("call", endpoint, "who", "--codec", "json", "--user-agent", "a")

    assert (sent.status, sent.output) == (0, '"orders/2.1 (test)"\n'), sent.messages
    assert (usual.status, usual.output) == (0, f'"{LIBRARY}"\n'), usual.messages
    assert refused.status == 2
    assert "--user-agent needs a protocol over HTTP" in refused.messages

# SPDX-License-Identifier: MIT
"""Threads that have been replaced by greenlets are refused, with a text that says what to do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import trunkline
import trunkline.grpc
import trunkline.grpc.aio
from trunkline import aio

from .conftest import Serve


def gevent(is_patched: bool) -> tuple[str, Any]:
    return "gevent.monkey", SimpleNamespace(is_module_patched=lambda name: is_patched and name == "threading")


def eventlet(is_patched: bool) -> tuple[str, Any]:
    return "eventlet.patcher", SimpleNamespace(is_monkey_patched=lambda name: is_patched and name == "thread")


LIBRARIES = {"gevent": gevent, "eventlet": eventlet}


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def patch(monkeypatch: pytest.MonkeyPatch, library: str, is_patched: bool) -> None:
    name, module = LIBRARIES[library](is_patched)
    monkeypatch.setitem(sys.modules, name, module)


def echoing() -> trunkline.Server:
    server = trunkline.Server(threads=2)

    @server.method("t.T/Echo")
    def echo(request: bytes) -> bytes:
        return request

    return server


def grpc_channel(channel: trunkline.Channel) -> Any:
    return trunkline.grpc.insecure_channel(channel.endpoint.partition("://")[2])


#: What needs a thread of the package.
REFUSED: dict[str, Callable[[trunkline.Channel], object]] = {
    "submit": lambda channel: channel.submit("t.T/Echo", b"", bytes),
    "on_state_change": lambda channel: channel.on_state_change(str),
    "exchange": lambda channel: list(channel.stream("t.T/Echo", bytes, bytes).exchange([b""])),
    "server": lambda channel: trunkline.Server().serve("tcp://127.0.0.1:0"),
    "future of grpc": lambda channel: grpc_channel(channel).unary_unary("/t.T/Echo").future(b""),
    "stream of grpc": lambda channel: grpc_channel(channel).stream_unary("/t.T/Echo")(iter([b""])),
    "server of grpc": lambda channel: trunkline.grpc.server(ThreadPoolExecutor(2)),
    "server of grpc.aio": lambda channel: trunkline.grpc.aio.server(),
    "asyncio server": lambda channel: asyncio.run(serve_async()),
}


async def serve_async() -> None:
    aio.Server().serve("tcp://127.0.0.1:0")


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_a_thread_is_refused(
    monkeypatch: pytest.MonkeyPatch, serve: Serve, library: str, name: str
) -> None:
    channel = serve(echoing())
    patch(monkeypatch, library, True)

    with pytest.raises(RuntimeError, match=rf"needs a thread, and {library} has .*\(thread=False\)"):
        REFUSED[name](channel)


def test_a_call_needs_no_thread(monkeypatch: pytest.MonkeyPatch, serve: Serve, library: str) -> None:
    channel = serve(echoing())
    server = trunkline.grpc.server(ThreadPoolExecutor(2))
    methods = {"Echo": trunkline.grpc.unary_unary_rpc_method_handler(lambda request, context: request)}
    server.add_generic_rpc_handlers((trunkline.grpc.method_handlers_generic_handler("t.T", methods),))
    other = trunkline.grpc.insecure_channel(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}")
    server.start()
    with monkeypatch.context() as patched:
        patch(patched, library, True)
        assert channel.call("t.T/Echo", b"1", bytes) == b"1"
        assert other.unary_unary("/t.T/Echo")(b"1") == b"1"
    other.close()
    server.stop(None)


def test_a_library_that_has_left_the_threads_alone(
    monkeypatch: pytest.MonkeyPatch, serve: Serve, library: str
) -> None:
    channel = serve(echoing())
    patch(monkeypatch, library, False)

    assert channel.submit("t.T/Echo", b"1", bytes).result(60) == b"1"


def test_a_library_that_is_imported_in_part(monkeypatch: pytest.MonkeyPatch, serve: Serve, library: str) -> None:
    channel = serve(echoing())
    monkeypatch.setitem(sys.modules, library, ModuleType(library))

    assert channel.submit("t.T/Echo", b"1", bytes).result(60) == b"1"

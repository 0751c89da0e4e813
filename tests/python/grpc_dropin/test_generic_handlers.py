# SPDX-License-Identifier: MIT
"""Handlers that do not tell the names of their methods, and what interceptors see of unknown methods."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import StringValue

from . import test_calls as calls
from .pairs import SOON, Pair, handler, method, text


def by_suffix(module: Any, kinds: dict[str, Any], seen: list[Any]) -> Any:
    """A generic handler that serves every service, with the methods of ``kinds``."""

    class BySuffix(module.GenericRpcHandler):  # type: ignore[misc]
        def service(self, details: Any) -> Any:
            seen.append((details.method, dict(details.invocation_metadata).get("who")))
            found = kinds.get(details.method.rpartition("/")[2])
            return None if found is None else handler(module, *found)

    return BySuffix()


def code_of(pair: Pair, call: Any) -> Any:
    with pytest.raises(pair.client.RpcError) as raised:
        call()
    error: Any = raised.value
    return error.code()


def test_all_kinds_of_methods(pair: Pair) -> None:
    seen: list[Any] = []
    server = pair.server.server(futures.ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((by_suffix(pair.server, calls.METHODS, seen),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        metadata = (("who", "me"),)
        assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON, metadata=metadata).value == "A"
        letters = method(channel, "Letters", "unary_stream")(text("abc"), timeout=SOON)
        assert [each.value for each in letters] == ["a", "b", "c"]
        requests = [text("a"), text("b")]
        assert method(channel, "Joined", "stream_unary")(iter(requests), timeout=SOON).value == "ab"
        echoed = method(channel, "Echo", "stream_stream")(iter(requests), timeout=SOON)
        assert [each.value for each in echoed] == ["aa", "bb"]
        unknown = method(channel, "Nobody", "unary_unary")
        assert code_of(pair, lambda: unknown(text("a"), timeout=SOON)) is pair.client.StatusCode.UNIMPLEMENTED
    server.stop(None).wait(SOON)
    assert seen[0] == ("/test.Text/Upper", "me")
    assert [name for name, _ in seen[1:]] == [f"/test.Text/{name}" for name in ("Letters", "Joined", "Echo", "Nobody")]


def test_the_first_handler_counts(pair: Pair) -> None:
    def answer(value: str) -> Any:
        return {"Who": ("unary_unary", lambda request, context: text(value))}

    def named(value: str, *names: str) -> Any:
        handlers = {name: handler(pair.server, *answer(value)["Who"]) for name in names}
        return pair.server.method_handlers_generic_handler("test.Text", handlers)

    server = pair.server.server(futures.ThreadPoolExecutor(4))
    unnamed = by_suffix(pair.server, answer("unnamed"), [])
    server.add_generic_rpc_handlers((named("first", "First"), unnamed, named("last", "First", "Who", "Last")))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        names = ("First", "Who", "Last")
        found = [method(channel, name, "unary_unary")(text(""), timeout=SOON).value for name in names]
    server.stop(None).wait(SOON)
    assert found == ["first", "unnamed", "last"]


def test_handler_that_raises(pair: Pair) -> None:
    class Broken(pair.server.GenericRpcHandler):  # type: ignore[misc, name-defined]
        def service(self, details: Any) -> Any:
            raise ValueError("broken")

    server = pair.server.server(futures.ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((Broken(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = method(channel, "Upper", "unary_unary")
        assert code_of(pair, lambda: call(text("a"), timeout=SOON)) is pair.client.StatusCode.UNKNOWN
    server.stop(None).wait(SOON)


def test_interceptors_see_unknown_methods(pair: Pair) -> None:
    seen: list[str] = []

    class Look(pair.server.ServerInterceptor):  # type: ignore[misc, name-defined]
        def intercept_service(self, continuation: Any, details: Any) -> Any:
            seen.append(details.method)
            found = continuation(details)
            return handler(pair.server, "unary_unary", calls.upper) if found is None else found

    server = pair.server.server(futures.ThreadPoolExecutor(4), interceptors=(Look(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        assert method(channel, "Nobody", "unary_unary")(text("a"), timeout=SOON).value == "A"
    server.stop(None).wait(SOON)
    assert seen == ["/test.Text/Nobody"]


def test_servers_for_asyncio(pair: Pair) -> None:
    async def upper(request: StringValue, context: Any) -> StringValue:
        return text(request.value.upper())

    async def letters(request: StringValue, context: Any) -> Any:
        for letter in request.value:
            yield text(letter)

    async def join(requests: Any, context: Any) -> StringValue:
        return text("".join([each.value async for each in requests]))

    def blocking(request: StringValue, context: Any) -> Iterator[StringValue]:
        yield from (text(letter) for letter in request.value)

    kinds: Any = {
        "Upper": ("unary_unary", upper),
        "Letters": ("unary_stream", letters),
        "Join": ("stream_unary", join),
        "Blocking": ("unary_stream", blocking),
    }

    async def run() -> None:
        server = pair.server.aio.server(futures.ThreadPoolExecutor(2))
        server.add_generic_rpc_handlers((by_suffix(pair.server, kinds, []),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with pair.client.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            assert (await method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)).value == "A"
            for name in ("Letters", "Blocking"):
                found = method(channel, name, "unary_stream")(text("abc"), timeout=SOON)
                assert [each.value async for each in found] == ["a", "b", "c"]
            joined = method(channel, "Join", "stream_unary")(iter([text("a"), text("b")]), timeout=SOON)
            assert (await joined).value == "ab"
            with pytest.raises(pair.client.RpcError) as raised:
                await method(channel, "Nobody", "unary_unary")(text("a"), timeout=SOON)
            error: Any = raised.value
            assert error.code() is pair.client.StatusCode.UNIMPLEMENTED
        await server.stop(None)

    asyncio.run(run())


@pytest.mark.parametrize("has_one_before", [False, True])
def test_handlers_that_are_added_while_the_server_runs(pair: Pair, has_one_before: bool) -> None:
    server = pair.server.server(futures.ThreadPoolExecutor(4))
    make = pair.server.method_handlers_generic_handler
    if has_one_before:
        server.add_generic_rpc_handlers((make("t.T", {"Upper": handler(pair.server, *calls.METHODS["Upper"])}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        unimplemented = pair.client.StatusCode.UNIMPLEMENTED
        assert code_of(pair, lambda: method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)) is unimplemented

        handlers = {name: handler(pair.server, *found) for name, found in calls.METHODS.items()}
        server.add_generic_rpc_handlers((make("test.Text", handlers),))

        assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON).value == "A"
        letters = method(channel, "Letters", "unary_stream")(text("ab"), timeout=SOON)
        assert [each.value for each in letters] == ["a", "b"]
        assert method(channel, "Joined", "stream_unary")(iter([text("a"), text("b")]), timeout=SOON).value == "ab"
    server.stop(None).wait(SOON)


def test_registered_handlers_that_are_added_while_the_server_runs(
    pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    server = pair.server.server(futures.ThreadPoolExecutor(4))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()

    server.add_registered_method_handlers("test.Text", {"Upper": handler(pair.server, *calls.METHODS["Upper"])})

    assert "Cannot register method handlers" in caplog.text
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)
    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.UNIMPLEMENTED
    server.stop(None).wait(SOON)


def test_unknown_methods_wait_for_no_thread_and_count_for_no_limit(pair: Pair) -> None:
    begun, released = threading.Event(), threading.Event()

    def slow(request: StringValue, context: Any) -> StringValue:
        begun.set()
        released.wait(SOON)
        return request

    server = pair.server.server(futures.ThreadPoolExecutor(1), maximum_concurrent_rpcs=1)
    handlers = {"Slow": handler(pair.server, "unary_unary", slow)}
    server.add_generic_rpc_handlers((pair.server.method_handlers_generic_handler("test.Text", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        future = method(channel, "Slow", "unary_unary").future(text("a"), timeout=3 * SOON)
        assert begun.wait(SOON)

        unimplemented = pair.client.StatusCode.UNIMPLEMENTED
        unknown = method(channel, "Unknown", "unary_unary")
        assert code_of(pair, lambda: unknown(text("a"), timeout=SOON)) is unimplemented

        released.set()
        assert future.result().value == "a"
    server.stop(None).wait(SOON)


def test_handlers_by_name(pair: Pair) -> None:
    upper = handler(pair.server, *calls.METHODS["Upper"])

    made = pair.server.method_handlers_generic_handler("test.Text", {"Upper": upper})

    assert made._method_handlers == {"/test.Text/Upper": upper}


async def aio_upper(request: StringValue, context: Any) -> StringValue:
    return text(request.value.upper())


async def aio_letters(request: StringValue, context: Any) -> Any:
    for letter in request.value:
        yield text(letter)


async def aio_joined(requests: Any, context: Any) -> StringValue:
    return text("".join([each.value async for each in requests]))


async def aio_echo(requests: Any, context: Any) -> Any:
    async for request in requests:
        yield request


AIO_METHODS: dict[str, Any] = {
    "Upper": ("unary_unary", aio_upper),
    "Letters": ("unary_stream", aio_letters),
    "Joined": ("stream_unary", aio_joined),
    "Echo": ("stream_stream", aio_echo),
    "Blocking": ("unary_unary", calls.upper),
}


@pytest.mark.parametrize("is_named", [False, True])
@pytest.mark.parametrize("has_others", [False, True])
def test_handlers_may_be_added_to_a_server_for_asyncio_that_has_started(
    pair: Pair, is_named: bool, has_others: bool
) -> None:
    """The first handler of a name still counts."""

    async def first(request: StringValue, context: Any) -> StringValue:
        return text("first")

    def of_service(methods: dict[str, Any]) -> Any:
        handlers = {name: handler(pair.server, *found) for name, found in methods.items()}
        return pair.server.method_handlers_generic_handler("test.Text", handlers)

    async def run() -> None:
        server = pair.server.aio.server(futures.ThreadPoolExecutor(2))
        if has_others:
            server.add_generic_rpc_handlers((of_service({"First": ("unary_unary", first)}),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with pair.client.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            upper = method(channel, "Upper", "unary_unary")
            with pytest.raises(pair.client.aio.AioRpcError, match="UNIMPLEMENTED"):
                await upper(text("a"), timeout=SOON)

            added = {**AIO_METHODS, "First": ("unary_unary", aio_upper)}
            server.add_generic_rpc_handlers((of_service(added) if is_named else by_suffix(pair.server, added, []),))

            assert (await upper(text("a"), timeout=SOON)).value == "A"
            assert (await method(channel, "Blocking", "unary_unary")(text("a"), timeout=SOON)).value == "A"
            found = method(channel, "Letters", "unary_stream")(text("abc"), timeout=SOON)
            assert [each.value async for each in found] == ["a", "b", "c"]
            requests = [text("a"), text("b")]
            assert (await method(channel, "Joined", "stream_unary")(iter(requests), timeout=SOON)).value == "ab"
            found = method(channel, "Echo", "stream_stream")(iter(requests), timeout=SOON)
            assert [each.value async for each in found] == ["a", "b"]
            first_found = await method(channel, "First", "unary_unary")(text("a"), timeout=SOON)
            assert first_found.value == ("first" if has_others else "A")
        await server.stop(None)

    asyncio.run(run())


def test_methods_cannot_be_registered_with_a_server_for_asyncio_that_has_started(
    pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        server = pair.server.aio.server()
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        late = {"Upper": handler(pair.server, "unary_unary", aio_upper)}
        server.add_registered_method_handlers("test.Text", late)
        async with pair.client.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            with pytest.raises(pair.client.aio.AioRpcError, match="Method not found|no such method"):
                await method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)
        await server.stop(None)

    asyncio.run(run())
    assert "Cannot register method handlers" in caplog.text

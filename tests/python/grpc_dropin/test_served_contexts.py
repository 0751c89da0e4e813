# SPDX-License-Identifier: MIT
"""What handlers learn of a call and do to it by its context, and how calls are shown, beside grpcio."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import pytest

import trunkline.grpc
from trunkline.grpc._served_context import CallIdentity

from .pairs import IMPLEMENTATIONS, SOON, Pair
from .raw_server import RawServer

KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")


@pytest.fixture(params=list(IMPLEMENTATIONS))
def module(request: pytest.FixtureRequest) -> Any:
    """Every implementation of grpcio's interface."""
    return IMPLEMENTATIONS[request.param]


@contextlib.contextmanager
def serving(module: Any, handler: Any, address: str = "127.0.0.1:0", **options: Any) -> Iterator[int]:
    """Serves the method ``/S/M``. Yields the port."""
    server = module.server(futures.ThreadPoolExecutor(4), **options)
    server.add_generic_rpc_handlers((module.method_handlers_generic_handler("S", {"M": handler}),))
    port = server.add_insecure_port(address)
    server.start()
    try:
        yield port
    finally:
        server.stop(None).wait(SOON)


# --- time ---


def test_time_without_a_deadline(pair: Pair) -> None:
    left: list[float] = []

    def note(request: bytes, context: Any) -> bytes:
        left.append(context.time_remaining())
        return b""

    with serving(pair.server, pair.server.unary_unary_rpc_method_handler(note)) as port:
        with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = channel.unary_unary("/S/M")
            for timeout in (None, SOON):
                call(b"", timeout=timeout)
            call.future(b"", metadata=(("a", "b"),)).result(SOON)
    assert left[0] > 1e18 and left[2] > 1e18 and isinstance(left[0], float)
    assert 0 < left[1] <= SOON + 1


def test_a_handler_of_asyncio_has_no_time_without_a_deadline(pair: Pair) -> None:
    left: list[Any] = []

    async def note(request: bytes, context: Any) -> bytes:
        left.append((context.time_remaining(), context.code(), context.details(), context.trailing_metadata()))
        return b""

    async def main() -> None:
        server = pair.server.aio.server()
        methods = {"M": pair.server.unary_unary_rpc_method_handler(note)}
        server.add_generic_rpc_handlers((pair.server.method_handlers_generic_handler("S", methods),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with pair.client.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            await channel.unary_unary("/S/M")(b"")
        await server.stop(None)

    asyncio.run(asyncio.wait_for(main(), SOON))
    assert left == [(None, None, "", ())]


def test_a_call_without_a_timeout_sends_none(module: Any) -> None:
    with RawServer() as raw:
        with module.insecure_channel(raw.target) as channel:
            channel.unary_unary("/S/M")(b"")
            list(channel.unary_stream("/S/M")(b""))
            channel.stream_unary("/S/M")(iter([b""]), metadata=(("a", "b"),))

        async def main() -> None:
            async with module.aio.insecure_channel(raw.target) as channel:
                await channel.unary_unary("/S/M")(b"")

        asyncio.run(asyncio.wait_for(main(), SOON))
        assert [request.get("grpc-timeout") for request in raw.requests] == [None] * 4


# --- context.cancel() ---


def outcome(module: Any, channel: Any, kind: str) -> Any:
    """The responses of a call, and the code of its error."""
    method = getattr(channel, kind)("/S/M")
    call = method(iter([b"x"]) if kind.startswith("stream") else b"x", timeout=SOON)
    responses = []
    try:
        for response in call:
            responses.append(response)
    except module.RpcError as error:
        return responses, error.code().name, error.details()
    return responses, "OK", ""


@pytest.mark.parametrize("kind", KINDS)
def test_cancel_ends_the_call_while_its_handler_runs(pair: Pair, kind: str) -> None:
    may_end, has_ended = threading.Event(), threading.Event()
    called_back = threading.Event()
    seen: list[Any] = []

    def cancel(request: Any, context: Any) -> None:
        assert context.add_callback(called_back.set)
        context.cancel()
        assert called_back.wait(SOON)
        may_end.wait(SOON)
        seen.append((context.is_active(), context.add_callback(print)))
        # What the call was is still known.
        seen.append(dict(context.invocation_metadata())["who"])
        seen.append(context.peer().rpartition(":")[0] in ("", "ipv4:127.0.0.1"))  # grpcio forgets it
        seen.append(context.time_remaining() > 0)
        context.set_compression(pair.server.Compression.Gzip)
        context.disable_next_message_compression()
        context.set_trailing_metadata((("a", "b"),))
        context.cancel()

    def one(request: Any, context: Any) -> bytes:
        try:
            cancel(request, context)
            return b"late"
        finally:
            has_ended.set()

    def many(request: Any, context: Any) -> Iterator[bytes]:
        try:
            cancel(request, context)
            yield b"late"
        finally:
            has_ended.set()

    behavior = one if kind.endswith("unary") else many
    with serving(pair.server, getattr(pair.server, f"{kind}_rpc_method_handler")(behavior)) as port:
        with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
            method = getattr(channel, kind)("/S/M")
            request: Any = iter([b"x"]) if kind.startswith("stream") else b"x"
            begin = method.future if kind.endswith("unary") else method
            call = begin(request, timeout=SOON, metadata=(("who", "me"),))
            assert call.code() is pair.client.StatusCode.CANCELLED  # although the handler waits
            assert call.details() == "CANCELLED" and not has_ended.is_set()
            may_end.set()
            assert has_ended.wait(SOON)
    assert seen == [(False, False), "me", True, True]


def test_a_stream_is_cancelled_after_a_message(pair: Pair) -> None:
    may_end = threading.Event()

    def many(request: bytes, context: Any) -> Iterator[bytes]:
        yield b"first"
        context.cancel()
        may_end.wait(SOON)
        yield b"late"

    with serving(pair.server, pair.server.unary_stream_rpc_method_handler(many)) as port:
        with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
            found = outcome(pair.client, channel, "unary_stream")
        may_end.set()
    # grpcio's server may take back what it has not sent yet.
    assert found in (([b"first"], "CANCELLED", "CANCELLED"), ([], "CANCELLED", "CANCELLED"))


@pytest.mark.parametrize("waiting", ["reading", "writing"])
def test_another_thread_cancels_a_call_whose_handler_waits(module: Any, waiting: str) -> None:
    """The handler is woken. Many times, as it is a matter of memory, too."""
    ends: list[str] = []
    contexts: list[Any] = []
    entered = threading.Semaphore(0)
    ended = threading.Semaphore(0)

    def many(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        contexts.append(context)
        entered.release()
        try:
            if waiting == "reading":
                for _ in requests:
                    pass
            else:
                while context.is_active():
                    yield bytes(100_000)
        except (module.RpcError, GeneratorExit) as error:
            ends.append(type(error).__name__)
            raise
        finally:
            ended.release()

    with serving(module, module.stream_stream_rpc_method_handler(many)) as port:
        with module.insecure_channel(f"127.0.0.1:{port}") as channel:
            for _ in range(30):
                over = threading.Event()

                def requests(over: threading.Event = over) -> Iterator[bytes]:
                    yield b"x"
                    over.wait(SOON)

                call = channel.stream_stream("/S/M")(requests(), timeout=SOON)
                assert entered.acquire(timeout=SOON)
                contexts.pop().cancel()
                assert ended.acquire(timeout=SOON)
                with pytest.raises(module.RpcError):
                    for _ in call:  # what has been sent comes before the status
                        pass
                assert call.code() is module.StatusCode.CANCELLED
                over.set()
    if waiting == "reading" and module is trunkline.grpc:
        assert ends == ["RpcError"] * 30  # grpcio may also end the requests


def test_functions_of_asyncios_server_cancel_their_call() -> None:
    module = trunkline.grpc
    may_end = threading.Event()

    def one(request: bytes, context: Any) -> bytes:
        context.cancel()
        may_end.wait(SOON)
        return b"late"

    async def main() -> None:
        server = module.aio.server(futures.ThreadPoolExecutor(1))
        methods = {"M": module.unary_unary_rpc_method_handler(one)}
        server.add_generic_rpc_handlers((module.method_handlers_generic_handler("S", methods),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with module.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call: Any = channel.unary_unary("/S/M")(b"", timeout=SOON)
            assert await call.code() is module.StatusCode.CANCELLED
        may_end.set()
        await server.stop(None)

    asyncio.run(asyncio.wait_for(main(), SOON))


# --- metadata before the first message, and errors of interceptors ---


def test_metadata_is_there_before_the_first_message(pair: Pair) -> None:
    may_go_on = threading.Event()

    def many(request: bytes, context: Any) -> Iterator[bytes]:
        context.send_initial_metadata((("a", "b"),))
        may_go_on.wait(SOON)
        yield b"first"

    with serving(pair.server, pair.server.unary_stream_rpc_method_handler(many)) as port:
        with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = channel.unary_stream("/S/M")(b"", timeout=SOON)
            assert [tuple(each) for each in call.initial_metadata()] == [("a", "b")]
            may_go_on.set()
            assert list(call) == [b"first"]


def test_what_an_interceptor_raises_is_not_told_to_clients(pair: Pair) -> None:
    class Raising(pair.server.ServerInterceptor):  # type: ignore[misc, name-defined]
        def intercept_service(self, continuation: Any, details: Any) -> Any:
            raise ValueError("a secret")

    handler = pair.server.unary_unary_rpc_method_handler(lambda request, context: b"")
    with serving(pair.server, handler, interceptors=[Raising()]) as port:
        with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
            with pytest.raises(pair.client.RpcError) as raised:
                channel.unary_unary("/S/M")(b"", timeout=SOON)
    error: Any = raised.value
    assert (error.code(), error.details()) == (pair.client.StatusCode.UNKNOWN, "Error in service handler!")


# --- peers ---


def peer_and_properties(pair: Pair, address: str, target: str) -> tuple[str, Any]:
    seen: list[Any] = []

    def note(request: bytes, context: Any) -> bytes:
        seen.append((context.peer(), dict(context.auth_context())))
        return b""

    with serving(pair.server, pair.server.unary_unary_rpc_method_handler(note), address) as port:
        with pair.client.insecure_channel(target.replace("PORT", str(port))) as channel:
            channel.unary_unary("/S/M")(b"", timeout=SOON)
    found: tuple[str, Any] = seen[0]
    return found


INSECURE = {"transport_security_type": [b"insecure"], "security_level": [b"TSI_SECURITY_NONE"]}


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.parametrize(
    ("address", "target", "peer"),
    [
        ("127.0.0.1:0", "127.0.0.1:PORT", "ipv4:127.0.0.1"),
        ("127.0.0.1:0", "ipv4:127.0.0.1:PORT", "ipv4:127.0.0.1"),
        ("[::]:0", "127.0.0.1:PORT", "ipv4:127.0.0.1"),
        ("[::]:0", "[::1]:PORT", "ipv6:%5B::1%5D"),
        ("[::1]:0", "ipv6:[::1]:PORT", "ipv6:%5B::1%5D"),
    ],
)
def test_peers(pair: Pair, address: str, target: str, peer: str) -> None:
    if "::" in address and not has_ipv6():
        pytest.skip("needs IPv6")

    found, properties = peer_and_properties(pair, address, target)

    assert found.rpartition(":")[0] == peer and properties == INSECURE


def test_the_peer_of_a_unix_socket(pair: Pair, tmp_path: Path) -> None:
    target = f"unix:{tmp_path}/socket"

    assert peer_and_properties(pair, target, target) == ("unix:", INSECURE)


@pytest.mark.parametrize(
    ("options", "authority"),
    [
        ([], None),
        ([("grpc.default_authority", "a.org:5")], "a.org:5"),
        ([("grpc.ssl_target_name_override", "b.org")], "b.org"),
    ],
)
def test_authorities(module: Any, options: Any, authority: str | None) -> None:
    with RawServer() as raw:
        port = raw.target.rpartition(":")[2]
        for host in ("127.0.0.1", "ipv4:127.0.0.1", "localhost", "dns:///localhost"):
            with module.insecure_channel(f"{host}:{port}", options=options) as channel:
                channel.unary_unary("/S/M")(b"", timeout=SOON)
            name = host.removeprefix("dns:///").removeprefix("ipv4:")
            assert raw.requests[-1][":authority"] == authority or f"{name}:{port}"


class Certified:
    """A call of a client with a certificate."""

    def peer(self) -> str:
        return "tls://127.0.0.1:5"

    def certificate_subject(self) -> str:
        return "CN=ann,O=Example"

    def certificate_pem(self) -> str:
        return "-----BEGIN CERTIFICATE-----"

    def certificate_names(self) -> list[str]:
        return ["DNS:a.org", "DNS:b.org", "IP:127.0.0.1", "URI:spiffe://a.org/b", "email:ann@a.org"]


def test_properties_of_a_certificate() -> None:
    identity = CallIdentity(Certified())  # type: ignore[arg-type]

    assert identity.auth_context() == {
        "transport_security_type": [b"ssl"],
        "security_level": [b"TSI_PRIVACY_AND_INTEGRITY"],
        "x509_common_name": [b"ann"],
        "x509_pem_cert": [b"-----BEGIN CERTIFICATE-----"],
        "x509_subject_alternative_name": [b"a.org", b"b.org", b"127.0.0.1", b"spiffe://a.org/b", b"ann@a.org"],
        "peer_dns": [b"a.org", b"b.org"],
        "peer_ip": [b"127.0.0.1"],
        "peer_uri": [b"spiffe://a.org/b"],
        "peer_email": [b"ann@a.org"],
        "peer_spiffe_id": [b"spiffe://a.org/b"],
    }
    assert identity.identity_key() == "x509_subject_alternative_name"


def test_properties_without_a_verified_certificate() -> None:
    class Anonymous(Certified):
        def certificate_pem(self) -> str:
            return ""

    identity = CallIdentity(Anonymous())  # type: ignore[arg-type]

    assert list(identity.auth_context()) == ["transport_security_type", "security_level"]
    assert identity.identity_key() is None


# --- representations ---


def shown_names(module: Any) -> list[str]:
    """The beginnings of the representations of calls and their parts, up to what differs from call to call."""
    found: list[str] = []

    def note(shown: Any) -> None:
        found.append(repr(shown).partition(" of RPC")[0].partition("(")[0].partition(" object")[0])

    class Client(module.UnaryUnaryClientInterceptor):  # type: ignore[misc]
        def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
            note(details)
            return continuation(details, request)

    class Server(module.ServerInterceptor):  # type: ignore[misc]
        def intercept_service(self, continuation: Any, details: Any) -> Any:
            note(details)
            return continuation(details)

    def one(request: bytes, context: Any) -> bytes:
        note(context.invocation_metadata()[-1])
        return b""

    handler = module.unary_unary_rpc_method_handler(one)
    note(handler)
    with serving(module, handler, interceptors=[Server()]) as port:
        with module.insecure_channel(f"127.0.0.1:{port}") as channel:
            metadata = (("a", "b"),)
            note(channel.unary_unary("/S/M").with_call(b"", timeout=SOON, metadata=metadata)[1])
            future = channel.unary_unary("/S/M").future(b"", timeout=SOON, metadata=metadata)
            future.result(SOON)
            note(future)
            module.intercept_channel(channel, Client()).unary_unary("/S/M")(b"", timeout=SOON, metadata=metadata)
            with pytest.raises(module.RpcError) as raised:
                channel.unary_unary("/S/Nobody")(b"", timeout=SOON)
            note(raised.value)
            stream = channel.unary_stream("/S/Nobody")(b"", timeout=SOON)
            with pytest.raises(module.RpcError) as raised:
                next(stream)
            note(raised.value)

        async def main() -> None:
            async with module.aio.insecure_channel(f"127.0.0.1:{port}") as aio_channel:
                call: Any = aio_channel.unary_unary("/S/M")(b"", timeout=SOON, metadata=metadata)
                note(call)
                await call
                note(call)
                with pytest.raises(module.aio.AioRpcError) as raised:
                    await aio_channel.unary_unary("/S/Nobody")(b"", timeout=SOON)
                note(raised.value)

        asyncio.run(asyncio.wait_for(main(), SOON))
    return found


def test_names_in_representations() -> None:
    ours, grpcios = (shown_names(IMPLEMENTATIONS[name]) for name in ("trunkline", "grpcio"))

    assert ours == grpcios
    assert "<_InactiveRpcError" in ours and "<_MultiThreadedRendezvous" in ours and "_Metadatum" in ours


def test_the_representation_of_an_error_in_full() -> None:
    module = trunkline.grpc

    def refuse(request: bytes, context: Any) -> bytes:
        context.abort(module.StatusCode.NOT_FOUND, "nobody")
        return b""

    with serving(module, module.unary_unary_rpc_method_handler(refuse)) as port:
        with module.insecure_channel(f"127.0.0.1:{port}") as channel:
            begin = time.monotonic()
            with pytest.raises(module.RpcError) as raised:
                channel.unary_unary("/S/M")(b"", timeout=SOON)
            assert time.monotonic() - begin < SOON
    lines = repr(raised.value).splitlines()
    assert lines[:3] == [
        "<_InactiveRpcError of RPC that terminated with:",
        "\tstatus = StatusCode.NOT_FOUND",
        '\tdetails = "nobody"',
    ]
    assert lines[3].startswith('\tdebug_error_string = "NOT_FOUND:') and lines[4] == ">"

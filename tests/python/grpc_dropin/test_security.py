# SPDX-License-Identifier: MIT
"""TLS, certificates of either side, and credentials of calls."""

from __future__ import annotations

import asyncio
import shutil
import ssl
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import StringValue

import trunkline.grpc

from . import test_calls as calls
from .pairs import SOON, Pair, handler, method, text

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")

OVERRIDE = [("grpc.ssl_target_name_override", "localhost")]


def serve(module: Any, credentials: Any, behavior: Any = calls.upper) -> tuple[Any, str]:
    """A server with one method, Upper, and its target."""
    server = module.server(futures.ThreadPoolExecutor(2))
    handlers = {"Upper": handler(module, "unary_unary", behavior)}
    server.add_generic_rpc_handlers((module.method_handlers_generic_handler("test.Text", handlers),))
    port = server.add_secure_port("127.0.0.1:0", credentials)
    server.start()
    return server, f"127.0.0.1:{port}"


@pytest.fixture
def secure_target(pair: Pair, pem: dict[str, bytes]) -> Iterator[str]:
    """The target of a server with a certificate."""
    credentials = pair.server.ssl_server_credentials([(pem["server.key"], pem["server.pem"])])
    server, target = serve(pair.server, credentials)
    yield target
    server.stop(None).wait(SOON)


def test_calls_over_tls(pair: Pair, pem: dict[str, bytes], secure_target: str) -> None:
    credentials = pair.client.ssl_channel_credentials(pem["ca.pem"])

    with pair.client.secure_channel(secure_target, credentials, OVERRIDE) as channel:
        assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON).value == "A"

    async def run() -> None:
        async with pair.client.aio.secure_channel(secure_target, credentials, OVERRIDE) as channel:
            assert (await method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)).value == "A"

    asyncio.run(run())


def test_client_that_does_not_know_the_authority(pair: Pair, pem: dict[str, bytes], secure_target: str) -> None:
    credentials = pair.client.ssl_channel_credentials(pem["client.pem"])

    with pair.client.secure_channel(secure_target, credentials, OVERRIDE) as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)

    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.UNAVAILABLE


def test_certificate_of_the_client(pair: Pair, pem: dict[str, bytes]) -> None:
    seen: dict[str, Any] = {}

    def look(request: StringValue, context: Any) -> StringValue:
        seen.update(
            context=dict(context.auth_context()), key=context.peer_identity_key(), names=context.peer_identities()
        )
        return request

    pairs = [(pem["server.key"], pem["server.pem"])]
    server, target = serve(pair.server, pair.server.ssl_server_credentials(pairs, pem["ca.pem"], True), look)
    credentials = pair.client.ssl_channel_credentials(pem["ca.pem"], pem["client.key"], pem["client.pem"])
    with pair.client.secure_channel(target, credentials, OVERRIDE) as channel:
        method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)
    with pair.client.secure_channel(target, pair.client.ssl_channel_credentials(pem["ca.pem"]), OVERRIDE) as channel:
        with pytest.raises(pair.client.RpcError):
            method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)
    server.stop(None).wait(SOON)

    assert seen["key"] == "x509_subject_alternative_name"
    assert b"localhost" in seen["names"]
    assert seen["context"]["x509_common_name"] == [b"client"]
    assert seen["context"]["x509_pem_cert"] == [pem["client.pem"]]
    certified = ["x509_common_name", "x509_pem_cert", "x509_subject_alternative_name", "peer_dns", "peer_ip"]
    assert [key for key in seen["context"] if key in certified] == certified
    assert seen["context"]["transport_security_type"] == [b"ssl"]


def test_credentials_of_calls(pair: Pair, pem: dict[str, bytes]) -> None:
    contexts: list[Any] = []

    def seen(request: StringValue, context: Any) -> StringValue:
        found = [each.value for each in context.invocation_metadata() if each.key in ("authorization", "signature")]
        return text(",".join(sorted(found)))

    class Signing(pair.client.AuthMetadataPlugin):  # type: ignore[misc, name-defined]
        def __call__(self, context: Any, callback: Any) -> None:
            contexts.append(context)
            callback((("signature", "signed"),), None)

    class Failing(pair.client.AuthMetadataPlugin):  # type: ignore[misc, name-defined]
        def __call__(self, context: Any, callback: Any) -> None:
            callback((), ValueError("no key"))

    grpc = pair.client
    server, target = serve(
        pair.server, pair.server.ssl_server_credentials([(pem["server.key"], pem["server.pem"])]), seen
    )
    own = grpc.ssl_channel_credentials(pem["ca.pem"])
    whole = grpc.composite_channel_credentials(own, grpc.access_token_call_credentials("token"))
    with grpc.secure_channel(target, whole, OVERRIDE) as channel:
        call = method(channel, "Upper", "unary_unary")
        assert call(text("a"), timeout=SOON).value == "Bearer token"
        signing = grpc.metadata_call_credentials(Signing())
        assert call(text("a"), timeout=SOON, credentials=signing).value == "Bearer token,signed"
        assert contexts[0].method_name == "Upper"
        assert contexts[0].service_url.startswith("https://localhost")
        assert contexts[0].service_url.endswith("/test.Text")
        with pytest.raises(grpc.RpcError) as raised:
            call(text("a"), timeout=SOON, credentials=grpc.metadata_call_credentials(Failing()))
        error: Any = raised.value
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        assert "no key" in error.details()

    async def run() -> None:
        async with grpc.aio.secure_channel(target, whole, OVERRIDE) as channel:
            call = method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)
            assert (await call).value == "Bearer token"

    asyncio.run(run())
    server.stop(None).wait(SOON)


def test_credentials_need_a_secure_channel(pair: Pair) -> None:
    with pair.client.insecure_channel("127.0.0.1:9") as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            token = pair.client.access_token_call_credentials("token")
            method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON, credentials=token)

    error: Any = raised.value
    assert error.code() in (pair.client.StatusCode.UNAUTHENTICATED, pair.client.StatusCode.UNAVAILABLE)


def test_credentials_need_a_secure_channel_of_asyncio(pair: Pair) -> None:
    async def run() -> None:
        async with pair.client.aio.insecure_channel("127.0.0.1:9") as channel:
            token = pair.client.access_token_call_credentials("token")
            with pytest.raises(pair.client.aio.UsageError):
                await method(channel, "Upper", "unary_unary")(text("a"), credentials=token)

    asyncio.run(run())


def test_local_credentials(pair: Pair) -> None:
    server = pair.server.server(futures.ThreadPoolExecutor(2))
    handlers = {"Upper": handler(pair.server, "unary_unary", calls.upper)}
    server.add_generic_rpc_handlers((pair.server.method_handlers_generic_handler("test.Text", handlers),))
    port = server.add_secure_port("127.0.0.1:0", pair.server.local_server_credentials())
    server.start()
    with pair.client.secure_channel(f"127.0.0.1:{port}", pair.client.local_channel_credentials()) as channel:
        assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON).value == "A"
    server.stop(None).wait(SOON)


def test_server_credentials_are_checked(pair: Pair, pem: dict[str, bytes]) -> None:
    with pytest.raises(ValueError):
        pair.server.ssl_server_credentials([])
    with pytest.raises(ValueError):
        pair.server.ssl_server_credentials([(pem["server.key"], pem["server.pem"])], None, True)
    with pytest.raises(TypeError):
        pair.client.ssl_channel_credentials("text")


@pytest.mark.parametrize("dynamic", [False, True])
def test_several_certificates(pair: Pair, pem: dict[str, bytes], dynamic: bool) -> None:
    """A client meets the one that is for the host which it names, or the first one."""
    pairs = [(pem[f"{name}.key"], pem[f"{name}.pem"]) for name in ("server", "elsewhere.test")]
    if dynamic:
        first = pair.server.ssl_server_certificate_configuration(pairs[:1])
        both = pair.server.ssl_server_certificate_configuration(pairs)
        credentials = pair.server.dynamic_ssl_server_credentials(first, lambda: both)
    else:
        credentials = pair.server.ssl_server_credentials(pairs)
    server, target = serve(pair.server, credentials)
    own = pair.client.ssl_channel_credentials(pem["ca.pem"])

    for name in ("localhost", "elsewhere.test"):
        with pair.client.secure_channel(target, own, [("grpc.ssl_target_name_override", name)]) as channel:
            assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON).value == "A"
    with pair.client.secure_channel(target, own, [("grpc.ssl_target_name_override", "third.test")]) as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)
    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.UNAVAILABLE
    server.stop(None).wait(SOON)


def test_certificates_that_are_replaced(pair: Pair, pem: dict[str, bytes]) -> None:
    """The first handshake keeps the certificate, the second one gets that of the client, the third fails to fetch."""

    def configuration(name: str) -> Any:
        pairs = [(pem[f"{name}.key"], pem[f"{name}.pem"])]
        return pair.server.ssl_server_certificate_configuration(pairs, pem["ca.pem"])

    fetched: list[Any] = [None, configuration("other"), "no configuration"]
    taken: list[Any] = []

    def fetch() -> Any:
        taken.append(fetched[min(len(taken), 2)])
        return taken[-1]

    credentials = pair.server.dynamic_ssl_server_credentials(configuration("server"), fetch, False)
    server, target = serve(pair.server, credentials)
    found: list[bytes] = []
    for _ in range(3):
        host, _, port = target.partition(":")
        found.append(ssl.get_server_certificate((host, int(port))).encode())
    server.stop(None).wait(SOON)

    assert [_der(each) for each in found] == [_der(pem[f"{name}.pem"]) for name in ("server", "other", "other")]
    assert len(taken) == 3


def _der(certificate: bytes) -> bytes:
    text = certificate.decode()
    return ssl.PEM_cert_to_DER_cert(text[text.index("-----BEGIN") :])


def test_certificates_that_are_replaced_serve_calls(pair: Pair, pem: dict[str, bytes]) -> None:
    pairs = [(pem["server.key"], pem["server.pem"])]
    configuration = pair.server.ssl_server_certificate_configuration(pairs, pem["ca.pem"])
    credentials = pair.server.dynamic_ssl_server_credentials(configuration, lambda: configuration, True)
    server, target = serve(pair.server, credentials)
    own = pair.client.ssl_channel_credentials(pem["ca.pem"], pem["client.key"], pem["client.pem"])
    none = pair.client.ssl_channel_credentials(pem["ca.pem"])

    with pair.client.secure_channel(target, own, OVERRIDE) as channel:
        assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON).value == "A"
    with pair.client.secure_channel(target, none, OVERRIDE) as channel, pytest.raises(pair.client.RpcError):
        method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)
    server.stop(None).wait(SOON)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("alts_channel_credentials", ()),
        ("alts_server_credentials", ()),
    ],
)
def test_what_is_not_supported_says_so(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(NotImplementedError, match=name):
        getattr(trunkline.grpc, name)(*arguments)


def test_credentials_for_servers_of_google(pem: dict[str, bytes]) -> None:
    of_calls = trunkline.grpc.access_token_call_credentials("token")

    credentials = trunkline.grpc.compute_engine_channel_credentials(of_calls)

    assert credentials.options == trunkline.grpc.ssl_channel_credentials().options
    assert credentials.call_credentials.plugins == of_calls.plugins


def test_arguments_of_replaced_certificates_are_checked(pair: Pair, pem: dict[str, bytes]) -> None:
    own = pair.server.ssl_server_certificate_configuration([(pem["server.key"], pem["server.pem"])], pem["ca.pem"])
    for arguments in ((None, lambda: own), (1, lambda: own), (own, None), (own, 1)):
        with pytest.raises(TypeError):
            pair.server.dynamic_ssl_server_credentials(*arguments)

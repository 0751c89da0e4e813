# SPDX-License-Identifier: MIT
"""grpcio's options of channels and servers: each is translated, has no meaning here, or is told once by its name."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import struct
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import pytest

import trunkline.grpc
from trunkline.grpc import _argument
from trunkline.grpc._channel_options import (
    TRANSLATED,
    WITHOUT_EFFECT,
    WITHOUT_MEANING,
    channel_options,
    send_limit,
    server_options,
)
from trunkline.grpc._channel_target import ChannelTarget

from .pairs import IMPLEMENTATIONS, SOON, Pair

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "coming-from-grpcio.md"

#: The names of gRPC's channel_arg_names.h and compression_types.h, and of grpc_types.h before it.
NAMES = """
grpc.census grpc.loadreporting grpc.server_call_metric_recording grpc.minimal_stack grpc.max_concurrent_streams
grpc.max_receive_message_length grpc.max_send_message_length grpc.max_connection_idle_ms grpc.max_connection_age_ms
grpc.max_connection_age_grace_ms grpc.client_idle_timeout_ms grpc.per_message_compression grpc.per_message_decompression
grpc.enable_deadline_checking grpc.http2.initial_sequence_number grpc.http2.lookahead_bytes
grpc.http2.hpack_table_size.decoder grpc.http2.hpack_table_size.encoder grpc.http2.max_frame_size grpc.http2.bdp_probe
grpc.http2.min_time_between_pings_ms grpc.http2.min_ping_interval_without_data_ms
grpc.server_max_unrequested_time_in_server grpc.http2_scheme grpc.http2.max_pings_without_data
grpc.http2.max_ping_strikes grpc.http2.write_buffer_size grpc.http2.true_binary
grpc.experimental.http2.enable_preferred_frame_size grpc.keepalive_time_ms grpc.keepalive_timeout_ms
grpc.keepalive_permit_without_calls grpc.default_authority grpc.primary_user_agent grpc.secondary_user_agent
grpc.min_reconnect_backoff_ms grpc.max_reconnect_backoff_ms grpc.initial_reconnect_backoff_ms
grpc.dns_min_time_between_resolutions_ms grpc.server_handshake_timeout_ms grpc.ssl_target_name_override
grpc.ssl_session_cache grpc.tsi.max_frame_size grpc.max_metadata_size grpc.absolute_max_metadata_size grpc.so_reuseport
grpc.resource_quota grpc.expand_wildcard_addrs grpc.service_config grpc.service_config_disable_resolution
grpc.lb_policy_name grpc.lb.ring_hash.ring_size_cap grpc.socket_mutator grpc.socket_factory
grpc.max_channel_trace_event_memory_per_node grpc.enable_channelz grpc.use_cronet_packet_coalescing
grpc.experimental.tcp_read_chunk_size grpc.experimental.tcp_min_read_chunk_size
grpc.experimental.tcp_max_read_chunk_size grpc.experimental.tcp_tx_zerocopy_enabled
grpc.experimental.tcp_tx_zerocopy_send_bytes_threshold grpc.experimental.tcp_tx_zerocopy_max_simultaneous_sends
grpc.tcp_receive_buffer_size grpc.grpclb_call_timeout_ms grpc.TEST_ONLY_DO_NOT_USE_IN_PROD.xds_bootstrap_config
grpc.grpclb_fallback_timeout_ms grpc.experimental.grpclb_channel_args grpc.priority_failover_timeout_ms
grpc.workaround.cronet_compression grpc.optimization_target grpc.enable_retries grpc.experimental.enable_hedging
grpc.per_rpc_retry_buffer_size grpc.mobile_log_context grpc.disable_client_authority_filter grpc.enable_http_proxy
grpc.http_proxy grpc.address_http_proxy grpc.address_http_proxy_enabled_addresses grpc.surface_user_agent
grpc.inhibit_health_checking grpc.dns_enable_srv_queries grpc.dns_ares_query_timeout grpc.use_local_subchannel_pool
grpc.channel_pooling_domain grpc.channel_id grpc.authorization_policy_provider
grpc.experimental.server_config_change_drain_grace_time_ms grpc.dscp
grpc.happy_eyeballs_connection_attempt_delay_ms grpc.event_engine_use_memory_allocator_factory
grpc.max_allowed_incoming_connections grpc.experimental.stats_plugins grpc.security_frame_allowed
grpc.default_compression_algorithm grpc.default_compression_level grpc.compression_enabled_algorithms_bitset
""".split()

Options = list[tuple[Any, Any]]


@pytest.fixture(params=list(IMPLEMENTATIONS))
def module(request: pytest.FixtureRequest) -> Any:
    """Every implementation of grpcio's interface."""
    return IMPLEMENTATIONS[request.param]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Any:
    """Returns the warnings so far. None has been given in this process before."""
    monkeypatch.setattr(_argument, "_warnings", _argument._Warnings())
    caplog.set_level(logging.WARNING)

    def messages() -> list[str]:
        assert {record.name for record in caplog.records} <= {"trunkline.grpc._channel_options"}
        return [record.getMessage() for record in caplog.records]

    return messages


def test_every_name_is_known_in_one_way() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 85
    for name in NAMES:
        assert [name in TRANSLATED, name in WITHOUT_MEANING, name in WITHOUT_EFFECT].count(True) == 1, name


def test_the_guide_lists_every_name() -> None:
    page = GUIDE.read_text()

    names = sorted({*NAMES, *TRANSLATED, *WITHOUT_MEANING, *WITHOUT_EFFECT})
    assert [name for name in names if f"`{name}`" not in page] == []


@pytest.mark.parametrize("name", sorted(WITHOUT_EFFECT))
def test_what_has_no_effect_is_told_once(name: str, told: Any) -> None:
    for _ in range(2):
        channel_options([(name, 3)], None)
        server_options([(name.encode(), 3)], None)

    assert told() == [f"the option {name!r} of grpcio has no effect on Trunkline"]


@pytest.mark.parametrize("name", ["grpc.http2.min_recv_ping_interval", "grpc.keepalive_time", "grpc.testing.x"])
def test_names_that_grpc_does_not_have_are_told(name: str, told: Any) -> None:
    channel_options([(name, 3)], None)

    assert told() == [f"the option {name!r} of grpcio has no effect on Trunkline"]


def test_what_has_no_meaning_or_changes_nothing_is_not_told(told: Any) -> None:
    harmless: Options = [(name, 3) for name in WITHOUT_MEANING]
    harmless += [
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.enable_http_proxy", 0),
        ("grpc.per_message_compression", 1),
        ("grpc.surface_user_agent", 0),
        ("grpc.http2.max_ping_strikes", 2),
        ("my.own", "a"),
    ]
    # Options of one side are given to both by many programs.
    of_one_side: Options = [("grpc.max_connection_age_ms", 5), ("grpc.enable_retries", 0), ("grpc.so_reuseport", 0)]

    assert channel_options([*harmless, of_one_side[0], of_one_side[2]], None) == {"max_message_bytes": 4 << 20}
    expected = {"max_message_bytes": 4 << 20, "reuse_port": True}
    assert server_options([*harmless, of_one_side[1]], None) == expected
    assert told() == []


CHANNEL: list[tuple[Options, dict[str, Any]]] = [
    ([], {}),
    ([("grpc.max_send_message_length", 5)], {}),
    ([("grpc.max_send_message_length", -1)], {}),
    ([("grpc.max_receive_message_length", 5)], {"max_message_bytes": 5}),
    (
        [("grpc.max_receive_message_length", -1)],
        {"max_message_bytes": 2**31 - 1, "max_unread_bytes": 2**31 - 1},
    ),
    ([("grpc.max_receive_message_length", 5), ("grpc.max_receive_message_length", 7)], {"max_message_bytes": 7}),
    ([("grpc.max_metadata_size", 4096)], {"max_header_bytes": 16384}),
    ([("grpc.max_metadata_size", 32768)], {"max_header_bytes": 40960}),
    ([("grpc.absolute_max_metadata_size", 9000), ("grpc.max_metadata_size", 32768)], {"max_header_bytes": 9000}),
    ([("grpc.max_reconnect_backoff_ms", 50)], {"backoff_initial": 0.1, "backoff_maximum": 0.1}),
    ([("grpc.max_reconnect_backoff_ms", 5000)], {"backoff_initial": 0.1, "backoff_maximum": 5.0}),
    (
        [("grpc.initial_reconnect_backoff_ms", 3000), ("grpc.max_reconnect_backoff_ms", 2000)],
        {"backoff_initial": 2.0, "backoff_maximum": 2.0},
    ),
    ([("grpc.initial_reconnect_backoff_ms", 500)], {"backoff_initial": 0.5}),
    ([("grpc.initial_reconnect_backoff_ms", 60000)], {"backoff_initial": 60.0, "backoff_maximum": 60.0}),
    ([("grpc.min_reconnect_backoff_ms", 1)], {"connect_timeout": 0.1}),
    ([("grpc.client_idle_timeout_ms", 2**31 - 1)], {"idle_timeout": 0.0}),
    ([("grpc.client_idle_timeout_ms", 5)], {"idle_timeout": 1.0}),
    ([("grpc.keepalive_permit_without_calls", 1)], {"keepalive_while_idle": True}),
    ([("grpc.http2.lookahead_bytes", 1 << 25)], {"call_credit_bytes": 1 << 25, "connection_credit_bytes": 1 << 25}),
    ([("grpc.http2.bdp_probe", 0)], {"max_call_credit_bytes": 0}),
    ([("grpc.tcp_receive_buffer_size", 70000)], {"receive_buffer_bytes": 70000}),
    ([("grpc.inhibit_health_checking", 1)], {"health_check": False}),
    ([("grpc.lb_policy_name", "round_robin")], {"balancing": "round_robin"}),
    ([("grpc.primary_user_agent", "a/1")], {"user_agent": f"a/1 trunkline/{trunkline.__version__}"}),
    (
        [("grpc.secondary_user_agent", "b c"), ("grpc.primary_user_agent", "a/1")],
        {"user_agent": f"a/1 trunkline/{trunkline.__version__} b c"},
    ),
    ([("grpc.secondary_user_agent", "")], {}),
    ([("grpc.default_compression_algorithm", 2)], {"compressor": "gzip"}),
    ([("grpc.service_config", b'{"methodConfig": []}')], {"service_config": '{"methodConfig": []}'}),
]


@pytest.mark.parametrize(("options", "expected"), CHANNEL)
def test_options_of_channels(options: Options, expected: dict[str, Any], told: Any) -> None:
    for given in (options, [(name.encode(), value) for name, value in options]):
        assert channel_options(given, None) == {"max_message_bytes": 4 << 20, **expected}
    assert told() == []


SERVER: list[tuple[Options, dict[str, Any]]] = [
    ([], {}),
    ([("grpc.keepalive_permit_without_calls", 1)], {"keepalive_while_idle": True, "allow_idle_pings": True}),
    ([("grpc.http2.min_ping_interval_without_data_ms", 500)], {"min_ping_interval": 0.5}),
    ([("grpc.http2.min_ping_interval_without_data_ms", 0)], {"min_ping_interval": 0.0}),
    (
        [("grpc.http2.max_ping_strikes", 0), ("grpc.http2.min_ping_interval_without_data_ms", 500)],
        {"min_ping_interval": 0.0},
    ),
    ([("grpc.max_connection_age_ms", 2**31 - 1)], {"max_connection_age": 0.0}),
    ([("grpc.max_connection_age_ms", 1500)], {"max_connection_age": 1.5}),
    ([("grpc.max_connection_age_grace_ms", 0)], {"max_connection_age_grace": 0.001}),
    ([("grpc.max_allowed_incoming_connections", 7)], {"max_connections": 7}),
    ([("grpc.server_handshake_timeout_ms", 3000)], {"handshake_timeout": 3.0}),
    ([("grpc.so_reuseport", 0)], {"reuse_port": False}),
]


@pytest.mark.parametrize(("options", "expected"), SERVER)
def test_options_of_servers(options: Options, expected: dict[str, Any], told: Any) -> None:
    assert server_options(options, None) == {"max_message_bytes": 4 << 20, "reuse_port": True, **expected}
    assert told() == []


def test_values_of_another_type_are_ignored_with_a_word(told: Any) -> None:
    wrong: Options = [("grpc.keepalive_time_ms", "5"), ("grpc.default_authority", 7), ("grpc.max_metadata_size", 1.5)]

    assert channel_options(wrong, None) == {"max_message_bytes": 4 << 20}
    assert [text.partition(",")[0] for text in told()] == [
        "the option 'grpc.max_metadata_size' of grpcio is ignored",
        "the option 'grpc.keepalive_time_ms' of grpcio is ignored",
        "the option 'grpc.default_authority' of grpcio is ignored",
    ]


@pytest.mark.parametrize("text", ["caf\u00e9", "a\nb", "x" * 481])
def test_user_agents_that_cannot_be_sent_are_told(text: str, told: Any) -> None:
    options: Options = [("grpc.primary_user_agent", text), ("grpc.secondary_user_agent", "b")]

    assert channel_options(options, None)["user_agent"] == f"trunkline/{trunkline.__version__} b"
    assert told() == ["the option 'grpc.primary_user_agent' of grpcio has no effect on Trunkline"]


def test_values_beyond_what_trunkline_takes_are_told(told: Any) -> None:
    assert channel_options([("grpc.max_metadata_size", 1 << 24)], None)["max_header_bytes"] == 1 << 20
    assert channel_options([("grpc.http2.lookahead_bytes", 1)], None)["call_credit_bytes"] == 64 << 10

    assert told() == [
        "the option 'grpc.max_metadata_size' of grpcio is 1048576 on Trunkline, where it is limited",
        "the option 'grpc.http2.lookahead_bytes' of grpcio is 65536 on Trunkline, where it is limited",
    ]


def test_other_policies_and_strikes_are_told(told: Any) -> None:
    channel_options([("grpc.lb_policy_name", "grpclb")], None)
    server_options([("grpc.http2.max_ping_strikes", 5)], None)

    assert told() == [
        "the option 'grpc.lb_policy_name' of grpcio has no effect on Trunkline",
        "the option 'grpc.http2.max_ping_strikes' of grpcio has no effect on Trunkline",
    ]


@pytest.mark.parametrize("wrong", [("x", None), ("x", object()), ("grpc.keepalive_time_ms", 2**31), ("x",), "xyz"])
def test_what_is_no_option_raises_as_in_grpcio(module: Any, wrong: Any) -> None:
    kinds = (TypeError, OverflowError, ValueError)
    with pytest.raises(kinds) as raised:
        module.insecure_channel("127.0.0.1:1", options=[wrong])
    with pytest.raises(kinds):
        module.server(None, options=[wrong])
    expected = OverflowError if wrong[-1] == 2**31 else ValueError if len(wrong) != 2 else TypeError
    assert raised.type is expected


def test_names_and_values_may_be_bytes() -> None:
    options: Options = [(b"grpc.default_authority", b"a.org"), (b"grpc.max_send_message_length", 5)]

    assert ChannelTarget.of("127.0.0.1:1", None, options).terms.authority == "a.org"
    assert send_limit(options) == 5 and send_limit([("grpc.max_send_message_length", -1)]) is None
    assert send_limit(None) is None


@pytest.mark.parametrize("value", [-(2**31), -1, 0, 1, 7, 2**31 - 1])
@pytest.mark.parametrize("name", sorted(TRANSLATED))
def test_every_number_is_taken(name: str, value: int) -> None:
    with trunkline.grpc.insecure_channel("127.0.0.1:1", options=[(name, value)]):
        pass
    trunkline.grpc.server(None, options=[(name, value)]).stop(None)


# --- the limits of messages ---


def one(request: bytes, context: Any) -> bytes:
    return bytes(int(request.lstrip(b"0")))


def many(request: bytes, context: Any) -> Iterator[bytes]:
    yield b"first"
    yield one(request, context)


def lengths(requests: Iterator[bytes], context: Any) -> bytes:
    return str([len(each) for each in requests]).encode()


def echo(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
    yield from requests


@contextlib.contextmanager
def serving(module: Any, options: Options) -> Iterator[str]:
    server = module.server(futures.ThreadPoolExecutor(2), options=options)
    methods = {
        "One": module.unary_unary_rpc_method_handler(one),
        "Many": module.unary_stream_rpc_method_handler(many),
        "Lengths": module.stream_unary_rpc_method_handler(lengths),
        "Echo": module.stream_stream_rpc_method_handler(echo),
    }
    server.add_generic_rpc_handlers((module.method_handlers_generic_handler("S", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait(SOON)


def outcomes(module: Any, channel: Any, *, request: int, response: int) -> list[str]:
    """How calls of each kind end: with requests of so many bytes that ask for a response of so many."""
    asking = str(response).encode().rjust(request, b"0")
    found = []

    def note(call: Any) -> None:
        try:
            call()
        except module.RpcError as error:
            found.append(error.code().name)
        else:
            found.append("OK")

    note(lambda: channel.unary_unary("/S/One")(asking, timeout=SOON))
    note(lambda: channel.unary_unary("/S/One").future(asking, timeout=SOON).result())
    note(lambda: channel.unary_unary("/S/One").with_call(asking, timeout=SOON))
    note(lambda: list(channel.unary_stream("/S/Many")(asking, timeout=SOON)))
    note(lambda: channel.stream_unary("/S/Lengths")(iter([b"x", bytes(request)]), timeout=SOON))
    note(lambda: channel.stream_unary("/S/Lengths").future(iter([b"x", bytes(request)]), timeout=SOON).result())
    note(lambda: list(channel.stream_stream("/S/Echo")(iter([b"x", bytes(max(request, response))]), timeout=SOON)))
    return found


FINE = ["OK"] * 7
#: The calls whose requests, or whose responses, are too long.
REQUESTS = ["RESOURCE_EXHAUSTED"] * 7
RESPONSES = ["RESOURCE_EXHAUSTED"] * 4 + ["OK"] * 2 + ["RESOURCE_EXHAUSTED"]
SEND, RECEIVE = "grpc.max_send_message_length", "grpc.max_receive_message_length"


@pytest.mark.parametrize(
    ("of_channel", "of_server", "request_bytes", "response_bytes", "expected"),
    [
        ([(SEND, 1000)], [], 1000, 5000, FINE[:6] + ["RESOURCE_EXHAUSTED"]),
        ([(SEND, 1000)], [], 1001, 1, REQUESTS),
        ([], [(SEND, 1000)], 5000, 1000, FINE[:6] + ["RESOURCE_EXHAUSTED"]),
        ([], [(SEND, 1000)], 1, 1001, RESPONSES),
        ([(RECEIVE, 1000)], [], 1, 1001, RESPONSES),
        ([], [(RECEIVE, 1000)], 1001, 1, REQUESTS),
        ([(SEND, -1)], [(SEND, -1)], 4 << 20, 4 << 20, FINE),
        ([(SEND, -1)], [(SEND, -1)], (4 << 20) + 1, 1, REQUESTS),
        ([(SEND, -1)], [(SEND, -1)], 1, (4 << 20) + 1, RESPONSES),
        ([(SEND, 1000), (RECEIVE, -1)], [(RECEIVE, -1)], 1000, (4 << 20) + 1, FINE[:6] + ["RESOURCE_EXHAUSTED"]),
        ([(RECEIVE, -1)], [(RECEIVE, -1)], (4 << 20) + 1, (4 << 20) + 1, FINE),
        ([(RECEIVE, 5 << 20)], [(RECEIVE, 5 << 20)], (4 << 20) + 1, (4 << 20) + 1, FINE),
    ],
)
def test_limits_of_messages(
    pair: Pair, of_channel: Options, of_server: Options, request_bytes: int, response_bytes: int, expected: list[str]
) -> None:
    with serving(pair.server, of_server) as target, pair.client.insecure_channel(target, of_channel) as channel:
        found = outcomes(pair.client, channel, request=request_bytes, response=response_bytes)

    assert found == expected


def test_texts_of_messages_that_are_too_long_to_be_sent(module: Any) -> None:
    with serving(module, [(SEND, 10)]) as target:
        with module.insecure_channel(target, [(SEND, 20)]) as channel:
            with pytest.raises(module.RpcError) as raised:
                channel.unary_unary("/S/One")(b"1".rjust(21, b"0"), timeout=SOON)
            assert raised.value.details() == "CLIENT: Sent message larger than max (21 vs. 20)"
            with pytest.raises(module.RpcError) as raised:
                channel.unary_unary("/S/One")(b"11", timeout=SOON)
            assert raised.value.details() == "SERVER: Sent message larger than max (11 vs. 10)"


def test_limits_of_messages_of_asyncio(module: Any) -> None:
    async def respond(request: bytes, context: Any) -> bytes:
        return bytes(int(request))

    async def respond_twice(request: bytes, context: Any) -> Any:
        yield b"first"
        yield bytes(int(request))

    async def write(request: bytes, context: Any) -> None:
        await context.write(bytes(int(request)))

    async def outcome(call: Any) -> str:
        try:
            if hasattr(call, "__aiter__"):
                async for _ in call:
                    pass
            else:
                await call
        except module.aio.AioRpcError as error:
            return f"{error.code().name} {error.details()}"
        return "OK"

    async def main() -> None:
        server = module.aio.server(options=[(SEND, 10)])
        methods = {
            "One": module.unary_unary_rpc_method_handler(respond),
            "Many": module.unary_stream_rpc_method_handler(respond_twice),
            "Written": module.unary_stream_rpc_method_handler(write),
        }
        server.add_generic_rpc_handlers((module.method_handlers_generic_handler("S", methods),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with module.aio.insecure_channel(f"127.0.0.1:{port}", options=[(SEND, 20)]) as channel:
            for name, kind in (("One", "unary_unary"), ("Many", "unary_stream"), ("Written", "unary_stream")):
                method = getattr(channel, kind)(f"/S/{name}")
                assert await outcome(method(b"10", timeout=SOON)) == "OK"
                expected = "RESOURCE_EXHAUSTED SERVER: Sent message larger than max (11 vs. 10)"
                assert await outcome(method(b"11", timeout=SOON)) == expected
                expected = "RESOURCE_EXHAUSTED CLIENT: Sent message larger than max (21 vs. 20)"
                assert await outcome(method(b"1".rjust(21, b"0"), timeout=SOON)) == expected
        await server.stop(None)

    asyncio.run(asyncio.wait_for(main(), SOON))


# --- pings, ages and numbers of connections, by frames of HTTP/2 ---

PING, GOAWAY = 6, 7


class RawClient:
    """A connection of HTTP/2 that sends and counts frames."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), SOON)
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self.frame(4, b""))
        self._buffer = b""

    @staticmethod
    def frame(kind: int, payload: bytes) -> bytes:
        return struct.pack(">I", len(payload))[1:] + bytes((kind, 0)) + bytes(4) + payload

    def ping(self, count: int) -> None:
        self.socket.sendall(b"".join(self.frame(PING, bytes(8)) for _ in range(count)))

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: Any) -> None:
        self.socket.close()

    def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self._buffer += data
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        return taken

    def next(self) -> tuple[int, bytes]:
        """The type and the content of the next frame. EOFError at the end of the connection."""
        header = self._take(9)
        return header[3], self._take(int.from_bytes(header[:3], "big"))

    def pings_answered(self, count: int) -> bool:
        """Whether so many pings are answered before a GOAWAY or the end."""
        try:
            while count:
                kind, _ = self.next()
                if kind == GOAWAY:
                    return False
                count -= kind == PING
        except (EOFError, ConnectionError):
            return False
        return True


    def may_ping(self) -> bool:
        """Whether many pings at once are answered, and one after them."""
        for count in (10, 1):
            with contextlib.suppress(ConnectionError):
                self.ping(count)
            if not self.pings_answered(count):
                return False
        return True


@pytest.mark.parametrize(
    ("options", "are_answered"),
    [
        ([], False),
        ([("grpc.http2.max_ping_strikes", 0)], True),
        ([("grpc.http2.max_ping_strikes", 2)], False),
        ([("grpc.http2.min_ping_interval_without_data_ms", 100_000)], False),
        ([("grpc.keepalive_permit_without_calls", 1)], False),
    ],
)
def test_pings_of_clients_without_calls(module: Any, options: Options, are_answered: bool) -> None:
    with serving(module, options) as target, RawClient(target) as client:
        assert client.may_ping() is are_answered


def test_pings_at_any_time_on_trunkline() -> None:
    """grpcio wants two hours between the pings of a client without calls, however short the interval is otherwise."""
    options: Options = [
        ("grpc.http2.min_ping_interval_without_data_ms", 0),
        ("grpc.keepalive_permit_without_calls", 1),
    ]
    with serving(trunkline.grpc, options) as target, RawClient(target) as client:
        assert client.may_ping()


def test_age_of_a_connection(module: Any) -> None:
    ages: Options = [("grpc.max_connection_age_ms", 1), ("grpc.max_connection_age_grace_ms", 1)]
    with serving(module, ages) as target, RawClient(target) as client:
        seen = []
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                seen.append(client.next()[0])
    assert GOAWAY in seen


def test_number_of_connections() -> None:
    with serving(trunkline.grpc, [("grpc.max_allowed_incoming_connections", 1)]) as target, RawClient(target) as first:
        first.ping(1)
        assert first.pings_answered(1)
        with RawClient(target) as second, pytest.raises((EOFError, ConnectionError)):
            while True:
                second.next()

# SPDX-License-Identifier: MIT
"""How targets, addresses, names and details of grpcio become Trunkline's. The options are in test_options.py."""

from __future__ import annotations

import os

import pytest

from trunkline import Detail
from trunkline.grpc._channel_options import channel_options
from trunkline.grpc._served_context import common_name_of
from trunkline.grpc._status_details import decode_details, encode_status, split_trailing
from trunkline.grpc._target import channel_uri, peer_name, port_of, server_uri
from trunkline.grpc._utilities import first_version_is_lower


@pytest.mark.parametrize(
    "target, uri",
    [
        ("localhost:50051", "grpc://localhost:50051"),
        ("example.org", "grpc://example.org:443"),
        ("[::1]:50051", "grpc://[::1]:50051"),
        ("::1", "grpc://[::1]:443"),
        ("dns:///example.org:1", "grpc://example.org:1"),
        ("dns://8.8.8.8/example.org:1", "grpc://example.org:1"),
        ("dns:example.org:1", "grpc://example.org:1"),
        ("ipv4:127.0.0.1:1", "grpc://127.0.0.1:1"),
        ("ipv6:[::1]:1", "grpc://[::1]:1"),
        ("ipv6:%5B::1%5D:1", "grpc://[::1]:1"),
        ("unix:///tmp/a", "grpc+unix:///tmp/a"),
        ("unix:/tmp/a", "grpc+unix:///tmp/a"),
        ("unix:a", f"grpc+unix://{os.getcwd()}/a"),
        ("unix-abstract:a", "grpc+unix:@a"),
        ("dns:1", "grpc://dns:1"),
    ],
)
def test_targets(target: str, uri: str) -> None:
    assert channel_uri(target, "grpc", "grpc+unix") == uri


@pytest.mark.parametrize("target", ["xds:///a", "vsock:1:2", "ipv4:127.0.0.1:1,127.0.0.1:2"])
def test_targets_that_are_not_supported(target: str) -> None:
    with pytest.raises(ValueError):
        channel_uri(target, "grpc", "grpc+unix")


@pytest.mark.parametrize(
    "address, uri",
    [
        ("[::]:0", "tcp://[::]:0"),
        ("0.0.0.0:1", "tcp://0.0.0.0:1"),
        ("localhost:1", "tcp://localhost:1"),
        ("ipv4:127.0.0.1:1", "tcp://127.0.0.1:1"),
        ("unix:/tmp/a", "unix:///tmp/a"),
        ("unix:///tmp/a", "unix:///tmp/a"),
        ("unix-abstract:a", "unix:@a"),
    ],
)
def test_addresses(address: str, uri: str) -> None:
    assert server_uri(address, "tcp") == uri


def test_ports_and_peers() -> None:
    assert port_of("tcp://[::]:1234") == 1234
    assert port_of("unix:///tmp/a:1") == 1
    assert peer_name("tcp://127.0.0.1:1") == "ipv4:127.0.0.1:1"
    assert peer_name("tcp://[::1]:1") == "ipv6:%5B::1%5D:1"
    assert peer_name("unix:///tmp/a") == "unix:/tmp/a"


def test_names_of_servers() -> None:
    for authority, name in (("b.org", "b.org"), ("b.org:7", "b.org"), ("[::1]:7", "::1"), ("::1", "::1")):
        found = channel_options([("grpc.default_authority", authority)], None)
        assert (found["server_name"], found["authority"]) == (name, authority)
    found = channel_options([("grpc.ssl_target_name_override", "a.org")], None)
    assert (found["server_name"], found["authority"]) == ("a.org", "a.org")
    names = [("grpc.ssl_target_name_override", "a.org"), ("grpc.default_authority", b"b.org")]
    found = channel_options(names, None)
    assert (found["server_name"], found["authority"]) == ("a.org", "b.org")


def test_details_of_a_status() -> None:
    details = [Detail("type.googleapis.com/a.B", b"\x08\x01"), Detail("type.googleapis.com/a.C", b"x" * 300)]

    status = encode_status(5, "not found", details)

    assert decode_details(status) == [tuple(detail) for detail in details]
    assert decode_details(b"") == []
    kept, found = split_trailing([("a", b"1"), ("grpc-status-details-bin", status)])
    assert kept == [("a", b"1")] and found == [tuple(detail) for detail in details]


@pytest.mark.parametrize("status", [b"\x1a\x05", b"\x1a", b"\xff" * 11, b"\x0b", b"\x1a\x02\x08\x01"])
def test_details_that_are_none(status: bytes) -> None:
    with pytest.raises(ValueError):
        decode_details(status)


def test_names_and_versions() -> None:
    assert common_name_of("/O=example/CN=client") == "client"
    assert common_name_of("CN=client,O=example") == "client"
    assert common_name_of("O=example") == ""
    assert first_version_is_lower("1.9.0", "1.10.0")
    assert not first_version_is_lower("1.999.0", "1.85.1")
    assert not first_version_is_lower("1.85.1", "1.85.1")

# SPDX-License-Identifier: MIT
"""Options accept values of their type only: neither None for False nor True for 1. Errors show the value."""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import trunkline


class Far:
    def __index__(self) -> int:
        return 3


def channel(**options: Any) -> None:
    trunkline.Channel("tcp://127.0.0.1:1", **options).close(0)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"verify_peer": None}, "option 'verify_peer' is None (NoneType), not True or False"),
        ({"verify_peer": 0}, "option 'verify_peer' is 0 (int), not True or False"),
        ({"no_delay": ""}, "option 'no_delay' is '' (str), not True or False"),
        ({"max_retries": True}, "option 'max_retries' is True (bool), not an integer"),
        ({"max_connections": 1.5}, "option 'max_connections' is 1.5 (float), not an integer"),
        ({"backoff_multiplier": True}, "option 'backoff_multiplier' is True (bool), not a number"),
        ({"connect_timeout": True}, "option 'connect_timeout' is True (bool), not a number"),
        ({"connect_timeout": "1"}, "option 'connect_timeout' is '1' (str), not a number"),
        ({"busy_poll": "x"}, "option 'busy_poll' is 'x' (str), not a number"),
        ({"server_name": b"x"}, "option 'server_name' is b'x' (bytes), not a str"),
        ({"ca_file": b"x"}, "option 'ca_file' is b'x' (bytes), not a path"),
        ({"ca_file": 1}, "option 'ca_file' is 1 (int), not a path"),
    ],
)
def test_another_type(options: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError) as caught:
        channel(**options)

    assert str(caught.value).startswith("Channel: " + text)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"max_connections": -1}, "option 'max_connections' is -1, not 0 to 18446744073709551615"),
        (
            {"max_connections": 1 << 64},
            "option 'max_connections' is 18446744073709551616, not 0 to 18446744073709551615",
        ),
        ({"max_retries": 1 << 40}, "option 'max_retries' is 1099511627776, not "),
        ({"connect_timeout": -1}, "option 'connect_timeout' is -1, not a finite number of seconds, 0 or more"),
        (
            {"connect_timeout": float("nan")},
            "option 'connect_timeout' is nan, not a finite number of seconds, 0 or more",
        ),
        ({"connect_timeout": 10**400}, "option 'connect_timeout' is 1000"),
        ({"keepalive_interval": 0.0005}, "option 'keepalive_interval' is 0.0005, not 0 or at least a millisecond"),
        ({"idle_timeout": 0.0005}, "option 'idle_timeout' is 0.0005, not 0 or at least a millisecond"),
        ({"stall_timeout": 1e-10}, "option 'stall_timeout' is 1e-10, not 0 or at least a millisecond"),
        ({"busy_poll": 4e-7}, "option 'busy_poll' is 4e-07, not 0 or at least a microsecond"),
        ({"tcp_keepalive": 0.9}, "option 'tcp_keepalive' is 0.9, not a whole number of seconds"),
        ({"tcp_keepalive": 1.5}, "option 'tcp_keepalive' is 1.5, not a whole number of seconds"),
        ({"ca_file": "a\0b"}, "option 'ca_file' is 'a\\x00b', not a path that the system accepts"),
    ],
)
def test_out_of_range(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError) as caught:
        channel(**options)

    assert str(caught.value).startswith("Channel: " + text)
    assert len(str(caught.value)) < 300


def test_of_a_server() -> None:
    with pytest.raises(TypeError, match="Server: option 'reuse_port' is None"):
        trunkline.Server(reuse_port=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Server: option 'client_certificate' is 'maybe', none of none, optional"):
        trunkline.Server(client_certificate="maybe")  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform != "linux", reason="finds the channel's socket in /proc")
def test_durations_are_rounded() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        # As a float it is a little less.
        with trunkline.Channel(endpoint, tcp_user_timeout=1.001) as used:
            used.submit("any").cancel()
            accepted, address = silent.accept()
            with accepted:
                while not (timeout := user_timeout(address)):
                    time.sleep(0.001)

    assert timeout == 1001


def user_timeout(address: tuple[str, int]) -> int:
    """Of this process' socket with the address, in milliseconds."""
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            with socket.socket(fileno=os.dup(int(descriptor))) as found:
                if found.family == socket.AF_INET and found.getsockname() == address:
                    return found.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
        except OSError:
            pass  # no socket, or closed meanwhile
    return 0


def test_values_that_stand_for_another_type() -> None:
    channel(max_connections=Far(), connect_timeout=1, backoff_multiplier=2, verify_peer=False)
    channel(ca_file=Path("/nowhere"), certificate_file=Path("/nowhere"), private_key_file="/nowhere")


def test_timeouts() -> None:
    with trunkline.Server(threads=1).serve("inproc://options") as running, trunkline.Channel(running.endpoint) as used:
        for use in (
            lambda: used.call("nothing", timeout=True),
            lambda: used.wait_for_ready(True),
            lambda: used.close(True),
            lambda: running.shutdown(True),
        ):
            with pytest.raises(TypeError, match=r"timeout is True \(bool\), not a number"):
                use()


def test_the_error_for_an_unknown_codec_lists_the_known_ones() -> None:
    class Mine(trunkline.Codec):
        name = "options-own"

        def supports(self, kind: Any) -> bool:
            return False

        def encode(self, message: Any) -> bytes:
            raise NotImplementedError

        def decode(self, data: bytes, kind: Any) -> Any:
            raise NotImplementedError

    with trunkline.Channel("tcp://127.0.0.1:1", codecs=[Mine()]) as used:
        with pytest.raises(ValueError, match="'nope' is none of protobuf, json, msgpack, bytes, .*options-own"):
            used._core.call("x", b"", "nope", None, trunkline._core.Expects.response)

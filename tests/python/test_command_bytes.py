# SPDX-License-Identifier: MIT
"""`trunkline call` with requests and responses as bytes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import trunkline

from . import commanding
from .commanding import needs_command, run

pytestmark = needs_command


@pytest.fixture(scope="module")
def bytewise() -> Iterator[str]:
    server = trunkline.Server(threads=4)

    @server.method
    def reverse(request: bytes) -> bytes:
        return request[::-1]

    @server.method
    def parts(request: bytes) -> Iterator[bytes]:
        yield request
        yield b"\xff\n"

    @server.method
    def nothing(request: bytes) -> Iterator[bytes]:
        if request:
            raise trunkline.NotFound("nothing of that")
        yield from ()

    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


@pytest.fixture(scope="module")
def market() -> Iterator[str]:
    with commanding.market().serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


def test_bytes_as_they_are(bytewise: str, tmp_path: Path) -> None:
    given, got = tmp_path / "given", tmp_path / "got"
    given.write_bytes(b"\x00\xffab\n")
    got.write_bytes(b"x" * 100)

    called = run("call", bytewise, "reverse", "--data-binary", f"@{given}", "-o", str(got))

    assert called == commanding.Outcome(0, "", "")
    assert got.read_bytes() == b"\nba\xff\x00"


@pytest.mark.parametrize(("request_bytes", "left"), [("", b""), ("x", b"of an earlier call")])
def test_a_stream_without_responses(bytewise: str, tmp_path: Path, request_bytes: str, left: bytes) -> None:
    got = tmp_path / "got"
    got.write_bytes(b"of an earlier call")

    called = run("call", bytewise, "nothing", "--data-binary", request_bytes, "-o", str(got))

    assert (called.status == 0) == (left == b""), called.messages
    assert got.read_bytes() == left


def test_bytes_from_standard_input_to_standard_output(bytewise: str) -> None:
    words = [commanding.COMMAND, "call", bytewise, "parts", "--data-binary", "@-", "-o", "-"]

    called = subprocess.run(words, input=b"\x80\x00", capture_output=True, timeout=100, env=commanding.environment())

    assert (called.returncode, called.stdout, called.stderr) == (0, b"\x80\x00\xff\n", b"")


def test_bytes_are_shown_in_base64(bytewise: str) -> None:
    assert run("call", bytewise, "reverse", "--data-binary", "abc").output == '"Y2Jh"\n'
    assert run("call", bytewise, "reverse", "--data-binary", "").output == '""\n'


def test_messages_that_are_encoded_already(market: str, tmp_path: Path) -> None:
    response = tmp_path / "response"

    words = ["market.Market/Buy", "--codec", "protobuf", "--data-binary", "\n\x03tea\x10\x02", "-o", str(response)]
    called = run("call", market, *words)

    assert called.status == 0, called.messages
    assert response.read_bytes().startswith(b"\n\x06teatea")


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (["--codec", "bytes"], "--codec bytes requires --data-binary"),
        (["-", "--data-binary", "x"], "- cannot be combined with --json, --file or --data-binary"),
        (["--json", "1", "--data-binary", "x"], "--json"),
        (["--data-binary", "@/no/such"], "--data-binary @/no/such: No such file"),
        (["--data-binary", "x", "-o", "/no/such/file"], "--output-binary /no/such/file: No such file"),
    ],
)
def test_bytes_that_cannot_be_sent_or_kept(bytewise: str, words: list[str], reported: str) -> None:
    called = run("call", bytewise, "reverse", *words)

    assert called.status == 2
    assert reported in called.messages

# SPDX-License-Identifier: MIT
"""The command against servers of both languages with a definition: those of the examples."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from .commanding import end, line_of, needs_command, run, say, start
from .test_examples import BUILT, EXAMPLES, LANGUAGES

pytestmark = [needs_command, pytest.mark.skipif(shutil.which("protoc") is None, reason="needs protoc")]


@pytest.fixture(scope="module", params=LANGUAGES)
def endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    cpp = request.param == "cpp"
    server = [f"{BUILT}/example_server"] if cpp else [sys.executable, str(EXAMPLES / "example_server.py")]
    serving = subprocess.Popen([*server, "tcp://127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        yield serving.stdout.readline().removeprefix("listening on ").strip()
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(timeout=20) == 0
    finally:
        serving.kill()
        serving.communicate()


def test_services(endpoint: str) -> None:
    listed = run("list", endpoint).lines

    assert [name for name in listed if name.startswith("example.")] == [
        "example.Arith",
        "example.Chat",
        "example.Countdown",
        "example.Echo",
        "example.WordCounter",
    ]


def test_a_method(endpoint: str) -> None:
    listed = run("list", endpoint, "example.Chat/Talk").output

    assert "rpc Talk(stream example.ChatMessage) returns (stream example.ChatMessage);\n" in listed
    assert "message ChatMessage {\n  string from = 1;\n  string text = 2;\n}\n" in listed


def test_comments(endpoint: str) -> None:
    listed = run("list", endpoint, "example.Arith").lines

    assert listed[:3] == [
        "// Arithmetic, one operation a call.",
        "service example.Arith {",
        "  // The product. OUT_OF_RANGE if it does not fit; the operands are a detail of the status.",
    ]


def test_comments_of_built_in_services(endpoint: str) -> None:
    health = run("list", endpoint, "grpc.health.v1.Health").lines
    statistics = run("list", endpoint, "trunkline.v1.Statistics").output

    assert health[1] == "  // Returns the current status. Fails with NOT_FOUND for a service that has none."
    assert (
        "  // Sends the statistics now and each time the interval has passed, until the caller ends the call.\n"
        in statistics
    )


def test_unary(endpoint: str) -> None:
    called = run("call", endpoint, "example.Arith/Multiply", "--json", '{"a": 6, "b": 7}')

    assert (called.status, called.output) == (0, '{"pro":42}\n')


def test_the_details_of_a_status(endpoint: str) -> None:
    called = run("call", endpoint, "example.Arith/Multiply", "--json", '{"a": 2000000000, "b": 7}')

    assert called.status == 64 + 11
    assert called.messages.splitlines()[1] == '  type.googleapis.com/example.ArithRequest: {"a":2000000000,"b":7}'


def test_client_stream(endpoint: str) -> None:
    called = run("call", endpoint, "example.WordCounter/Count", "-", text='{"text": "b25lIHR3"}{"text": "bwo="}')

    assert json.loads(called.output) == {"lines": "1", "words": "2", "bytes": "8"}


def test_server_stream(endpoint: str) -> None:
    called = run("call", endpoint, "example.Countdown/Start", "--json", '{"from": 3}', "-v")

    assert called.lines == ['{"left":3}', '{"left":2}', '{"left":1}']
    assert "< trailing ticks: 3" in called.messages.splitlines()


def test_bidirectional_stream(endpoint: str) -> None:
    talk = start("call", endpoint, "example.Chat/Talk", "-")

    say(talk, '{"from": "ann", "text": "hi"}\n')
    assert json.loads(line_of(talk)) == {"from": "server", "text": "ann said: hi"}
    ended = end(talk)

    assert ended.status == 0
    assert json.loads(ended.output)["text"] == "goodbye"


def test_health_and_statistics(endpoint: str) -> None:
    run("call", endpoint, "example.Arith/Multiply", "--json", "{}")

    assert run("health", endpoint).output == "SERVING\n"
    (row,) = run("stats", endpoint, "example.Arith/Multiply").lines[2:]
    assert int(row.split()[1]) >= 1

# SPDX-License-Identifier: MIT
"""The errors of `trunkline` for wrong requests, names, endpoints and peers."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import trunkline
from trunkline.services import add_reflection

from . import commanding
from .commanding import Outcome, needs_command, run

pytestmark = [needs_command, pytest.mark.skipif(shutil.which("protoc") is None, reason="needs protoc")]


@pytest.fixture(scope="module")
def market() -> Iterator[str]:
    server = commanding.market()
    add_reflection(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


def refused(text: str) -> Outcome:
    return Outcome(2, "", f"trunkline: {text}\n")


@pytest.mark.parametrize(
    ("request_json", "text"),
    [
        ('{"itmName": "x"}', "request: unknown field 'itmName' of market.Order; did you mean 'itemName'?"),
        (
            '{"parts": [{}, {"count": "x"}]}',
            "request: field 'parts[1].count': expected a number from -2147483648 to 2147483647, found text",
        ),
        (
            '{"count": 3000000000}',
            "request: field 'count': expected a number from -2147483648 to 2147483647, found the number 3000000000",
        ),
        ('{"color": "GREN"}', "request: field 'color': 'GREN' is not one of RED, GREEN; did you mean 'GREEN'?"),
        ('{"within": 5}', "request: field 'within': expected a duration such as \"1.5s\", found the number 5"),
        ('{"within": "soon"}', "request: field 'within': expected a duration such as \"1.5s\""),
        ('{"note": {"@type": "x/market.Ordre"}}', "request: field 'note.@type': unknown type 'market.Ordre'"),
        ("[]", "request: the request: expected an object (market.Order), found an array"),
        ('{"count": }', "request is not JSON: line 1, column 11: unexpected '}'; expected '[', '{', or a literal"),
        ('{"count": 1', "request is not JSON: line 1, column 12: unexpected end of input; expected '}'"),
        ("{} {}", "the method takes one request, but several were given"),
        (" ", "the method takes one request, but none was given; an empty one is {}"),
    ],
)
def test_a_request_that_does_not_fit(market: str, request_json: str, text: str) -> None:
    assert run("call", market, "market.Market/Buy", "--json", request_json) == refused(text)


def test_a_request_that_is_no_utf8(market: str) -> None:
    called = run("call", market, "market.Market/Buy", "-", text=b'{"itemName":\n "\xff"}')

    assert called == refused("request is not JSON: line 2, column 3: invalid string: ill-formed UTF-8 byte")


def test_a_bad_request_in_a_stream_reports_its_line_after_the_earlier_responses(market: str) -> None:
    called = run("call", market, "market.Market/Talk", "-", text='{"itemName": "a"}\n{"itemName": 1}\n')

    assert called.status == 2
    assert called.messages == "trunkline: request at line 2: field 'itemName': expected text, found the number 1\n"


def test_names_that_do_not_exist(market: str) -> None:
    def call(name: str) -> Outcome:
        return run("call", market, name)

    assert call("market.Market/Bu") == refused(
        "service market.Market has no method 'Bu'; it has Buy, Watch, BuyAll, Talk; did you mean 'Buy'?"
    )
    assert call("market.Markt/Talk") == refused(
        "unknown method 'market.Markt/Talk'; did you mean 'market.Market/Talk'?"
    )
    assert call("market.Market") == refused(
        "unknown method 'market.Market'; it is a service, which has Buy, Watch, BuyAll, Talk"
    )
    assert call("BuyAll") == refused("unknown method 'BuyAll'; did you mean 'market.Market/BuyAll'?")
    assert "has the services grpc.reflection.v1.ServerReflection, " in call("zzz").messages
    assert run("list", market, "market.Ordr").status == 2


def test_a_server_without_reflection() -> None:
    with commanding.market().serve("tcp://127.0.0.1:0") as running:
        called = run("call", running.endpoint, "market.Market/Buy")

    assert called.status == 64 + 12
    assert called.messages.startswith(f"trunkline: {running.endpoint} has no reflection (unimplemented: ")
    assert "); serve it there " in called.messages
    assert "trunkline.services.add_reflection(server)" in called.messages
    assert "--codec json" in called.messages
    assert "--proto" in called.messages


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["lst", "x"], "unknown command 'lst'; did you mean 'list'?\ntrunkline --help lists the options"),
        (
            ["describe", "localhost:1", "a.B"],
            "unknown command 'describe'; `trunkline list ENDPOINT NAME` shows a service, a method with its messages, "
            "or a message: trunkline list localhost:1 a.B\ntrunkline --help lists the options",
        ),
        (
            ["localhost:1", "list", "a.B"],
            "unknown command 'localhost:1'; the command comes first: trunkline list localhost:1 a.B\n"
            "trunkline --help lists the options",
        ),
        (
            ["call", "localhost:1", "a.B/C", "-d", "{}"],
            "unexpected argument '-d'; requests are given by --json, --file or -\n"
            "trunkline call --help lists the options",
        ),
        (
            ["list", "localhost:1", "--timeout", "fast"],
            "--timeout: duration 'fast': expected a number and a unit, such as 300ms, 5s or 1m30s; a number alone "
            "counts seconds",
        ),
        ([], "expected a command\ntrunkline --help lists the options"),
        (["list", "localhost"], 'parse endpoint "tcp://localhost": port is missing'),
        (["list", "ftp://localhost:1"], None),
        (["list", "tcp://localhost:0"], "endpoint 'tcp://localhost:0': cannot connect to port 0"),
        (["list", "inproc://x"], "endpoint 'inproc://x': inproc endpoints exist only within one process"),
        (["list", "tcp://localhost:1", "--ca", "x"], None),
        (["list", "tls://localhost:1", "--cert", "x"], "--cert and --key require each other"),
        (["list", "tls://localhost:1", "--ca", "/nowhere.pem"], None),
        (["call", "localhost:1", "a", "-m", "x"], "metadata: expected NAME:VALUE, but there is no colon"),
        (["call", "localhost:1", "a", "--timeout", "5 parsecs"], None),
        (["call", "localhost:1", "a", "--file", "/nowhere"], None),
        (
            ["call", "localhost:1", "a", "{}"],
            "unexpected argument '{}'; requests are given with --json, --file, --data-binary or -",
        ),
        (
            ["call", "localhost:1", "a", "-", "--json", "{}"],
            "- cannot be combined with --json, --file or --data-binary",
        ),
        (["call", "localhost:1", "a", "--jsn", "{}"], None),
        (["stats", "localhost:1", "--watch", "--interval", "1ms"], "--interval: '1ms' is less than 10ms"),
        (["completion", "powershell"], None),
    ],
)
def test_a_wrong_command_line(arguments: list[str], text: str | None) -> None:
    called = run(*arguments)

    assert (called.output, called.messages[:11]) == ("", "trunkline: ")
    if text is not None:
        assert called == refused(text)
    elif "--ca" not in arguments and "--file" not in arguments:
        assert called.status == 2


def test_a_definition_with_an_error(tmp_path: Path) -> None:
    definition = 'syntax = "proto3";\nmessage A {\n  strng x = 1;\n}\nservice S { rpc M(A) returns (A); }\n'
    (tmp_path / "bad.proto").write_text(definition)

    def call(*given: str) -> Outcome:
        return run("call", "localhost:1", "S/M", *given)

    assert "bad.proto" in call("--proto", str(tmp_path / "bad.proto")).messages
    assert '"strng" is not defined' in call("--proto", str(tmp_path / "bad.proto")).messages
    assert call("--proto", str(tmp_path / "none.proto")).status == 2
    assert call("--descriptor-set", str(tmp_path / "bad.proto")) == refused(
        f"--descriptor-set {tmp_path}/bad.proto: not a FileDescriptorSet; create one with protoc --include_imports -o"
    )
    (tmp_path / "worse.proto").write_text("messag")
    assert "worse.proto:1:1: " in call("--proto", str(tmp_path / "worse.proto")).messages


@contextmanager
def peer(greeting: bytes, response: bytes = b"") -> Iterator[str]:
    """Starts a server that greets, responds to the first bytes that it receives, and closes."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connected = listening.accept()[0]
            except OSError:
                return
            with connected:
                connected.sendall(greeting)
                try:
                    connected.recv(1000)
                    connected.sendall(response)
                    connected.shutdown(socket.SHUT_WR)
                    while connected.recv(1000):
                        pass
                except OSError:
                    pass

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


@pytest.mark.parametrize(
    ("greeting", "response", "name"),
    [
        (b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP/1"),
        (b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64", b"", "HTTP/2 (as gRPC does)"),
        (b"", b"\x15\x03\x03\x00\x02\x02\x46", "TLS"),
        (b"SSH-2.0-OpenSSH_9.2p1\r\n", b"", "SSH"),
        (b"220 mail.example.com ESMTP\r\n", b"", "SMTP, FTP or the like"),
        (b"", b"-ERR unknown command\r\n", "Redis or POP3"),
    ],
)
def test_an_endpoint_that_speaks_something_else(greeting: bytes, response: bytes, name: str) -> None:
    with peer(greeting, response) as endpoint:
        called = run("list", endpoint)

    assert called.status == 64 + 14
    assert f"the peer does not speak the native protocol; it seems to speak {name}" in called.messages


def test_a_web_server() -> None:
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        called = run("list", f"127.0.0.1:{server.server_address[1]}")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

    assert "does not speak the native protocol; it seems to speak HTTP/1" in called.messages


def test_a_peer_that_closes_or_says_nothing() -> None:
    with peer(b"", b"") as endpoint:
        messages = run("list", endpoint).messages
        assert "connection closed by the peer before its hello" in messages
        assert "a server that expects TLS may say nothing to a client without it" in messages
    with socket.create_server(("127.0.0.1", 0)) as silent:
        called = run("list", f"127.0.0.1:{silent.getsockname()[1]}")
    assert called.status == 64 + 14
    assert "not completed by the peer within handshake_timeout 5000 ms" in called.messages


def test_no_server_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    called = run("list", f"127.0.0.1:{port}")

    assert called.status == 64 + 14
    assert f"connect tcp://127.0.0.1:{port}: connection refused" in called.messages


def test_tls_where_there_is_none(market: str) -> None:
    called = run("list", market.replace("tcp:", "tls:"), "--insecure")

    assert called.status == 64 + 14
    assert "the peer does not speak TLS here" in called.messages


def test_a_huge_response_is_refused_by_a_limit_that_can_be_raised() -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def huge(size: int) -> str:
        return "x" * size

    with server.serve("tcp://127.0.0.1:0") as running:
        request = ("call", running.endpoint, "huge", "--codec", "json", "--json", "3000000", "--max-message-bytes")
        called = run(*request, "1000000")
        raised = run(*request, "4000000")

    assert called.status == 64 + 8
    assert "max_message_bytes 1000000" in called.messages
    assert (raised.status, len(raised.output)) == (0, 3000003)




@pytest.mark.parametrize("option", ["--json", "--file"])
def test_an_empty_input_is_refused(market: str, option: str) -> None:
    refusal = run("call", market, "market.Market/Talk", option, "")

    assert (refusal.status, refusal.output) == (2, "")
    assert refusal.messages.startswith(f"trunkline: {option}: is empty\n")


def test_many_members_are_read_in_a_moment(market: str) -> None:
    members = ", ".join(f'"m{number}": 1' for number in range(200_000))
    begin = time.monotonic()

    refusal = run("call", market, "market.Market/Buy", "-", text=f'{{"itemName": "x", {members}}}')

    assert refusal.status == 2
    assert "unknown field 'm0' of market.Order" in refusal.messages
    assert time.monotonic() - begin < 15


def test_closed_standard_files_are_not_given_to_connections(market: str) -> None:
    command = f'exec "{commanding.COMMAND}" call {market} market.Market/Buy --json \'{{"itemName": "x"}}\' -v 2>&- <&-'

    ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=100)

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, '{"text":"x"}\n', "")

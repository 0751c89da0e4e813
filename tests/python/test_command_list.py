# SPDX-License-Identifier: MIT
"""`trunkline list`: from reflection and from files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import trunkline
from trunkline.services import add_reflection

from . import commanding
from .commanding import needs_command, run

pytestmark = [needs_command, pytest.mark.skipif(shutil.which("protoc") is None, reason="needs protoc")]


@dataclass
class Point:
    x: float
    label: str = ""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = commanding.market()

    @server.method
    def move(request: Point) -> Point:
        """Moves it."""
        return request

    @server.method(idempotent=True)
    def place(request: Point) -> Point:
        return request

    add_reflection(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


def test_services(endpoint: str) -> None:
    assert run("list", endpoint).lines == [
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
        "market.Market",
        "trunkline.Methods",
    ]


def test_a_service(endpoint: str) -> None:
    listed = run("list", endpoint, "market.Market")

    assert listed.status == 0
    assert listed.lines == [
        "service market.Market {",
        "  rpc Buy(market.Order) returns (market.Receipt);",
        "  rpc Watch(market.Order) returns (stream market.Receipt);",
        "  rpc BuyAll(stream market.Order) returns (market.Receipt);",
        "  rpc Talk(stream market.Order) returns (stream market.Receipt);",
        "}",
    ]


def test_a_method_with_its_messages(endpoint: str) -> None:
    listed = run("list", endpoint, "market.Market/Buy").output

    assert listed.startswith("rpc Buy(market.Order) returns (market.Receipt);\n\nmessage Order {\n")
    assert "\nenum Color {\n" in listed
    assert "\nmessage Receipt {\n" in listed
    assert "message Any" not in listed


def test_a_message_by_its_name(endpoint: str) -> None:
    assert run("list", endpoint, "market.Color").output == "enum Color {\n  RED = 0;\n  GREEN = 1;\n}\n"


def test_methods_of_plain_types(endpoint: str) -> None:
    listed = run("list", endpoint, "move").output

    assert listed.startswith(
        "// Moves it.\n"
        "rpc move(trunkline.Point) returns (trunkline.Point);  // called as move, messages are msgpack\n"
    )
    assert "double x = 1;\n" in listed
    assert run("list", endpoint, "trunkline.Methods.move").output == listed


def test_whether_calls_may_be_repeated(endpoint: str, tmp_path: Path) -> None:
    (tmp_path / "levels.proto").write_text(
        'syntax = "proto3"; package levels; message A {}\n'
        "service S {\n"
        "  rpc Get(A) returns (A) { option idempotency_level = NO_SIDE_EFFECTS; }\n"
        "  rpc Put(A) returns (A) { option idempotency_level = IDEMPOTENT; }\n"
        "  rpc Add(A) returns (A);\n"
        "}\n"
    )

    listed = run("list", "localhost:1", "levels.S", "--proto", str(tmp_path / "levels.proto"))

    assert listed.lines[1:-1] == [
        "  rpc Get(levels.A) returns (levels.A);  // no side effects",
        "  rpc Put(levels.A) returns (levels.A);  // idempotent",
        "  rpc Add(levels.A) returns (levels.A);",
    ]
    assert "// called as place, messages are msgpack, idempotent\n" in run("list", endpoint, "place").output


def test_comments_from_a_file(tmp_path: Path) -> None:
    file = commanding.write_definition(tmp_path)

    listed = run("list", "localhost:1", "market.Market", "--proto", str(file))
    method = run("list", "localhost:1", "market.Market.Buy", "--proto", str(file))

    assert listed.lines[:3] == ["// Sells things.", "service market.Market {", "  // One at a time."]
    assert "  // What it is called.\n  string item_name = 1;\n" in method.output
    assert run("list", "localhost:1", "--proto", str(file)).output == "market.Market\n"


def test_a_name_that_does_not_exist(endpoint: str) -> None:
    listed = run("list", endpoint, "market.Markte")

    assert listed.status == 2
    assert listed.messages == "trunkline: unknown name 'market.Markte'; did you mean 'market.Market'?\n"


def test_what_a_definition_says_does_not_steer_the_terminal(tmp_path: Path) -> None:
    definition = 'syntax = "proto3"; package evil;\n// \x1b[2J\nmessage A {}\nservice S { rpc M(A) returns (A); }\n'
    (tmp_path / "evil.proto").write_text(definition)

    listed = run("list", "localhost:1", "evil.S/M", "--proto", str(tmp_path / "evil.proto"))

    assert "// \\x1b[2J\n" in listed.output


def test_help_and_version() -> None:
    assert run("--version").output == f"trunkline {trunkline.__version__}\n"
    assert "completion" in run("--help").output
    for command in ("list", "call", "health", "stats", "serve", "completion"):
        shown = run(command, "--help")
        assert (shown.status, shown.messages) == (0, "")
        assert f"trunkline {command} " in shown.output.split("Examples:")[1]

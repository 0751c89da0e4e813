# SPDX-License-Identifier: MIT
"""Completion in the shells that are installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from trunkline.services import add_reflection

from . import commanding
from .commanding import COMMAND, needs_command, run

pytestmark = needs_command

#: Completes the words given, the last of which is being typed, and prints what may stand there.
COMPLETE = """
source <("$0" completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
COMPREPLY=()
_trunkline
printf '%s\\n' "${COMPREPLY[@]}"
"""


def complete(*words: str, folder: Path | None = None, program: str = "trunkline") -> list[str]:
    script = ["bash", "--norc", "-c", COMPLETE, COMMAND, program, *words]
    completed = subprocess.run(script, capture_output=True, text=True, check=True, cwd=folder)
    assert completed.stderr == ""
    return completed.stdout.split()


def test_commands() -> None:
    commands = ["list", "call", "health", "servers", "stats", "bench", "serve", "completion"]
    assert complete("") == [*commands, "-h", "--help", "--version"]
    assert complete("s") == ["servers", "stats", "serve"]


def test_options_of_a_command() -> None:
    assert complete("call", "tcp://localhost:1", "--j") == ["--json"]
    assert complete("stats", "--wat") == ["--watch"]
    assert complete("list", "--json", "--j") == []


def test_all_options_that_help_lists() -> None:
    for command in ("list", "call", "health", "servers", "stats", "serve", "completion"):
        options = run(command, "--help").output.split("Examples:")[0]
        listed = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", options, re.MULTILINE))
        assert "--help" in listed
        assert listed <= set(complete(command, "-"))


def test_values() -> None:
    assert complete("call", "x", "y", "--codec", "") == ["protobuf", "json", "msgpack", "bytes"]
    assert complete("call", "x", "y", "--compressor", "z") == ["zstd"]
    assert complete("completion", "") == ["-h", "--help", "bash", "zsh", "fish"]


def test_files(tmp_path: Path) -> None:
    (tmp_path / "some.proto").touch()
    (tmp_path / "folder").mkdir()

    assert complete("list", "x", "--proto", "so", folder=tmp_path) == ["some.proto"]
    assert complete("list", "x", "-I", "", folder=tmp_path) == ["folder"]
    assert complete("list", "x", "--server-name", "", folder=tmp_path) == []


needs_protoc = pytest.mark.skipif(shutil.which("protoc") is None, reason="needs protoc")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """A server of market.Market, and of a method with a name that a shell would run."""
    server = commanding.market()
    server.add("$(touch${IFS}evil)", lambda request: request)
    add_reflection(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


@needs_protoc
def test_names_that_the_server_of_the_line_has(endpoint: str) -> None:
    assert run("complete", "--", "call", endpoint, "market.Market/B").lines == [
        "market.Market/Buy",
        "market.Market/BuyAll",
    ]
    assert run("complete", "--", "list", endpoint, "-m", "a:b", "market.Market").lines[0] == "market.Market"
    assert run("complete", "--", "health", endpoint, "market.").lines == ["market.Market"]
    assert len(run("complete", "--", "stats", endpoint, "").lines) > 4


@needs_protoc
def test_names_are_offered_only_where_one_may_stand(endpoint: str) -> None:
    for words in (
        ["call", endpoint, "market.Market/Buy", ""],
        ["call", ""],
        ["call", endpoint, "--json", ""],
        ["serve", endpoint, ""],
        ["nothing", endpoint, ""],
        ["call", "tcp://127.0.0.1:1", ""],
        ["call", "no endpoint", ""],
        [],
    ):
        offered = run("complete", "--", *words)
        assert (offered.status, offered.output, offered.messages) == (0, "", "")


@needs_protoc
def test_names_of_files(tmp_path: Path) -> None:
    file = tmp_path / "shop.proto"
    file.write_text(
        'syntax = "proto3"; package shop; message A {} service S { rpc Buy(A) returns (A); rpc Talk(A) returns (A); }'
    )

    assert run("complete", "--", "call", "localhost:1", "--proto", str(file), "shop.S/T").lines == ["shop.S/Talk"]
    offered = run("complete", "--", "list", "localhost:1", f"--proto={file}", "")
    assert offered.lines == ["shop.S", "shop.S/Buy", "shop.S/Talk"]


@needs_protoc
def test_a_name_that_a_shell_would_expand_is_left_out(endpoint: str, tmp_path: Path) -> None:
    assert not any("$" in name for name in run("complete", "--", "call", endpoint, "").lines)
    assert not any("$" in name for name in complete("call", endpoint, "", program=COMMAND, folder=tmp_path))
    assert not (tmp_path / "evil").exists()


@needs_protoc
def test_bash_joins_the_parts_of_an_endpoint(endpoint: str) -> None:
    host, _, port = endpoint.removeprefix("tcp://").partition(":")
    split = ["tcp", ":", f"//{host}", ":", port]

    offered = complete("call", *split, "-m", "'a: b'", "market.Market/B", program=COMMAND)

    assert offered == ["market.Market/Buy", "market.Market/BuyAll"]


@needs_protoc
def test_fish_asks_the_server(endpoint: str) -> None:
    program = shutil.which("fish")
    if program is None:
        pytest.skip("needs fish")
    script = f'{COMMAND} completion fish | source; complete -C "{COMMAND} call {endpoint} market.Market/B"'

    # fish looks a command up by its last part.
    done = subprocess.run([program, "--no-config", "-c", script], capture_output=True, text=True)

    assert done.stderr == ""
    assert {line.split("\t")[0] for line in done.stdout.splitlines()} >= {"market.Market/Buy", "market.Market/BuyAll"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_takes_its_script(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    script = tmp_path / "script"
    script.write_text(run("completion", shell).output)

    checked = subprocess.run([program, "-n", str(script)], capture_output=True, text=True)

    assert (checked.returncode, checked.stderr) == (0, "")

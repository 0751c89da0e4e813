# SPDX-License-Identifier: MIT
"""Runs the command `trunkline` in tests, and servers for it to call."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import GenericAlias
from typing import Any

import pytest
import trunkline
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from .readme import ROOT

#: The command as it was built; tests of it are skipped without.
COMMAND = os.environ.get("TRUNKLINE_BUILT_COMMAND", str(ROOT / "build/dev/src/cli/trunkline"))

needs_command = pytest.mark.skipif(
    not os.access(COMMAND, os.X_OK), reason="needs the command, or its path in TRUNKLINE_BUILT_COMMAND"
)


@dataclass
class Outcome:
    status: int
    output: str
    messages: str

    @property
    def lines(self) -> list[str]:
        return self.output.splitlines()


def environment(**changes: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": "/", "LC_ALL": "C.UTF-8", **changes}


def run(*arguments: str, text: str | bytes = "", timeout: float = 100.0, **changes: str) -> Outcome:
    """Runs the command to its end, with `text` on its standard input."""
    data = text.encode() if isinstance(text, str) else text
    command = [COMMAND, *arguments]
    ended = subprocess.run(command, input=data, capture_output=True, timeout=timeout, env=environment(**changes))
    return Outcome(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Starts the command with pipes for its standard streams."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([COMMAND, *arguments], text=True, env=environment(), **pipes)


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def say(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(text)
    process.stdin.flush()


def end(process: subprocess.Popen[str]) -> Outcome:
    output, messages = process.communicate(timeout=100)
    return Outcome(process.returncode, output, messages)


def close(process: subprocess.Popen[str]) -> None:
    """Closes the pipes that are still open."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def eventually(holds: Any) -> None:
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until, "did not come to hold within 60 s"
        time.sleep(0.01)


DEFINITION = """syntax = "proto3";
package market;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";

// Sells things.
service Market {
  // One at a time.
  rpc Buy(Order) returns (Receipt);
  rpc Watch(Order) returns (stream Receipt);
  rpc BuyAll(stream Order) returns (Receipt);
  // As they come.
  rpc Talk(stream Order) returns (stream Receipt);
}

enum Color { RED = 0; GREEN = 1; }

message Order {
  // What it is called.
  string item_name = 1;
  int32 count = 2;
  Color color = 3;
  google.protobuf.Duration within = 4;
  google.protobuf.Any note = 5;
  repeated Order parts = 6;
}

message Receipt {
  string text = 1;
  uint64 total = 2;
  google.protobuf.Any note = 3;
}
"""


def write_definition(folder: Path) -> Path:
    (folder / "market.proto").write_text(DEFINITION)
    return folder / "market.proto"


def market_pool() -> Any:
    """The definition, compiled by protoc, in a descriptor pool."""
    with tempfile.TemporaryDirectory() as folder:
        write_definition(Path(folder))
        compiled = Path(folder) / "market.bin"
        subprocess.run(["protoc", f"-I{folder}", "--include_imports", f"-o{compiled}", "market.proto"], check=True)
        described = descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in described.file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


def typed(handler: Any, request: Any, response: Any) -> Any:
    """Sets the message types of a handler, whose only annotated parameter is the request."""
    handler.__annotations__.update({next(iter(handler.__annotations__)): request, "return": response})
    return handler


def market() -> trunkline.Server:
    """A server of market.Market, with its definition, and without reflection."""
    pool = market_pool()
    order = message_factory.GetMessageClass(pool.FindMessageTypeByName("market.Order"))
    receipt = message_factory.GetMessageClass(pool.FindMessageTypeByName("market.Receipt"))
    server = trunkline.Server(threads=4)

    def buy(request: Any, context: trunkline.Context) -> Any:
        if request.item_name == "nothing":
            raise trunkline.NotFound("no such thing: \x1b[31m", details=[receipt(text="sold out")])
        context.add_leading_metadata("x-served-by", "market")
        context.add_trailing_metadata("x-seen", str(context.metadata.get("x-token", "")))
        note = request.note if request.HasField("note") else None
        return receipt(text=request.item_name * max(1, request.count), total=request.count, note=note)

    def watch(request: Any) -> Iterator[Any]:
        for number in range(request.count):
            yield receipt(text=request.item_name, total=number)

    def buy_all(requests: Iterator[Any]) -> Any:
        bought = list(requests)
        return receipt(text=",".join(each.item_name for each in bought), total=len(bought))

    def talk(requests: Iterator[Any]) -> Iterator[Any]:
        for number, each in enumerate(requests):
            yield receipt(text=each.item_name, total=number)

    orders, receipts = (GenericAlias(Iterator, (each,)) for each in (order, receipt))
    server.add("market.Market/Buy", typed(buy, order, receipt))
    server.add("market.Market/Watch", typed(watch, order, receipts))
    server.add("market.Market/BuyAll", typed(buy_all, orders, receipt))
    server.add("market.Market/Talk", typed(talk, orders, receipts))
    return server

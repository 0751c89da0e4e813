# SPDX-License-Identifier: MIT
"""The types and errors that mypy and pyright, both strict, report for a program.

A line with ``reveal_type`` ends with the expected type. A wrong line ends with the expected errors: those of mypy, then
those of pyright.
"""

from __future__ import annotations

import collections
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM: str = """\
# pyright: strict
import dataclasses
from collections.abc import AsyncIterator, Iterator
from typing import Any

import trunkline
from trunkline import aio


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Geometry:
    def mirror(self, point: Point) -> Point:
        return Point(-point.x, -point.y)

    def path(self, steps: int) -> Iterator[Point]:
        yield Point(steps, steps)

    def measure(self, points: Iterator[Point]) -> float:
        return float(len(list(points)))


class Walks:
    async def walk(self, points: AsyncIterator[Point]) -> AsyncIterator[str]:
        async for point in points:
            yield str(point)


server = trunkline.Server(threads=2, max_connections=10)


@server.method
def length(text: str) -> int:
    return len(text)


@server.method("Twice", idempotent=True)
def twice(number: int, context: trunkline.Context) -> int:
    return 2 * number


aio_server = aio.Server()


@aio_server.method("Later")
async def later(text: str) -> str:
    return text


reveal_type(length)  # (text: str) -> int
reveal_type(twice)  # (number: int, context: Context) -> int
reveal_type(server.serve("tcp://127.0.0.1:0").endpoint)  # str
server.method(idempotent="yes")  # call-overload; reportArgumentType
trunkline.Server(thread=8)  # call-arg; reportCallIssue
trunkline.Channel("tcp://a:1", ca_file=5)  # arg-type; reportArgumentType


def blocking(channel: trunkline.Channel) -> None:
    reveal_type(channel.call("length", "a", int, timeout=1.0))  # int
    reveal_type(channel.call("length", "a"))  # Any
    reveal_type(channel.call("Mirror", Point(1, 2), Point))  # Point
    reveal_type(channel.submit("length", "a", int))  # CallFuture[int]
    reveal_type(channel.submit("length", "a", int).result())  # int
    reveal_type(channel.map("length", ["a"], int, window=8))  # Iterator[int]
    reveal_type(channel.map("length", ["a"], int, return_exceptions=True))  # Iterator[Any]
    reveal_type(channel.as_completed("length", ["a"], int))  # Iterator[tuple[int, int]]
    reveal_type(channel.call_oneway("length", "a"))  # None
    channel.call("length", "a", int, 1.0)  # call-overload; reportCallIssue
    channel.call("length", "a", int, timeout="1")  # call-overload; reportCallIssue, reportArgumentType
    channel.map("length", 5, int)  # call-overload; reportCallIssue, reportArgumentType
    text: str = channel.call("length", "a", int)  # assignment; reportAssignmentType
    channel.submit("length", "a", int).result().upper()  # attr-defined; reportAttributeAccessIssue
    print(text)


def streams(channel: trunkline.Channel) -> None:
    with channel.stream("Walk", Point, str, timeout=5.0) as stream:
        reveal_type(stream)  # ClientStream[Point, str]
        reveal_type(stream.read())  # str
        reveal_type([step for step in stream])  # list[str]
        reveal_type(stream.exchange([Point(1, 2)]))  # Generator[str, None, None]
        stream.write(Point(1, 2))
        stream.write("north")  # arg-type; reportArgumentType
        stream.exchange(["north"])  # list-item; reportArgumentType
        point: Point = stream.read()  # assignment; reportAssignmentType
        print(point)
    reveal_type(channel.stream("Walk"))  # ClientStream[Any, Any]
    reveal_type(channel.stream("Walk", Point))  # ClientStream[Point, Any]
    reveal_type(channel.stream("Walk", Any, str))  # ClientStream[Any, str]
    reveal_type(channel.stream("Walk", response=str))  # ClientStream[Any, str]
    reveal_type(channel.server_stream("Path", 3, Point))  # ClientStream[Any, Point]
    reveal_type(channel.server_stream("Path", response=Point))  # ClientStream[Any, Point]
    reveal_type(channel.server_stream("Path", 3))  # ClientStream[Any, Any]
    reveal_type(channel.client_stream("Measure", [Point(1, 2)], float))  # float
    channel.server_stream("Path", 3, Point, 1.0)  # call-overload; reportCallIssue
    channel.stream("Walk", Point, str, idempotent=True)  # call-overload; reportCallIssue
    for step in channel.server_stream("Path", 3, Point):
        reveal_type(step)  # Point


def bound(channel: trunkline.Channel) -> None:
    client = channel.bind(Geometry, timeout=1.0)
    reveal_type(client)  # Geometry
    reveal_type(client.mirror(Point(1, 2)))  # Point
    reveal_type(client.path(3))  # Iterator[Point]
    reveal_type(client.measure(iter([Point(1, 2)])))  # float
    client.mirror("a")  # arg-type; reportArgumentType
    client.miror(Point(1, 2))  # attr-defined; reportAttributeAccessIssue
    channel.bind(Geometry, timeout="1")  # arg-type; reportArgumentType


async def asynchronous(channel: aio.Channel) -> None:
    reveal_type(await channel.call("length", "a", int))  # int
    reveal_type(await channel.call("length", "a"))  # Any
    reveal_type(channel.submit("length", "a", int))  # Task[int]
    reveal_type(channel.map("length", ["a"], int))  # AsyncGenerator[int, None]
    reveal_type([each async for each in channel.as_completed("length", ["a"], int)])  # list[tuple[int, int]]
    reveal_type(await channel.client_stream("Measure", [Point(1, 2)], float))  # float
    async with channel.stream("Walk", Point, str) as stream:
        reveal_type(stream)  # ClientStream[Point, str]
        reveal_type(await stream.read())  # str
        reveal_type(stream.exchange([Point(1, 2)]))  # AsyncGenerator[str, None]
        await stream.write("north")  # arg-type; reportArgumentType
    async for step in channel.server_stream("Path", 3, Point):
        reveal_type(step)  # Point
    reveal_type(channel.stream("Walk", response=str))  # ClientStream[Any, str]
    reveal_type(channel.bind(Walks))  # Walks
    for _ in channel.map("length", ["a"], int):  # attr-defined; reportGeneralTypeIssues
        pass
    total = channel.call("length", "a", int) + 1  # operator; reportOperatorIssue
    await channel.stream("Walk", Point, str).read(timeout=total)  # call-arg; reportCallIssue


def named(
    stream: trunkline.ClientStream[Point, str], later: "aio.ClientStream[Any, bytes]"
) -> "trunkline.ClientStream[Point, object]":
    reveal_type(later.exchange([1]))  # AsyncGenerator[bytes, None]
    wrong: trunkline.ClientStream[str, str] = stream  # assignment; reportAssignmentType
    print(wrong)
    return stream
"""


Errors = dict[int, set[str]]


def expected() -> tuple[dict[int, str], Errors, Errors]:
    """Returns what the comments of the program expect, by line: types, errors of mypy, errors of pyright."""
    types: dict[int, str] = {}
    of_mypy: Errors = {}
    of_pyright: Errors = {}
    for number, line in enumerate(PROGRAM.splitlines(), 1):
        code, _, reported = line.partition("  # ")
        if "reveal_type" in code:
            types[number] = reported
        elif reported:
            of_mypy[number], of_pyright[number] = (set(kinds.split(", ")) for kinds in reported.split("; "))
    return types, of_mypy, of_pyright


def short(kind: str) -> str:
    """Returns a type without module names, in a form that is the same for mypy and pyright."""
    kind = re.sub(r"\b(?:\w+\.)+(?=\w)", "", kind).removeprefix("def ").replace("Tuple[", "tuple[")
    return re.sub(r"(?<=\w)[?*](?=\W|$)", "", kind)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.mark.timeout(600)
def test_mypy(program: Path) -> None:
    types, errors, _ = expected()
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-version",
        "3.10",
        "--no-error-summary",
        "--show-error-codes",
    ]
    cache = f"--cache-dir={ROOT / '.mypy_cache' / 'program'}"

    done = subprocess.run([*command, cache, program.name], cwd=program.parent, capture_output=True, text=True)

    told_types: dict[int, str] = {}
    told_errors = collections.defaultdict[int, set[str]](set)
    for line in done.stdout.splitlines():
        match = re.match(r"program\.py:(\d+): (error|note): (.*)", line)
        assert match is not None, done.stdout
        number, text = int(match[1]), match[3]
        if match[2] == "error":
            told_errors[number].add(re.sub(r".*\[([\w-]+)\]$", r"\1", text))
        elif text.startswith("Revealed type is"):
            told_types[number] = short(text.split('"')[1])
    assert told_types == types
    assert told_errors == errors, done.stdout


@pytest.mark.timeout(600)
def test_pyright(program: Path) -> None:
    types, _, errors = expected()
    command = [
        sys.executable,
        "-m",
        "pyright",
        "--outputjson",
        "--pythonpath",
        sys.executable,
        "--pythonversion",
        "3.10",
    ]

    done = subprocess.run([*command, program.name], cwd=program.parent, capture_output=True, text=True)

    told_types: dict[int, str] = {}
    told_errors = collections.defaultdict[int, set[str]](set)
    for reported in json.loads(done.stdout)["generalDiagnostics"]:
        number = reported["range"]["start"]["line"] + 1
        if reported["severity"] == "information":
            told_types[number] = short(re.findall(r'"([^"]*)"$', reported["message"])[0])
        elif not reported["rule"].startswith("reportUnknown"):  # those follow from others
            told_errors[number].add(reported["rule"])
    assert told_types == types
    assert told_errors == errors, done.stdout

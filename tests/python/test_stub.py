# SPDX-License-Identifier: MIT
"""The stub of the extension has the signatures of the extension; the symbols that the extension exports."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import trunkline
import trunkline.aio
import trunkline.testing
from trunkline import _core

STUB = Path(trunkline.__file__).with_name("_core.pyi")

#: Everything that can be named, with its signature: "Channel.close" is "(self, timeout: float) -> None".
Surface = dict[str, str]

#: What the stub says more exactly than C++, whose signatures have no word for it.
CLOSER = {
    "inbox: Inbox": "Inbox | None",
    "settings: CallSettings": "CallSettings | None",
    "uri: object": "str",
    "method: object": "str",
    "name: object": "str",
    "compressor: object": "str",
    "routing_key: object": "str",
    "max_concurrent_calls: object": "int",
    "timeout: object": "float | None",
    "metadata: object": "Iterable[tuple[str, bytes]] | None",
    "headers: object": "Iterable[tuple[str, str | bytes]]",
    "options: dict": "dict[str, Any]",
    "requests: list": "list[Any]",
    "servers: Iterable": "Iterable[tuple[str, float, str, int, str]]",
    "value: object": "str | bytes",
    "described: tuple": "tuple[int, str, Sequence[Any], Sequence[Any]]",
    "entry: object": "Callable[..., Any]",
    "is_closed: object": "Callable[[], bool]",
    "log: object": "Callable[[str, int, str, str, str], None]",
    "make_error: object": "Callable[..., BaseException]",
    "describe_error: object": "Callable[..., Any]",
    "servers -> list": "list[tuple[str, str, float, int, bool, bool, str, list[str], int, int, int, float]]",
    "leading -> list": "list[tuple[str, bytes]]",
    "trailing -> list": "list[tuple[str, bytes]]",
    "metadata -> list": "list[tuple[str, bytes]]",
    "time_left -> object": "float | None",
    "keep -> object": "bool | None",
    "exchange -> list": "list[Any]",
    "take -> list": "list[tuple[Any, Any]]",
    "wait_and_take -> list": "list[tuple[Any, Any]]",
    "take_calls -> list": "list[tuple[ServedCall, Any, bytes | None, str, float | None]]",
    "totals -> dict": "dict[str, int]",
    "statistics -> dict": "dict[str, Any]",
}
#: Names of one type: pybind11's for what it converts, and those of modules.
SAME = {
    r"\btyping\.SupportsFloat \| typing\.SupportsIndex\b": "float",
    r"\btyping\.SupportsInt \| typing\.SupportsIndex\b": "int",
    r"\b(trunkline\._core|typing|collections\.abc)\.": "",
    r"<(\w+\.\w+): \d+>": r"\1",  # an enumeration's value as a default
}


def signature(function: ast.FunctionDef, closer: dict[str, str]) -> str:
    def typed(place: str, annotation: ast.expr | None) -> str:
        if annotation is None:
            return ""
        kind = ast.unparse(annotation)
        return place + closer.get(place + kind, "Any" if closer and kind == "object" else kind)

    for argument in ast.walk(function.args):
        if isinstance(argument, ast.arg) and argument.annotation is not None:
            said = typed(f"{argument.arg}: ", argument.annotation).removeprefix(f"{argument.arg}: ")
            argument.annotation = None if argument.arg == "self" else ast.parse(said, mode="eval").body
    result = typed(f"{function.name} -> ", function.returns).removeprefix(function.name)
    return f"({ast.unparse(function.args)}){result}"


def in_stub(text: str) -> Surface:
    surface: Surface = {}

    def add(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef):
                is_property = any(ast.unparse(each) == "property" for each in node.decorator_list)
                said = signature(node, {})
                surface[prefix + node.name] = f"property{said.removeprefix('(self)')}" if is_property else said
            elif isinstance(node, ast.ClassDef):
                surface[prefix + node.name] = f"class({', '.join(map(ast.unparse, node.bases))})"
                add(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.AnnAssign):
                surface[prefix + ast.unparse(node.target)] = ast.unparse(node.annotation)

    add(ast.parse(text).body, "")
    return surface


def documented(name: str, value: Any) -> str:
    """Returns the signature that pybind11 writes as the first line of the docstring."""
    line = (value.__doc__ or "").partition("\n")[0]
    for pattern, same in SAME.items():
        line = re.sub(pattern, same, line)
    # A property's has no name.
    node = ast.parse(f"def {name}{line[line.index('('):]}: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    return signature(node, CLOSER)


def in_module(module: ModuleType) -> Surface:
    surface: Surface = {}
    for name, value in vars(module).items():
        if name.startswith("_"):
            continue
        if isinstance(value, int):
            surface[name] = "int"
            continue
        if not isinstance(value, type):
            surface[name] = documented(name, value)
            continue
        bases = [base.__name__ for base in value.__bases__ if base.__module__ == module.__name__]
        surface[name] = f"class({', '.join(bases)})"
        for key, member in vars(value).items():
            if key.startswith("_") and key != "__init__":
                continue
            if isinstance(member, value):
                surface[f"{name}.{key}"] = name
            elif isinstance(member, property):
                surface[f"{name}.{key}"] = "property" + re.sub(r"^\(.*?\)", "", documented(key, member.fget))
            elif "Initialize self" not in (member.__doc__ or ""):  # else it cannot be made in Python
                surface[f"{name}.{key}"] = documented(key, member)
    return surface


def differences(stub: str) -> list[str]:
    said, there = in_stub(stub), in_module(_core)
    return [
        f"{name}: stub {said.get(name, 'has none')}; module {there.get(name, 'has none')}"
        for name in sorted({*said, *there})
        if said.get(name) != there.get(name)
    ]


def test_the_stub_is_what_the_module_has() -> None:
    assert differences(STUB.read_text()) == []


@pytest.mark.parametrize(
    ("old", "new", "reported"),
    [
        (
            "def close(self, timeout: float)",
            "def close(self, timeout: int)",
            "Channel.close: stub (self, timeout: int)",
        ),
        (
            "wait_and_take(self, timeout: float)",
            "wait_and_take(self, timeout: float = 0.0)",
            "Inbox.wait_and_take: stub",
        ),
        ("def state(self) -> str", "def state(self) -> bytes", "Channel.state: stub (self) -> bytes"),
        ("timeout: float | None,", "timeout: float,", "CallSettings.__init__: stub (self, timeout: float, "),
        (
            "inbox: Inbox | None, tag: Any) -> StreamOperation",
            "inbox: Inbox, tag: Any) -> StreamOperation",
            ".begin_write",
        ),
        ("def cancel(self)", "def cancel_all(self)", "Completion.cancel_all: stub (self) -> None; module has none"),
        ("    def is_done(self) -> bool: ...\n", "", "Completion.is_done: stub has none; module (self) -> bool"),
        (
            "class CallWindow:",
            "class CallWindow:\n    def wait(self) -> None: ...",
            "CallWindow.wait: stub (self) -> None;",
        ),
        (
            "    @property\n    def batches",
            "    def batches",
            "Inbox.batches: stub (self) -> int; module property -> int",
        ),
        ("class ClientCall(Completion)", "class ClientCall", "ClientCall: stub class(); module class(Completion)"),
        ("    unary: MethodKind\n", "", "MethodKind.unary: stub has none; module MethodKind"),
        ("method: str, codec: str, settings", "codec: str, method: str, settings", "Channel.open_stream: stub"),
        ("def set_failure_functions(", "def set_functions(", "set_failure_functions: stub has none"),
    ],
)
def test_a_stub_that_says_something_else_is_found(old: str, new: str, reported: str) -> None:
    text = STUB.read_text()
    assert old in text

    assert reported in "\n".join(differences(text.replace(old, new, 1)))


@pytest.mark.parametrize("place", CLOSER)
def test_what_the_stub_says_more_exactly_is_in_use(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(CLOSER, place)

    assert differences(STUB.read_text()) != []


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm")
def test_the_extension_exports_its_init_function_alone() -> None:
    assert _core.__file__ is not None
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", _core.__file__], capture_output=True, text=True, check=True
    ).stdout

    assert [line.split()[-1] for line in symbols.splitlines()] == ["PyInit__core"]


@pytest.mark.skipif(shutil.which("ldd") is None, reason="needs ldd")
def test_the_extension_links_no_protobuf() -> None:
    assert _core.__file__ is not None
    assert "protobuf" not in subprocess.run(["ldd", _core.__file__], capture_output=True, text=True, check=True).stdout


def test_all_public_names_are_exported_and_documented() -> None:
    for module in (trunkline, trunkline.aio, trunkline.testing):
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, type) or inspect.isfunction(value):
                assert value.__doc__, name

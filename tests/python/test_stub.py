# SPDX-License-Identifier: MIT
"""The stub of the extension against what the extension has; and what the extension exports."""

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

Names = dict[str, list[str]]


def arguments_in_stub(function: ast.FunctionDef) -> list[str]:
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    return names


def stubbed() -> tuple[Names, dict[str, Names]]:
    functions: Names = {}
    classes: dict[str, Names] = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = arguments_in_stub(node)
        elif isinstance(node, ast.ClassDef):
            members = classes[node.name] = {}
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    members[member.name] = arguments_in_stub(member)
                elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                    members[member.target.id] = []
    return functions, classes


def arguments_in_module(member: Any) -> list[str]:
    """From the signature that pybind11 writes as the first line."""
    signature = re.match(r"\w+\((.*)\)( ->|$)", (member.__doc__ or "").splitlines()[0]) if member.__doc__ else None
    if signature is None:
        return []
    inner = re.sub(r"\[[^\]]*\]", "", signature.group(1))
    names = [part.split(":")[0].strip() for part in inner.split(",") if part.strip()]
    return [name for name in names if name != "self"]


def in_module(module: ModuleType) -> tuple[Names, dict[str, Names]]:
    functions: Names = {}
    classes: dict[str, Names] = {}
    for name, value in vars(module).items():
        if name.startswith("_"):
            continue
        if isinstance(value, type):
            members = classes[name] = {}
            for key, member in vars(value).items():
                if key.startswith("_") and key != "__init__":
                    continue
                if key in ("name", "value"):  # of every enumeration
                    continue
                members[key] = [] if isinstance(member, (property, value)) else arguments_in_module(member)
        else:
            functions[name] = arguments_in_module(value)
    return functions, classes


def test_the_stub_is_what_the_module_has() -> None:
    expected_functions, expected = stubbed()
    functions, classes = in_module(_core)

    assert functions == expected_functions
    assert set(classes) == set(expected)
    for name, members in classes.items():
        if "__init__" not in expected[name]:
            members.pop("__init__", None)
        assert members == expected[name], name


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

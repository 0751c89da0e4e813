# SPDX-License-Identifier: MIT
"""Definitions for the tests of the generator, and functions that run generated modules."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import trunkline

PACKAGE = Path(trunkline.__file__).parents[1]

#: Across folders, with public imports, a keyword as a folder, a hyphen, and a file of protobuf's own.
FILES = {
    "top.proto": "message Top { int32 value = 1; }  enum Color { RED = 0; }",
    "shop/items.proto": 'import "google/protobuf/empty.proto"; message Item { google.protobuf.Empty empty = 1; }',
    "shop/class/kinds-of.proto": 'import "top.proto"; message Kind { Top top = 1; }',
    "shop/orders/order.proto": (
        'import public "top.proto"; import public "shop/items.proto"; import "shop/class/kinds-of.proto"; '
        "message Order { Top top = 1; Item item = 2; Kind kind = 3; }"
    ),
    "shop/orders/list.proto": (
        'import "shop/orders/order.proto"; message List { repeated Order orders = 1; Top top = 2; }'
    ),
}

#: A plugin that only states its version.
PLUGIN = """#!{python}
import pathlib, sys
if sys.argv[1:] == ["--version"]:
    print("protoc-gen-trunkline {version}")
else:
    pathlib.Path(__file__).with_suffix(".request").write_bytes(sys.stdin.buffer.read())
"""


def write_files(folder: Path, files: Mapping[str, str] = FILES) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'syntax = "proto3"; {text}\n')
    return folder


def write_program(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def write_plugin(folder: Path, version: str = trunkline.__version__) -> str:
    return write_program(folder / "plugin", PLUGIN.format(python=sys.executable, version=version))


def run(*arguments: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs ``python -m trunkline.generate``."""
    return python("-m", "trunkline.generate", *arguments, cwd=cwd, **environment)


def python(*arguments: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with warnings as errors and this package on its path."""
    own = {**os.environ, "PYTHONPATH": f"{PACKAGE}{os.pathsep}{cwd}", **environment}
    command = [sys.executable, "-W", "error", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=250, env=own)


def tree(folder: Path) -> dict[str, str]:
    """Returns the texts of the files below a folder."""
    return {str(each.relative_to(folder)): each.read_text() for each in folder.rglob("*") if each.is_file()}

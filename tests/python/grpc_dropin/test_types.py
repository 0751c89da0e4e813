# SPDX-License-Identifier: MIT
"""The stubs that give type checkers the types of grpcio have the names of the modules, and are installed with them. That
programs are checked by them is tested by tests/packages, as that needs types-grpcio."""

from __future__ import annotations

import ast
import importlib.metadata
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import trunkline.grpc
from trunkline.grpc import aio, experimental

from ..pages import ROOT

STUBS = ROOT / "python/stubs"
MODULES: dict[str, ModuleType] = {
    "grpc/__init__.pyi": trunkline.grpc,
    "grpc/aio/__init__.pyi": aio,
    "grpc/experimental/__init__.pyi": experimental,
}
#: Those that the modules have besides those of __all__.
SUBMODULES = {"aio", "experimental", "__version__"}


def names_of(stub: str) -> set[str]:
    """The names that a stub exports."""
    found: set[str] = set()
    for statement in ast.parse((STUBS / stub).read_text()).body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            found.add(statement.name)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            found.add(statement.target.id)
        elif isinstance(statement, ast.ImportFrom):
            found |= {alias.name for alias in statement.names if alias.asname == alias.name}
    return found


@pytest.mark.parametrize("stub", MODULES)
def test_stubs_have_the_names_of_the_modules(stub: str) -> None:
    module = MODULES[stub]

    assert names_of(stub) - SUBMODULES == set(module.__all__)
    assert [name for name in names_of(stub) if not hasattr(module, name)] == []


def test_stubs_are_installed() -> None:
    installed = {str(path) for path in importlib.metadata.files("trunkline") or ()}

    assert {f"trunkline/{stub}" for stub in MODULES} <= installed


def test_installed_stubs_hide_none_of_the_package(tmp_path: Path) -> None:
    """Pyright takes a package of stubs beside an extension without its stub for the whole of it."""
    program = tmp_path / "program.py"
    program.write_text("from trunkline import _core\n\nreveal_type(_core.CallSettings)\n")

    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "program.py"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "type[CallSettings]" in checked.stdout, checked.stdout + checked.stderr

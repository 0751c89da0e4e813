# SPDX-License-Identifier: MIT
"""Every module that is generated from the public sets is imported; run by scripts/test-definitions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

WORK = Path(os.environ.get("TRUNKLINE_DEFINITIONS", ""))

pytestmark = pytest.mark.skipif(
    not WORK.name, reason="is run by scripts/test-definitions, which fetches the definitions"
)

#: A process of its own: the messages' files are registered under the names that installed packages use as well.
IMPORT_ALL = """
import importlib, pathlib, sys
root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root.parent))
sys.dont_write_bytecode = True
imported = []
for path in sorted(root.rglob("*.py")):
    name = ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")
    imported.append(importlib.import_module(name))
foreign = sorted(name for name in sys.modules if name.split(".")[0] in ("google", "opentelemetry")
                 and name.split(".")[0] != root.name and name != "google" and not name.startswith("google.protobuf")
                 and "_upb" not in name)
assert not foreign, foreign
services = [kind for module in imported for kind in vars(module).values() if hasattr(kind, "__trunkline_methods__")]
print(len([m for m in imported if m.__name__.endswith("_pb2")]), len({kind.__trunkline_service__ for kind in services}))
"""


@pytest.mark.parametrize(("name", "files", "services"), [("google_common", 63, 2), ("opentelemetry", 9, 3)])
def test_everything_is_imported(name: str, files: int, services: int) -> None:
    source = WORK / "sets" / name
    assert len(list(source.rglob("*.proto"))) >= files

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORT_ALL, WORK / "python" / name], capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
    modules, found = map(int, done.stdout.split())
    assert modules == len(list(source.rglob("*.proto")))
    assert found >= services


@pytest.mark.parametrize("name", ["google_common", "protobuf_own", "opentelemetry"])
def test_everything_is_compiled(name: str) -> None:
    sources = WORK / "sets" / name
    objects = WORK / "cmake" / "CMakeFiles" / f"{name}.dir"

    compiled = {str(path.relative_to(objects / name)).removesuffix(".pb.cc.o") for path in objects.rglob("*.pb.cc.o")}

    assert compiled == {str(path.relative_to(sources).with_suffix("")) for path in sources.rglob("*.proto")}

# SPDX-License-Identifier: MIT
"""Files and folders whose names are no identifiers, and files that have one module.

Each module that is generated can be imported, or there is an error that names the file.
"""

from __future__ import annotations

import ast
import importlib.util
import shutil
import sys
from pathlib import Path

import pytest
from trunkline.generate import GenerationError, Imports, generate

from .generation import python, run, tree, write_files, write_plugin

#: Names that begin with a digit, that hold spaces and signs, and a keyword.
FILES = {
    "2fa.proto": "package a; message Two { int32 v = 1; } enum Color { RED = 0; }",
    "2fa/inner.proto": "package b; message Inner { int32 v = 1; }",
    "a b/c d.proto": "package c; message C { int32 v = 1; }",
    "a b/class/m.proto": "package m; message M { int32 v = 1; }",
    "a_b/c+d.proto": "package n; message N { int32 v = 1; }",
    "class/k.proto": "package k; message K { int32 v = 1; }",
    "plus+one.proto": "package p; message P { int32 v = 1; }",
    "dots.v1.proto": "package d; message D { int32 v = 1; }",
    "ok/uses.proto": (
        'package u; import "2fa.proto"; import "2fa/inner.proto"; import "a b/c d.proto"; import "class/k.proto"; '
        'import "plus+one.proto"; import "dots.v1.proto"; import "a_b/c+d.proto"; import "a b/class/m.proto"; '
        "message Uses { a.Two a = 1; b.Inner b = 2; c.C c = 3; k.K k = 4; p.P p = 5; d.D d = 6; n.N n = 7; m.M m = 8; }"
    ),
    "ok/public.proto": (
        'package v; import public "2fa.proto"; import public "a b/c d.proto"; import public "class/k.proto"; '
        "message Public { a.Two a = 1; }"
    ),
    "ok/third.proto": (
        'package t; import "ok/public.proto"; message Third { a.Two a = 1; c.C c = 2; k.K k = 3; v.Public v = 4; }'
    ),
}

#: Imports every module, in a fresh process, and uses messages across them.
PROGRAM = """
import importlib, pathlib
root = pathlib.Path("gen")
files = [each for each in root.rglob("*.py") if each.name != "__init__.py"]
for file in files:
    importlib.import_module({package!r} + ".".join(file.relative_to(root).with_suffix("").parts))
uses = importlib.import_module({package!r} + "ok.uses_pb2")
found = uses.Uses(**{{name: dict(v=number) for number, name in enumerate("abckpdnm")}})
assert [getattr(found, name).v for name in "abckpdnm"] == list(range(8))
public = importlib.import_module({package!r} + "ok.public_pb2")
assert public.Public(a=public.Two(v=3)).a.v == 3 and public.C(v=1).v == public.K(v=1).v == 1 and public.RED == 0
third = importlib.import_module({package!r} + "ok.third_pb2")
assert third.Third(c=public.C(v=2)).c.v == 2
print(len(files))
"""


@pytest.mark.parametrize("imports", ["relative", "absolute"])
@pytest.mark.parametrize("tool", ["protoc", "grpcio-tools"])
def test_every_module_can_be_imported(
    tmp_path: Path, imports: Imports, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    protos = write_files(tmp_path / "protos", FILES)
    if tool == "protoc" and shutil.which("protoc") is None:
        pytest.skip("needs protoc in PATH")
    if tool == "grpcio-tools":
        if importlib.util.find_spec("grpc_tools") is None:
            pytest.skip("needs grpcio-tools")
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent))  # without protoc

    plugin = write_plugin(tmp_path)
    generate([protos], out=tmp_path / "gen", plugin=plugin, imports=imports, package_init=imports == "relative")

    is_relative = imports == "relative"
    program = PROGRAM.format(package="gen." * is_relative)
    path = "" if is_relative else f"import sys; sys.path.insert(0, {str(tmp_path / 'gen')!r})\n"
    done = python("-c", path + program, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) == len(FILES)
    for stub in (tmp_path / "gen").rglob("*.pyi"):
        ast.parse(stub.read_text())
    stub = tmp_path / "gen/ok/uses_pb2.pyi"
    assert "a: _Any" in stub.read_text() and "d: _v1_pb2.D" in stub.read_text()


def test_services_of_such_files(tmp_path: Path) -> None:
    service = "service S { rpc Ask(a.Two) returns (u.Answer); }"
    own = 'package u; import "2fa.proto"; message Answer { a.Two two = 1; } ' + service
    protos = write_files(tmp_path / "protos", {"2fa.proto": FILES["2fa.proto"], "1 first.proto": own})

    try:
        generate([protos], out=tmp_path / "gen")
    except GenerationError as error:
        if "protoc-gen-trunkline" not in str(error):
            raise
        pytest.skip(f"needs the plugin: {error}")
    program = (
        "import importlib\n"
        "services = importlib.import_module('1 first_trunkline')\n"
        "assert [each.name for each in services.SService.__trunkline_methods__.values()] == ['u.S/Ask']\n"
    )
    done = python("-c", program, cwd=tmp_path / "gen")
    assert (done.returncode, done.stderr) == (0, "")
    ast.parse((tmp_path / "gen/1 first_trunkline.pyi").read_text())


@pytest.mark.parametrize("name", ["it's.proto", 'a"b.proto', "a=b.proto", "a as b.proto", "x import y/a.proto"])
def test_names_that_no_module_can_have(tmp_path: Path, name: str) -> None:
    protos = write_files(tmp_path / "protos", {name: "message A { int32 v = 1; }"})

    done = run("--plugin", write_plugin(tmp_path), "--out", "gen", protos, cwd=tmp_path)

    expected = f"trunkline.generate: {protos / name}: no module can have this name; rename the file\n"
    assert (done.returncode, done.stderr) == (1, expected)
    assert not (tmp_path / "gen").exists()


@pytest.mark.parametrize(
    ("first", "second", "module"),
    [
        ("a-b.proto", "a_b.proto", "a_b_pb2.py"),
        ("dots.v1.proto", "dots/v1.proto", "dots/v1_pb2.py"),
        ("x-y/a.proto", "x_y/a.proto", "x_y/a_pb2.py"),
    ],
)
def test_the_module_of_another_file_is_not_overwritten(tmp_path: Path, first: str, second: str, module: str) -> None:
    plugin = write_plugin(tmp_path)
    one = write_files(tmp_path / "one", {first: "message First { int32 v = 1; }"})
    two = write_files(tmp_path / "two", {second: "message Second { int32 v = 1; }"})
    generate([one], out=tmp_path / "gen", plugin=plugin)
    before = tree(tmp_path / "gen")

    done = run("--plugin", plugin, "--out", "gen", two, cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr == (
        f"trunkline.generate: {second}: its module {tmp_path / 'gen' / module} has been generated from {first}; rename "
        "one of the files, or remove the module if the file has been renamed\n"
    )
    assert tree(tmp_path / "gen") == before
    assert generate([one], out=tmp_path / "gen", plugin=plugin) == []  # its own file may write it again
    (tmp_path / "gen" / module).unlink()
    generate([two], out=tmp_path / "gen", plugin=plugin)
    assert "Second" in (tmp_path / "gen" / module).with_suffix(".pyi").read_text()


def test_two_files_with_one_module_in_one_run(tmp_path: Path) -> None:
    files = {"a-b.proto": "message First {}", "a_b.proto": "message Second {}"}
    protos = write_files(tmp_path / "protos", files)

    done = run("--plugin", write_plugin(tmp_path), "--out", "gen", protos, cwd=tmp_path)

    assert done.returncode != 0 and "a_b_pb2.py" in done.stderr
    assert not (tmp_path / "gen").exists()


def test_modules_of_other_origin_are_overwritten(tmp_path: Path) -> None:
    protos = write_files(tmp_path / "protos", {"one.proto": "message One { int32 v = 1; }"})
    (tmp_path / "gen").mkdir()
    (tmp_path / "gen/one_pb2.py").write_bytes(b"# \xff not generated\n")

    generate([protos], out=tmp_path / "gen", plugin=write_plugin(tmp_path))

    assert "source: one.proto" in (tmp_path / "gen/one_pb2.py").read_text()

# SPDX-License-Identifier: MIT
"""The arguments and errors of python -m trunkline.generate, with a plugin that writes no files."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from pathlib import Path

import pytest
import trunkline
from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest
from trunkline.generate import GenerationError, Imports, generate

from .generation import FILES, python, run, tree, write_files, write_plugin, write_program

ONE = {"one.proto": "message One { int32 value = 1; }"}


def parameter(plugin: str) -> str:
    """Returns the options that protoc has passed to the plugin."""
    return str(CodeGeneratorRequest.FromString(Path(plugin).with_suffix(".request").read_bytes()).parameter)


def test_a_directory_is_an_import_root(tmp_path: Path) -> None:
    write_files(tmp_path / "protos")
    plugin = write_plugin(tmp_path)

    done = run("--plugin", plugin, "--out", "gen", "protos", cwd=tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    names = {name.removesuffix(".proto").replace("-", "_") for name in FILES}
    assert set(tree(tmp_path / "gen")) == {f"{name}_pb2{end}" for name in names for end in (".py", ".pyi")}
    assert parameter(plugin) == "python,imports=absolute"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["gen", "plugin", "plugin.request", "protos"]


def test_a_directory_below_an_import_root(tmp_path: Path) -> None:
    write_files(tmp_path / "protos")

    protos, plugin = tmp_path / "protos", write_plugin(tmp_path)
    written = generate([protos / "shop"], roots=[protos], out=tmp_path, plugin=plugin, stubs=False)

    names = {str(each.relative_to(tmp_path)) for each in written}
    assert names == {f"shop/{name}_pb2.py" for name in ("items", "orders/order", "orders/list", "class/kinds_of")}


@pytest.mark.parametrize("chosen", ["protos/**/ord*.proto", "protos/shop/orders/order.proto"])
def test_patterns_and_files(tmp_path: Path, chosen: str) -> None:
    write_files(tmp_path / "protos")

    done = run("--plugin", write_plugin(tmp_path), "-Iprotos", "--no-stubs", "--out=gen", chosen, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert list(tree(tmp_path / "gen")) == ["shop/orders/order_pb2.py"]


def test_files_without_an_import_root_lie_in_the_current_directory(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/one.proto": ONE["one.proto"]})

    done = run("--plugin", write_plugin(tmp_path), "--no-stubs", "a/one.proto", cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "a/one_pb2.py").exists()


def test_what_has_not_changed_is_left_alone(tmp_path: Path) -> None:
    write_files(tmp_path / "protos")
    run_once = functools.partial(
        generate, [tmp_path / "protos"], out=tmp_path / "gen", plugin=write_plugin(tmp_path), package_init=True
    )

    written = run_once()
    before = tree(tmp_path / "gen")
    write_files(tmp_path / "protos", {"top.proto": "message Top { int32 other = 1; }"})
    changed = run_once()
    again = run_once()

    assert {str(each.relative_to(tmp_path / "gen")) for each in written} == set(before)
    assert {each.name for each in changed} == {"top_pb2.py", "top_pb2.pyi", "order_pb2.pyi"}
    assert again == []


@pytest.mark.parametrize(
    "arguments, has_init, expected",
    [
        ([], False, "absolute"),
        ([], True, "relative"),
        (["--package-init"], False, "relative"),
        (["--imports", "absolute"], True, "absolute"),
        (["--imports", "relative"], False, "relative"),
    ],
)
def test_imports_are_relative_in_a_package(tmp_path: Path, arguments: list[str], has_init: bool, expected: str) -> None:
    protos = write_files(tmp_path / "protos", {**ONE, "two.proto": 'import "one.proto"; message Two { One one = 1; }'})
    plugin = write_plugin(tmp_path)
    if has_init:
        (tmp_path / "package").mkdir()
        (tmp_path / "package/__init__.py").touch()

    done = run("--plugin", plugin, *arguments, "--out", "package/below/gen", protos, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    # The plugin knows nothing of runs before.
    assert parameter(plugin) == "python,imports=absolute"
    text = (tmp_path / "package/below/gen/two_pb2.py").read_text()
    assert ("from . import one_pb2 as one__pb2\n" in text) == (expected == "relative")
    assert ("\nimport one_pb2 as one__pb2\n" in text) == (expected == "absolute")


def test_no_package_reaches_below_a_folder_whose_name_is_no_identifier(tmp_path: Path) -> None:
    protos = write_files(tmp_path / "protos", ONE)
    (tmp_path / "package/not-one/below").mkdir(parents=True)
    (tmp_path / "package/__init__.py").touch()
    write_files(protos, {"two.proto": 'import "one.proto"; message Two { One one = 1; }'})

    for out in ("package/not-one", "package/not-one/below"):
        generate([protos], roots=[protos], out=tmp_path / out, plugin=write_plugin(tmp_path), stubs=False)

        assert "\nimport one_pb2 as one__pb2\n" in (tmp_path / out / "two_pb2.py").read_text()


def test_files_without_services_and_without_messages(tmp_path: Path) -> None:
    protos = write_files(tmp_path / "protos", ONE)
    own = write_files(tmp_path / "own", {"google/protobuf/empty.proto": "package google.protobuf; message Empty {}"})

    for arguments in (["--no-messages", protos], [own]):
        done = run("--plugin", write_plugin(tmp_path), "--out", "gen", "--package-init", *arguments, cwd=tmp_path)

        assert done.returncode == 1
        assert done.stderr.startswith("trunkline.generate: nothing was generated: no file defines a service")
        assert not (tmp_path / "gen").exists()


@pytest.mark.parametrize("imports, root", [("relative", {"__init__.py"}), ("absolute", set())])
def test_package_init(tmp_path: Path, imports: str, root: set[str]) -> None:
    protos = write_files(tmp_path / "protos", {"a/b/one.proto": ONE["one.proto"]})
    (tmp_path / "gen/a").mkdir(parents=True)
    (tmp_path / "gen/a/__init__.py").write_text("# own\n")

    options = ["--plugin", write_plugin(tmp_path), "--package-init", f"--imports={imports}", "--no-stubs", "--out=gen"]
    done = run(*options, protos, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert set(tree(tmp_path / "gen")) == {"a/__init__.py", "a/b/__init__.py", "a/b/one_pb2.py"} | root
    assert (tmp_path / "gen/a/__init__.py").read_text() == "# own\n"


@pytest.mark.parametrize(
    "imports, root, expected", [("relative", ".", {"", "google/own"}), ("absolute", "gen", {"google/own"})]
)
@pytest.mark.parametrize("is_vendored", [False, True])
def test_package_init_leaves_the_namespace_of_protobuf_alone(
    tmp_path: Path, imports: Imports, root: str, expected: set[str], is_vendored: bool
) -> None:
    file = 'import "google/protobuf/empty.proto"; message One { google.protobuf.Empty empty = 1; }'
    files = {"google/own/one.proto": file}
    if is_vendored:
        files["google/protobuf/empty.proto"] = "package google.protobuf; message Empty {}"
    protos = write_files(tmp_path / "protos", files)

    generate([protos], out=tmp_path / "gen", plugin=write_plugin(tmp_path), imports=imports, package_init=True)
    names = f"{'gen.' * (root == '.')}google.own.one_pb2, google.protobuf.message"
    done = python("-c", f"import {names}", cwd=tmp_path / root)

    assert (done.returncode, done.stderr) == (0, "")
    inits = {each.parent.relative_to(tmp_path / "gen") for each in (tmp_path / "gen").rglob("__init__.py")}
    assert inits == {Path(each) for each in expected}
    assert not (tmp_path / "gen/google/protobuf").exists()


def test_messages_of_protoc_are_printed_and_its_status_returned(tmp_path: Path) -> None:
    write_files(tmp_path / "protos", {**ONE, "two.proto": "message Two { Three three = 1; }"})
    plugin = write_plugin(tmp_path)

    done = run("--plugin", plugin, "--out", "gen", "protos", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr == 'two.proto:1:34: "Three" is not defined.\n'
    assert not (tmp_path / "gen").exists()
    protoc = write_program(tmp_path / "protoc", "#!/bin/sh\ncase $1 in --help) ;; *) echo no >&2; exit 7;; esac\n")
    done = run("--plugin", plugin, "--protoc", protoc, "--out", "gen", "protos", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (7, "no\n")
    with pytest.raises(GenerationError, match="protoc has failed with status 7") as raised:
        generate([tmp_path / "protos"], out=tmp_path, protoc=protoc, plugin=plugin)
    assert raised.value.status == 7


def test_a_protoc_that_is_ended_by_a_signal(tmp_path: Path) -> None:
    protos = write_files(tmp_path / "protos", ONE)
    protoc = write_program(tmp_path / "protoc", "#!/bin/sh\ncase $1 in --help) ;; *) kill -9 $$;; esac\n")

    done = run("--plugin", write_plugin(tmp_path), "--protoc", protoc, "--out", "gen", protos, cwd=tmp_path)

    expected = "trunkline.generate: protoc was terminated by signal 9 (SIGKILL)\n"
    assert (done.returncode, done.stderr) == (1, expected)


def test_a_file_outside_of_the_import_roots(tmp_path: Path) -> None:
    write_files(tmp_path / "protos", ONE)
    (tmp_path / "other").mkdir()

    for arguments, cwd in ((["-I", "other"], tmp_path), ([], tmp_path / "other")):
        file = tmp_path / "protos/one.proto"
        done = run("--plugin", write_plugin(tmp_path), *arguments, file, cwd=cwd)
        assert done.returncode == 1
        assert done.stderr == (
            f"trunkline.generate: {file}: it is in none of the import roots ({tmp_path / 'other'}); "
            "pass the directory that imports of it are relative to with -I\n"
        )


def test_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    plugin = write_plugin(tmp_path)

    for arguments, expected in (
        (["a.proto"], "a.proto: there is no such file"),
        (["b/*.proto"], "b/*.proto: there is no such .proto file"),
        (["e*"], "e*: there is no such .proto file"),
        (["empty"], f"{tmp_path / 'empty'}: there is no .proto file in this directory"),
        (["-I", "c", "a.proto"], f"import root {tmp_path / 'c'}: there is no such directory"),
    ):
        done = run("--plugin", plugin, *arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, f"trunkline.generate: {expected}\n")
    assert run(cwd=tmp_path).returncode == run("--imports", "x", "a.proto", cwd=tmp_path).returncode == 2


def test_tools_that_are_not_there(tmp_path: Path) -> None:
    protos = write_files(tmp_path / "protos", ONE)
    plugin = write_plugin(tmp_path)
    for option, kind in (("--protoc", "protoc"), ("--plugin", "plugin")):
        done = run("--plugin", plugin, option, "./nothing", protos, cwd=tmp_path)
        assert done.returncode == 1
        assert done.stderr == f"trunkline.generate: {kind} './nothing': there is no such program\n"


def test_neither_protoc_nor_grpcio_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protos = write_files(tmp_path / "protos", ONE)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "grpc_tools", None)

    expected = "find protoc: it is not in PATH, and the package grpcio-tools, which contains it, is not installed"
    with pytest.raises(GenerationError, match=expected):
        generate([protos], out=tmp_path / "gen", plugin=write_plugin(tmp_path))


@pytest.mark.parametrize("is_stood_in_for", [True, False], ids=["stand-in", "installed"])
def test_grpcio_tools_suffice(tmp_path: Path, is_stood_in_for: bool) -> None:
    protos = write_files(tmp_path / "protos")
    if is_stood_in_for:
        (tmp_path / "grpc_tools").mkdir()
        (tmp_path / "grpc_tools/__init__.py").touch()
        protoc = f"import os, sys; os.execv({shutil.which('protoc')!r}, ['protoc', *sys.argv[1:]])"
        (tmp_path / "grpc_tools/protoc.py").write_text(protoc)
    else:
        pytest.importorskip("grpc_tools.protoc")

    arguments = ["--plugin", write_plugin(tmp_path), "--out", "gen", "--package-init"]
    done = run(*arguments, protos, cwd=tmp_path, PATH=str(tmp_path))

    assert (done.returncode, done.stderr) == (0, "")
    assert python("-c", "import gen.shop.orders.list_pb2", cwd=tmp_path).returncode == 0


def test_a_plugin_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protos = write_files(tmp_path / "protos", ONE)
    monkeypatch.setattr("sysconfig.get_path", lambda *_: str(tmp_path / "scripts"))
    protoc = shutil.which("protoc")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    with pytest.raises(GenerationError, match="find protoc-gen-trunkline: it is neither in .*scripts, .* nor in PATH"):
        generate([protos], out=tmp_path / "gen", protoc=protoc)
    for place in ("bin", "scripts"):
        (tmp_path / place).mkdir()
        write_program(tmp_path / place / "protoc-gen-trunkline", f"#!/bin/sh\necho {place} 9.9\n")
        with pytest.raises(GenerationError, match=f"plugin .*/{place}/protoc-gen-trunkline: its version is 9.9"):
            generate([protos], out=tmp_path / "gen", protoc=protoc)


def test_plugins_of_another_kind(tmp_path: Path) -> None:
    protos = write_files(tmp_path / "protos", ONE)
    other = (
        f"its version is 9.1.2, but that of this package is {trunkline.__version__}; install the same version of both"
    )
    for plugin, expected in (
        (write_plugin(tmp_path, "9.1.2"), other),
        ("/bin/false", "it prints no version, so it is not protoc-gen-trunkline"),
    ):
        done = run("--plugin", plugin, "--out=gen", protos, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, f"trunkline.generate: plugin {plugin}: {expected}\n")
    broken = write_program(tmp_path / "broken", "\x7fELF\n")
    with pytest.raises(GenerationError, match="broken: it cannot be run: .*Exec format error"):
        generate([protos], out=tmp_path / "gen", plugin=broken)


@pytest.mark.parametrize("out", ["file", "file/below", "/proc/trunkline"])
def test_an_output_directory_that_cannot_be_written_to(tmp_path: Path, out: str) -> None:
    protos = write_files(tmp_path / "protos", ONE)
    (tmp_path / "file").touch()

    done = run("--plugin", write_plugin(tmp_path), "--out", out, protos, cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith(f"trunkline.generate: output directory {tmp_path / out}: ")
    assert done.stderr.count("\n") == 1


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    names = ("a.proto", "b/b.proto", "c/c.proto", "d.proto")
    protos = write_files(tmp_path / "protos", {name: f"message {name[0].upper()} {{}}" for name in names})
    (tmp_path / "gen/d_pb2.py").mkdir(parents=True)  # in the way
    (tmp_path / "gen/a_pb2.py").write_text("# before\n")

    with pytest.raises(GenerationError, match="output directory .*/gen: it cannot be written to: .*d_pb2.py"):
        generate([protos], out=tmp_path / "gen", plugin=write_plugin(tmp_path), stubs=False)

    assert tree(tmp_path / "gen") == {"a_pb2.py": "# before\n"}
    assert sorted(each.name for each in (tmp_path / "gen").iterdir()) == ["a_pb2.py", "d_pb2.py"]


def test_an_interrupt_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {name: f"message {name[0].upper()} {{}}" for name in ("a.proto", "b.proto")}
    protos = write_files(tmp_path / "protos", files)
    (tmp_path / "gen").mkdir()
    (tmp_path / "gen/a_pb2.py").write_text("# before\n")
    replace = os.replace

    def interrupted(old: Path, new: Path) -> None:
        if new.name == "b_pb2.py":
            raise KeyboardInterrupt
        replace(old, new)

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        generate([protos], out=tmp_path / "gen", plugin=write_plugin(tmp_path), stubs=False)

    assert tree(tmp_path / "gen") == {"a_pb2.py": "# before\n"}


def test_hidden_files_and_other_files_are_skipped(tmp_path: Path) -> None:
    write_files(tmp_path, {name: ONE["one.proto"] for name in (".venv/a/one.proto", ".hidden.proto", "one.proto")})
    write_files(tmp_path / "below", {"two.proto": "message Two {}"})
    for name in ("below/README.md", "below/two.proto.orig"):
        (tmp_path / name).write_text("no definition")
    plugin = write_plugin(tmp_path)

    for chosen in (["."], ["./**"], ["below", "."], [".", "below"]):
        done = run("--plugin", plugin, "--no-stubs", "--out=gen", *chosen, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert set(tree(tmp_path / "gen")) == {"one_pb2.py", "below/two_pb2.py"}
        shutil.rmtree(tmp_path / "gen")


@pytest.mark.parametrize("name", ["a:b", "a=b"])
def test_import_roots_that_protoc_would_take_apart(tmp_path: Path, name: str) -> None:
    protos = write_files(tmp_path / name, ONE)

    with pytest.raises(GenerationError, match=f"import root .*/{name}: protoc accepts no path with ':' or '='"):
        generate([protos], out=tmp_path / "gen", plugin=write_plugin(tmp_path))


def test_a_wrong_word_in_a_program(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="imports: 'none' is not one of auto, relative, absolute"):
        generate([tmp_path], imports="none")  # type: ignore[arg-type]

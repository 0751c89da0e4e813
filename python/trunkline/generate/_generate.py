# SPDX-License-Identifier: MIT
"""generate: runs protoc with its plugin, adapts imports, and writes all files at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from ._imports import Imports, OwnModules, is_of_runtime, is_package, located, with_relative_imports
from ._named_imports import with_named_imports, with_named_types
from ._output import check_module, temporary_folder, write_all
from ._sources import Sources, sources_of
from ._tools import GenerationError, knows_stubs, plugin_path, protoc_command, run_protoc


def generate(
    protos: Iterable[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str] = ".",
    roots: Sequence[str | os.PathLike[str]] = (),
    imports: Imports = "auto",
    package_init: bool = False,
    messages: bool = True,
    stubs: bool = True,
    protoc: str | os.PathLike[str] | None = None,
    plugin: str | os.PathLike[str] | None = None,
) -> list[Path]:
    """Generates Python modules from ``.proto`` files as ``python -m trunkline.generate`` does, with the same options;
    see its ``--help``. Returns the paths of the files that have changed.

    Raises GenerationError, in which case nothing has been written. Messages of protoc go to standard error.
    """
    if imports not in ("auto", "relative", "absolute"):
        raise ValueError(f"imports: {imports!r} is not one of auto, relative, absolute")
    target = Path(os.path.abspath(out))
    sources = sources_of(protos, roots)
    command = protoc_command(protoc)
    chosen_plugin = plugin_path(plugin)
    is_relative = imports == "relative" or (imports == "auto" and (package_init or is_package(target)))
    with temporary_folder(target) as temporary:
        arguments = _arguments(sources, chosen_plugin)
        if messages:
            arguments += ["--python_out=."]
            if stubs and knows_stubs(command):
                arguments += ["--pyi_out=."]
        generated = temporary / "generated"
        generated.mkdir()
        run_protoc(command, arguments, generated)
        texts = _texts(generated, stubs=stubs)
        if not texts:
            raise GenerationError(
                "nothing was generated: no file defines a service, or all files belong to protobuf itself"
            )
        modules = OwnModules(sources.names(), target)
        for file in texts:
            texts[file] = _adapted(texts[file], file, modules, is_relative=is_relative)
            check_module(texts[file], file, target)
        if package_init:
            texts.update(_missing_inits(texts, target, is_relative=is_relative))
        return write_all(texts, target, temporary)


def _adapted(text: str, file: PurePath, modules: OwnModules, *, is_relative: bool) -> str:
    """Returns the text of a generated file with imports that Python can follow."""
    if is_relative:
        text = with_relative_imports(text, file, modules)
    if file.name.endswith("_pb2.py"):
        return with_named_imports(text, lambda module: located(module, file, modules) if is_relative else module)
    return with_named_types(text) if file.name.endswith("_pb2.pyi") else text


def _arguments(sources: Sources, plugin: str) -> list[str]:
    return [
        *(f"-I{root}" for root in sources.roots),
        f"--plugin=protoc-gen-trunkline={plugin}",
        "--trunkline_out=.",
        # The imports are made relative below, because that depends on the files that exist already.
        "--trunkline_opt=python,imports=absolute",
        *map(str, sources.files),
    ]


def _texts(generated: Path, *, stubs: bool) -> dict[PurePath, str]:
    """Returns the generated files by their relative paths, without those of protobuf's runtime."""
    suffixes = (".py", ".pyi") if stubs else (".py",)
    files = sorted(each for each in generated.rglob("*") if each.suffix in suffixes)
    texts = {each.relative_to(generated): each.read_bytes().decode() for each in files}
    return {name: text for name, text in texts.items() if not is_of_runtime(name)}


def _missing_inits(files: Iterable[PurePath], out: Path, *, is_relative: bool) -> dict[PurePath, str]:
    """Returns the missing ``__init__.py`` of the files' folders, and of ``out`` unless that is a directory of sys.path.
    It leaves out google and google/protobuf, where they would hide the runtime's packages."""
    folders = {folder for file in files for folder in file.parents} - {PurePath("google"), PurePath("google/protobuf")}
    if not is_relative:
        folders -= {PurePath()}
    inits = (folder / "__init__.py" for folder in sorted(folders))
    return {init: "" for init in inits if not (out / init).exists()}

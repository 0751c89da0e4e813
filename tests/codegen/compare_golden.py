#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what protoc-gen-trunkline makes of the definitions here with the golden files, byte for byte.

Golden files end in .golden, so that nothing takes them for sources. scripts/renew-golden-files writes them anew.
"""

import argparse
import difflib
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
OPTIONS = ("cpp", "python,imports=relative")


def generate(protoc, plugin, definitions, output):
    """Runs protoc once for each language over all of a folder's definitions."""
    names = sorted(str(path.relative_to(definitions)) for path in definitions.rglob("*.proto"))
    command = [*protoc, f"--plugin=protoc-gen-trunkline={plugin}", f"-I{definitions}"]
    for option in OPTIONS:
        subprocess.run([*command, f"--trunkline_out={option}:{output}", *names], check=True)


def contents(folder, suffix=""):
    files = (path for path in folder.rglob("*" + suffix) if path.is_file())
    return {str(path.relative_to(folder)).removesuffix(suffix): path.read_bytes() for path in files}


def difference(name, expected, made):
    lines = (text.decode("utf-8").splitlines(keepends=True) for text in (expected, made))
    return "".join(difflib.unified_diff(*lines, f"golden/{name}", f"generated/{name}"))


def compare(golden, made):
    errors = [f"{name}: it is not generated any more\n" for name in sorted(golden.keys() - made.keys())]
    errors += [f"{name}: there is no golden file of it\n" for name in sorted(made.keys() - golden.keys())]
    changed = sorted(name for name in golden.keys() & made.keys() if golden[name] != made[name])
    return errors + [difference(name, golden[name], made[name]) for name in changed]


def renew(folder, made):
    for path in folder.rglob("*.golden"):
        path.unlink()
    for name, text in made.items():
        path = folder / (name + ".golden")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--protoc", default="protoc", help="a command, which may have arguments")
    parser.add_argument("--folder", choices=("definitions", "newer"), default="definitions")
    parser.add_argument("--renew", action="store_true")
    arguments = parser.parse_args()

    golden = GOLDEN / arguments.folder
    with tempfile.TemporaryDirectory() as temporary:
        output = pathlib.Path(temporary)
        plugin = pathlib.Path(arguments.plugin).resolve()
        generate(shlex.split(arguments.protoc), plugin, HERE / arguments.folder, output)
        made = contents(output)
    if arguments.renew:
        renew(golden, made)
        print(f"golden files: {len(made)} written to {golden}")
        return 0
    errors = compare(contents(golden, ".golden"), made)
    print(*errors, sep="", end="")
    renewal = "; scripts/renew-golden-files writes them anew" if errors else ""
    print(f"golden files: {len(made)} compared, {len(errors)} differ{renewal}")
    return 1 if errors or not made else 0


if __name__ == "__main__":
    sys.exit(main())

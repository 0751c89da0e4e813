#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what protoc-gen-trunkline says to options it does not know and to requests it cannot answer."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

DEFINITION = 'syntax = "proto3"; package a; message M {} service S { rpc Get(M) returns (M); }'


def protoc(arguments, option, name="a.proto", text=DEFINITION):
    """Exit status, messages, and the names of the files generated."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / name).write_text(text)
        command = [arguments.protoc, f"--plugin=protoc-gen-trunkline={arguments.plugin}", f"-I{folder}"]
        done = subprocess.run([*command, f"--trunkline_out={folder}", *option, name], capture_output=True, text=True)
        made = sorted(str(path.relative_to(folder)) for path in folder.rglob("*trunkline*"))
    return done.returncode, done.stderr, made


def checks(arguments):
    """Pairs of what is expected and what is."""
    yield (0, "", ["a.trunkline.h"]), protoc(arguments, [])
    yield (0, "", ["a_trunkline.py", "a_trunkline.pyi"]), protoc(arguments, ["--trunkline_opt=python"])
    both = protoc(arguments, ["--trunkline_opt=python,cpp", "--trunkline_opt=imports=absolute"], "b-c.proto")
    yield (0, "", ["b-c.trunkline.h", "b_c_trunkline.py", "b_c_trunkline.pyi"]), both
    yield (0, "", []), protoc(arguments, [], text='syntax = "proto3"; message M {}')
    known = "the options are cpp, python, imports=relative, imports=absolute"
    unknown = f"--trunkline_out: parse option 'java': unknown option; {known}\n"
    yield (1, unknown, []), protoc(arguments, ["--trunkline_opt=java"])

    garbage = subprocess.run([arguments.plugin], input=b"\xff\xff no request", capture_output=True)
    told = b"protoc-gen-trunkline: read request: standard input is not a CodeGeneratorRequest of protoc\n"
    yield (1, told, b""), (garbage.returncode, garbage.stderr.splitlines(keepends=True)[-1], garbage.stdout)
    version = subprocess.run([arguments.plugin, "--version"], capture_output=True, text=True)
    yield (0, ["protoc-gen-trunkline", ""]), (version.returncode, [version.stdout.split()[0], version.stderr])
    usage = subprocess.run([arguments.plugin, "a.proto"], capture_output=True, text=True)
    yield (2, ""), (usage.returncode, usage.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--protoc", default="protoc")
    failures = count = 0
    for expected, found in checks(parser.parse_args()):
        count += 1
        if expected != found:
            failures += 1
            print(f"expected {expected}, got {found}")
    print(f"plugin errors: {count - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

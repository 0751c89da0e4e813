#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks trunkline_generate() in projects whose folders have a blank in their names: what it makes, when it makes it
again, and what it says to calls that cannot work. Nothing is compiled."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESSAGE = 'syntax = "proto3"; package a; message M {}\n'
SERVICE = 'syntax = "proto3"; package b; import "a.proto"; message N {} service S { rpc Get(a.M) returns (N); }\n'
BEGIN = """cmake_minimum_required(VERSION 3.22)
project(checked LANGUAGES NONE)
foreach(word CXX_COMPILER_LOADED CXX_COMPILER_WORKS)
  set(CMAKE_${word} TRUE)
endforeach()
set(CMAKE_CXX_COMPILER "${CMAKE_COMMAND}")
set(CMAKE_CXX_ABI_COMPILED TRUE)
set(CMAKE_CXX_COMPILER_ID_RUN TRUE)
enable_language(CXX)
set(CMAKE_CXX_COMPILE_OBJECT "\\"${CMAKE_COMMAND}\\" -E touch <OBJECT>")
add_executable(protobuf::protoc IMPORTED)
set_target_properties(protobuf::protoc PROPERTIES IMPORTED_LOCATION "@protoc@")
add_executable(trunkline::protoc-gen-trunkline IMPORTED)
set_target_properties(trunkline::protoc-gen-trunkline PROPERTIES IMPORTED_LOCATION "@plugin@")
include("@root@/cmake/TrunklineGenerate.cmake")
add_library(code OBJECT code.cpp)
"""


class Project:
    """A folder with definitions and what CMake makes of it."""

    def __init__(self, arguments, folder, text, generator="Ninja"):
        self.source, self.build, self.generator = folder / "a source", folder / "a build", generator
        for name, content in (("a.proto", MESSAGE), ("b.proto", SERVICE), ("other/a.proto", MESSAGE), ("code.cpp", "")):
            self.write(name, content)
        begin = BEGIN
        for name, value in (("protoc", arguments.protoc), ("plugin", arguments.plugin), ("root", ROOT)):
            begin = begin.replace(f"@{name}@", str(value))
        self.write("CMakeLists.txt", begin + text)

    def write(self, name, content):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def run(self, *command):
        done = subprocess.run(
            ["cmake", *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return done.returncode, done.stdout

    def configure(self):
        return self.run("-S", self.source, "-B", self.build, "-G", self.generator)

    def make(self, *options):
        """How often something was generated, or what was said if that has failed."""
        status, said = self.run("--build", self.build, *options)
        return said if status else said.count("Generating messages")


def refusal(arguments, text):
    """The message of a configuration that fails, on one line."""
    with tempfile.TemporaryDirectory() as folder:
        status, said = Project(arguments, pathlib.Path(folder), text).configure()
        said = " ".join(said.replace(folder, "").split())
        return said if status else "it is not refused: " + said


def refusals():
    """Pairs of a call and what it is told."""
    yield "trunkline_generate(TARGET absent PROTOS a.proto)", "TARGET 'absent' is not a target; make it first"
    yield "add_library(i INTERFACE)\ntrunkline_generate(TARGET i PROTOS a.proto)", "TARGET i compiles nothing"
    yield "trunkline_generate(TARGET code)", "trunkline_generate(TARGET code): no PROTOS"
    yield "trunkline_generate(TARGET code PROTOS)", "PROTOS has no value"
    yield "trunkline_generate(TARGET code PROTOS c.proto)", "/a source/c.proto does not exist"
    yield "trunkline_generate(TARGET code PROTOS a.proto IMPORT_DIRS c)", "import folder /a source/c does not exist"
    yield "trunkline_generate(TARGET code PROTOS a.proto IMPORT_DIRS other)", "a.proto is in none of the IMPORT_DIRS"
    yield "trunkline_generate(OPTION TARGET code PROTOS a.proto)", "unknown argument 'OPTION'"
    yield (
        "trunkline_generate(TARGET code PROTOS a.proto IMPORT_DIRS other .)",
        "/a source/a.proto is hidden by /a source/other/a.proto, which is in an earlier one of the IMPORT_DIRS",
    )
    yield (
        "trunkline_generate(TARGET code PROTOS a.proto)\n"
        "trunkline_generate(TARGET code PROTOS other/a.proto IMPORT_DIRS other)",
        "a.pb.h is generated for another target from another definition",
    )


def makes(arguments, generator):
    """Pairs of what is expected and what is, of two targets that share a definition."""
    text = "add_library(more OBJECT code.cpp)\n" + "".join(
        f"trunkline_generate(TARGET {target} PROTOS a.proto b.proto OUTPUT_DIR made)\n" for target in ("code", "more")
    )
    with tempfile.TemporaryDirectory() as folder:
        project = Project(arguments, pathlib.Path(folder), text, generator)
        yield 0, project.configure()[0]
        yield 2, project.make("-j4")
        made = {path.name for path in (project.build / "made").iterdir() if path.suffix in (".h", ".cc")}
        yield {"a.pb.h", "a.pb.cc", "b.pb.h", "b.pb.cc", "b.trunkline.h"}, made
        yield 0, project.make()
        project.write("a.proto", MESSAGE + "// imported by b.proto\n")
        yield 2, project.make("-j4")
        yield 0, project.make()
        project.write("b.proto", SERVICE.partition("service")[0])
        yield 1, project.make("-j4")
        yield False, (project.build / "made" / "b.trunkline.h").exists()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--protoc", required=True)
    parser.add_argument("--plugin", required=True)
    arguments = parser.parse_args()
    failures = count = 0
    for generator in ("Ninja", "Unix Makefiles"):
        for expected, found in makes(arguments, generator):
            count += 1
            if expected != found:
                failures += 1
                print(f"{generator}: expected {expected}, got {found}")
    for call, expected in refusals():
        count += 1
        said = refusal(arguments, call)
        if expected not in said:
            failures += 1
            print(f"{call}\nexpected: {expected}\ngot: {said}")
    print(f"trunkline_generate: {count - failures} passed, {failures} failed")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the compiler says to services that do not do what their definition asks for."""

import argparse
import os
import subprocess
import sys

BEGIN = """#include "plain.trunkline.h"

using namespace trunkline;
using example::Hello;
using example::HelloRequest;
using example::HelloResponse;

class Nothing : public Hello::PartialService {};
class Missing : public Hello::Service {
 public:
  Status greet(const HelloRequest&, HelloResponse&, ServerContext&);
};
class Misfit : public Hello::PartialService {
 public:
  int greet(const HelloRequest&);
  Status talk(const HelloRequest&, HelloResponse&, ServerContext&);
};
void add(Server& server) {
"""

#: An object, and the errors that its registration is to be told.
REFUSED = {
    "std::shared_ptr<Hello::PartialService>(std::make_shared<Nothing>())": ["give the object by its own class"],
    "std::shared_ptr<Hello::Service>(std::make_shared<Nothing>())": ["give the object by its own class"],
    "std::make_shared<Missing>()": [f"{name}' is not a member of 'Missing'" for name in ("greet_all", "talk")],
    "std::make_shared<Misfit>()": [
        f"this member function cannot serve its {kind}: it takes" for kind in ("unary method", "stream")
    ],
}
TAKEN = "std::make_shared<Nothing>()"


def errors_of(command, objects):
    """Exit status, and errors by the object whose registration they are about."""
    lines = [f"  server.add_service({each});\n" for each in objects]
    source = BEGIN + "".join(lines) + "}\n"
    words = [*command, "-fsyntax-only", "-x", "c++", "-"]
    # Of no language, so that quotes are plain.
    done = subprocess.run(words, input=source, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    first, errors, current = BEGIN.count("\n") + 1, {each: [] for each in objects}, None
    for line in done.stderr.splitlines():
        for number, each in enumerate(objects, first):
            if line.startswith(f"<stdin>:{number}:") and "required from here" in line:
                current = each
        if ": error: " in line and current is not None:
            errors[current].append(line)
    return done.returncode, errors, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, usage="%(prog)s GXX [FLAG...]")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    command = parser.parse_args().command
    failures = []
    status, _, said = errors_of(command, [TAKEN])
    if status != 0:
        failures.append(f"{TAKEN}: {said}")
    _, found, _ = errors_of(command, REFUSED)
    for each, expected in REFUSED.items():
        failures += [
            f"{each}: expected {text}, got {found[each]}"
            for text in expected
            if not any(text in line for line in found[each])
        ]
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"refused services: {1 + len(REFUSED)} checked, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

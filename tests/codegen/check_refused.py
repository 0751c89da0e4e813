#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the compiler says to services that do not do what their definition asks for, and to handlers of plain
types."""

import argparse
import os
import subprocess
import sys

BEGIN = """#include "plain.trunkline.h"

#include <trunkline/plain.h>
#include <asio/io_context.hpp>
#include <any>

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
struct Sum {
  int a = 0;
};
struct Base {
  int base = 0;
};
struct Derived : Base {
  int own = 0;
};
struct Further : Base {
  std::string own;
};
struct Row {
  int count = 0;
  char text[8];
};
struct Anything {
  std::any value;
  std::vector<int> list;
  std::string text;
  Sum sum;
  std::optional<Sum> maybe;
  std::array<int, 3> three;
  std::map<std::string, Sum> sums;
};
struct Held {
  std::array<int, 3> three;
  std::vector<std::string> list;
  std::string text;
  Sum sum;
  std::optional<Sum> maybe;
  std::map<std::string, Sum> sums;
};
using Narrow = asio::awaitable<int, asio::io_context::executor_type>;
static_assert(detail::member_count<Anything> == 7);

void add(Server& server) {
"""

#: An object's registration, and the errors that it is to be told.
OBJECTS = {
    "std::shared_ptr<Hello::PartialService>(std::make_shared<Nothing>())": ["pass the object as its own class"],
    "std::shared_ptr<Hello::Service>(std::make_shared<Nothing>())": ["pass the object as its own class"],
    "std::make_shared<Missing>()": [f"{name}' is not a member of 'Missing'" for name in ("greet_all", "talk")],
    "std::make_shared<Misfit>()": [
        f"this member function cannot serve its {kind}: it takes" for kind in ("unary method", "stream")
    ],
}
REFUSED = {f"server.add_service({each});": expected for each, expected in OBJECTS.items()}
#: Those that are told one sentence, and no more.
HANDLERS = {
    "[](Sum& sum) { return sum.a; }": "takes its request as const Request& or by value",
    "[](Sum&& sum) { return sum.a; }": "takes its request as const Request& or by value",
    "[](Sum&, Sum&, ServerContext&) { return Status(); }": "takes its request as const Request& or by value",
    "[](const Sum& sum) -> Narrow { co_return sum.a; }": "returns asio::awaitable<T>, with the executor",
    "[](const Derived& derived) { return derived.own; }": "a struct with base classes needs TRUNKLINE_FIELDS",
    "[](const Sum& sum) { return std::vector<Further>(sum.a); }": "a struct with base classes needs TRUNKLINE_FIELDS",
    "[](const Row& row) { return row.count; }": (
        "a struct with a C array needs std::array in its place, or TRUNKLINE_FIELDS"
    ),
}
TAKEN = [
    "server.add_service(std::make_shared<Nothing>());",
    'server.handle("a", [](const Held& held) { return held; });',
    'server.handle("b", [](Sum sum, ServerContext&) -> asio::awaitable<int> { co_return sum.a; });',
    'server.handle("c", [](const Sum& sum, Sum& answer, ServerContext&) { return answer = sum, Status(); });',
    'server.handle("d", [](ServerContext&) {});',
]


def errors_of(command, objects):
    """Exit status, and errors by the statement that they are about."""
    lines = [f"  {each}\n" for each in objects]
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
    status, _, said = errors_of(command, TAKEN)
    if status != 0:
        failures.append(f"{TAKEN}: {said}")
    handlers = {f'server.handle("m", {each});': text for each, text in HANDLERS.items()}
    _, found, _ = errors_of(command, [*REFUSED, *handlers])
    for each, expected in REFUSED.items():
        failures += [
            f"{each}: expected {text}, got {found[each]}"
            for text in expected
            if not any(text in line for line in found[each])
        ]
    failures += [
        f"{each}: expected {text} alone, got {found[each]}"
        for each, text in handlers.items()
        if len(found[each]) != 1 or text not in found[each][0]
    ]
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"refused services: {1 + len(REFUSED) + len(HANDLERS)} checked, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

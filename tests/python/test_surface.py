# SPDX-License-Identifier: MIT
"""The public names of the package, their documentation, and imports in any order."""

from __future__ import annotations

import enum
import inspect
import itertools
import random
import subprocess
import sys
from typing import Any

import pytest
import trunkline
import trunkline.grpc
import trunkline.grpc.aio
from trunkline import aio, services, testing

MODULES = {
    "trunkline": trunkline,
    "trunkline.aio": aio,
    "trunkline.grpc": trunkline.grpc,
    "trunkline.grpc.aio": trunkline.grpc.aio,
    "trunkline.services": services,
    "trunkline.testing": testing,
}
CLASSES = [
    (f"{module}.{name}", getattr(namespace, name))
    for module, namespace in MODULES.items()
    for name in namespace.__all__
    if inspect.isclass(getattr(namespace, name))
]


@pytest.mark.parametrize("name, kind", CLASSES, ids=[name for name, _ in CLASSES])
def test_public_members_are_documented(name: str, kind: Any) -> None:
    assert inspect.getdoc(kind), name
    if issubclass(kind, (enum.Enum, tuple)):
        return
    for base in (each for each in kind.__mro__ if each.__module__.startswith("trunkline")):
        for member, value in vars(base).items():
            if member.startswith("_"):
                continue
            if isinstance(value, property) or inspect.isroutine(value):
                assert inspect.getdoc(getattr(kind, member)), f"{name}.{member}"


@pytest.mark.parametrize(
    "options", [trunkline.ChannelOptions, trunkline.ServerOptions, trunkline.CallOptions, trunkline.StreamOptions]
)
def test_every_option_is_documented(options: Any) -> None:
    documented = f"{options.__doc__} {trunkline.StreamOptions.__doc__ if options is trunkline.CallOptions else ''}"
    for name in options.__annotations__:
        assert f"``{name}``:" in documented or f"``{name}``, ``" in documented or f", ``{name}``:" in documented, name


def test_the_namespace_has_the_public_names_only() -> None:
    script = "import trunkline; print(sorted(n for n in vars(trunkline) if n[0] != '_' and n not in trunkline.__all__))"
    reported = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert reported.strip() == "[]"


def test_submodules_need_no_import_of_their_own() -> None:
    script = """
import sys, trunkline
assert "asyncio" not in sys.modules
assert trunkline.aio.Channel and trunkline.services.Health and trunkline.testing.Fake
assert trunkline.grpc.aio.server and "grpc" not in sys.modules
try:
    trunkline.nothing
except AttributeError as error:
    print(error)
"""
    reported = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert reported.strip() == "module 'trunkline' has no attribute 'nothing'"


ORDERS = list(itertools.permutations(["grpc", "google.protobuf.message", "numpy", "trunkline", "trunkline.grpc"]))


@pytest.mark.parametrize("order", random.Random(1).sample(ORDERS, 8), ids=",".join)
def test_imports_in_any_order(order: tuple[str, ...]) -> None:
    script = f"import {', '.join(order)}\nwith trunkline.Server(threads=1).serve('inproc://x'): pass"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_wrong_response_info_is_refused_before_the_call() -> None:
    called: list[int] = []
    server = trunkline.Server(threads=1)
    server.add("note", called.append)
    wrong: Any = 5
    with testing.serve(server) as channel:
        for use in (channel.call, channel.submit):
            with pytest.raises(TypeError, match="response_info is 5, not a trunkline.ResponseInfo"):
                use("note", 1, response_info=wrong)
        assert channel.call("note", 2, compressor=None, wait_for_ready=False) is None
        none: Any = None
        assert channel.call("note", 3, wait_for_ready=none, idempotent=none, timeout=20.0) is None
    assert called == [2, 3]


def test_details_are_of_protobuf_classes() -> None:
    wrong: Any = dict
    with pytest.raises(TypeError, match="not a class of protobuf messages"):
        trunkline.NotFound("x").details(wrong)

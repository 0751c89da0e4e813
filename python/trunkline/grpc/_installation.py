# SPDX-License-Identifier: MIT
"""install and imported_as_grpc: ``import grpc`` in generated modules and packages finds ``trunkline.grpc``, if the
application asks for that."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

_PACKAGE = __name__.rpartition(".")[0]

#: The names that programs import, and the modules that serve them.
_MODULES = {
    "grpc": _PACKAGE,
    "grpc._utilities": f"{_PACKAGE}._utilities",
    "grpc.aio": f"{_PACKAGE}.aio",
    "grpc.experimental": f"{_PACKAGE}.experimental",
    "grpc.experimental.aio": f"{_PACKAGE}.aio",
}


def _own_modules() -> dict[str, ModuleType]:
    return {name: importlib.import_module(module) for name, module in _MODULES.items()}


def _is_grpc(name: str) -> bool:
    return name == "grpc" or name.startswith("grpc.")


def install() -> None:
    """Has ``import grpc`` find ``trunkline.grpc`` in this process from now on. Raises RuntimeError if grpcio has been
    imported, as its users would not be changed."""
    own = _own_modules()
    present = sys.modules.get("grpc")
    if present is not None and present is not own["grpc"]:
        raise RuntimeError("trunkline.grpc.install: grpcio has been imported already; call it before, or use "
                           "trunkline.grpc.imported_as_grpc for single imports")
    sys.modules.update(own)


def uninstall() -> None:
    """Undoes ``install``. Modules that have been imported meanwhile keep ``trunkline.grpc``."""
    for name, module in _own_modules().items():
        if sys.modules.get(name) is module:
            del sys.modules[name]


@contextlib.contextmanager
def imported_as_grpc() -> Iterator[None]:
    """Has ``import grpc`` find ``trunkline.grpc`` in its block; afterwards it finds what it has found before. Generated
    modules that are imported in the block run on Trunkline, others beside them on grpcio::

        with trunkline.grpc.imported_as_grpc():
            import helloworld_pb2_grpc

    Imports of other threads meanwhile find it too.
    """
    before = {name: module for name, module in sys.modules.items() if _is_grpc(name)}
    for name in before:
        del sys.modules[name]
    sys.modules.update(_own_modules())
    try:
        yield
    finally:
        for name in [name for name in sys.modules if _is_grpc(name)]:
            del sys.modules[name]
        sys.modules.update(before)

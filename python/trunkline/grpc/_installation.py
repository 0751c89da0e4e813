# SPDX-License-Identifier: MIT
"""install and imported_as_grpc: ``import grpc`` in generated modules and packages finds ``trunkline.grpc``, if the
application asks for that."""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

from ._compatibility import ALIASES, AliasLoader

_PACKAGE = __name__.rpartition(".")[0]


def _is_grpc(name: str) -> bool:
    return name == "grpc" or name.startswith("grpc.")


class _Finder(importlib.abc.MetaPathFinder):
    """Finds ``grpc`` and each of its submodules as the module of the same name in ``trunkline.grpc``, which is imported
    once; and the modules of aliases, also by their names in ``trunkline.grpc``. Below another module ``grpc`` it finds
    nothing."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if _is_grpc(fullname) and sys.modules.get("grpc", sys.modules[_PACKAGE]) is not sys.modules[_PACKAGE]:
            return None
        for package in ("grpc", _PACKAGE):
            if fullname == package or fullname.startswith(f"{package}."):
                return _spec(fullname, fullname[len(package) + 1 :], is_own=package == _PACKAGE)
        return None


def _spec(full_name: str, name: str, is_own: bool) -> importlib.machinery.ModuleSpec | None:
    """Returns the specification of a module whose name relative to ``grpc`` is ``name``; None if there is none."""
    meant = f"{_PACKAGE}.aio" if name == "experimental.aio" else f"{_PACKAGE}.{name}".rstrip(".")
    if name in ALIASES:
        return importlib.machinery.ModuleSpec(full_name, AliasLoader(name))
    if is_own or not _exists(meant):
        return None
    return importlib.machinery.ModuleSpec(full_name, _Loader(meant))


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # its package does not exist
        return False


class _Loader(importlib.abc.Loader):
    """Loads a module under a further name: it is imported by its own."""

    def __init__(self, meant: str) -> None:
        self._meant = meant
        self._own_spec: importlib.machinery.ModuleSpec | None = None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(self._meant)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Keeps the module's own specification, by which ``importlib.reload`` finds it. Nothing is left to run."""
        if self._own_spec is not None:
            module.__spec__ = self._own_spec


#: The finder of ``install``.
_finder = _Finder()


def install() -> None:
    """Has ``import grpc`` find ``trunkline.grpc`` in this process from now on: each module is one object under both
    names. Raises RuntimeError if grpcio has been imported, as its users would not be changed, and in the block of
    ``imported_as_grpc``, which ends what it has begun."""
    if _finder not in sys.meta_path and any(isinstance(finder, _Finder) for finder in sys.meta_path):
        raise RuntimeError("trunkline.grpc.install: it is called in a block of trunkline.grpc.imported_as_grpc")
    own = sys.modules[_PACKAGE]
    if sys.modules.setdefault("grpc", own) is not own:
        raise RuntimeError("trunkline.grpc.install: grpcio has been imported already; call it before, or use "
                           "trunkline.grpc.imported_as_grpc for single imports")
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def uninstall() -> None:
    """Undoes ``install``. Modules that have been imported meanwhile keep ``trunkline.grpc``."""
    if _finder not in sys.meta_path:
        return
    sys.meta_path.remove(_finder)
    if sys.modules.get("grpc") not in (None, sys.modules[_PACKAGE]):
        return  # what is below it is not of install()
    for name in [name for name in sys.modules if _is_grpc(name)]:
        del sys.modules[name]


@contextlib.contextmanager
def imported_as_grpc() -> Iterator[None]:
    """Has ``import grpc`` find ``trunkline.grpc`` in its block; afterwards it finds what it has found before. Generated
    modules that are imported in the block run on Trunkline, others beside them on grpcio::

        with trunkline.grpc.imported_as_grpc():
            import helloworld_pb2_grpc

    Imports of other threads meanwhile find it too, also those of its submodules.
    """
    before = {name: module for name, module in sys.modules.items() if _is_grpc(name)}
    for name in before:
        del sys.modules[name]
    sys.modules["grpc"] = sys.modules[_PACKAGE]
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _is_grpc(name)]:
            del sys.modules[name]
        sys.modules.update(before)

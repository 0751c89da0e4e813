# SPDX-License-Identifier: MIT
"""Files: file descriptors by name and by the names that they declare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import _definitions
from ._comments import Comments
from ._generated_comments import FileComments
from ._names import packages_of


class UnknownName(LookupError):
    """No known file has this name or declares it."""


class Files:
    """Holds files that were added, with all their imports. Names that these do not declare are looked up in the files'
    pools."""

    def __init__(self, comments: FileComments | None = None) -> None:
        """``comments`` are for files whose descriptors have none."""
        self._comments = comments or {}
        self._data: dict[str, bytes] = {}
        self._imports: dict[str, list[str]] = {}
        self._homes: dict[str, str] = {}
        self._extensions: dict[str, dict[int, str]] = {}
        self._packages: set[str] = set()
        self._reserved: set[str] = set()
        self._pools: list[Any] = []

    # --- adding files ---

    def add(self, file: Any) -> str:
        """Adds a ``google.protobuf.descriptor.FileDescriptor`` with its imports; returns its name."""
        if file.name in self._data:
            return str(file.name)
        if file.pool not in self._pools:
            self._pools.append(file.pool)
        for needed in file.dependencies:
            self.add(needed)
        embedded = _definitions.files().get(file.name) if file.pool is _definitions.pool() else None
        parsed = _parsed(embedded or file.serialized_pb)
        comments = Comments(parsed)
        for path, text in self._comments.get(file.name, {}).items():
            comments.add(path, text)
        self.add_proto(parsed)
        return str(file.name)

    def add_proto(self, file: Any) -> None:
        """Adds a ``FileDescriptorProto`` whose imports have been added."""
        self._data[file.name] = file.SerializeToString(deterministic=True)
        self._imports[file.name] = list(file.dependency)
        if file.package:
            self._packages.update((file.package, *packages_of(file.package)))
        for name, field in _declared(file):
            self._homes.setdefault(name, file.name)
            if field is not None:
                self._extensions.setdefault(field.extendee.lstrip("."), {})[field.number] = file.name

    def reserve(self, package: str, wanted: str) -> str:
        """Reserves and returns a full name: ``wanted``, with underscores appended if it is taken."""
        prefix = f"{package}." if package else ""
        name = f"{prefix}{wanted}"
        while self.is_taken(name):
            name += "_"
        self._reserved.add(name)
        return name

    def is_taken(self, name: str) -> bool:
        return name in self._homes or name in self._packages or name in self._reserved

    def reserve_package(self, package: str) -> bool:
        """Reserves a package with its parents. Returns False if one of the names is taken by something else."""
        names = [*packages_of(package), package] if package else []
        if any(name in self._homes or name in self._reserved for name in names):
            return False
        self._packages.update(names)
        return True

    # --- lookup; raises UnknownName ---

    def file_of(self, symbol: str) -> str | None:
        """Returns the name of the added file that declares the symbol; None if no added file does."""
        return self._homes.get(symbol)

    def find(self, name: str) -> str:
        """Makes sure that the file is there; returns its name."""
        if name not in self._data:
            self._add_from_pools("FindFileByName", name)
        return name

    def find_symbol(self, symbol: str) -> str:
        """Returns the name of the file that declares the symbol."""
        if symbol not in self._homes:
            self._add_from_pools("FindFileContainingSymbol", symbol)
        try:
            return self._homes[symbol]
        except KeyError:
            raise UnknownName(symbol) from None

    def find_extension(self, message: str, number: int) -> str:
        """Returns the name of the file that declares the extension."""
        try:
            return self._extensions_of(message)[number]
        except KeyError:
            raise UnknownName(f"{message} {number}") from None

    def extension_numbers(self, message: str) -> list[int]:
        return sorted(self._extensions_of(message))

    def _extensions_of(self, message: str) -> dict[int, str]:
        self.find_symbol(message)
        for pool in self._pools:
            try:
                descriptor = pool.FindMessageTypeByName(message)
            except KeyError:
                continue
            for extension in pool.FindAllExtensions(descriptor):
                self.add(extension.file)
        return self._extensions.get(message, {})

    def _add_from_pools(self, function: str, name: str) -> None:
        for pool in self._pools:
            try:
                found = getattr(pool, function)(name)
            except KeyError:
                continue
            self.add(found)
            return
        raise UnknownName(name)

    def with_imports(self, name: str, sent: set[str]) -> list[bytes]:
        """Returns the serialized file, and those of its imports that are not in ``sent``, to which it adds them."""
        result: list[bytes] = []
        waiting = [name]
        while waiting:
            one = waiting.pop(0)
            if one in sent and result:
                continue
            sent.add(one)
            result.append(self._data[one])
            waiting += [each for each in self._imports[one] if each not in sent]
        return result


def _parsed(data: bytes) -> Any:
    from google.protobuf import descriptor_pb2

    return descriptor_pb2.FileDescriptorProto.FromString(data)


def _declared(file: Any) -> Iterator[tuple[str, Any]]:
    """Yields the full names that a file declares, each with the field of an extension or None."""
    prefix = f"{file.package}." if file.package else ""
    for service in file.service:
        yield f"{prefix}{service.name}", None
        for method in service.method:
            yield f"{prefix}{service.name}.{method.name}", None
    for message in file.message_type:
        yield from _declared_in_message(prefix, message)
    yield from _enums_and_extensions(prefix, file)


def _declared_in_message(prefix: str, message: Any) -> Iterator[tuple[str, Any]]:
    name = f"{prefix}{message.name}"
    yield name, None
    for part in (*message.field, *message.oneof_decl):
        yield f"{name}.{part.name}", None
    for nested in message.nested_type:
        yield from _declared_in_message(f"{name}.", nested)
    yield from _enums_and_extensions(f"{name}.", message)


def _enums_and_extensions(prefix: str, scope: Any) -> Iterator[tuple[str, Any]]:
    for each in scope.enum_type:
        yield f"{prefix}{each.name}", None
        # The values of an enumeration are declared in its scope. They are found by both names.
        for value in each.value:
            yield f"{prefix}{value.name}", None
            yield f"{prefix}{each.name}.{value.name}", None
    for extension in scope.extension:
        yield f"{prefix}{extension.name}", extension

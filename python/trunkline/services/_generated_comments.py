# SPDX-License-Identifier: MIT
"""Comments of generated services: their descriptors have none, but their classes have docstrings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._methods import Method
from ._comments import comment_of

#: By file and path within it.
FileComments = dict[str, dict[tuple[int, ...], str]]

_SERVICES, _METHODS = 6, 2


def generated_comments(methods: Iterable[Method]) -> FileComments:
    """Of the services whose classes these are methods of."""
    found: FileComments = {}
    for kind in {type(getattr(method.handler, "__self__", None)) for method in methods}:
        for base in kind.__mro__:
            if "__trunkline_file__" in vars(base) and "__trunkline_service__" in vars(base):
                _add(base, found)
    return found


def _add(service: type[Any], found: FileComments) -> None:
    name: str = service.__trunkline_service__
    definitions = getattr(service, "__trunkline_methods__", {})
    file = service.__trunkline_file__
    declared = file.services_by_name.get(name.rpartition(".")[2])
    if declared is None or declared.full_name != name or not hasattr(definitions, "items"):
        return
    told: dict[tuple[int, ...], str] = {}
    told[_SERVICES, declared.index] = _without_filler(comment_of(service), name)
    for attribute, definition in definitions.items():
        method = declared.methods_by_name.get(definition.name.rpartition("/")[2])
        if method is not None:
            comment = _without_filler(comment_of(vars(service).get(attribute)), definition.name)
            told[_SERVICES, declared.index, _METHODS, method.index] = comment
    found.setdefault(file.name, {}).update({path: comment for path, comment in told.items() if comment})


def _without_filler(comment: str, name: str) -> str:
    """What the plugin writes where the definition has no comment only names it."""
    return "" if comment.startswith((f"Serves {name} with ", f"The method {name}.")) else comment

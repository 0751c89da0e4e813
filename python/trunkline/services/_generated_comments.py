# SPDX-License-Identifier: MIT
"""Comments of generated services, from the docstrings of their classes, as the descriptors have none at run time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._server.method import Method
from ._comments import comment_of

#: Comments by file and path in the file.
FileComments = dict[str, dict[tuple[int, ...], str]]

_SERVICES, _METHODS = 6, 2


def generated_comments(methods: Iterable[Method]) -> FileComments:
    """Returns the comments of the generated services that these are methods of."""
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
    comments: dict[tuple[int, ...], str] = {}
    comments[_SERVICES, declared.index] = _without_filler(comment_of(service), name)
    for attribute, definition in definitions.items():
        method = declared.methods_by_name.get(definition.name.rpartition("/")[2])
        if method is not None:
            comment = _without_filler(comment_of(vars(service).get(attribute)), definition.name)
            comments[_SERVICES, declared.index, _METHODS, method.index] = comment
    found.setdefault(file.name, {}).update({path: comment for path, comment in comments.items() if comment})


def _without_filler(comment: str, name: str) -> str:
    """Returns the comment; empty for the one that the plugin writes if the definition has none."""
    return "" if comment.startswith((f"Serves {name} with ", f"The method {name}.")) else comment

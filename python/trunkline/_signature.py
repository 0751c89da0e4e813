# SPDX-License-Identifier: MIT
"""What a handler's signature says: its kind of call, its messages, whether it takes a context."""

from __future__ import annotations

import collections.abc
import dataclasses
import inspect
import typing
from collections.abc import Callable
from typing import Any

from . import _core

_STREAMS = (
    collections.abc.Iterator,
    collections.abc.Iterable,
    collections.abc.Generator,
    collections.abc.AsyncIterator,
    collections.abc.AsyncIterable,
    collections.abc.AsyncGenerator,
)


@dataclasses.dataclass(frozen=True)
class Signature:
    """How a method is called. ``Any`` stands for a message without a type, None for no message."""

    kind: _core.MethodKind
    request: Any
    response: Any
    #: Positional arguments of the function: request, context, in this order, those that it has.
    takes_request: bool
    takes_context: bool
    is_async: bool


def _element(hint: Any) -> tuple[bool, Any]:
    """(True, T) for a stream of T, (False, hint) otherwise."""
    origin = typing.get_origin(hint)
    if origin in _STREAMS:
        arguments = typing.get_args(hint)
        return True, arguments[0] if arguments else Any
    if hint in _STREAMS:
        return True, Any
    return False, hint


def _is_context(parameter: inspect.Parameter, hint: Any) -> bool:
    return parameter.name in ("context", "ctx") or getattr(hint, "_is_trunkline_context", False)


def signature_of(function: Callable[..., Any], *, skip_self: bool = False) -> Signature:
    """Raises TypeError for a function that cannot be a handler."""
    name = getattr(function, "__qualname__", repr(function))
    target = function if inspect.isroutine(function) else getattr(function, "__call__", function)
    try:
        hints = typing.get_type_hints(target)
    except NameError as error:
        raise TypeError(f"handler {name}: its type hints cannot be resolved: {error}") from error
    parameters = list(inspect.signature(function).parameters.values())
    if skip_self:
        parameters = parameters[1:]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    request: Any = None
    takes_request = takes_context = False
    for parameter in positional:
        hint = hints.get(parameter.name, Any)
        if takes_context or (takes_request and not _is_context(parameter, hint) and len(positional) > 2):
            raise TypeError(f"handler {name}: takes (request), (request, context), (context) or nothing")
        if _is_context(parameter, hint) or takes_request:
            takes_context = True
        else:
            takes_request = True
            request = hint
    is_generator = inspect.isgeneratorfunction(target)
    is_async_generator = inspect.isasyncgenfunction(target)
    streams_in, request = _element(request)
    streams_out, response = _element(hints.get("return", Any))
    streams_out = streams_out or is_generator or is_async_generator
    if response is type(None):
        response = None
    kinds = {
        (False, False): _core.MethodKind.unary,
        (True, False): _core.MethodKind.client_stream,
        (False, True): _core.MethodKind.server_stream,
        (True, True): _core.MethodKind.bidirectional,
    }
    return Signature(
        kind=kinds[streams_in, streams_out],
        request=request,
        response=response,
        takes_request=takes_request,
        takes_context=takes_context,
        is_async=is_async_generator or inspect.iscoroutinefunction(target),
    )

# SPDX-License-Identifier: MIT
"""Signature: the kind, the message types and the arguments of a handler, as its parameters and type hints state
them."""

from __future__ import annotations

import collections.abc
import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from .. import _core
from .._messages.types import bare
from .definition import MethodDefinition

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
    """The way in which a handler is called. ``Any`` stands for a message without a type, None for no message."""

    kind: _core.MethodKind
    request: Any
    response: Any
    #: The positional arguments of the function: the request, then the context.
    takes_request: bool
    takes_context: bool
    is_async: bool
    #: The name of the function's request parameter; empty without one.
    request_name: str = ""
    #: The request of a call that is made without one; ``inspect.Parameter.empty`` if a request is required.
    default_request: Any = inspect.Parameter.empty

    @property
    def has_default(self) -> bool:
        """Returns whether the request may be left out, and is then ``default_request``."""
        return self.takes_request and self.default_request is not inspect.Parameter.empty


_ASYNC_STREAMS = _STREAMS[3:]


def _is_async_stream(hint: Any) -> bool:
    hint = bare(hint)
    return (typing.get_origin(hint) or hint) in _ASYNC_STREAMS


def _element(hint: Any) -> tuple[bool, Any]:
    """Returns (True, T) for the hint of a stream of T, (False, hint) otherwise."""
    stream = bare(hint)
    if typing.get_origin(stream) in _STREAMS:
        arguments = typing.get_args(stream)
        return True, arguments[0] if arguments else Any
    if stream in _STREAMS:
        return True, Any
    return False, hint


def _is_context(parameter: inspect.Parameter, hint: Any) -> bool:
    """Decides by the hint of the parameter; without one, by its name."""
    hint = bare(hint)
    if hint is Any:
        return parameter.name in ("context", "ctx")
    kinds = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    return any(getattr(kind, "_is_trunkline_context", False) for kind in kinds)


def _parameters_of(
    function: Callable[..., Any], name: str, hints: dict[str, Any], skip_self: bool
) -> tuple[inspect.Parameter | None, bool]:
    """Returns the parameter of the request, or None, and whether there is a context."""
    parameters = list(inspect.signature(function).parameters.values())
    request: inspect.Parameter | None = None
    takes_context = False
    for parameter in parameters[1:] if skip_self else parameters:
        if parameter.kind == parameter.KEYWORD_ONLY and parameter.default is not parameter.empty:
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        is_context = _is_context(parameter, hints.get(parameter.name, Any))
        if parameter.kind == parameter.KEYWORD_ONLY or takes_context or (request is not None and not is_context):
            raise TypeError(
                f"handler {name}: its parameter {parameter.name!r} is neither the request nor a Context; a handler "
                "takes (request), (request, context), (context) or nothing"
            )
        if is_context:
            takes_context = True
        else:
            request = parameter
    return request, takes_context


def _function_of(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function that has the type hints: inside ``functools.partial``, or the ``__call__`` of an object."""
    while isinstance(handler, functools.partial):
        handler = handler.func
    return handler if inspect.isroutine(handler) else getattr(handler, "__call__", handler)


def name_of(handler: Callable[..., Any]) -> str:
    """Returns the name of a method without an explicit name."""
    while isinstance(handler, functools.partial):
        handler = handler.func
    name = getattr(handler, "__name__", None)
    if not isinstance(name, str):
        raise TypeError(f"handler {handler!r} has no name; pass one, e.g. @server.method('name')")
    return name


def signature_of(function: Callable[..., Any], *, skip_self: bool = False) -> Signature:
    """Returns the signature of a handler. Raises TypeError for a function that cannot be one."""
    target = _function_of(function)
    name = getattr(target, "__qualname__", repr(function))
    try:
        hints = typing.get_type_hints(target, include_extras=True)
    except NameError as error:
        raise TypeError(f"handler {name}: its type hints cannot be resolved: {error}") from error
    parameter, takes_context = _parameters_of(function, name, hints, skip_self)
    request = None if parameter is None else hints.get(parameter.name, Any)
    is_generator = inspect.isgeneratorfunction(target)
    is_async_generator = inspect.isasyncgenfunction(target)
    # A plain function with such hints wraps an asynchronous one.
    has_async_hints = _is_async_stream(request) or _is_async_stream(hints.get("return"))
    streams_in, request = _element(request)
    streams_out, response = _element(hints.get("return", Any))
    streams_out = streams_out or is_generator or is_async_generator
    if bare(response) is type(None):
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
        takes_request=parameter is not None,
        takes_context=takes_context,
        is_async=is_async_generator or inspect.iscoroutinefunction(target) or has_async_hints,
        request_name="" if parameter is None else parameter.name,
        default_request=None if parameter is None or request in (None, type(None)) else parameter.default,
    )


def defined_signature(function: Callable[..., Any], definition: MethodDefinition[Any, Any]) -> Signature:
    """Returns the signature of a function that serves a defined method; it needs no type hints. Raises TypeError if the
    function cannot serve the method."""
    name = f"handler {getattr(function, '__qualname__', repr(function))} of {definition.name}"
    target = _function_of(function)
    streams_out = definition.kind in ("server_stream", "bidirectional")
    if not streams_out and (inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target)):
        raise TypeError(f"{name}: it yields, but the method is {definition.kind}, with one response")
    return stated_signature(function, definition, takes_context=_takes_context(function, name))


def stated_signature(
    function: Callable[..., Any], definition: MethodDefinition[Any, Any], *, takes_context: bool = True
) -> Signature:
    """Returns the signature that a definition states. The function only determines whether it is asynchronous."""
    target = _function_of(function)
    # A plain function that wraps an asynchronous one with streams returns that one's stream.
    origin = target if definition.kind == "unary" else inspect.unwrap(target)
    return Signature(
        kind=getattr(_core.MethodKind, definition.kind),
        request=definition.request,
        response=definition.response,
        takes_request=True,
        takes_context=takes_context,
        is_async=inspect.iscoroutinefunction(origin) or inspect.isasyncgenfunction(origin),
        request_name="request",
    )


def _takes_context(function: Callable[..., Any], name: str) -> bool:
    """Returns whether it takes (request, context), not (request) alone."""
    try:
        signature = inspect.signature(function)
    except ValueError as error:
        raise TypeError(f"{name}: its parameters cannot be inspected: {error}") from error
    parameters = list(signature.parameters.values())
    if not parameters or parameters[0].name not in ("context", "ctx"):
        for count in (2, 1):
            try:
                signature.bind(*[None] * count)
            except TypeError:
                continue
            return count == 2
    taken = signature.replace(return_annotation=signature.empty)
    raise TypeError(f"{name}: it takes {taken}; it is called with (request, context), or just (request)")

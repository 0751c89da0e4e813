# SPDX-License-Identifier: MIT
"""ServerBase: what servers of plain functions and servers on event loops share: options and registered methods."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar, overload

from .. import _core
from .._calls.connection_options import core_options
from .._calls.interception import checked_interceptors
from .._messages.codec_table import CodecTable
from .._methods.service_class import methods_of
from .._methods.signature import name_of
from .method import Method
from .options import ServerOptions

Function = TypeVar("Function", bound=Callable[..., Any])


class _Running(Protocol):
    """What a server needs of those that run its methods."""

    _process_count: int

    def _has_stopped(self) -> bool: ...
    def _serve_added(self, methods: Iterable[Method]) -> None: ...


class ServerBase:
    """The options of a server and the methods that it serves once it runs. Not safe for concurrent use."""

    def __init__(self, threads: int | None, options: ServerOptions, *, allows_async: bool) -> None:
        """``threads``: of the pool; None for the default. ``allows_async``: interceptors and handlers may be
        asynchronous."""
        if threads is not None and threads < 1:
            raise ValueError(f"threads: {threads} is less than 1")
        self._methods: dict[str, Method] = {}
        self._running: weakref.WeakSet[_Running] = weakref.WeakSet()
        self._allows_async = allows_async
        self._collects_statistics = False
        self._threads = threads or min(32, (os.cpu_count() or 1) + 4)
        self._codecs = CodecTable(options.get("codecs", ()))
        self._interceptors = checked_interceptors(options.get("interceptors", ()), allows_async=allows_async)
        self._options = core_options(options)
        _core.Server(self._options)  # raises for wrong options

    def __repr__(self) -> str:
        count = sum(not each.is_built_in for each in self._methods.values())
        return f"<trunkline.{'aio.' * self._allows_async}Server {count} method{'s' * (count != 1)}>"

    @overload
    def method(self, name: Function, /) -> Function: ...
    @overload
    def method(
        self, name: str | None = ..., /, *, idempotent: bool = ..., max_concurrent_calls: int = ...
    ) -> Callable[[Function], Function]: ...
    def method(self, name: Any = None, /, *, idempotent: bool = False, max_concurrent_calls: int = 0) -> Any:
        """Decorator that serves the function as the method ``name``; by default the name of the function. See
        :meth:`add`."""
        if callable(name):
            self.add(name_of(name), name)
            return name

        def register(function: Function) -> Function:
            chosen = name_of(function) if name is None else name
            self.add(chosen, function, idempotent=idempotent, max_concurrent_calls=max_concurrent_calls)
            return function

        return register

    def add(
        self, name: str, handler: Callable[..., Any], *, idempotent: bool = False, max_concurrent_calls: int = 0
    ) -> None:
        """Serves ``handler`` as the method ``name``, at once on servers that run already.

        The handler takes ``(request)``, ``(request, context)``, ``(context)`` or nothing; its type hints are the types
        of the messages, and their constraints (``Annotated``) are checked. If the request has a default, calls may come
        without one. A handler without a request refuses calls that have one. A generator function, or a hint
        ``Iterator[T]``, makes that side a stream. A context is a parameter with the hint ``Context``, or one without a
        hint named ``context`` or ``ctx``.

        ``idempotent``: the method may run more than once without harm. ``max_concurrent_calls``: further calls are
        refused with ResourceExhausted; 0 for no limit.

        Request and response may have types with different codecs, such as bytes and int; see ``Channel.call``. Raises
        TypeError for a function that cannot be a handler, ValueError for a name that is registered already,
        RuntimeError if a server of several processes runs, as the others would not have the method.
        """
        self._add_all([Method.of(name, handler, idempotent=idempotent, max_concurrent_calls=max_concurrent_calls)])

    def _add_all(self, methods: Iterable[Method]) -> None:
        """Adds all of them, or none if it raises."""
        added: dict[str, Method] = {}
        for method in methods:
            method.check(self._codecs, allows_async=self._allows_async)
            if method.name in self._methods or method.name in added:
                raise ValueError(f"method {method.name!r} is registered already")
            added[method.name] = method
        running = [each for each in self._running if not each._has_stopped()]
        for each in running:
            if each._process_count > 1:
                names = ", ".join(added)
                raise RuntimeError(
                    f"method {names}: the server runs in {each._process_count} processes; add methods before serve()"
                )
        self._methods.update(added)
        for each in running:
            each._serve_added(added.values())

    def add_service(self, service: Any, name: str | None = None) -> None:
        """Serves the public methods of an object as ``name/method``. ``service``: the object, or a class, which is
        instantiated without arguments.

        All public methods are served, inherited ones too, and every client can call them. ``__trunkline_methods__ =
        ("add", "count")`` in the class serves only these. In generated classes it is a mapping to definitions, which
        state the names, kinds and message types of the methods; their functions take ``(request, context)`` or
        ``(request)``, with an iterator in place of a stream of requests.

        ``name``: by default the class's ``__trunkline_service__``, or else its name. Raises TypeError for a function
        that cannot be a handler, ValueError for a method that is registered already; then no method is added.
        """
        instance = service() if isinstance(service, type) else service
        methods = []
        for each in methods_of(type(instance), name, instance):
            handler = getattr(instance, each.attribute)
            methods.append(
                Method.defined(each.definition, handler) if each.definition else Method.of(each.name, handler)
            )
        self._add_all(methods)

    def remove(self, name: str) -> bool:
        """Stops serving the method on servers started from now on. False if there is no such method."""
        return self._methods.pop(name, None) is not None


def check_serving(endpoints: Sequence[str], workers: int) -> None:
    if not endpoints:
        raise ValueError("serve: no endpoint is given")
    if workers < 1:
        raise ValueError(f"workers: {workers} is less than 1")

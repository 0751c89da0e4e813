# SPDX-License-Identifier: MIT
"""ServerBase: the options and the methods of servers of plain functions and of servers on event loops."""

from __future__ import annotations

import inspect
import os
import weakref
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, Protocol, TypeVar, overload

from .. import _core
from .._calls.connection_options import core_options
from .._calls.interception import checked_interceptors
from .._messages.codec_table import CodecTable
from .._methods.service_class import methods_of
from .._methods.signature import name_of
from .._process.green_threads import check_real_threads
from .method import Method
from .options import ServerOptions
from .route import route_method

Function = TypeVar("Function", bound=Callable[..., Any])
Notified = TypeVar("Notified", bound=Callable[[], object])


def _is_asynchronous(callback: Callable[[], object]) -> bool:
    """Returns whether calling it makes a coroutine, as far as that can be told before."""
    return inspect.iscoroutinefunction(callback) or inspect.iscoroutinefunction(type(callback).__call__)


class _Running(Protocol):
    """A running server, as its server uses it."""

    _process_count: int

    def _has_stopped(self) -> bool: ...
    def _serves_any(self, names: Container[str]) -> bool: ...
    def _serve_added(self, methods: Iterable[Method]) -> None: ...
    def _announce(self, uri: str, options: dict[str, Any]) -> None: ...


class ServerBase:
    """The options of a server and the methods that it serves once it runs. Not safe for concurrent use."""

    def __init__(self, threads: int | None, options: ServerOptions, *, allows_async: bool) -> None:
        """``threads`` is the size of the pool; None for the default. With ``allows_async``, interceptors and handlers
        may be asynchronous."""
        if threads is not None and threads < 1:
            raise ValueError(f"threads: {threads} is less than 1")
        self._methods: dict[str, Method] = {}
        self._running: weakref.WeakSet[_Running] = weakref.WeakSet()
        #: The URIs of the announcements, with their options.
        self._announcements: list[tuple[str, dict[str, Any]]] = []
        self._shutdown_callbacks: list[Callable[[], object]] = []
        self._allows_async = allows_async
        self._collects_statistics = False
        #: The endpoint of the console; empty if the console has none of its own.
        self._console_endpoint = ""
        self._threads = threads or min(32, (os.cpu_count() or 1) + 4)
        self._codecs = CodecTable(options.get("codecs", ()))
        self._interceptors = checked_interceptors(options.get("interceptors", ()), allows_async=allows_async)
        self._options = core_options(options)
        _core.Server(self._options)  # raises for wrong options

    def __repr__(self) -> str:
        count = sum(not each.is_built_in and not each.is_route for each in self._methods.values())
        return f"<trunkline.{'aio.' * self._allows_async}Server {count} method{'s' * (count != 1)}>"

    def on_shutdown(self, callback: Notified, /) -> Notified:
        """Calls ``callback()`` once for each running server that begins afterwards, when its shutdown begins or it is
        stopped: before clients are told, and on the thread that begins it, which is that of the event loop for an
        ``aio.Server``. Returns ``callback``, and so is a decorator.

        Streams without an end of their own use it to finish, as they would otherwise delay the shutdown:
        ``server.on_shutdown(stopping.set)`` with an event that the handlers wait for; ``Context.is_draining()`` tells the
        same. With several processes each runs its own. What the callback raises is logged, by ``trunkline.server``.
        Raises TypeError for what is not callable or is a coroutine function.
        """
        if not callable(callback) or _is_asynchronous(callback):
            raise TypeError(f"on_shutdown: expected a function that is not a coroutine function, got {callback!r}")
        self._shutdown_callbacks.append(callback)
        return callback

    @overload
    def method(self, name: Function, /) -> Function: ...
    @overload
    def method(
        self,
        name: str | None = ...,
        /,
        *,
        idempotent: bool = ...,
        no_side_effects: bool = ...,
        max_concurrent_calls: int = ...,
    ) -> Callable[[Function], Function]: ...
    def method(
        self,
        name: Any = None,
        /,
        *,
        idempotent: bool = False,
        no_side_effects: bool = False,
        max_concurrent_calls: int = 0,
    ) -> Any:
        """Decorator that serves the function as the method ``name``; by default the name of the function. See
        :meth:`add`."""
        if callable(name):
            self.add(name_of(name), name)
            return name

        def register(function: Function) -> Function:
            chosen = name_of(function) if name is None else name
            self.add(
                chosen,
                function,
                idempotent=idempotent,
                no_side_effects=no_side_effects,
                max_concurrent_calls=max_concurrent_calls,
            )
            return function

        return register

    def add(
        self,
        name: str,
        handler: Callable[..., Any],
        *,
        idempotent: bool = False,
        no_side_effects: bool = False,
        max_concurrent_calls: int = 0,
    ) -> None:
        """Serves ``handler`` as the method ``name``, at once on servers that run already.

        The handler takes ``(request)``, ``(request, context)``, ``(context)`` or nothing; its type hints are the types
        of the messages, and their constraints (``Annotated``) are checked. If the request has a default, calls may come
        without one. A handler without a request refuses calls that have one. A generator function, or a hint
        ``Iterator[T]``, makes that side a stream. A context is a parameter with the hint ``Context``, or one without a
        hint named ``context`` or ``ctx``.

        ``idempotent``: the method may run more than once without harm. ``no_side_effects``: it changes nothing, so HTTP
        may call it by GET; it is idempotent as well. ``max_concurrent_calls``: further calls are refused with
        ResourceExhausted; 0 for no limit.

        Request and response may have types with different codecs, such as bytes and int; see ``Channel.call``. Raises
        TypeError for a function that cannot be a handler or whose requests no codec decodes, and for an option of
        another type, ValueError for a name that is registered already or too long and for an option out of range,
        RuntimeError if a server of several processes runs, as the others would not have the method.
        """
        self._add_all(
            [
                Method.of(
                    name,
                    handler,
                    idempotent=idempotent,
                    no_side_effects=no_side_effects,
                    max_concurrent_calls=max_concurrent_calls,
                )
            ]
        )

    @overload
    def route(
        self, http_method: str, path: str, handler: Function, /, *, max_concurrent_calls: int = ...
    ) -> Function: ...
    @overload
    def route(
        self, http_method: str, path: str, /, *, max_concurrent_calls: int = ...
    ) -> Callable[[Function], Function]: ...
    def route(
        self, http_method: str, path: str, handler: Any = None, /, *, max_concurrent_calls: int = 0
    ) -> Any:
        """Serves requests of HTTP/1.1 and HTTP/2 on all endpoints with ``handler``, for pages, probes and files.

        It begins at once on servers that run already. Without a handler: a decorator. docs/guide/routes.md tells more.

        The handler takes ``(request)``, an :class:`HttpRequest`, ``(request, context)``, ``(context)`` or nothing. It
        returns an :class:`HttpResponse`, a str or bytes. An error that it raises answers as that of a method does.

        ``http_method``: GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS; GET serves HEAD too. ``path``: begins with
        ``/``, is not percent-encoded, and may end with ``/*``, which stands for any rest. Routes with just the path of
        a request come before methods of its name, and methods before routes with ``*``, of which the longest is taken.
        Requests of gRPC, gRPC-Web and Connect reach methods only. A path that has routes, but not for the request's
        method, answers 405.

        Calls of a route are limited, intercepted and counted as those of a method with the name ``GET /path``, by which
        ``remove`` removes it. Raises TypeError for a function that cannot be a handler, ValueError for a route that is
        registered already and for a method or path of another form; RuntimeError as :meth:`add` does.
        """

        def register(function: Function) -> Function:
            method = route_method(http_method, path, function, max_concurrent_calls=max_concurrent_calls)
            self._add_all([method])
            return function

        return register if handler is None else register(handler)

    def _add_all(self, methods: Iterable[Method]) -> None:
        """Adds all methods, or none if it raises."""
        added: dict[str, Method] = {}
        for method in methods:
            method.check(self._codecs, allows_async=self._allows_async)
            if method.name in self._methods or method.name in added:
                raise ValueError(f"method {method.name!r} is registered already")
            added[method.name] = method
        trial = _core.Server({})
        for method in added.values():
            method.add_to(trial, self._codecs, method.handler, needs_call=True)  # raises for wrong names and options
        running = [each for each in self._running if not each._has_stopped()]
        for each in running:
            if each._process_count > 1:
                names = ", ".join(added)
                raise RuntimeError(
                    f"method {names}: the server runs in {each._process_count} processes; add methods before serve()"
                )
            if each._serves_any(added):
                names = ", ".join(added)
                raise ValueError(f"method {names}: a running server serves it still; remove() does not change this")
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

    def announce(
        self,
        uri: str,
        *,
        advertise: Sequence[str] = (),
        weight: float = 1.0,
        zone: str = "",
        priority: int = 0,
        host_name: str = "",
        time_to_live: float = 10.0,
        drain_delay: float = 0.5,
    ) -> None:
        """Announces the server in etcd to channels with the same URI, such as
        ``etcd://e1:2379,e2:2379/services/orders``, while it is served; at once if it is served already. May be called
        several times.

        It is withdrawn when its shutdown begins, before anything else happens, and goes on serving for ``drain_delay``
        seconds, at most the timeout of the shutdown, so that clients notice. A server that stops in another way, or
        dies, is announced until ``time_to_live`` has passed: 2 to 3600, in whole seconds. It is announced anew if etcd
        was gone for longer. What fails in between is tried again, and goes to the logger ``trunkline.server``.

        ``advertise``: the URIs at which clients reach the server; by default the ``tcp://`` and ``tls://`` endpoints on
        which it listens. An endpoint such as ``tcp://0.0.0.0:8888`` needs it. ``weight`` (at most 1e6), ``zone``,
        ``priority`` and ``host_name`` are those of the balancer of the clients; see docs/guide/naming.md.

        ``serve()``, or this function if the server is served already, raises InvalidArgument for the URI or an endpoint
        that clients cannot reach, FailedPrecondition without any endpoint, and ValueError for an option out of its
        range. Several processes (``serve(workers=N)``) each announce themselves; clients count them as one server.
        """
        options = {
            "advertise": tuple(advertise),
            "weight": weight,
            "zone": zone,
            "priority": priority,
            "host_name": host_name,
            "time_to_live": time_to_live,
            "drain_delay": drain_delay,
        }
        if isinstance(advertise, str):
            raise TypeError("announce: advertise must be a sequence of str, not one str")
        for each in self._running:
            if not each._has_stopped():
                each._announce(uri, options)
        self._announcements.append((uri, options))

    def remove(self, name: str) -> bool:
        """Stops serving the method on servers started from now on. Returns False if there is no such method."""
        return self._methods.pop(name, None) is not None


def check_serving(server: ServerBase, endpoints: Sequence[str], workers: int) -> None:
    check_real_threads("a server")
    if not endpoints:
        raise ValueError("serve: no endpoint is given")
    if workers < 1:
        raise ValueError(f"workers: {workers} is less than 1")
    if workers > 1 and server._console_endpoint:
        raise ValueError(f"workers: {workers} processes cannot share the endpoint of the console; serve with one")

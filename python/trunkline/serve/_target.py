# SPDX-License-Identifier: MIT
"""Target: the object of a module to serve, as a server."""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import aio, services
from .._server.server_base import ServerBase
from .._sync.server import Server
from ..services._description import service_and_method
from ._arguments import Arguments

#: The built-in services by their options: the function that adds the service, and one of its methods.
_BUILT_IN: dict[str, tuple[Callable[[ServerBase], object], str]] = {
    "health": (services.add_health, "grpc.health.v1.Health/Check"),
    "reflection": (services.add_reflection, "grpc.reflection.v1.ServerReflection/ServerReflectionInfo"),
    "statistics": (services.add_statistics, "trunkline.v1.Statistics/Get"),
}


#: Seconds between the report of health that the server shuts down and the shutdown, which ends Watch calls.
_HEALTH_NOTICE = 0.1


class TargetError(Exception):
    """The target cannot be served. An error of the application is the cause, and the text has its traceback."""

    def files(self) -> list[str]:
        """Returns the files that the application's error went through."""
        if self.__cause__ is None:
            return []
        found = [frame.filename for frame in traceback.extract_tb(self.__cause__.__traceback__)]
        if isinstance(self.__cause__, SyntaxError) and self.__cause__.filename:
            found.append(self.__cause__.filename)
        return [os.path.abspath(file) for file in found if os.path.isfile(file)]


class Target(NamedTuple):
    """The ``server`` to run, and ``health``: that of the service if it was added here, not by the application."""

    server: Server | aio.Server
    health: services.Health | None

    def shut_down(self) -> float:
        """Reports NOT_SERVING to Watch calls. Returns the seconds to wait before the server shuts down."""
        if self.health is None:
            return 0.0
        self.health.shutdown()
        return _HEALTH_NOTICE


def load(arguments: Arguments) -> Target:
    """Imports the module and makes a server of its object. Raises TargetError."""
    sys.path.insert(0, os.path.abspath(arguments.app_dir))
    found = _imported(arguments)
    if inspect.isroutine(found) or isinstance(found, functools.partial):
        found = _called(found, arguments.target)
    server = _server_of(found, arguments.target)
    if arguments.threads is not None:
        server._threads = arguments.threads
    for uri in arguments.announce:
        server.announce(uri, advertise=arguments.advertise)
    return Target(server, _add_built_in(server, arguments))


def _imported(arguments: Arguments) -> Any:
    try:
        module = importlib.import_module(arguments.module)
    except (Exception, SystemExit) as error:
        raise TargetError(f"import {arguments.module}:\n{_traceback_of(error)}") from error
    try:
        return operator.attrgetter(arguments.attributes)(module)
    except AttributeError as error:
        raise TargetError(f"serve {arguments.target}: {error}") from error


def _called(function: Any, target: str) -> Any:
    try:
        return function()
    except (Exception, SystemExit) as error:
        raise TargetError(f"call {target}:\n{_traceback_of(error)}") from error


def _traceback_of(error: BaseException) -> str:
    """Returns the error with its traceback, from the first frame of the application's code."""
    here = os.path.dirname(__file__)
    frame = error.__traceback__
    while frame is not None and _is_ours(frame.tb_frame.f_code.co_filename, here):
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, frame)).rstrip("\n")


def _is_ours(file: str, here: str) -> bool:
    return file.startswith((here, "<frozen importlib")) or file == importlib.__file__


def _server_of(found: Any, target: str) -> Server | aio.Server:
    try:
        instance = found() if isinstance(found, type) else found
    except Exception as error:
        raise TargetError(f"make {target}:\n{_traceback_of(error)}") from error
    if isinstance(instance, (Server, aio.Server)):
        return instance
    if inspect.ismodule(instance) or inspect.isawaitable(instance):
        if inspect.iscoroutine(instance):
            instance.close()
        raise TargetError(f"serve {target}: a {type(instance).__name__} is neither a server nor a service")
    blocking, asynchronous = Server(), aio.Server()
    try:
        blocking.add_service(instance)
        return blocking
    except TypeError:
        pass  # it has coroutines, or the next attempt reports the error
    try:
        asynchronous.add_service(instance)
    except (TypeError, ValueError) as error:
        raise TargetError(f"serve {target}: {error}") from error
    return asynchronous


def _add_built_in(server: ServerBase, arguments: Arguments) -> services.Health | None:
    left_out = []
    health = None
    for name, (add, method) in _BUILT_IN.items():
        wanted: bool | None = getattr(arguments, name)
        if wanted is False or method in server._methods:
            continue
        try:
            added = add(server)
            health = added if isinstance(added, services.Health) else health
        except ImportError as error:
            if wanted:
                raise TargetError(f"serve {arguments.target}: {error}") from error
            left_out.append(name)
    wants_console = arguments.console or arguments.console_endpoint
    if wants_console and "trunkline.v1.Console/Describe" not in server._methods:
        if arguments.console_endpoint and arguments.workers > 1:
            raise TargetError("serve: --console-endpoint is for one process, which --workers is not")
        try:
            services.add_console(server, endpoint=arguments.console_endpoint, token=arguments.console_token)
        except (ImportError, ValueError) as error:
            raise TargetError(f"serve {arguments.target}: {error}") from error
    if left_out:
        names = ", ".join(left_out)
        text = f"not serving {names}, which need the package protobuf: pip install trunkline[protobuf]"
        print(text, file=sys.stderr, flush=True)
    if health is not None:
        served = [name for name, method in server._methods.items() if not method.is_route]
        for service in {service_and_method(name)[0] for name in served}:
            health.set(service, True)
    return health

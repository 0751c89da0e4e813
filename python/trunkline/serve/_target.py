# SPDX-License-Identifier: MIT
"""What is to be served: a module's object as a server."""

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
from .._server import Registry, Server
from ..services._description import service_and_method
from ._arguments import Arguments

#: By what they are called in the command line: what adds them, and a method of theirs.
_BUILT_IN: dict[str, tuple[Callable[[Registry], object], str]] = {
    "health": (services.add_health, "grpc.health.v1.Health/Check"),
    "reflection": (services.add_reflection, "grpc.reflection.v1.ServerReflection/ServerReflectionInfo"),
    "statistics": (services.add_statistics, "trunkline.v1.Statistics/Get"),
}


#: Seconds in which watchers of health hear that the server is about to drain.
_NOTICE = 0.1


class TargetError(Exception):
    """It cannot be served; the text says why, with the traceback of the application's error, its cause, if any."""

    def files(self) -> list[str]:
        """In which that happened."""
        if self.__cause__ is None:
            return []
        found = [frame.filename for frame in traceback.extract_tb(self.__cause__.__traceback__)]
        if isinstance(self.__cause__, SyntaxError) and self.__cause__.filename:
            found.append(self.__cause__.filename)
        return [os.path.abspath(file) for file in found if os.path.isfile(file)]


class Target(NamedTuple):
    """What is served. ``health``: added here, not by the application; None otherwise."""

    server: Server | aio.Server
    health: services.Health | None

    def shut_down(self) -> float:
        """Health tells it to callers. Seconds to wait before the server drains, which ends their calls."""
        if self.health is None:
            return 0.0
        self.health.shutdown()
        return _NOTICE


def load(arguments: Arguments) -> Target:
    """Imports the module and makes a server of its object. Raises TargetError."""
    sys.path.insert(0, os.path.abspath(arguments.app_dir))
    found = _imported(arguments)
    if inspect.isroutine(found) or isinstance(found, functools.partial):
        found = _called(found, arguments.target)
    server = _server_of(found, arguments.target)
    if arguments.threads is not None:
        server._threads = arguments.threads
    return Target(server, _add_built_in(server, arguments))


def _imported(arguments: Arguments) -> Any:
    try:
        module = importlib.import_module(arguments.module)
    except (Exception, SystemExit) as error:
        raise TargetError(f"import {arguments.module}:\n{_told(error)}") from error
    try:
        return operator.attrgetter(arguments.attributes)(module)
    except AttributeError as error:
        raise TargetError(f"serve {arguments.target}: {error}") from error


def _called(function: Any, target: str) -> Any:
    try:
        return function()
    except (Exception, SystemExit) as error:
        raise TargetError(f"call {target}:\n{_told(error)}") from error


def _told(error: BaseException) -> str:
    """With its traceback from where the application's code begins."""
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
        raise TargetError(f"make {target}:\n{_told(error)}") from error
    if isinstance(instance, (Server, aio.Server)):
        return instance
    if inspect.ismodule(instance) or inspect.isawaitable(instance):
        if inspect.iscoroutine(instance):
            instance.close()
        raise TargetError(f"serve {target}: it is a {type(instance).__name__}, neither a server nor a service")
    blocking, asynchronous = Server(), aio.Server()
    try:
        blocking.add_service(instance)
        return blocking
    except TypeError:
        pass  # it has coroutines, or what follows says what is wrong
    try:
        asynchronous.add_service(instance)
    except (TypeError, ValueError) as error:
        raise TargetError(f"serve {target}: {error}") from error
    return asynchronous


def _add_built_in(server: Registry, arguments: Arguments) -> services.Health | None:
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
    if left_out:
        names = ", ".join(left_out)
        text = f"without {names}, for which the package protobuf is needed: pip install trunkline[protobuf]"
        print(text, file=sys.stderr, flush=True)
    if health is not None:
        for service in {service_and_method(method)[0] for method in server._methods}:
            health.set(service, True)
    return health

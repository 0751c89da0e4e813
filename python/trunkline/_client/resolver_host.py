# SPDX-License-Identifier: MIT
"""ResolverHost: a resolver of the application as the core calls it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from .. import _core
from .resolver import Resolver, ResolverFactory
from .resolver_updates import ResolverUpdates
from .target import Target

_log = logging.getLogger("trunkline")


class ResolverHost:
    """Passes calls on to the resolver. What the resolver raises is logged and reported as its failure."""

    def __init__(self, resolver: Resolver, target: Target) -> None:
        self._resolver = resolver
        self._target = target
        self._updates: ResolverUpdates | None = None

    def start(self, core: _core.ResolverUpdates) -> None:
        updates = self._updates = ResolverUpdates(core)
        self._call("start", lambda: self._resolver.start(updates))

    def refresh(self) -> None:
        self._call("refresh", self._resolver.refresh)

    def close(self) -> None:
        self._updates = None
        self._call("close", self._resolver.close)

    def _call(self, name: str, function: Callable[[], object]) -> None:
        try:
            function()
        except Exception as error:
            raised = f"resolve {self._target.text}: {type(self._resolver).__name__}.{name} raised"
            _log.exception("%s %s", raised, type(error).__name__)
            if self._updates is not None:
                self._updates.fail(f"{raised} {type(error).__name__}: {error}")


def hosted(resolvers: Mapping[str, ResolverFactory]) -> list[tuple[str, Callable[..., ResolverHost]]]:
    """Returns the option ``resolvers`` as the core takes it."""
    return [(scheme, _host_maker(scheme, factory)) for scheme, factory in resolvers.items()]


def _host_maker(scheme: str, factory: ResolverFactory) -> Callable[..., ResolverHost]:
    if not callable(factory):
        raise TypeError(f"Channel: option 'resolvers': the factory of '{scheme}' is a {type(factory).__name__}")

    def make(*parts: str) -> ResolverHost:
        target = Target(*parts)
        resolver = factory(target)
        if not isinstance(resolver, Resolver):
            made = type(resolver).__name__
            raise TypeError(f"Channel: option 'resolvers': the factory of '{scheme}' has made a {made}, not a Resolver")
        return ResolverHost(resolver, target)

    return make

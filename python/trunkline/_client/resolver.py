# SPDX-License-Identifier: MIT
"""Resolver: finds the servers that a name stands for; for applications with names of their own."""

from __future__ import annotations

import abc
from collections.abc import Callable

from .resolver_updates import ResolverUpdates
from .target import Target


class Resolver(abc.ABC):
    """Resolves one name for one channel. ``resolvers={"scheme": factory}`` of a channel says for which scheme: its
    factory, such as a class, gets the ``Target`` when the channel is made, and what it raises leaves the constructor of
    the channel.

    ``start`` and ``refresh`` are called on the thread that runs the channel's loop, in channels for asyncio too. They
    must not block, nor use the channel: what takes time belongs to a thread or an event loop of the resolver's own. An
    exception of theirs goes to the logger ``trunkline`` and fails the resolution.
    """

    @abc.abstractmethod
    def start(self, updates: ResolverUpdates) -> None:
        """Begins to resolve, and goes on until ``close``: reports the servers as soon as they are known, and again when
        they change. Called once, with the first call of the channel."""

    def refresh(self) -> None:
        """Tells the resolver that a connection to a server has failed, so its last report may be out of date. Called
        often: the resolver itself limits how often it looks again."""

    def close(self) -> None:
        """Tells the resolver that no more reports are needed: the channel is closed or destroyed. Called once, also if
        ``start`` was not; on any thread, which may wait here for the resolver's own. Not called in a forked child."""


#: Makes the resolver of a name.
ResolverFactory = Callable[[Target], Resolver]

# SPDX-License-Identifier: MIT
"""Operations: the operations of one stream that block, of which one that is given up stays under way no longer."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from .. import _core


class Operations:
    """The writes of one stream, and its other operations except for reads, in code that blocks.

    The exception of a signal handler gives an operation up: a message that waits for room is not sent, and the next
    operation is not refused because of it.
    """

    __slots__ = ("_given_up",)

    def __init__(self) -> None:
        #: The operations that were given up and not cancelled yet.
        self._given_up: set[_core.StreamOperation] = set()

    def wait(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> Any:
        """Begins an operation with ``begin``, a function of the core, waits for its end and returns its outcome. Raises
        RpcError."""
        if self._given_up:
            self._cancel()
        begun: list[_core.StreamOperation] = []
        try:
            # The list has the operation before a signal handler can run, which a variable would get only afterwards.
            begun.extend(itertools.starmap(begin, ((*arguments, None, None),)))
            return begun[0].wait()
        except BaseException:
            # This comes first, for the same reason. Cancelling an operation that has ended has no effect.
            self._given_up.update(begun)
            self._cancel()
            raise

    def _cancel(self) -> None:
        """Cancels what was given up. If a signal handler raises meanwhile, the next operation cancels the rest."""
        for operation in tuple(self._given_up):
            operation.cancel()
            self._given_up.discard(operation)

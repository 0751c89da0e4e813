# SPDX-License-Identifier: MIT
"""CallFailure: the error with which one of many calls has ended."""

from __future__ import annotations


class CallFailure:
    """The outcome of a call that has failed, which a generator of responses yields instead of raising it.

    Whatever such a generator raises is therefore no error of a call, even if its class is RpcError: the requests may
    raise what a call of their own has raised.
    """

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error

# SPDX-License-Identifier: MIT
"""The exceptions of the blocking interface."""

from __future__ import annotations


class RpcError(Exception):
    """A call has ended with a status other than OK. An error that a call raises is also a ``Call``, with ``code()`` and
    ``details()``."""


class Rendezvous(RpcError):
    """The error of a call that is also its future, or the iterator of its responses."""


class FutureTimeoutError(Exception):
    """A future has not ended within the time that was given."""


class FutureCancelledError(Exception):
    """The computation of a future was cancelled."""

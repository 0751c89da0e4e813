# SPDX-License-Identifier: MIT
"""The command ``trunkline serve``: checks the endpoints, then serves, with ``--reload`` under a supervisor."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _core
from .._errors import InvalidArgument, RpcError
from ._arguments import Arguments, parse
from ._console import say
from ._reload import Supervisor
from ._run import run


def _refused(arguments: Arguments) -> int | None:
    """Returns the exit status if an endpoint cannot be listened on; None otherwise. Checked before anything is started,
    and without sharing ports, so that a port of another server is not taken."""
    for endpoint in arguments.endpoints:
        # The check goes without TLS, whose certificate only the application knows.
        plain = f"tcp://{endpoint[6:]}" if endpoint.startswith("tls://") else endpoint
        probe = _core.Server({})
        try:
            probe.listen(plain)
        except InvalidArgument as error:
            say(f"trunkline serve: error: argument --endpoint: {error.message}")
            return 2
        except RpcError as error:
            say(error.message)
            return 1
        finally:
            probe.stop()
            probe.destroy()
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status."""
    parsed = parse(arguments)
    refused = _refused(parsed)
    if refused is not None:
        return refused
    if not parsed.reload:
        return run(parsed)
    return Supervisor(parsed).run()

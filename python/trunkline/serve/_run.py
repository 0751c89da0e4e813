# SPDX-License-Identifier: MIT
"""Serving a server until a signal comes."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Sequence

from .. import aio
from .._errors import DeadlineExceeded, RpcError
from .._server import RunningServer, Server
from .._signals import expecting
from ._arguments import Arguments, parse
from ._target import TargetError, load

#: Is told the endpoints once the server listens.
Ready = Callable[[Sequence[str]], None]
#: Is told why there is nothing to serve.
Failed = Callable[[TargetError], None]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def say(text: str) -> None:
    """To whoever has started the command."""
    print(text, file=sys.stderr, flush=True)


def announce(endpoints: Sequence[str]) -> None:
    for endpoint in endpoints:
        say(f"listening on {endpoint}")


def _leave(error: TargetError) -> None: ...


def run(
    arguments: Arguments, ready: Ready = announce, failed: Failed = _leave, *, shares_port: bool = False
) -> int:
    """The exit status. ``shares_port``: with other processes than those it starts."""
    logging.basicConfig(level=arguments.log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    try:
        server = load(arguments)
        if isinstance(server, Server):
            _run_blocking(server, arguments, ready, shares_port)
        else:
            asyncio.run(_run_asynchronous(server, arguments, ready, shares_port))
    except DeadlineExceeded as error:
        say(f"drain: {error.message}")
    except RpcError as error:
        say(error.message)
        return 1
    except TargetError as error:
        say(str(error))
        failed(error)
        return 1
    except (ValueError, OSError) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def _run_blocking(server: Server, arguments: Arguments, ready: Ready, shares_port: bool) -> None:
    with expecting(_SIGNALS) as wait:
        if shares_port and arguments.workers == 1:
            running = RunningServer(server, arguments.endpoints, reuse_port=True)
        else:
            running = server.serve(*arguments.endpoints, workers=arguments.workers)
        ready(running.endpoints)
        wait()
    running.drain(arguments.grace)


async def _run_asynchronous(server: aio.Server, arguments: Arguments, ready: Ready, shares_port: bool) -> None:
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    for number in _SIGNALS:
        loop.add_signal_handler(number, told.set)
    if shares_port and arguments.workers == 1:
        running = aio.RunningServer(server, arguments.endpoints, reuse_port=True)
    else:
        running = server.serve(*arguments.endpoints, workers=arguments.workers)
    ready(running.endpoints)
    await told.wait()
    for number in _SIGNALS:
        loop.remove_signal_handler(number)
    await running.drain(arguments.grace)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parsed = parse(arguments)
    if not parsed.reload:
        return run(parsed)
    from ._reload import Supervisor

    return Supervisor(parsed).run()

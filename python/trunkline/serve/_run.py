# SPDX-License-Identifier: MIT
"""run: serves the server of the command line until a signal arrives."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .. import aio
from .._errors import DeadlineExceeded, RpcError
from .._process.signals import clear, expecting, handling
from .._sync.server import RunningServer, Server
from ._arguments import Arguments
from ._console import announce, leave_at_once, say
from ._target import Target, TargetError, load
from ._workers import Workers

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def _nothing(*_: object) -> None: ...


class Hooks(NamedTuple):
    """Functions that ``run`` calls.

    ``ready``: with the endpoints, once the server listens. ``failed``: with the error, if there is nothing to serve.
    ``loaded``: before threads and processes are started. ``is_over``: periodically while there are workers; they end
    once it returns True.
    """

    ready: Callable[[Sequence[str]], None] = announce
    failed: Callable[[TargetError], None] = _nothing
    loaded: Callable[[], None] = _nothing
    is_over: Callable[[], bool] = bool


def run(arguments: Arguments, hooks: Hooks = Hooks(), *, shares_port: bool = False) -> int:  # noqa: B008
    """Serves, and returns the exit status. With ``shares_port`` other processes may listen on the same ports."""
    logging.basicConfig(level=arguments.log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    try:
        target = load(arguments)
        hooks.loaded()
        if arguments.workers > 1:
            _run_workers(target, arguments, hooks)
        elif isinstance(target.server, Server):
            _run_blocking(target, target.server, arguments, hooks, shares_port)
        else:
            asyncio.run(_run_asynchronous(target, target.server, arguments, hooks, shares_port))
    except DeadlineExceeded as error:
        say(f"shutdown: {error.message}")
    except RpcError as error:
        say(error.message)
        return 1
    except TargetError as error:
        say(str(error))
        hooks.failed(error)
        return 1
    except (ValueError, OSError, RuntimeError) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def _tell_of_console(endpoint: str) -> None:
    if endpoint:
        say(f"console on {endpoint}")


def _run_blocking(target: Target, server: Server, arguments: Arguments, hooks: Hooks, shares_port: bool) -> None:
    with expecting(_SIGNALS, leave_at_once) as wait:
        running = RunningServer(server, arguments.endpoints, reuse_port=shares_port)
        hooks.ready(running.endpoints)
        _tell_of_console(running.console_endpoint)
        wait()
        time.sleep(target.shut_down())
        running.shutdown(arguments.grace)


async def _run_asynchronous(
    target: Target, server: aio.Server, arguments: Arguments, hooks: Hooks, shares_port: bool
) -> None:
    loop = asyncio.get_running_loop()
    stop_requested = asyncio.Event()

    def wake(number: int) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(stop_requested.set)

    # The loop's signal handlers do not serve, as they do not run while the loop is busy.
    with handling(_SIGNALS, wake, leave_at_once) as wakeup:
        loop.add_reader(wakeup, clear, wakeup)
        try:
            running = aio.RunningServer(server, arguments.endpoints, reuse_port=shares_port)
            hooks.ready(running.endpoints)
            _tell_of_console(running.console_endpoint)
            await stop_requested.wait()
            await asyncio.sleep(target.shut_down())
            await running.shutdown(arguments.grace)
        finally:
            loop.remove_reader(wakeup)


def _run_workers(target: Target, arguments: Arguments, hooks: Hooks) -> None:
    workers: list[Workers] = []

    def kill(number: int) -> None:
        for each in workers:
            each.kill()
        leave_at_once(number)

    with expecting(_SIGNALS, kill) as wait:
        workers.append(Workers(target, arguments.endpoints, arguments.workers, lambda: wait(0.0) is not None))
        hooks.ready(workers[0].endpoints)
        workers[0].serve_until(wait, hooks.is_over)
        workers[0].shutdown(arguments.grace)

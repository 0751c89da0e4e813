# SPDX-License-Identifier: MIT
"""Serving a server until a signal comes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .. import _core, aio
from .._errors import DeadlineExceeded, InvalidArgument, RpcError
from .._server import RunningServer, Server
from .._signals import clear, expecting, handling
from ._arguments import Arguments, parse
from ._target import Target, TargetError, load
from ._workers import Workers

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def say(text: str) -> None:
    """To whoever has started the command."""
    print(text, file=sys.stderr, flush=True)


def announce(endpoints: Sequence[str]) -> None:
    for endpoint in endpoints:
        say(f"listening on {endpoint}")


def _nothing(*_: object) -> None: ...


class Hooks(NamedTuple):
    """Of whoever runs a server.

    ``ready``: told the endpoints once it listens. ``failed``: why there is nothing to serve. ``loaded``: called before
    threads and processes are started. ``is_over``: asked now and then, where there are workers, whether they are to end.
    """

    ready: Callable[[Sequence[str]], None] = announce
    failed: Callable[[TargetError], None] = _nothing
    loaded: Callable[[], None] = _nothing
    is_over: Callable[[], bool] = bool


def run(arguments: Arguments, hooks: Hooks = Hooks(), *, shares_port: bool = False) -> int:  # noqa: B008
    """The exit status. ``shares_port``: with other processes than those it starts."""
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
        say(f"drain: {error.message}")
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


def leave_at_once(number: int) -> None:
    """For a second signal; calls under way are cut off."""
    os._exit(128 + number)


def _run_blocking(target: Target, server: Server, arguments: Arguments, hooks: Hooks, shares_port: bool) -> None:
    with expecting(_SIGNALS, leave_at_once) as wait:
        running = RunningServer(server, arguments.endpoints, reuse_port=shares_port)
        hooks.ready(running.endpoints)
        wait()
        time.sleep(target.shut_down())
        running.drain(arguments.grace)


async def _run_asynchronous(
    target: Target, server: aio.Server, arguments: Arguments, hooks: Hooks, shares_port: bool
) -> None:
    loop = asyncio.get_running_loop()
    told = asyncio.Event()

    def wake(number: int) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(told.set)

    # Not the loop's own handlers, which do not run while it is busy.
    with handling(_SIGNALS, wake, leave_at_once) as rung:
        loop.add_reader(rung, clear, rung)
        try:
            running = aio.RunningServer(server, arguments.endpoints, reuse_port=shares_port)
            hooks.ready(running.endpoints)
            await told.wait()
            await asyncio.sleep(target.shut_down())
            await running.drain(arguments.grace)
        finally:
            loop.remove_reader(rung)


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
        workers[0].drain(arguments.grace)


def _refused(arguments: Arguments) -> int | None:
    """The exit status if it cannot listen there: before anything is started, and as nobody else may share the port."""
    for endpoint in arguments.endpoints:
        # What is needed for tls:// besides is the application's to say.
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
    """The exit status."""
    parsed = parse(arguments)
    refused = _refused(parsed)
    if refused is not None:
        return refused
    if not parsed.reload:
        return run(parsed)
    from ._reload import Supervisor

    return Supervisor(parsed).run()

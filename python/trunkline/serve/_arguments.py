# SPDX-License-Identifier: MIT
"""Arguments: the command line of ``trunkline serve``."""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
from collections.abc import Callable, Sequence

from .. import __version__
from .._process.child import shares_ports

_EPILOG = """examples:
  trunkline serve app:server                    the trunkline.Server or trunkline.aio.Server named server in app.py
  trunkline serve shop.orders:Orders --reload   a class as a service, restarted when its files change
  trunkline serve app:make_server --workers 4 --endpoint tcp://0.0.0.0:8888
  trunkline serve app:server --endpoint tcp://10.0.0.1:4000 --announce etcd://e1:2379,e2:2379/services/orders

SIGTERM and SIGINT shut the server down: calls in progress have --grace seconds to finish. A second signal ends
them at once.
exit status: 0 after a shutdown, 1 if the object cannot be loaded or served, 2 for wrong arguments
"""

_LEVELS = ("debug", "info", "warning", "error", "critical")


@dataclasses.dataclass(frozen=True)
class Arguments:
    """The options of the command. ``announce`` are URIs, and ``advertise`` those for the endpoints there. ``health``,
    ``reflection``, ``statistics``: None without an explicit choice. ``console_token``, ``console_endpoint``: empty
    without one. ``grace`` is in seconds."""

    module: str
    attributes: str
    endpoints: tuple[str, ...]
    announce: tuple[str, ...]
    advertise: tuple[str, ...]
    workers: int
    threads: int | None
    reload: bool
    grace: float
    health: bool | None
    reflection: bool | None
    statistics: bool | None
    console: bool
    console_token: str
    console_endpoint: str
    log_level: str
    app_dir: str

    @property
    def target(self) -> str:
        return f"{self.module}:{self.attributes}"


def _at_least_one(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return value


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value < 0 or not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, 0 or more")
    return value


def _target(text: str) -> str:
    module, _, attributes = text.partition(":")
    if not all(part.isidentifier() for part in [*module.split("."), *attributes.split(".")]):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form module:object, such as shop.app:server")
    return text


def _directory(text: str) -> str:
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a directory")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="trunkline serve",
        description="Serves an object of a Python module: a server of either kind, a service's class or object, or a "
        "function that returns one of these.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("target", type=_target, metavar="MODULE:OBJECT", help="the object to serve, e.g. shop.app:server")
    add(
        "--endpoint",
        action="append",
        dest="endpoints",
        metavar="URI",
        help="where to listen; may be repeated; default: tcp://127.0.0.1:8888",
    )
    add(
        "--announce",
        action="append",
        metavar="URI",
        help="where to announce the server, e.g. etcd://e1:2379,e2:2379/services/orders; may be repeated",
    )
    add(
        "--advertise",
        action="append",
        metavar="URI",
        help="where clients reach the announced server; may be repeated; default: the endpoints",
    )
    add("--workers", type=_at_least_one, default=1, metavar="N", help="processes that share the port; default: 1")
    add(
        "--threads",
        type=_at_least_one,
        metavar="N",
        help="worker threads of each process; default: those of the server",
    )
    add(
        "--reload",
        action="store_true",
        help="restart when files of imported modules below the current directory or --app-dir change",
    )
    add(
        "--grace",
        type=_seconds,
        default=5.0,
        metavar="SECONDS",
        help="time for calls in progress at the shutdown; default: 5",
    )
    _add_built_in(add)
    add(
        "--console",
        action="store_true",
        help="serve the console, a page for browsers, at /console; without a token only to this machine",
    )
    add(
        "--console-token",
        metavar="TOKEN",
        default=os.environ.get("TRUNKLINE_CONSOLE_TOKEN", ""),
        help="what others need to open the console, 16 characters or more; default: $TRUNKLINE_CONSOLE_TOKEN",
    )
    add(
        "--console-endpoint",
        metavar="URI",
        default="",
        help="serve the console there and nowhere else, such as tcp://127.0.0.1:9000",
    )
    add(
        "--log-level",
        choices=_LEVELS,
        default="info",
        help="lowest level that is logged to standard error; default: info",
    )
    add(
        "--app-dir",
        type=_directory,
        default=".",
        metavar="DIR",
        help="directory to import modules from first; default: the current one",
    )
    add("--version", action="version", version=f"trunkline {__version__}")
    return parser


def _add_built_in(add: Callable[..., object]) -> None:
    for name in ("health", "reflection", "statistics"):
        text = f"serve {name} too; default: yes if the package protobuf is installed"
        add(f"--{name}", action=argparse.BooleanOptionalAction, default=None, help=text)


def parse(arguments: Sequence[str] | None) -> Arguments:
    """Parses the arguments. Exits with status 2 for wrong arguments, with 0 after ``--help``."""
    parser = _parser()
    given = vars(parser.parse_args(arguments))
    module, _, attributes = given.pop("target").partition(":")
    endpoints = tuple(given.pop("endpoints") or ["tcp://127.0.0.1:8888"])
    announce, advertise = (tuple(given.pop(name) or ()) for name in ("announce", "advertise"))
    parsed = Arguments(
        module=module,
        attributes=attributes,
        endpoints=endpoints,
        announce=announce,
        advertise=advertise,
        **given,
    )
    if advertise and not announce:
        parser.error("argument --advertise: needs --announce")
    if parsed.workers > 1:
        for endpoint in endpoints:
            if not shares_ports(endpoint):
                parser.error(f"argument --workers: processes can share tcp:// and tls:// endpoints, not {endpoint}")
    return parsed

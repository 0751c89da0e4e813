# SPDX-License-Identifier: MIT
"""Console: a page that shows what a server offers and does, and calls its methods."""

from __future__ import annotations

import dataclasses
import hmac
import importlib.metadata
import importlib.resources
import ipaddress
import secrets
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .._errors import Unauthenticated
from .._server.context import Context
from .._server.http_request import HttpRequest
from .._server.http_response import HttpResponse
from .._server.route import route_method
from .._server.running_server_base import current_server
from . import _definitions
from ._reflection import Descriptions
from ._registering import Served, register_all
from ._statistics import StatisticsHandlers

if TYPE_CHECKING:
    from .._server.server_base import ServerBase

_TOKEN = "trunkline-console-token"
_MIN_TOKEN_LENGTH = 16
_SERVICE = "trunkline.v1.Console"
#: The text in the page in whose place the token goes, if a console has one of its own.
_PLACE_OF_TOKEN = b"@trunkline-console-token@"
#: Proxies add these headers to the requests of clients on any machine, and are near themselves.
_PROXY_HEADERS = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def add_console(
    server: ServerBase,
    *,
    endpoint: str = "",
    path: str = "/console",
    token: str = "",
    hosts: Iterable[str] = (),
    max_watches: int = 16,
) -> None:
    """Serves the console, a page for browsers, at ``path``: it lists the methods, calls them, and shows what the server
    does. Servers started from now on collect statistics.

    Without a ``token`` only clients on the same machine get the page, at ``localhost`` or an address of the loopback
    network. With a ``token`` of at least 16 characters everybody gets the page, and it asks for the token before it
    shows anything. ``hosts``: the names by which browsers may reach the page, beside ``localhost`` and IP addresses; it
    is refused under other names, which protects it from pages whose name points here (DNS rebinding).

    ``endpoint``: one of its own, such as ``tcp://127.0.0.1:9000``: servers that are started from now on listen there
    too (``RunningServer.console_endpoint``), and have the console on no other. All other methods are served there as
    well, since the page calls them. It is not announced, and several processes (``workers``) cannot share it.

    ``max_watches``: pages that may show statistics at once; more are refused with ResourceExhausted. On a
    ``trunkline.Server`` each occupies a thread in addition to ``threads``.

    Raises ImportError without the package protobuf, TypeError if ``hosts`` is one str, ValueError for a token that is
    too short, for a path that is none, and if the server has a console already.
    """
    _definitions.require_protobuf("add console")
    if token and len(token) < _MIN_TOKEN_LENGTH:
        raise ValueError(f"add console: token has {len(token)} characters, at least {_MIN_TOKEN_LENGTH} are needed")
    if isinstance(hosts, str):
        raise TypeError("add console: hosts must be a sequence of str, not one str")
    gate = _Gate(token, hosts)
    handlers = _Handlers(gate)
    describe = Served(
        f"{_SERVICE}/Describe",
        "unary",
        _definitions.message("trunkline.v1.DescribeRequest"),
        _definitions.message("trunkline.v1.ServerDescription"),
        handlers.describe,
        handlers.describe_async,
        takes_context=True,
    )
    statistics = handlers.statistics
    watch = Served(
        f"{_SERVICE}/Watch",
        "server_stream",
        statistics.request,
        statistics.response,
        handlers.watch,
        handlers.watch_async,
        max_watches,
        takes_context=True,
    )
    if describe.name in server._methods:
        raise ValueError(f"method {describe.name!r} is registered already")
    page = importlib.resources.files("trunkline.services").joinpath("console_page.html").read_bytes()

    def get_page(request: HttpRequest, context: Context) -> HttpResponse:
        return gate.page(request, context, page)

    async def get_page_async(request: HttpRequest, context: Context) -> HttpResponse:
        return gate.page(request, context, page)

    is_private = bool(endpoint)
    handler = get_page_async if server._allows_async else get_page
    route = route_method("GET", path, handler, max_concurrent_calls=0)
    server._add_all([dataclasses.replace(route, is_private=is_private, is_built_in=True)])
    register_all(server, [describe, watch], is_private=is_private)
    server._collects_statistics = True
    server._console_endpoint = endpoint


class _Gate:
    """Decides who gets the page, and whose calls are answered."""

    def __init__(self, token: str, hosts: Iterable[str]) -> None:
        self._is_local = not token
        self._token = token or secrets.token_urlsafe(24)
        self._hosts = {host.lower() for host in hosts}

    def check(self, context: Context) -> None:
        """Raises Unauthenticated for a call without the token."""
        given = context.metadata.get(_TOKEN, "")
        data = given if isinstance(given, bytes) else given.encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(data, self._token.encode()):
            raise Unauthenticated("console: the token is missing or wrong")

    def page(self, request: HttpRequest, context: Context, page: bytes) -> HttpResponse:
        host = request.header("host", "")
        if not self._knows(_name_of(host)):
            return _refused(f"console: host {host[:200]!r} is neither localhost nor an IP address nor one of hosts")
        origin = request.header("origin", "")
        if origin and origin.partition("://")[2].lower() != host.lower():
            return _refused(f"console: origin {origin[:200]!r} is not that of the server")
        if not self._is_local:
            return HttpResponse(page, content_type="text/html; charset=utf-8", headers=_HEADERS)
        if not _is_loopback(context.peer):
            return _refused("console: it has no token, so it is served on the loopback network only")
        passed_on = next((name for name in _PROXY_HEADERS if name in request.headers), None)
        if passed_on is not None:
            return _refused(
                f"console: it has no token, so it is not served through a proxy, which has sent {passed_on}"
            )
        own = page.replace(_PLACE_OF_TOKEN, self._token.encode())
        return HttpResponse(own, content_type="text/html; charset=utf-8", headers=_HEADERS)

    def _knows(self, name: str) -> bool:
        if name == "localhost" or name in self._hosts:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._is_local


def _refused(text: str) -> HttpResponse:
    return HttpResponse(f"{text}\n", status=403, content_type="text/plain; charset=utf-8", headers=_HEADERS)


def _name_of(authority: str) -> str:
    """Returns the host of ``host:port``, in lower case; of an IPv6 address without its brackets."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    return authority.partition(":")[0].lower()


def _is_loopback(peer: str) -> bool:
    scheme, _, rest = peer.partition("://")
    if scheme not in ("tcp", "tls"):
        return True  # unix and in-process: the same machine
    try:
        return ipaddress.ip_address(_name_of(rest)).is_loopback
    except ValueError:
        return False


class _Handlers:
    def __init__(self, gate: _Gate) -> None:
        self._gate = gate
        self._descriptions = Descriptions()
        self._description = _definitions.message("trunkline.v1.ServerDescription")
        self.statistics = StatisticsHandlers()

    def describe(self, _: Any, context: Context) -> Any:
        self._gate.check(context)
        return self._described()

    async def describe_async(self, _: Any, context: Context) -> Any:
        return self.describe(_, context)

    def watch(self, request: Any, context: Context) -> Iterator[Any]:
        self._gate.check(context)
        return self.statistics.watch_changes(request, context)

    def watch_async(self, request: Any, context: Context) -> AsyncIterator[Any]:
        self._gate.check(context)
        return self.statistics.watch_changes_async(request)

    def _described(self) -> Any:
        response = self._description(version=importlib.metadata.version("trunkline"))

        def fill(description: Any) -> None:
            sent: set[str] = set()
            for service in description.services:
                response.services.append(service)
                file = description.files.find_symbol(service)
                if file not in sent:
                    response.files.extend(description.files.with_imports(file, sent))

        self._descriptions.use(fill)
        return response

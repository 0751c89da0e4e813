# SPDX-License-Identifier: MIT
"""HttpRequest: a request of HTTP as the handler of a route gets it."""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeVar
from urllib.parse import parse_qsl, unquote

from .._errors import InvalidArgument
from .._metadata import Metadata

Default = TypeVar("Default")


class HttpRequest:
    """A request of HTTP. Immutable.

    ``route``: the route that takes it, such as ``GET /files/*``. ``headers``: the metadata of the call. A program makes
    one to test a handler: ``HttpRequest("GET /files/*", {"trunkline-request": "GET /files/a%20b?page=2"})``.
    """

    __slots__ = ("_headers", "_path", "body", "method", "query", "rest")

    def __init__(self, route: str, headers: Any = None, body: bytes = b"") -> None:
        self._headers = headers if isinstance(headers, Metadata) else Metadata(headers)
        line = str(self._headers.get("trunkline-request", ""))
        #: The method, such as ``GET``. A route for GET gets ``HEAD`` too; the content of its response is then not sent.
        self.method, _, target = line.partition(" ")
        path, _, query = target.partition("?")
        self._path = unquote(path)
        #: The text for which the ``*`` of the route stands; empty without a ``*``.
        self.rest = self._path[len(route.partition(" ")[2]) - 1 :] if route.endswith("*") else ""
        #: The text after the ``?``, undecoded; empty without a ``?``.
        self.query = query
        #: The body as it was received, even if a header says that it is compressed.
        self.body = body

    @property
    def path(self) -> str:
        """The decoded path, without the query. It has no control characters, and no parts ``.`` and ``..``."""
        return self._path

    @property
    def headers(self) -> Metadata:
        """All headers in their order, and before them ``trunkline-request``, which is the undecoded method and path.
        The host that the client names is ``host``, in HTTP/2 as well. Headers that are about the connection or the
        length of the body are not among them."""
        return self._headers

    def header(self, name: str, default: Default | str = "") -> str | Default:
        """Returns the first header of this name, in upper or lower case, or ``default``."""
        value: Any = self._headers.get(name)
        if value is None:
            return default
        return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")

    def query_values(self, name: str) -> list[str]:
        """Returns the values of this name in the query, decoded as those of forms are (``+`` is a space)."""
        return [value for key, value in parse_qsl(self.query, keep_blank_values=True) if key == name]

    def query_value(self, name: str, default: Default | str = "") -> str | Default:
        """Returns the first value of this name in the query, or ``default``."""
        values = self.query_values(name)
        return values[0] if values else default

    @property
    def text(self) -> str:
        """Returns the body as UTF-8. Raises InvalidArgument, which answers 400, if it is not."""
        try:
            return self.body.decode()
        except UnicodeDecodeError as error:
            raise InvalidArgument(f"the body is not UTF-8: {error}") from error

    def json(self) -> Any:
        """Returns the body as JSON. Raises InvalidArgument, which answers 400, if it is not."""
        try:
            return json.loads(self.body, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"the body is not JSON: {error}") from error

    def __repr__(self) -> str:
        return f"<HttpRequest {self.method} {self._path}>"


def _refuse_constant(name: str) -> NoReturn:
    """Refuses NaN, Infinity and -Infinity, which Python takes."""
    raise ValueError(f"it has {name}")

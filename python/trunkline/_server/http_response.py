# SPDX-License-Identifier: MIT
"""HttpResponse: what the handler of a route answers."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import _core
from .._metadata import Metadata, MetadataLike, Value, pairs_of

if TYPE_CHECKING:
    from .http_request import HttpRequest

_REDIRECTIONS = (301, 302, 303, 307, 308)


@dataclasses.dataclass(frozen=True)
class HttpResponse:
    """The response to a request of HTTP.

    ``status``: 200 to 599; with 204 and 304 no content is sent. ``content_type``: by default
    ``text/plain; charset=utf-8`` for a str, ``application/octet-stream`` for bytes, and none without a body.
    ``headers``: further ones, as a mapping or pairs; a name may stand several times. A content-type among them replaces
    the default. Not those that say how the message is sent, such as content-length, nor values with line ends or other
    control characters. A response with such a header is not sent; the client gets 500, and the server's log tells why.

    Raises TypeError for a body, content type or header of another type, ValueError for another status and for two
    content types.
    """

    body: bytes | bytearray | memoryview | str = b""
    _: dataclasses.KW_ONLY
    status: int = 200
    content_type: str | None = None
    headers: MetadataLike | Metadata = None

    def __post_init__(self) -> None:
        if not isinstance(self.body, (bytes, bytearray, memoryview, str)):
            raise TypeError(f"HttpResponse: the body is {type(self.body).__name__}, not bytes or str")
        if isinstance(self.status, bool) or not isinstance(self.status, int) or not 200 <= self.status <= 599:
            raise ValueError(f"HttpResponse: the status {self.status!r} is not one of 200 to 599")
        if self.content_type is not None and not isinstance(self.content_type, str):
            raise TypeError(f"HttpResponse: the content type is {type(self.content_type).__name__}, not str")
        if self.headers is not None:
            self._check_headers()

    @classmethod
    def html(cls, body: str, *, status: int = 200, headers: MetadataLike | Metadata = None) -> HttpResponse:
        """Makes a response from a page."""
        return cls(body, status=status, headers=headers)._with_default_type("text/html; charset=utf-8")

    @classmethod
    def json(cls, value: Any, *, status: int = 200, headers: MetadataLike | Metadata = None) -> HttpResponse:
        """Makes JSON of ``value``. Raises TypeError for what JSON has no form of, ValueError for NaN and infinity."""
        body = json.dumps(value, allow_nan=False).encode()
        return cls(body, status=status, headers=headers)._with_default_type("application/json")

    @classmethod
    def redirect(cls, location: str, *, status: int = 303) -> HttpResponse:
        """Sends the client to ``location``: by GET with 303, with the same request by 307 and 308. 301 and 308 are
        permanent. Raises ValueError for a status that is no redirection."""
        if status not in _REDIRECTIONS:
            raise ValueError(f"HttpResponse: the status {status!r} is not one of 301, 302, 303, 307, 308")
        return cls(status=status, headers={"location": location})

    def for_request(self, request: HttpRequest) -> HttpResponse:
        """Returns what a GET or HEAD asks of this response, which has the status 200, by its conditions and its range
        (RFC 9110, sections 13 and 14).

        304 if the client has it already, 412 if it is not what the client expects, 206 with the part that is wanted,
        416 if there is no such part, and otherwise all of it. The comparison uses its headers ``etag``, such as
        ``"v1"`` with the quotation marks, and ``last-modified``, such as ``Sun, 06 Nov 1994 08:49:37 GMT``. A client
        that asks for several parts gets all of it.
        """
        if self.status != 200 or request.method not in ("GET", "HEAD"):
            return self
        own = [(name.lower(), value) for name, value in pairs_of(self.headers)] if self.headers is not None else []
        body = self.body.encode() if isinstance(self.body, str) else bytes(self.body)
        status, begin, size = _core.answer_conditions(
            request.method, list(request.headers), _first(own, "etag"), _first(own, "last-modified"), len(body)
        )
        if status == 412:
            return HttpResponse("412: the response is not what the request expects\n", status=412)
        if status == 416:
            return HttpResponse(
                f"416: the response has {len(body)} bytes\n",
                status=416,
                headers={"content-range": f"bytes */{len(body)}"},
            )
        if status == 304:
            kept = [(name, value) for name, value in own if name != "content-type"]
            return dataclasses.replace(self, body=b"", status=304, content_type=None, headers=kept or None)
        headers = [*((name, value) for name, value in own if name != "accept-ranges"), ("accept-ranges", "bytes")]
        if status == 200:
            return dataclasses.replace(self, headers=headers)
        headers.append(("content-range", f"bytes {begin}-{begin + size - 1}/{len(body)}"))
        # The type is that of the whole body: if that is a str, the part is bytes.
        kind = self._sent_type(has_body=True)
        return HttpResponse(body[begin : begin + size], status=206, content_type=kind, headers=headers)

    def _check_headers(self) -> None:
        pairs = pairs_of(self.headers, "HttpResponse: headers")
        if isinstance(self.headers, Iterator):
            object.__setattr__(self, "headers", pairs)  # it yields its pairs only once
        for name, value in pairs:
            _check_header(name, value)
        count = sum(name.lower() == "content-type" for name, _ in pairs)
        if count > 1:
            raise ValueError("HttpResponse: headers has content-type more than once")
        if count and self.content_type is not None:
            raise ValueError("HttpResponse: headers has content-type, and content_type is given as well")

    def _has_type(self) -> bool:
        """Returns whether the handler has said what the body is."""
        if self.content_type is not None:
            return True
        return any(name.lower() == "content-type" for name, _ in pairs_of(self.headers))

    def _with_default_type(self, kind: str) -> HttpResponse:
        return self if self._has_type() else dataclasses.replace(self, content_type=kind)

    def _sent_type(self, *, has_body: bool) -> str | None:
        """Returns the content type that is sent in addition to the headers."""
        if self._has_type() or not has_body:
            return self.content_type
        return "text/plain; charset=utf-8" if isinstance(self.body, str) else "application/octet-stream"


def _check_header(name: Any, value: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"HttpResponse: the name of the header {name!r} is not a str")
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"HttpResponse: the header {name!r} is {type(value).__name__}, not str or bytes")


def _first(pairs: list[tuple[str, Value]], name: str) -> str:
    value = next((value for key, value in pairs if key == name), "")
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")

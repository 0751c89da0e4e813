# SPDX-License-Identifier: MIT
"""ClientMethod: the base of methods bound to a channel, for code that blocks and for asyncio."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from .._calls.deadline import inherited
from .._calls.requests import close_requests
from .._messages.types import is_protobuf
from .._metadata import pairs_of
from .._methods.definition import Kind, MethodDefinition
from .call_settings import codec_and_settings
from .options import CallOptions
from .response_info import ResponseInfo

if TYPE_CHECKING:
    from typing_extensions import Unpack

_OPTIONS = frozenset(CallOptions.__annotations__)


class ClientMethod:
    """A method bound to a channel. Any thread and event loop that may use the channel may use the method.

    Its functions return what the channel returns: for code that blocks a response, for asyncio an awaitable of it.
    """

    __slots__ = (
        "_call",
        "_channel",
        "_codec",
        "_definition",
        "_inherits",
        "_is_intercepted",
        "_name",
        "_options",
        "_request",
        "_required",
        "_response",
        "_send",
        "_settings",
    )

    _kind: ClassVar[Kind]
    #: The name of the class of channels to which such methods are bound.
    _channel_name: ClassVar[str]

    def __init__(self, channel: Any, definition: MethodDefinition[Any, Any], **options: Unpack[CallOptions]) -> None:
        """``options`` apply to every call; each call may override them. Streams ignore ``idempotent``, so that a client
        can pass the same options to all its methods. Raises TypeError or ValueError for a wrong option."""
        self._check(channel, definition, options)
        defaults: dict[str, Any] = dict(options)
        if "metadata" in defaults:
            defaults["metadata"] = pairs_of(defaults["metadata"])  # an iterator can be read only once
        if self._kind != "unary":
            defaults.pop("idempotent", None)
        elif definition.idempotent:
            defaults.setdefault("idempotent", True)
        self._channel = channel
        self._call = channel.call
        # These serve calls without options of their own. An inherited deadline is looked up by each call, not here.
        self._codec, self._settings = contextvars.Context().run(codec_and_settings, None, **defaults)
        self._inherits = defaults.get("timeout") is None
        self._send = channel._call
        self._is_intercepted = bool(channel._interceptors)
        self._definition = definition
        self._options = defaults
        self._name = definition.name
        self._request = definition.request
        #: The class that requests must be instances of; None if isinstance cannot decide.
        self._required = definition.request if is_protobuf(definition.request) else None
        self._response = type(None) if definition.response is None else definition.response

    def _check(self, channel: Any, definition: MethodDefinition[Any, Any], options: Mapping[str, Any]) -> None:
        own = type(self).__name__
        if not isinstance(definition, MethodDefinition):
            raise TypeError(f"{own}: its definition is a {type(definition).__name__}, not a MethodDefinition")
        if definition.kind != self._kind:
            raise TypeError(f"{own}: {definition.name} is {definition.kind}, not {self._kind}")
        of_channel = getattr(channel, "_client_methods", None)
        if of_channel is None or not isinstance(self, of_channel[self._kind]):
            given = f"{type(channel).__module__}.{type(channel).__name__}"
            raise TypeError(f"{own}: {definition.name} is for a {self._channel_name}, not a {given}")
        for name in options:
            if name not in _OPTIONS:
                known = ", ".join(sorted(_OPTIONS))
                raise TypeError(f"{own}: {definition.name} has no option {name!r}; the options are {known}")

    @property
    def name(self) -> str:
        """The full name on the wire, e.g. ``example.Hello/Greet``."""
        return self._name

    @property
    def definition(self) -> MethodDefinition[Any, Any]:
        """The definition that it was made from."""
        return self._definition

    def __repr__(self) -> str:
        endpoint = self._channel.endpoint
        return f"<{type(self).__name__} {self._name} of {endpoint}>"

    def _with(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the options of one call."""
        return {**self._options, **options} if options else self._options

    def _without_retry(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the options of one call that is never retried."""
        merged = dict(self._with(options))
        merged.pop("idempotent", None)
        return merged

    def _checked(self, request: Any) -> Any:
        """Returns the request. Raises TypeError for one of another class, which protobuf would encode too."""
        if self._required is not None and not isinstance(request, self._required):
            raise TypeError(
                f"call {self._name}: its request is of type {type(request).__name__}, not {self._required.__name__}"
            )
        return request

    def _each_checked(self, requests: Any) -> Any:
        """Returns the requests, checked one by one."""
        return requests if self._required is None else self._checked_each(iter(requests))

    def _checked_each(self, requests: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from map(self._checked, requests)
        finally:
            close_requests(requests)

    # --- unary methods ---

    def _call_unary(self, request: Any, response_info: ResponseInfo | None, options: Mapping[str, Any]) -> Any:
        if type(request) is not self._request:
            self._checked(request)
        if options or response_info is not None or self._is_intercepted or (self._inherits and inherited() is not None):
            merged = self._with(options)
            return self._call(self._name, request, self._response, response_info=response_info, **merged)
        return self._send(self._name, request, self._response, self._settings, self._codec, None)

    def _submit(self, request: Any, response_info: ResponseInfo | None, options: Mapping[str, Any]) -> Any:
        message, merged = self._checked(request), self._with(options)
        return self._channel.submit(self._name, message, self._response, response_info=response_info, **merged)

    def _call_many(
        self, call: Callable[..., Any], requests: Any, window: int, return_exceptions: bool, options: Mapping[str, Any]
    ) -> Any:
        """``call`` is the channel's ``map`` or ``as_completed``."""
        each, merged = self._each_checked(requests), self._with(options)
        return call(self._name, each, self._response, window=window, return_exceptions=return_exceptions, **merged)

    def _call_oneway(self, request: Any, options: Mapping[str, Any]) -> Any:
        return self._channel.call_oneway(self._name, self._checked(request), **self._without_retry(options))

    # --- streams ---

    def _stream_requests(
        self, requests: Any, response_info: ResponseInfo | None, options: Mapping[str, Any]
    ) -> Any:
        merged = self._with(options)
        return self._channel.client_stream(
            self._name, requests, self._response, request=self._request, response_info=response_info, **merged
        )

    def _stream_responses(self, request: Any, options: Mapping[str, Any]) -> Any:
        return self._channel.server_stream(self._name, self._checked(request), self._response, **self._with(options))

    def _stream_both(self, requests: Any, options: Mapping[str, Any]) -> Any:
        """Returns a stream, or with ``requests`` the iterator of its ``exchange``."""
        stream = self._channel.stream(self._name, self._request, self._response, **self._with(options))
        return stream if requests is None else stream.exchange(requests)

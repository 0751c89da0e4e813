# SPDX-License-Identifier: MIT
"""ClientMethod: what methods as functions of a channel have in common, for code that blocks and for asyncio."""

from __future__ import annotations

import contextvars
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ._calls import codec_and_settings
from ._messages import is_protobuf
from ._metadata import pairs_of
from ._method_definition import Kind, MethodDefinition
from ._options import CallOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

_OPTIONS = frozenset(CallOptions.__annotations__)


class ClientMethod:
    """A method bound to a channel. Small, and as usable from any thread and event loop as its channel is."""

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
    #: What it is made for.
    _channel_name: ClassVar[str]

    def __init__(self, channel: Any, definition: MethodDefinition[Any, Any], **options: Unpack[CallOptions]) -> None:
        """``options``: of every call; what is given to a call replaces its like. Streams have no ``idempotent``, which
        is ignored, so that a client hands the same options to all its methods. Wrong ones raise at once."""
        self._check(channel, definition, options)
        usual: dict[str, Any] = dict(options)
        if "metadata" in usual:
            usual["metadata"] = pairs_of(usual["metadata"])  # read once, if it is an iterator
        if self._kind != "unary":
            usual.pop("idempotent", None)
        elif definition.idempotent:
            usual.setdefault("idempotent", True)
        self._channel = channel
        self._call = channel.call  # looked up once
        # For calls without options of their own: made once, and as if nothing were inherited, which a call looks for.
        self._codec, self._settings = contextvars.Context().run(codec_and_settings, None, **usual)
        self._inherits = usual.get("timeout") is None
        self._send = channel._call
        self._is_intercepted = bool(channel._interceptors)
        self._definition = definition
        self._options = usual
        self._name = definition.name
        self._request = definition.request
        #: The class of which requests have to be; None if that is not for isinstance to say.
        self._required = definition.request if is_protobuf(definition.request) else None
        self._response = type(None) if definition.response is None else definition.response

    def _check(self, channel: Any, definition: MethodDefinition[Any, Any], options: Mapping[str, Any]) -> None:
        own = type(self).__name__
        if not isinstance(definition, MethodDefinition):
            raise TypeError(f"{own}: its definition is a MethodDefinition, not {type(definition).__name__}")
        if definition.kind != self._kind:
            raise TypeError(f"{own}: {definition.name} is {definition.kind}, not {self._kind}")
        of_channel = getattr(channel, "_client_methods", None)
        if of_channel is None or not isinstance(self, of_channel[self._kind]):
            given = f"{type(channel).__module__}.{type(channel).__name__}"
            raise TypeError(f"{own}: {definition.name} is for a {self._channel_name}, not a {given}")
        for name in options:
            if name not in _OPTIONS:
                known = ", ".join(sorted(_OPTIONS))
                raise TypeError(f"{own}: {definition.name} has no option {name!r}; they are {known}")

    @property
    def name(self) -> str:
        """On the wire."""
        return self._name

    @property
    def definition(self) -> MethodDefinition[Any, Any]:
        """What it was made of."""
        return self._definition

    def __repr__(self) -> str:
        endpoint = self._channel.endpoint
        return f"<{type(self).__name__} {self._name} of {endpoint}>"

    def _with(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Those of one call."""
        return {**self._options, **options} if options else self._options

    def _streamed(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Those of one call that is not repeated."""
        merged = dict(self._with(options))
        merged.pop("idempotent", None)
        return merged

    def _checked(self, request: Any) -> Any:
        """The request, if it is one. Protobuf would encode a message of any other class, too."""
        if self._required is not None and not isinstance(request, self._required):
            raise TypeError(
                f"call {self._name}: its request is of type {type(request).__name__}, not {self._required.__name__}"
            )
        return request

# SPDX-License-Identifier: MIT
"""Caller: what channels of either kind have in common: an endpoint, options, typed clients, and how a stream is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from . import _core
from ._bind import bind
from ._calls import settings_of
from ._client_method import ClientMethod
from ._codecs import Codecs, Coding
from ._interceptors import OutgoingCall, checked_interceptors
from ._metadata import MetadataLike
from ._options import CallOptions, ChannelOptions, core_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

Service = TypeVar("Service")

Opening = Callable[[], tuple[_core.ClientStream, Coding]]


class Caller:
    """An endpoint, and what calls to it need."""

    #: Of its methods as functions, by their kind.
    _client_methods: ClassVar[dict[str, type[ClientMethod]]]

    def __init__(self, endpoint: str, options: ChannelOptions, *, may_wait: bool) -> None:
        """``may_wait``: interceptors may be asynchronous, and the channel is for asyncio."""
        self._may_wait = may_wait
        self._endpoint = endpoint
        self._codecs = Codecs(options.get("codecs", ()))
        self._interceptors = checked_interceptors(options.get("interceptors", ()), may_wait=may_wait)
        self._default_timeout = options.get("default_timeout")
        self._core = _core.Channel(endpoint, core_options(options))

    @property
    def endpoint(self) -> str:
        """As it was given."""
        return self._endpoint

    @property
    def state(self) -> str:
        """idle, connecting, ready, failing or closed."""
        return self._core.state()

    def bind(self, service: type[Service], name: str | None = None, **options: Unpack[CallOptions]) -> Service:
        """A typed client of a class of type-hinted methods: its functions call.

        ``name``: as in ``Server.add_service``. ``options`` are those of all its calls, e.g. ``timeout=1.0``; they may be given
        to each of its functions, too, for which type checkers do not know them. Bidirectional methods take an iterable
        of requests (for asyncio, of either kind) and give the responses, or take nothing and give a ClientStream.

        A class with ``async def`` methods is for an aio.Channel: TypeError. One of plain functions may be bound to that
        as well: its functions are coroutines there, which type checkers do not know either.

        Of a class with definitions, as generated ones are, the functions are ``UnaryMethod`` and the like: callers give
        the request alone, where type checkers would have them give what a handler takes, ``(request, context)``. Typed
        clients of such a class are the generated ones: ``SpellerClient(channel)``, not ``channel.bind(SpellerService)``.
        """
        return bind(self, service, name, options, may_wait=self._may_wait)  # type: ignore[no-any-return]

    def _stream_call(
        self,
        method: str,
        kind: str,
        only_request: Any,
        request: Any,
        response: Any,
        timeout: float | None = None,
        metadata: MetadataLike = None,
        wait_for_ready: bool = False,
        compressor: str | None = None,
        codec: str | None = None,
        *,
        is_stated: bool = True,
    ) -> tuple[OutgoingCall, Opening]:
        """A stream as interceptors see it, and what opens it as they have left it. ``request``: the type of what is
        streamed; of no use if the only request is there. ``is_stated``: by the caller, not that of its first one."""
        call = OutgoingCall(method, kind, only_request, timeout, metadata, None)

        def open_stream() -> tuple[_core.ClientStream, Coding]:
            is_only = call.kind == "server_stream"
            if is_only:
                coding = self._codecs.coding(type(call.request), response, codec)
            else:
                coding = self._codecs.stream_coding(request, response, codec, is_stated=is_stated)
            settings = settings_of(self._default_timeout, call.timeout, call.metadata, wait_for_ready, False, compressor)
            data = coding.encode(call.request) if is_only else None
            return self._core.open_stream(call.method, coding.codec, settings, data), coding

        return call, open_stream

# SPDX-License-Identifier: MIT
"""ChannelBase: the base of channels for code that blocks and of channels for asyncio."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from .. import _core
from .._calls.connection_options import core_options
from .._calls.interception import Interception, checked_interceptors
from .._errors import RpcError
from .._memory_usage import MemoryUsage
from .._messages.codec_table import CodecTable, MessageCoding
from .._metadata import MetadataLike
from .bound_service import bind
from .call_settings import settings_of
from .client_method import ClientMethod
from .options import CallOptions, ChannelOptions, with_config_as_text
from .outgoing_call import OutgoingCall
from .resolver_host import hosted
from .response_info import ResponseInfo, checked_response_info
from .server_state import ServerState
from .state_watch import ChannelState, StateWatch
from .stream_call import OpenStream

if TYPE_CHECKING:
    from typing_extensions import Unpack

Service = TypeVar("Service")

_log = logging.getLogger("trunkline")


class ChannelBase:
    """An endpoint with the options and codecs of its calls; typed clients; how calls and streams are prepared."""

    #: The classes of methods bound to such a channel, by their kind.
    _client_methods: ClassVar[dict[str, type[ClientMethod]]]

    def __init__(self, endpoint: str, options: ChannelOptions, *, allows_async: bool) -> None:
        """``allows_async`` is True for a channel of asyncio: interceptors and bound services may be asynchronous."""
        self._allows_async = allows_async
        self._endpoint = endpoint
        self._codecs = CodecTable(options.get("codecs", ()))
        self._interceptors = checked_interceptors(options.get("interceptors", ()), allows_async=allows_async)
        self._default_timeout = options.get("default_timeout")
        settings = core_options(with_config_as_text(options))
        if "resolvers" in options:
            settings["resolvers"] = hosted(options["resolvers"])
        self._core = _core.Channel(endpoint, settings)
        #: The endpoint without user and password.
        self._shown_endpoint = _core.shown_uri(endpoint)

    def __repr__(self) -> str:
        state: str
        try:
            state = self.state
        except RpcError:
            state = "of the parent process"
        return f"<trunkline.{'aio.' * self._allows_async}Channel {self._shown_endpoint} {state}>"

    @property
    def endpoint(self) -> str:
        """The endpoint as it was given."""
        return self._endpoint

    @property
    def state(self) -> str:
        """The state: ``idle`` (no call has needed a connection yet), ``connecting``, ``ready``, ``failing`` (the next
        attempt to connect waits for the backoff) or ``closed``."""
        return self._core.state()

    def _watch_states(self, callback: Callable[[ChannelState], object], inbox: _core.Inbox) -> Callable[[], None]:
        """Calls ``callback`` with each new state, and returns a function that ends this."""
        watch = StateWatch(callback)
        core = self._core
        core.watch_states(inbox, watch)

        def call_off() -> None:
            watch.call_off()
            core.unwatch_states(watch)

        return call_off

    @property
    def memory_usage(self) -> MemoryUsage:
        """The memory that the channel holds for its servers, and its limit (``max_memory_bytes``)."""
        return MemoryUsage(*self._core.memory_usage())

    @property
    def servers(self) -> list[ServerState]:
        """Returns what the channel knows of each server that its URI stands for. The list is empty until the first call
        resolves the name."""
        return [ServerState(*state) for state in self._core.servers()]

    def bind(self, service: type[Service], name: str | None = None, **options: Unpack[CallOptions]) -> Service:
        """Returns a typed client of a service class: an object with its methods, each of which makes a call.

        ``name``: as in ``Server.add_service``. ``options``: for every call, e.g. ``timeout=1.0``; each call may
        override them, although type checkers do not know that. Bidirectional methods take an iterable of requests (for
        asyncio, of either kind) and return the responses, or take nothing and return a ClientStream.

        A class with ``async def`` methods needs an ``aio.Channel``: TypeError. A class of plain functions may be bound
        to an ``aio.Channel`` too; its methods are coroutines there, which ``interface`` tells type checkers.

        The methods of a generated class are ``UnaryMethod`` and the like. They take the request alone, whereas type
        checkers expect the arguments of its handlers, ``(request, context)``. Use the generated client instead:
        ``SpellerClient(channel)``, not ``channel.bind(SpellerService)``.
        """
        return bind(self, service, name, options, allows_async=self._allows_async)  # type: ignore[no-any-return]

    def _sender(
        self,
        send: Callable[..., Any],
        call: OutgoingCall,
        response: Any,
        wait_for_ready: bool,
        idempotent: bool,
        compressor: str | None,
        routing_key: str | None,
        codec: str | None,
    ) -> Callable[[], Any]:
        """Returns a function that sends ``call`` as its interceptors have left it: by ``send(method, request, response,
        settings, codec, response_info)``."""

        def send_call() -> Any:
            settings = settings_of(
                self._default_timeout, call.timeout, call.metadata, wait_for_ready, idempotent, compressor, routing_key
            )
            return send(call.method, call.request, response, settings, codec, call.response_info)

        return send_call

    def _stream(
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
        routing_key: str | None = None,
        *,
        is_stated: bool = True,
        response_info: ResponseInfo | None = None,
    ) -> tuple[str, OpenStream, Interception | None, ResponseInfo | None]:
        """Returns the parts from which a ``StreamCall`` is made.

        ``request``: the type of the streamed requests; unused if there is only one request. ``is_stated``: the caller
        has named that type; otherwise it is the type of the first request.
        """
        if response_info is not None:
            checked_response_info(response_info)
        call = OutgoingCall(method, kind, only_request, timeout, metadata, response_info)

        def open_stream() -> tuple[_core.ClientStream, MessageCoding]:
            is_only = call.kind == "server_stream"
            if is_only:
                coding = self._codecs.coding(type(call.request), response, codec)
            else:
                coding = self._codecs.stream_coding(request, response, codec, is_stated=is_stated)
            settings = settings_of(
                self._default_timeout, call.timeout, call.metadata, wait_for_ready, False, compressor, routing_key
            )
            data = coding.encoded(call.method, call.request) if is_only else None
            return self._core.open_stream(call.method, coding.codec, settings, data), coding

        if self._interceptors:
            return method, open_stream, Interception(self._interceptors, call), call.response_info
        return method, open_stream, None, response_info

    def _warn_of_streams(self, cut_off: int) -> None:
        """``cut_off`` is the number of streams that were open when the channel's block was left."""
        if cut_off:
            _log.warning("leaving channel %s: streams cut off: %d", self._shown_endpoint, cut_off)

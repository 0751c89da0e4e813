# SPDX-License-Identifier: MIT
"""CallCredentials: metadata that identifies the caller, which a plug-in supplies for each call."""

from __future__ import annotations

import abc
import contextvars
import logging
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

_log = logging.getLogger(__name__)


class AuthMetadataContext(abc.ABC):
    """The call that needs credentials.

    ``service_url``: the URL of its service, such as ``https://example.org/package.Service``. ``method_name``: the short
    name of its method.
    """

    service_url: str
    method_name: str


class AuthMetadataPluginCallback(abc.ABC):
    """Takes the metadata that a plug-in supplies."""

    def __call__(self, metadata: Any, error: Exception | None) -> None:
        """Takes ``metadata``, pairs of a name and a value, and ``error``: None, or why there are no credentials."""
        raise NotImplementedError


class AuthMetadataPlugin(abc.ABC):
    """Supplies the metadata that identifies the caller."""

    def __call__(self, context: AuthMetadataContext, callback: AuthMetadataPluginCallback) -> None:
        """Calls ``callback(metadata, error)``, now or later, on any thread. Must not block for long."""
        raise NotImplementedError


class CredentialsError(Exception):
    """A plug-in has supplied no credentials."""


class _Context(NamedTuple):
    service_url: str
    method_name: str


AuthMetadataContext.register(_Context)


class CallCredentials:
    """The plug-ins that supply the metadata of a call."""

    def __init__(self, plugins: tuple[Callable[..., Any], ...]) -> None:
        self.plugins = plugins

    def metadata(self, authority: str, method: str, timeout: float | None) -> list[tuple[str, Any]]:
        """Runs the plug-ins. ``method`` is as ``package.Service/Method``. ``timeout`` is the seconds to wait for each
        of them; None for any time. Raises CredentialsError."""
        service, _, name = method.rpartition("/")
        context = _Context(f"https://{authority}/{service}", name)
        return [pair for plugin in self.plugins for pair in _run(plugin, context, timeout)]


class _Answer(AuthMetadataPluginCallback):
    """Keeps the metadata of a plug-in until it is asked for."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.metadata: Any = ()
        self.error: Exception | None = None

    def __call__(self, metadata: Any, error: Exception | None) -> None:
        if self.came.is_set():
            raise RuntimeError("the callback of an authentication plug-in was called more than once")
        self.metadata, self.error = metadata, error
        self.came.set()


def _run(plugin: Callable[..., Any], context: _Context, timeout: float | None) -> Any:
    answer = _Answer()
    try:
        plugin(context, answer)
    except Exception as error:
        _log.exception("the authentication plug-in %r has raised", plugin)
        raise CredentialsError(f"Getting metadata from plugin failed with error: {error}") from error
    if not answer.came.wait(timeout):
        raise TimeoutError("an authentication plug-in has not answered in time")
    if answer.error is not None:
        raise CredentialsError(f"Getting metadata from plugin failed with error: {answer.error}") from answer.error
    return answer.metadata or ()


def metadata_call_credentials(metadata_plugin: Callable[..., Any], name: str | None = None) -> CallCredentials:
    """Returns credentials that ``metadata_plugin(context, callback)`` supplies. It runs with the context variables that
    are set now. ``name`` is not used."""
    variables = contextvars.copy_context()

    def plugin(context: AuthMetadataContext, callback: AuthMetadataPluginCallback) -> None:
        variables.copy().run(metadata_plugin, context, callback)

    return CallCredentials((plugin,))


def access_token_call_credentials(access_token: str) -> CallCredentials:
    """Returns credentials that send the metadata ``authorization: Bearer TOKEN``."""

    def plugin(context: AuthMetadataContext, callback: AuthMetadataPluginCallback) -> None:
        callback((("authorization", f"Bearer {access_token}"),), None)

    return CallCredentials((plugin,))


def composite_call_credentials(*call_credentials: CallCredentials) -> CallCredentials:
    """Returns credentials that send the metadata of all of them."""
    return CallCredentials(tuple(plugin for each in call_credentials for plugin in each.plugins))

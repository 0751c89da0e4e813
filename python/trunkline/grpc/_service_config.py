# SPDX-License-Identifier: MIT
"""ServiceConfig: the timeouts and the waiting of methods in a channel's option ``grpc.service_config``. The rest of the
option is for the core."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ._argument import Argument, arguments_of, text_argument
from ._call_request import CallRequest


class MethodConfig(NamedTuple):
    """The part of a service config that applies to a method."""

    timeout: float | None = None
    wait_for_ready: bool | None = None

    def applied_to(self, asked: CallRequest) -> CallRequest:
        """Returns the call with the shorter timeout, and with the method's waiting unless it states its own."""
        timeouts = [timeout for timeout in (self.timeout, asked.timeout) if timeout is not None]
        waiting = self.wait_for_ready if asked.wait_for_ready is None else asked.wait_for_ready
        return asked._replace(timeout=min(timeouts, default=None), wait_for_ready=waiting)


class ServiceConfig:
    """The methods about which a channel's options say something."""

    def __init__(self, methods: Mapping[str, MethodConfig]) -> None:
        """``methods`` holds them by ``package.Service/Method``, ``package.Service/`` for a whole service, or an empty
        name for all."""
        self._methods = methods

    @classmethod
    def of(cls, options: Iterable[Any] | None) -> ServiceConfig:
        """Reads the config of a channel's options. Raises ValueError for a text that is no service config."""
        text = text_argument(options, "grpc.service_config")
        if not text:
            return cls({})
        methods: dict[str, MethodConfig] = {}
        try:
            for each in json.loads(text).get("methodConfig", ()):
                config = _method_config(each)
                for name in each.get("name", ()):
                    service, method = name.get("service", ""), name.get("method", "")
                    methods[f"{service}/{method}" if service else ""] = config
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"grpc.service_config is not a service config: {error!r}") from error
        return cls(methods)

    def for_method(self, name: str) -> MethodConfig | None:
        """Returns the config of the method ``name``, as ``package.Service/Method``."""
        service = name.rpartition("/")[0]
        for key in (name, f"{service}/", ""):
            if key in self._methods:
                return self._methods[key]
        return None


def config_of_core(options: Iterable[Any] | None) -> str | None:
    """Returns the service config of a channel's options without what this module applies: the core cannot tell a call
    that does not wait from one that leaves it to the config. Policies for retries are missing if
    ``grpc.enable_retries`` is 0, those for hedging if ``grpc.experimental.enable_hedging`` is 0. None: there is no
    config, or it is none, which ``ServiceConfig.of`` reports."""
    text = text_argument(options, "grpc.service_config")
    if not text:
        return None
    given = arguments_of(options)
    left_out = {"timeout", "waitForReady"}
    if _is_off(given.get("grpc.enable_retries")):
        left_out |= {"retryPolicy", "hedgingPolicy"}
    if _is_off(given.get("grpc.experimental.enable_hedging")):
        left_out.add("hedgingPolicy")
    try:
        config = json.loads(text)
        methods = [
            {name: value for name, value in method.items() if name not in left_out}
            for method in config.get("methodConfig", ())
        ]
    except (AttributeError, TypeError, ValueError):
        return None
    return json.dumps({**config, "methodConfig": methods})


def _is_off(argument: Argument | None) -> bool:
    return argument is not None and isinstance(argument.value, int) and not argument.value


def _method_config(given: Mapping[str, Any]) -> MethodConfig:
    timeout = given.get("timeout")
    return MethodConfig(None if timeout is None else _seconds(timeout), given.get("waitForReady"))


def _seconds(duration: str) -> float:
    """Returns the seconds of a duration such as ``0.1s``."""
    return float(duration.removesuffix("s"))

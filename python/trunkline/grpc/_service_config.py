# SPDX-License-Identifier: MIT
"""ServiceConfig: what a channel's option ``grpc.service_config`` says about its methods: timeouts, waiting, retries."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ._call_request import CallRequest
from ._status_code import StatusCode, code_of


class RetryPolicy(NamedTuple):
    """When a call that has failed is sent again. Times are in seconds."""

    max_attempts: int
    initial_backoff: float
    max_backoff: float
    backoff_multiplier: float
    codes: frozenset[StatusCode]


class Retries:
    """The retries of one call."""

    def __init__(self, policy: RetryPolicy, asked: CallRequest) -> None:
        self._policy = policy
        self._asked = asked
        self._deadline = asked.deadline()
        self._attempts = 1

    def delay_after(self, code: StatusCode) -> float | None:
        """Seconds after which the call, whose last attempt has ended with ``code``, is sent again; None if it is
        not."""
        policy = self._policy
        if code not in policy.codes or self._attempts >= policy.max_attempts:
            return None
        longest = policy.initial_backoff * policy.backoff_multiplier ** (self._attempts - 1)
        delay = random.uniform(0, min(longest, policy.max_backoff))
        if self._deadline is not None and time.monotonic() + delay >= self._deadline:
            return None
        self._attempts += 1
        return delay

    def request(self) -> CallRequest:
        """What the next attempt sends: with the time that is left."""
        if self._deadline is None:
            return self._asked
        return self._asked._replace(timeout=self._deadline - time.monotonic())


class MethodConfig(NamedTuple):
    """What is said about a method."""

    timeout: float | None = None
    wait_for_ready: bool | None = None
    retry: RetryPolicy | None = None

    def applied_to(self, asked: CallRequest) -> CallRequest:
        """The call with the shorter timeout, and with the method's waiting unless it states its own."""
        timeouts = [timeout for timeout in (self.timeout, asked.timeout) if timeout is not None]
        waiting = self.wait_for_ready if asked.wait_for_ready is None else asked.wait_for_ready
        return asked._replace(timeout=min(timeouts, default=None), wait_for_ready=waiting)


class ServiceConfig:
    """The methods that a channel's options say something about."""

    def __init__(self, methods: Mapping[str, MethodConfig]) -> None:
        """``methods``: by ``package.Service/Method``, ``package.Service/`` for a whole service, or an empty name for
        all."""
        self._methods = methods

    @classmethod
    def of(cls, options: Iterable[Any] | None) -> ServiceConfig:
        """Of a channel's options. Raises ValueError for a text that is no service config."""
        given = {str(name): value for name, value in options or ()}
        text = given.get("grpc.service_config")
        if not text:
            return cls({})
        retries = bool(given.get("grpc.enable_retries", 1))
        methods: dict[str, MethodConfig] = {}
        try:
            for each in json.loads(text).get("methodConfig", ()):
                config = _method_config(each, retries)
                for name in each.get("name", ()):
                    service, method = name.get("service", ""), name.get("method", "")
                    methods[f"{service}/{method}" if service else ""] = config
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"grpc.service_config is not a service config: {error!r}") from error
        return cls(methods)

    def for_method(self, name: str) -> MethodConfig | None:
        """``name``: ``package.Service/Method``."""
        service = name.rpartition("/")[0]
        for key in (name, f"{service}/", ""):
            if key in self._methods:
                return self._methods[key]
        return None


def _method_config(given: Mapping[str, Any], retries: bool) -> MethodConfig:
    timeout = given.get("timeout")
    policy = given.get("retryPolicy") if retries else None
    return MethodConfig(
        None if timeout is None else _seconds(timeout),
        given.get("waitForReady"),
        None if policy is None else _retry_policy(policy),
    )


def _retry_policy(given: Mapping[str, Any]) -> RetryPolicy:
    return RetryPolicy(
        min(int(given["maxAttempts"]), 5),
        _seconds(given["initialBackoff"]),
        _seconds(given["maxBackoff"]),
        float(given["backoffMultiplier"]),
        frozenset(_code(code) for code in given["retryableStatusCodes"]),
    )


def _seconds(duration: str) -> float:
    """Of a duration such as ``0.1s``."""
    return float(duration.removesuffix("s"))


def _code(code: str | int) -> StatusCode:
    return code_of(code) if isinstance(code, int) else StatusCode[code.upper()]

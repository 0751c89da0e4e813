# SPDX-License-Identifier: MIT
"""For users' tests: servers in the same process without a port, and one that plays scripted answers."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar, Union

from . import aio
from ._channel import Channel
from ._context import Context
from ._errors import Unimplemented
from ._server import Server

Self = TypeVar("Self", bound="Fake")

_numbers = itertools.count(1)


def _endpoint() -> str:
    return f"inproc://trunkline-testing-{next(_numbers)}"


def _server_of(service: Any, make: Callable[[], Any]) -> Any:
    if isinstance(service, (Server, aio.Server)):
        return service
    server = make()
    server.add_service(service)
    return server


@contextlib.contextmanager
def serve(service: Any, **channel_options: Any) -> Iterator[Channel]:
    """Serves a Server, or a service's class or object, in this process; gives a channel to it::

    with trunkline.testing.serve(Calculator) as channel:
        assert channel.bind(Calculator).add(Pair(1, 2)) == 3
    """
    server: Server = _server_of(service, Server)
    with server.serve(_endpoint()) as running, Channel(running.endpoint, **channel_options) as channel:
        yield channel


@contextlib.asynccontextmanager
async def aserve(service: Any, **channel_options: Any) -> AsyncIterator[aio.Channel]:
    """The same for asyncio: ``async with trunkline.testing.aserve(service) as channel``."""
    server: aio.Server = _server_of(service, aio.Server)
    async with server.serve(_endpoint()) as running, aio.Channel(running.endpoint, **channel_options) as channel:
        yield channel


Answer = Union[Any, BaseException, Callable[[Any], Any]]


class Fake:
    """A server that answers as it is told, and remembers what it was asked::

    fake = trunkline.testing.Fake()
    fake.on("Users/get", {"name": "Ann"}, trunkline.Unavailable("busy"))
    with fake.serve() as channel:
        ...
    assert fake.requests("Users/get") == [1, 1]

    An answer is a response, an exception to be raised, or a function of the request. Answers are used in order, the last
    one again and again.
    """

    def __init__(self) -> None:
        self._server = Server(threads=4)
        self._answers: dict[str, deque[Answer]] = {}
        self._requests: dict[str, list[Any]] = {}
        self._lock = threading.Lock()

    def on(self: Self, method: str, *answers: Answer, request: Any = Any, response: Any = Any) -> Self:
        """More answers of a method. ``request`` and ``response``: the types of its messages, at its first use."""
        if not answers:
            raise ValueError(f"fake {method}: no answer is given")
        with self._lock:
            if method in self._answers:
                self._answers[method].extend(answers)
                return self
            self._answers[method] = deque(answers)
            self._requests[method] = []

        def answer(message: Any, context: Context) -> Any:
            return self._answer(method, message)

        answer.__annotations__ = {"message": request, "context": Context, "return": response}
        self._server.add(method, answer)
        return self

    def _answer(self, method: str, message: Any) -> Any:
        with self._lock:
            self._requests[method].append(message)
            answers = self._answers[method]
            answer = answers.popleft() if len(answers) > 1 else answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer(message) if callable(answer) else answer

    def requests(self, method: str) -> list[Any]:
        """What has been asked so far."""
        with self._lock:
            if method not in self._requests:
                raise Unimplemented(f"fake {method}: no answer is given")
            return list(self._requests[method])

    def serve(self, **channel_options: Any) -> contextlib.AbstractContextManager[Channel]:
        """As :func:`serve`. Methods are those known by then."""
        return serve(self._server, **channel_options)


__all__ = ["Fake", "aserve", "serve"]

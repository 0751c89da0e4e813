# SPDX-License-Identifier: MIT
"""Streams of every kind, blocking."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator

import pytest
import trunkline

from .conftest import Serve


class Service:
    def __init__(self) -> None:
        self.server = server = trunkline.Server(threads=4)
        self.closed = threading.Event()
        self.written = 0

        @server.method
        def count(request: int) -> Iterator[int]:
            yield from range(request)

        @server.method
        def total(requests: Iterator[int]) -> int:
            return sum(requests)

        @server.method
        def double(requests: Iterable[int], context: trunkline.Context) -> Iterator[int]:
            context.add_leading_metadata("lead", "l")
            for request in requests:
                yield 2 * request
            context.add_trailing_metadata("trail", "t")

        @server.method
        def endless(request: int) -> Iterator[bytes]:
            try:
                while True:
                    yield bytes(request)
                    self.written += 1
            finally:
                self.closed.set()

        @server.method
        def breaks(request: int) -> Iterator[int]:
            yield 1
            raise trunkline.DataLoss("it broke")

        @server.method
        def early(requests: Iterator[int]) -> int:
            return next(requests)


@pytest.fixture
def service() -> Service:
    return Service()


def test_server_stream(serve: Serve, service: Service) -> None:
    channel = serve(service.server)

    assert list(channel.server_stream("count", 1000, int)) == list(range(1000))
    assert list(channel.server_stream("count", 0)) == []


def test_client_stream(serve: Serve, service: Service) -> None:
    channel = serve(service.server)

    assert channel.client_stream("total", range(1000), int) == 499500
    assert channel.client_stream("total", [], int) == 0


def test_client_stream_that_the_server_ends_early(serve: Serve, service: Service) -> None:
    channel = serve(service.server)

    assert channel.client_stream("early", iter(range(5, 100_000)), int) == 5


def test_bidirectional_in_turn(serve: Serve, service: Service) -> None:
    channel = serve(service.server)

    with channel.stream("double", int, int) as stream:
        for i in range(50):
            stream.write(i)
            assert stream.read() == 2 * i
        assert stream.leading_metadata["lead"] == "l"
        stream.close_writes()
        with pytest.raises(EOFError):
            stream.read()
        stream.finish()
        assert stream.trailing_metadata["trail"] == "t"


def test_bidirectional_from_two_threads(serve: Serve, service: Service) -> None:
    channel = serve(service.server)

    with channel.stream("double", int, int) as stream:

        def write() -> None:
            for i in range(2000):
                stream.write(i)
            stream.close_writes()

        writer = threading.Thread(target=write)
        writer.start()
        assert list(stream) == [2 * i for i in range(2000)]
        writer.join()


def test_an_error_after_messages(serve: Serve, service: Service) -> None:
    stream = serve(service.server).server_stream("breaks", 1)

    assert next(stream) == 1
    with pytest.raises(trunkline.DataLoss, match="it broke"):
        next(stream)


def test_an_unknown_stream(serve: Serve, service: Service) -> None:
    with pytest.raises(trunkline.Unimplemented):
        list(serve(service.server).server_stream("nothing", 1))


def test_a_reader_that_stops_holds_the_writer_back(serve: Serve, service: Service) -> None:
    channel = serve(service.server)
    size = 100_000

    with channel.server_stream("endless", size, bytes) as stream:
        assert len(next(stream)) == size
        before = -1
        while before != service.written:
            before = service.written
            service.closed.wait(0.2)
        # What the credits of a call and the buffers on the way allow, not without end.
        assert service.written * size < 32 << 20

    assert service.closed.wait(20)


def test_a_stream_abandoned_midway_ends_at_the_server(serve: Serve, service: Service) -> None:
    channel = serve(service.server)
    stream = channel.server_stream("endless", 10, bytes)
    next(stream)

    del stream

    # Whoever uses the channel next carries the cancellation out.
    assert list(channel.server_stream("count", 3)) == [0, 1, 2]
    assert service.closed.wait(20)


def test_a_deadline_ends_a_stream(serve: Serve, service: Service) -> None:
    with pytest.raises(trunkline.DeadlineExceeded):
        for _ in serve(service.server).server_stream("endless", 1, bytes, timeout=0.1):
            pass

    assert service.closed.wait(20)


def test_cancel(serve: Serve, service: Service) -> None:
    with serve(service.server).stream("double", int, int) as stream:
        stream.cancel()
        with pytest.raises(trunkline.Cancelled):
            stream.read()


def test_metadata_is_there_once_a_message_was_read(serve: Serve) -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def count(request: int, context: trunkline.Context) -> Iterator[int]:
        context.add_leading_metadata("early", "1")
        context.add_trailing_metadata("late", "2")
        yield from range(request)

    @server.method
    def nothing() -> None: ...

    channel = serve(server)
    stream = channel.server_stream("count", 2, int)
    for _ in range(20):
        channel.call("nothing")  # so what has come for the stream is there
    assert list(stream.leading_metadata) == []

    first = next(stream)
    leading = list(stream.leading_metadata)
    rest = list(stream)

    assert (first, rest) == (0, [1])
    assert leading == [("early", b"1")]
    assert list(stream.trailing_metadata) == [("late", b"2")]

# SPDX-License-Identifier: MIT
"""The contestants of compare.py: `serve NAME` until standard input ends, `call NAME TARGET SIZE OUTSTANDING SECONDS`."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from google.protobuf.wrappers_pb2 import BytesValue

METHOD = "bench.Echo/Say"


def until(seconds: float) -> Callable[[], bool]:
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() < end


def check(same: bool) -> None:
    if not same:
        raise SystemExit("an answer is wrong")


# --- the limit: sockets alone, or with messages of one size ---


def receive(connection: socket.socket, size: int) -> bytes:
    """So many bytes; fewer only at the end."""
    data = connection.recv(size)
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            break
        data += more
    return data


def serve_sockets(answer: Callable[[socket.socket], None]) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def serve() -> None:
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection:
                answer(connection)

    threading.Thread(target=serve, daemon=True).start()
    sys.stdin.read()


def echo_bytes(connection: socket.socket) -> None:
    while data := connection.recv(65536):
        connection.sendall(data)


def echo_messages(connection: socket.socket) -> None:
    """The first bytes say how long the messages are and how many come at a time."""
    length, count = struct.unpack("<II", receive(connection, 8))
    while batch := receive(connection, length * count):
        requests = [BytesValue.FromString(batch[at : at + length]) for at in range(0, len(batch), length)]
        connection.sendall(b"".join(BytesValue(value=request.value).SerializeToString() for request in requests))


def connect(target: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", int(target)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def call_sockets(target: str, size: int, outstanding: int, seconds: float) -> int:
    request = b"x" * size
    count, going = 0, until(seconds)
    with connect(target) as connection:
        while going():
            connection.sendall(request)
            check(receive(connection, size) == request)
            count += 1
    return count


def call_messages(target: str, size: int, outstanding: int, seconds: float) -> int:
    request = BytesValue(value=b"x" * size)
    length = request.ByteSize()
    count, going = 0, until(seconds)
    with connect(target) as connection:
        connection.sendall(struct.pack("<II", length, outstanding))
        while going():
            connection.sendall(b"".join(request.SerializeToString() for _ in range(outstanding)))
            batch = receive(connection, length * outstanding)
            for at in range(0, length * outstanding, length):
                check(BytesValue.FromString(batch[at : at + length]) == request)
            count += outstanding
    return count


# --- trunkline ---


def tell(stats: dict[str, int]) -> None:
    print(f"{stats['python_calls'] / max(1, stats['python_batches']):.1f}", flush=True)


def serve_trunkline() -> None:
    import trunkline

    server = trunkline.Server(threads=4)

    @server.method(METHOD)
    def say(request: BytesValue) -> BytesValue:
        return BytesValue(value=request.value)

    @server.method("bytes")
    def same(request: bytes) -> bytes:
        return request

    with server.serve("tcp://127.0.0.1:0") as running:
        print(running.endpoint, flush=True)
        sys.stdin.read()
        tell(running.stats())


def call_trunkline(target: str, size: int, outstanding: int, seconds: float) -> int:
    import trunkline

    request = BytesValue(value=b"x" * size)
    count, going = 0, until(seconds)
    with trunkline.Channel(target) as channel:
        while going():
            check(channel.call(METHOD, request, BytesValue) == request)
            count += 1
    return count


def call_trunkline_bytes(target: str, size: int, outstanding: int, seconds: float) -> int:
    import trunkline

    request = b"x" * size
    count, going = 0, until(seconds)
    with trunkline.Channel(target) as channel:
        while going():
            check(channel.call("bytes", request) == request)
            count += 1
    return count


def call_trunkline_map(target: str, size: int, outstanding: int, seconds: float) -> int:
    import trunkline

    request = BytesValue(value=b"x" * size)
    going = until(seconds)

    def requests() -> Iterator[BytesValue]:
        while going():
            for _ in range(100):
                yield request

    count = 0
    with trunkline.Channel(target) as channel:
        for response in channel.map(METHOD, requests(), BytesValue, window=outstanding):
            if response != request:
                raise SystemExit("an answer is wrong")
            count += 1
    return count


def serve_trunkline_aio(uvloop: bool = False) -> None:
    from trunkline import aio

    server = aio.Server(threads=2)

    @server.method(METHOD)
    async def say(request: BytesValue) -> BytesValue:
        return BytesValue(value=request.value)

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running:
            print(running.endpoint, flush=True)
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
            tell(running.stats())

    run(main, uvloop)


def call_trunkline_aio(target: str, size: int, outstanding: int, seconds: float, uvloop: bool = False) -> int:
    from trunkline import aio

    request = BytesValue(value=b"x" * size)
    going = until(seconds)

    async def caller(channel: aio.Channel) -> int:
        count = 0
        while going():
            check(await channel.call(METHOD, request, BytesValue) == request)
            count += 1
        return count

    async def main() -> int:
        async with aio.Channel(target) as channel:
            return sum(await asyncio.gather(*(caller(channel) for _ in range(outstanding))))

    return int(run(main, uvloop))


def run(main: Callable[[], Any], uvloop: bool) -> Any:
    if uvloop:
        import uvloop as fast

        return fast.run(main())
    return asyncio.run(main())


# --- grpc ---


def serve_grpcio() -> None:
    import grpc

    handler = _grpc_handler(lambda request, context: _answer(request))
    server = grpc.server(ThreadPoolExecutor(4), handlers=[handler], options=_LARGE)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    sys.stdin.read()
    server.stop(0).wait()


def _answer(request: BytesValue) -> BytesValue:
    return BytesValue(value=request.value)


def _grpc_handler(function: Any) -> Any:
    import grpc

    handler = grpc.unary_unary_rpc_method_handler(function, BytesValue.FromString, BytesValue.SerializeToString)

    class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]
        def service(self, handler_call_details: Any) -> Any:
            return handler

    return Handler()


_LARGE = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


def call_grpcio(target: str, size: int, outstanding: int, seconds: float) -> int:
    import grpc

    request = BytesValue(value=b"x" * size)
    count, going = 0, until(seconds)
    with grpc.insecure_channel(f"127.0.0.1:{target}", options=_LARGE) as channel:
        ask = channel.unary_unary("/" + METHOD, BytesValue.SerializeToString, BytesValue.FromString)
        while going():
            check(ask(request) == request)
            count += 1
    return count


def call_grpcio_futures(target: str, size: int, outstanding: int, seconds: float) -> int:
    import grpc

    request = BytesValue(value=b"x" * size)
    count, going = 0, until(seconds)
    with grpc.insecure_channel(f"127.0.0.1:{target}") as channel:
        ask = channel.unary_unary("/" + METHOD, BytesValue.SerializeToString, BytesValue.FromString)
        futures = deque(ask.future(request) for _ in range(outstanding))
        while going():
            check(futures.popleft().result() == request)
            futures.append(ask.future(request))
            count += 1
        for future in futures:
            future.result()
            count += 1
    return count


def serve_grpc_aio(uvloop: bool = False) -> None:
    import grpc

    async def say(request: BytesValue, context: Any) -> BytesValue:
        return BytesValue(value=request.value)

    async def main() -> None:
        server = grpc.aio.server(handlers=[_grpc_handler(say)])
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        print(port, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        await server.stop(0)

    run(main, uvloop)


def call_grpc_aio(target: str, size: int, outstanding: int, seconds: float, uvloop: bool = False) -> int:
    import grpc

    request = BytesValue(value=b"x" * size)
    going = until(seconds)

    async def main() -> int:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{target}") as channel:
            ask = channel.unary_unary("/" + METHOD, BytesValue.SerializeToString, BytesValue.FromString)

            async def caller() -> int:
                count = 0
                while going():
                    check(await ask(request) == request)
                    count += 1
                return count

            return sum(await asyncio.gather(*(caller() for _ in range(outstanding))))

    return int(run(main, uvloop))


SERVERS: dict[str, Callable[[], None]] = {
    "sockets": lambda: serve_sockets(echo_bytes),
    "messages": lambda: serve_sockets(echo_messages),
    "trunkline": serve_trunkline,
    "trunkline_bytes": serve_trunkline,
    "trunkline_map": serve_trunkline,
    "trunkline_aio": serve_trunkline_aio,
    "trunkline_aio_uvloop": lambda: serve_trunkline_aio(uvloop=True),
    "grpcio": serve_grpcio,
    "grpcio_futures": serve_grpcio,
    "grpc_aio": serve_grpc_aio,
    "grpc_aio_uvloop": lambda: serve_grpc_aio(uvloop=True),
}
CLIENTS: dict[str, Callable[[str, int, int, float], int]] = {
    "sockets": call_sockets,
    "messages": call_messages,
    "trunkline": call_trunkline,
    "trunkline_bytes": call_trunkline_bytes,
    "trunkline_map": call_trunkline_map,
    "trunkline_aio": call_trunkline_aio,
    "trunkline_aio_uvloop": partial(call_trunkline_aio, uvloop=True),
    "grpcio": call_grpcio,
    "grpcio_futures": call_grpcio_futures,
    "grpc_aio": call_grpc_aio,
    "grpc_aio_uvloop": partial(call_grpc_aio, uvloop=True),
}


def main() -> None:
    role, name = sys.argv[1:3]
    if role == "serve":
        SERVERS[name]()
        return
    target, size, outstanding, seconds = sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6])
    CLIENTS[name](target, size, outstanding, min(0.3, seconds))  # warms the peer up
    begun = time.perf_counter()
    count = CLIENTS[name](target, size, outstanding, seconds)
    print(count / (time.perf_counter() - begun))


if __name__ == "__main__":
    main()

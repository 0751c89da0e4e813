# SPDX-License-Identifier: MIT
"""The end of the interpreter while objects of the package are left: none says a word, starts a thread or holds it up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .ending import PRELUDE, Peer, end_of


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.stop()


#: Each function returns objects that are left at exit.
OBJECTS = """
import trunkline, trunkline.grpc, trunkline.grpc.aio
from concurrent.futures import ThreadPoolExecutor
from trunkline import aio

class Service:
    def Work(self, request: bytes) -> bytes:
        return request

def use(channel):
    return channel.unary_unary("/t.T/Echo")(b"1")

def handle(request, context):
    return request

async def handle_async(request, context):
    return request

def handlers(function):
    method = trunkline.grpc.unary_unary_rpc_method_handler(function)
    return (trunkline.grpc.method_handlers_generic_handler("t.T", {"Echo": method}),)

def channel():
    channel = trunkline.Channel(endpoint)
    channel.call("t.T/Echo", b"1", bytes)
    return channel

def unused_channel():
    return trunkline.Channel(endpoint)

def futures():
    made = channel()
    return made, [made.submit("t.T/Hold", token, bytes) for _ in range(10)], made.submit("t.T/Echo", b"1", bytes)

def callbacks():
    made = channel()
    made.on_state_change(str)
    future = made.submit("t.T/Hold", token, bytes)
    future.add_done_callback(lambda future: future.exception())
    return made, future

def streams():
    made = channel()
    stream = made.server_stream("t.T/Give", token, bytes)
    stream.read()
    return made, stream, made.stream("t.T/Both", bytes, bytes)

def iterators():
    made = channel()
    stream = made.server_stream("t.T/Give", token, bytes)
    iterator = iter(stream)
    next(iterator)
    mapping = made.map("t.T/Echo", [b"1"] * 1000, bytes)
    completed = made.as_completed("t.T/Echo", [b"1"] * 1000, bytes)
    exchange = made.stream("t.T/Both", bytes, bytes).exchange(iter([token]))
    return made, iterator, mapping, next(mapping), completed, next(completed), exchange, next(exchange)

def server():
    server = trunkline.Server(threads=2)
    server.on_shutdown(lambda: None)
    server.add_service(Service())
    running = server.serve("tcp://127.0.0.1:0")
    made = trunkline.Channel(running.endpoint)
    return server, running, made, made.call("Service/Work", b"1", bytes)

def unused_server():
    return trunkline.Server()

def busy_server():
    server = trunkline.Server(threads=2)
    begun = threading.Event()
    @server.method
    def hold(context: trunkline.Context) -> None:
        begun.set()
        while not context.is_cancelled():
            time.sleep(0.001)
    running = server.serve("tcp://127.0.0.1:0")
    made = trunkline.Channel(running.endpoint)
    future = made.submit("hold")
    begun.wait()
    return running, made, future

def aio_channel():
    async def main():
        made = aio.Channel(endpoint)
        await made.call("t.T/Echo", b"1", bytes)
        stream = made.server_stream("t.T/Give", token, bytes)
        await stream.read()
        return made, stream
    return asyncio.run(main())

def aio_server():
    async def main():
        server = aio.Server()
        server.on_shutdown(lambda: None)
        @server.method
        async def echo(request: bytes) -> bytes:
            return request
        @server.method
        def plain(request: bytes) -> bytes:
            return request
        running = server.serve("tcp://127.0.0.1:0")
        made = aio.Channel(running.endpoint)
        await made.call("echo", b"1", bytes)
        await made.call("plain", b"1", bytes)
        return running, made
    return asyncio.run(main())

def open_loop():
    loop = asyncio.new_event_loop()
    async def main():
        server = aio.Server()
        @server.method
        async def hold() -> None:
            await asyncio.sleep(1000)
        running = server.serve("tcp://127.0.0.1:0")
        made = aio.Channel(running.endpoint)
        return running, made, made.submit("hold")
    made = loop.run_until_complete(main())
    atexit.register(loop.close)
    return made

def grpc_channel():
    made = trunkline.grpc.insecure_channel(target)
    made.subscribe(lambda state: None, try_to_connect=True)
    use(made)
    return made

def grpc_calls():
    made = trunkline.grpc.insecure_channel(target)
    def requests():
        yield token
        threading.Event().wait()
    stream = made.unary_stream("/t.T/Give")(token)
    next(stream)
    future = made.unary_unary("/t.T/Hold").future(token)
    future.add_done_callback(lambda future: future.exception())
    both = made.stream_stream("/t.T/Both")(requests())
    next(both)
    return made, stream, future, both, made.stream_unary("/t.T/Take").future(requests())

def grpc_ready():
    return trunkline.grpc.channel_ready_future(trunkline.grpc.insecure_channel("127.0.0.1:1"))

def grpc_server():
    server = trunkline.grpc.server(ThreadPoolExecutor(2), handlers=handlers(handle))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    made = trunkline.grpc.insecure_channel(f"127.0.0.1:{port}")
    use(made)
    return server, made

def bound_grpc_server():
    server = trunkline.grpc.server(ThreadPoolExecutor(2))
    server.add_insecure_port("127.0.0.1:0")
    return server

def unused_grpc_server():
    return trunkline.grpc.server(ThreadPoolExecutor(2))

def failed_grpc_server():
    server = trunkline.grpc.server(ThreadPoolExecutor(2))
    try:
        server.add_insecure_port("256.1.1.1:0")
    except RuntimeError:
        pass
    return server

def stopping_grpc_server():
    server = trunkline.grpc.server(ThreadPoolExecutor(2), handlers=handlers(handle_long))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    made = trunkline.grpc.insecure_channel(f"127.0.0.1:{port}")
    future = made.unary_unary("/t.T/Echo").future(b"1")
    long_begun.wait()
    return server, made, future, server.stop(100)

long_begun = threading.Event()

def handle_long(request, context):
    long_begun.set()
    while context.is_active():
        time.sleep(0.001)
    return request

def grpc_aio():
    async def main():
        server = trunkline.grpc.aio.server(handlers=handlers(handle_async))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        made = trunkline.grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        await made.unary_unary("/t.T/Echo")(b"1")
        other = trunkline.grpc.aio.insecure_channel(target)
        stream = other.unary_stream("/t.T/Give")(token)
        await stream.read()
        return server, made, other, stream
    return asyncio.run(main())

def fake():
    from trunkline.testing import Fake
    made = Fake()
    made.on("answer", 42)
    serving = made.serve()
    channel = serving.__enter__()
    assert channel.call("answer") == 42
    return made, serving, channel
"""

#: Has the objects that ``make()`` returns left in as many ways.
WAYS = """
kept = make()

class Node: pass
node = Node()
node.itself = node
node.kept = make()
del node

def fail():
    kept = make()
    raise LookupError
try:
    fail()
except LookupError as error:
    kept_error = error

def generator():
    kept = make()
    yield kept
running = generator()
next(running)

ready = threading.Event()
def hold():
    kept = make()
    ready.set()
    threading.Event().wait()
threading.Thread(target=hold, daemon=True).start()
ready.wait()

make()
gc.collect()

def make_late():
    global kept_late
    kept_late = make()
threading.Thread(target=make_late).start()
"""

#: Forks beside threads are under test.
FORKS = """
import warnings
warnings.filterwarnings("ignore", ".*multi-threaded.*", DeprecationWarning)

def wait_for(child):
    _, status = os.waitpid(child, 0)
    assert status == 0, (make, status)

for make in (MAKE):
    kept = make()
    child = os.fork()
    if child == 0:
        sys.exit()  # it ends as its parent does
    wait_for(child)
    child = os.fork()
    if child == 0:
        del kept
        gc.collect()
        sys.exit()
    wait_for(child)
    child = os.fork()
    if child == 0:
        kept = make()
        sys.exit()
    wait_for(child)
"""

NAMES = [line[4:-3] for line in OBJECTS.splitlines() if line.startswith("def ") and line.endswith("():")]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left(peer: Peer, name: str) -> None:
    end_of(PRELUDE + OBJECTS + f"make = {name}\n" + WAYS, *peer.addresses)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_in_a_forked_child(peer: Peer, name: str) -> None:
    end_of(PRELUDE + OBJECTS + FORKS.replace("MAKE", f"{name},"), *peer.addresses)

# SPDX-License-Identifier: MIT
"""Several event loops of either kind, which start, end, and are closed during calls. Each scenario runs in its own
process."""

from __future__ import annotations

import pytest

from .test_life import play, scenarios

pytestmark = scenarios

LOOPS = """
import uvloop
RUN = {"asyncio": asyncio.run, "uvloop": uvloop.run}[KIND]
NEW = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}[KIND]
"""


def play_loops(kind: str, script: str, expect: str = "") -> None:
    play(LOOPS.replace("KIND", repr(kind)) + script, expect=expect)


kinds = pytest.mark.parametrize("kind", ["asyncio", "uvloop"])


@kinds
def test_several_loops_in_threads_share_servers_and_channels(kind: str) -> None:
    play_loops(
        kind,
        """
blocking = server.serve("tcp://127.0.0.1:0")
shared = aio.Channel(blocking.endpoint)

async def main(number):
    text = str(number).encode()
    async with async_server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as own:
        for channel, method in ((own, "aecho"), (shared, "echo")):
            assert await asyncio.gather(*(channel.call(method, text) for _ in range(20))) == [text] * 20
            assert [each async for each in channel.map(method, [text] * 50)] == [text] * 50

for _ in range(2):
    threads = [threading.Thread(target=lambda n=n: RUN(main(n))) for n in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
blocking.stop()
print("done")
""",
        expect="done",
    )


@kinds
def test_loops_come_and_go_beside_one_that_stays(kind: str) -> None:
    play_loops(
        kind,
        """
started, ended = threading.Event(), threading.Event()

async def stay():
    global endpoint
    async with async_server.serve("tcp://127.0.0.1:0") as running:
        endpoint = running.endpoint
        started.set()
        while not ended.is_set():
            await asyncio.sleep(0.005)

thread = threading.Thread(target=lambda: RUN(stay()))
thread.start()
assert started.wait(20)
channel = aio.Channel(endpoint)

async def come():
    assert await asyncio.gather(*(channel.call("aecho", b"x") for _ in range(10))) == [b"x"] * 10

for _ in range(10):
    RUN(come())
ended.set()
thread.join()
print("done")
""",
        expect="done",
    )


@kinds
def test_exit_with_everything_of_a_loop_alive(kind: str) -> None:
    play_loops(
        kind,
        """
loop = NEW()

async def main():
    running = async_server.serve("tcp://127.0.0.1:0")
    channel = aio.Channel(running.endpoint)
    assert await channel.call("aecho", b"x") == b"x"
    stream = channel.server_stream("count", 1000000, int)
    assert await stream.read() == 0
    mapping = channel.map("aecho", [b"x"] * 100)
    assert await anext(mapping) == b"x"
    return running, channel, stream, mapping, channel.submit("sleep", 60.0)

@async_server.method
async def count(request: int):
    for number in range(request):
        yield number

@async_server.method
async def sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)

kept = loop.run_until_complete(main())
print("done")
""",
        expect="done",
    )


@kinds
def test_calls_end_that_a_loop_has_taken_which_is_closed(kind: str) -> None:
    play_loops(
        kind,
        """
import logging; logging.disable()  # asyncio logs the tasks that are left
taken = threading.Semaphore(0)

@async_server.method
async def forever() -> None:
    taken.release()
    await asyncio.Event().wait()

@async_server.method
async def numbers():
    yield 1
    taken.release()
    await asyncio.Event().wait()

@async_server.method
def blocking(context: trunkline.Context) -> bool:
    taken.release()
    while not context.is_cancelled():
        time.sleep(0.001)
    return True

loop = NEW()

async def start():
    return async_server.serve("tcp://127.0.0.1:0")

running = loop.run_until_complete(start())
channel = trunkline.Channel(running.endpoint, max_retries=0)
futures = [channel.submit("forever"), channel.submit("blocking")]
stream = channel.server_stream("numbers")
count = 0
async def until_taken():
    global count
    while count < 3:
        count += taken.acquire(blocking=False)
        await asyncio.sleep(0.001)
loop.run_until_complete(until_taken())
loop.close()
closed = time.monotonic()
errors = [future.exception(50) for future in futures]
assert stream.read() == 1
try:
    stream.read()
except trunkline.RpcError as error:
    errors.append(error)
for error in errors:
    assert type(error) is trunkline.Unavailable, error
    assert "event loop that served the call has been closed" in str(error), error
assert len(errors) == 3 and time.monotonic() - closed < 30.0
try:
    channel.call("forever", timeout=20.0)
except trunkline.Unavailable:
    print("done")
channel.close()
""",
        expect="done",
    )


def test_a_server_whose_loop_is_closed_says_so() -> None:
    play(
        """
async def start():
    return async_server.serve("tcp://127.0.0.1:0")

def refusal(action):
    try:
        asyncio.run(action)
    except RuntimeError as error:
        return str(error)

for name in ("stop", "shutdown"):
    loop = asyncio.new_event_loop()
    running = loop.run_until_complete(start())
    said = refusal(getattr(running, name)())
    assert said == name + (
        ": the server runs on another event loop; use asyncio.run_coroutine_threadsafe with that one"
    ), said
    loop.close()
    for _ in range(2):
        said = refusal(getattr(running, name)())
        assert said == name + (
            ": the event loop of the server has been closed before the server was stopped; its calls were cut off, "
            "and it is stopped now"
        ), said
    assert "stopped" in repr(running)
    # Its port is free again.
    with trunkline.Server().serve(running.endpoint):
        pass
"""
    )

# SPDX-License-Identifier: MIT
"""When memory runs out, the operation that needs it fails, and nothing else."""

from __future__ import annotations

import sys

import pytest

from .test_life import play

LIMITED = """
import resource

@server.method
def large(request: int) -> bytes:
    return bytes(request)

def limit(bytes):
    with open("/proc/self/statm") as numbers:
        used = int(numbers.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + bytes, -1))

def lift():
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))

# Served by another process: this one is short of memory.
reported, tell = os.pipe()
child = os.fork()
if child == 0:
    signal.alarm(300)
    running = server.serve("tcp://127.0.0.1:0")
    os.write(tell, running.endpoint.encode())
    time.sleep(300)
endpoint = os.read(reported, 100).decode()
"""

needs_limits = pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS and /proc")


@needs_limits
@pytest.mark.parametrize("share", [0.25, 0.5, 1.5])
def test_a_call_that_needs_too_much_leaves_its_channel_usable(share: float) -> None:
    play(
        LIMITED
        + f"""
channel = trunkline.Channel(endpoint)
assert channel.call("large", 10, bytes) == bytes(10)
limit(int({share} * (48 << 20)))
for _ in range(2):
    try:
        channel.call("large", 48 << 20, bytes, timeout=20)
    except (MemoryError, trunkline.RpcError):  # the connection is lost with what could not be read
        pass
lift()
assert channel.call("large", 10, bytes, timeout=20) == bytes(10)
os.kill(child, signal.SIGKILL)
channel.close(0)
os._exit(0)
"""
    )


@needs_limits
@pytest.mark.parametrize("share", [0.25, 0.5, 1.5])
def test_a_channel_with_a_thread_survives_it(share: float) -> None:
    play(
        LIMITED
        + f"""
async def main():
    channel = aio.Channel(endpoint)
    assert await channel.call("large", 10, bytes) == bytes(10)
    limit(int({share} * (48 << 20)))
    try:
        await channel.call("large", 48 << 20, bytes, timeout=20)
    except (MemoryError, trunkline.RpcError):
        pass
    lift()
    assert await channel.call("large", 10, bytes, timeout=20) == bytes(10)
asyncio.run(main())
os.kill(child, signal.SIGKILL)
os._exit(0)
"""
    )


def test_every_ended_call_is_delivered_once() -> None:
    pytest.importorskip("_testcapi")
    play(
        """
        import _testcapi
        running = server.serve("tcp://127.0.0.1:0")
        channel = trunkline.Channel(running.endpoint)
        expects = trunkline._core.Expects.response
        failed = 0
        for allocation in range(40):
            inbox = channel._core.make_inbox(False)
            calls = [channel._core.begin("echo", b"x" * 100, "bytes", None, expects, inbox, tag) for tag in range(5)]
            while not all(call.is_done() for call in calls):
                channel.call("echo", b"y")
            taken = []
            _testcapi.set_nomemory(allocation, allocation + 1)
            try:
                taken = inbox.take()
            except MemoryError:
                pass
            finally:
                _testcapi.remove_mem_hooks()
            taken += inbox.take()
            # They come in the order in which the server's threads have answered.
            assert sorted(tag for tag, outcome in taken) == list(range(5)), (allocation, taken)
            failed += sum(type(outcome) is MemoryError for tag, outcome in taken)
            assert all(type(outcome) is MemoryError or outcome == b"x" * 100 for tag, outcome in taken)
        assert failed, "no allocation of an outcome was met"
        channel.close()
        running.stop()
        """
    )


@needs_limits
def test_a_request_that_has_no_room_is_refused_alone() -> None:
    play(
        """
        import resource
        from trunkline import _core
        host = _core.Server({})
        host.add("echo", _core.MethodKind.unary, print, False, "bytes", "bytes", "bytes", False, 0)
        endpoint = host.listen("inproc://out-of-memory")
        host.start_for_event_loop(lambda: False)
        channel = trunkline.Channel(endpoint)
        futures = [channel.submit("echo", "x" * (size or 48 << 20), codec="msgpack") for size in (1, 0, 2, 3)]
        while host.totals()["open_calls"] < 4:
            time.sleep(0.001)
        def used_bytes():
            with open("/proc/self/statm") as numbers:
                return int(numbers.read().split()[0]) * resource.getpagesize()
        before, used = 0, used_bytes()
        while before != used:  # until the requests have arrived whole
            time.sleep(0.1)
            before, used = used, used_bytes()
        resource.setrlimit(resource.RLIMIT_AS, (used + (8 << 20), -1))
        taken = host.take_calls()
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
        assert len(taken) == 3, taken
        for call, *_ in taken:
            call.set_response(b"\\xc0")
            host.finish(call)
        host.flush()
        assert [type(future.exception(20)).__name__ for future in futures] == [
            "NoneType", "ResourceExhausted", "NoneType", "NoneType"]
        channel.close()
        host.stop()
        assert host.destroy()
        """
    )

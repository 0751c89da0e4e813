# SPDX-License-Identifier: MIT
"""Subinterpreters, KeyboardInterrupt inside of callbacks, and garbage collection inside of the extension."""

from __future__ import annotations

import sys

import pytest

from .test_life import play


def test_beside_a_subinterpreter() -> None:
    pytest.importorskip("_xxsubinterpreters")
    play(
        """
        import _xxsubinterpreters
        _xxsubinterpreters.destroy(_xxsubinterpreters.create())
        # What the server lets go of without the GIL: the handler, and bytes that are carried without a copy.
        def make():
            def large(request: int) -> bytes:
                return bytes(100_000)
            server.add("large", large)
        make()
        with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
            for _ in range(20):
                assert len(channel.call("large", 1, bytes)) == 100_000
        del server
        """
    )


def test_ctrl_c_in_a_compressor_is_raised() -> None:
    play(
        """
        import logging, zlib
        logging.disable()
        interrupts = []

        class Mine(trunkline.Compressor):
            name = "mine"
            def compress(self, data):
                if interrupts:
                    interrupts.pop()
                    signal.raise_signal(signal.SIGINT)
                return zlib.compress(data)
            def decompress(self, data, size):
                return zlib.decompress(data)

        theirs = trunkline.Server(threads=1, compressors=[Mine()])

        @theirs.method
        def size(request: bytes) -> int:
            return len(request)

        with (
            theirs.serve("tcp://127.0.0.1:0") as running,
            trunkline.Channel(running.endpoint, compressors=[Mine()]) as channel,
        ):
            assert channel.call("size", bytes(5000), int, compressor="mine") == 5000
            interrupts.append(1)
            try:
                channel.call("size", bytes(5000), int, compressor="mine")
                time.sleep(0.1)
            except KeyboardInterrupt:
                print("interrupted")
        """,
        expect="interrupted",
    )


def test_ctrl_c_in_a_handler_of_logging_is_raised() -> None:
    play(
        """
        import logging, socket

        class Interrupting(logging.Handler):
            def emit(self, record):
                if interrupts:
                    interrupts.pop()
                    signal.raise_signal(signal.SIGINT)

        interrupts = [1]
        logging.getLogger("trunkline").addHandler(Interrupting())
        logging.getLogger("trunkline").propagate = False
        with socket.create_server(("127.0.0.1", 0)) as reserved:
            port = reserved.getsockname()[1]
        channel = trunkline.Channel(f"tcp://127.0.0.1:{port}")
        try:
            channel.call("echo", b"x", bytes, wait_for_ready=True, timeout=20)
        except KeyboardInterrupt:
            print("interrupted")
        channel.close(0)
        """,
        expect="interrupted",
    )


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="from 3.12 on nothing is collected inside of an extension's function"
)
def test_a_collection_amid_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    """The garbage collection lets the thread of the handler end the call while another thread reads its metadata."""
    monkeypatch.setenv("PYTHONMALLOC", "malloc")
    monkeypatch.setenv("MALLOC_PERTURB_", "165")  # overwrites freed memory
    play(
        """
        import gc
        gc.disable()
        amid, got = threading.Event(), []

        def read(context):
            # No tuples are left to be used again, so making one may collect.
            held.extend(tuple([i, i]) for i in range(5000))
            gc.callbacks.append(pause)
            gc.set_threshold(1)
            gc.enable()
            try:
                got.append(context._call.metadata())
            except trunkline.FailedPrecondition:
                got.append(None)
            gc.disable()

        def pause(phase, info):
            reported = sys._getframe(1)
            if phase == "start" and reported.f_code is read.__code__:
                pauses.append(1)
                if len(pauses) == 2:
                    amid.set()
                    time.sleep(0.3)
        pauses = []
        held = []

        @server.method
        def leave(context: trunkline.Context) -> None:
            threads.append(threading.Thread(target=read, args=(context,)))
            threads[0].start()
            amid.wait(60)
        threads = []

        sent = [(f"key-{i}", f"value-{i}" + "a" * 20) for i in range(150)]
        with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
            channel.call("leave", metadata=sent)
            for _ in range(20):
                channel.call("echo", b"x", metadata=[(f"other-{i}", "z" * 26) for i in range(150)])
            threads[0].join()
            assert got == [None] or got == [[(key, value.encode()) for key, value in sent]], got
            assert amid.is_set() or got == [None]
        """
    )

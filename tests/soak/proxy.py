# SPDX-License-Identifier: MIT
"""A TCP proxy that delays what it carries, stops for a while as if packets were lost, and cuts connections.

Usage: proxy.py SEED LISTEN_PORT HOST:PORT [LISTEN_PORT HOST:PORT]...
SIGUSR1 cuts every connection.
"""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from collections.abc import Callable

CHUNK_BYTES = 64 << 10
#: Seconds; of each direction of a connection.
MAX_DELAY = 0.01
#: A packet is lost: what follows waits until it has been sent again, as with TCP's shortest retransmission timeout.
LOSS, LOSS_PAUSE = 0.002, 0.2
#: A connection that is cut, per piece that it carries.
CUT = 0.00005


class Proxy:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.open: set[asyncio.StreamWriter] = set()

    def cut_all(self) -> None:
        for writer in list(self.open):
            writer.transport.abort()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        delay = self.random.uniform(0, MAX_DELAY)
        while piece := await reader.read(CHUNK_BYTES):
            await asyncio.sleep(LOSS_PAUSE if self.random.random() < LOSS else delay)
            if self.random.random() < CUT:
                writer.transport.abort()
                raise ConnectionResetError("cut")
            writer.write(piece)
            await writer.drain()
        writer.write_eof()  # half-closed: the other direction goes on

    def serve(self, host: str, port: int) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]:
        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writers = [writer]
            try:
                far_reader, far_writer = await asyncio.open_connection(host, port)
                writers.append(far_writer)
                self.open.update(writers)
                await asyncio.gather(self.carry(reader, far_writer), self.carry(far_reader, writer))
            except OSError:
                pass
            finally:
                self.open.difference_update(writers)
                for each in writers:
                    each.transport.abort()

        return connected


async def serve(seed: int, routes: list[tuple[int, str]]) -> None:
    proxy = Proxy(seed)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, proxy.cut_all)
    for port, target in routes:
        host, far_port = target.rsplit(":", 1)
        await asyncio.start_server(proxy.serve(host, int(far_port)), "127.0.0.1", port)
    print("listening", flush=True)
    await asyncio.Event().wait()


def main() -> int:
    if len(sys.argv) < 4 or len(sys.argv) % 2:
        print(f"usage: {sys.argv[0]} SEED LISTEN_PORT HOST:PORT [LISTEN_PORT HOST:PORT]...", file=sys.stderr)
        return 2
    routes = [(int(sys.argv[i]), sys.argv[i + 1]) for i in range(2, len(sys.argv), 2)]
    asyncio.run(serve(int(sys.argv[1]), routes))
    return 0


if __name__ == "__main__":
    sys.exit(main())

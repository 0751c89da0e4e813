# SPDX-License-Identifier: MIT
"""dnsmasq on loopback, whose records change while it runs."""

from __future__ import annotations

import contextlib
import errno
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PROGRAM = shutil.which("dnsmasq", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


def free_port() -> int:
    """A port that nothing uses, for UDP and TCP."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams, socket.socket() as streams:
            streams.bind(("127.0.0.1", 0))
            port = int(streams.getsockname()[1])
            try:
                datagrams.bind(("127.0.0.1", port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                return port


class RealNameServer:
    """``addresses`` are read again by ``set_addresses``; for other records it is started anew, on the same port."""

    def __init__(self, folder: Path, port: int) -> None:
        self._hosts = folder / "hosts"
        self._hosts.write_text("")
        self._port = port
        self._records: Sequence[str] = ()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    def set_addresses(self, addresses: Mapping[str, Sequence[str]]) -> None:
        lines = [f"{address} {name}\n" for name, listed in addresses.items() for address in listed]
        self._hosts.write_text("".join(lines))
        if self._process is not None:
            self._process.send_signal(signal.SIGHUP)

    def set_records(self, *records: str) -> None:
        """``records``: as options of dnsmasq, such as ``srv-host=...``."""
        self._records = records
        if self._process is not None:
            self.stop()
            self.start()

    def start(self) -> None:
        assert PROGRAM is not None
        # Names of these domains that it does not have do not exist.
        domains = ["local=/test/", "local=/cluster.local/", "local=//"]
        options = [f"port={self._port}", "listen-address=127.0.0.1", f"addn-hosts={self._hosts}", *self._records]
        flags = ["keep-in-foreground", "bind-interfaces", "no-resolv", "no-hosts", "user=root", "group=root"]
        arguments = [f"--{option}" for option in [*flags, *domains, *options]]
        self._process = subprocess.Popen(
            [PROGRAM, "--conf-file=/dev/null", "--pid-file=", *arguments],
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 100.0
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1.0):
                return
            assert self._process.poll() is None and time.monotonic() < deadline, "dnsmasq has not started"
            time.sleep(0.01)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)
            self._process = None


@contextlib.contextmanager
def real_name_server(folder: Path, port: int | None = None) -> Iterator[RealNameServer]:
    server = RealNameServer(folder, free_port() if port is None else port)
    server.start()
    try:
        yield server
    finally:
        server.stop()

# SPDX-License-Identifier: MIT
"""nginx and HAProxy, run with the configurations that docs/guide/proxies.md shows."""

from __future__ import annotations

import errno
import random
import re
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "proxies.md"
#: What the page's files name: the ports of the proxy, and the servers.
NATIVE, GRPC, WEB = "9000", "9001", "9002"
SERVERS = ("10.0.0.1:50051", "10.0.0.2:50051", "10.0.0.3:50051")
#: Half-open. net.ipv4.ip_local_port_range begins where it ends.
PORTS = (20000, 32768)
STREAM_MODULE = Path("/usr/lib/nginx/modules/ngx_stream_module.so")


def shown(language: str) -> str:
    """The page's one block in that language."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 1, language
    return str(blocks[0])


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on; all are held until the last one is found. They are below those that a system chooses
    for connections and for servers that leave the choice to it, so that no other test is given one of them."""
    with ExitStack() as held:
        ports: list[int] = []
        while len(ports) < count:
            port = random.randrange(*PORTS)
            try:
                held.enter_context(socket.create_server(("127.0.0.1", port)))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                ports.append(port)
        return ports


def with_servers(text: str, servers: Sequence[str]) -> str:
    """The page's text with these addresses; lines of servers that there are not are left out."""
    for index, there in enumerate(SERVERS):
        assert text.count(there) == 3
        if index < len(servers):
            text = text.replace(there, servers[index])
        else:
            text = re.sub(rf"^.*{re.escape(there)}.*\n", "", text, flags=re.MULTILINE)
    return text


class Proxy:
    """A proxy in front of `servers`, three addresses at most. Ends with the `with` block. `changes`: what to write
    instead of texts of the page."""

    def __init__(
        self, name: str, servers: Sequence[str], folder: Path, changes: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self._folder = folder
        self._log = folder / f"{name}.log"
        self._text = with_servers(shown(name), servers)
        for shown_text, other in (changes or {}).items():
            assert shown_text in self._text
            self._text = self._text.replace(shown_text, other)
        self._start()

    def _start(self) -> None:
        self.native, self.grpc, self.web = (f"127.0.0.1:{port}" for port in free_ports(3))
        self._ports = {NATIVE: self.native, GRPC: self.grpc, WEB: self.web}
        command = {"nginx": self._nginx, "haproxy": self._haproxy}[self.name](self._text, self._folder)
        with self._log.open("w") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder)

    def _nginx(self, text: str, folder: Path) -> list[str]:
        for port, here in self._ports.items():
            text, changed = re.subn(rf"listen {port}\b", f"listen {here}", text)
            assert changed == 1
        temporary = "\n".join(
            f"  {of}_temp_path {folder}/{of};" for of in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        text = text.replace("http {\n", f"http {{\n  access_log off;\n{temporary}\n", 1)
        module = f"load_module {STREAM_MODULE};\n" if STREAM_MODULE.exists() else ""
        head = f"{module}pid {folder}/nginx.pid;\nworker_processes 2;\ndaemon off;\nerror_log stderr;\nevents {{}}\n"
        (folder / "nginx.conf").write_text(head + text)
        return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]

    def _haproxy(self, text: str, folder: Path) -> list[str]:
        for port, here in self._ports.items():
            text, changed = re.subn(rf"bind :{port}\b", f"bind {here}", text)
            assert changed == 1
        (folder / "haproxy.cfg").write_text(text)
        return ["haproxy", "-db", "-f", str(folder / "haproxy.cfg")]

    def __enter__(self) -> Proxy:
        try:
            # Another process may have taken one of the ports before the proxy has bound it.
            for _ in range(5):
                if self._listens():
                    return self
                log = self._log.read_text()
                assert "Address already in use" in log, log
                self._start()
            raise AssertionError(f"no free ports for {self.name}")
        except BaseException:
            self.stop()
            raise

    def _listens(self) -> bool:
        """Waits until it accepts connections on all of its ports; False if it ends before that."""
        until = time.monotonic() + 60
        for address in self._ports.values():
            host, port = address.split(":")
            while True:
                if self._process.poll() is not None:
                    return False
                try:
                    socket.create_connection((host, int(port)), timeout=60).close()
                    break
                except ConnectionRefusedError:
                    assert time.monotonic() < until, self._log.read_text()
                    time.sleep(0.02)
        return True

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

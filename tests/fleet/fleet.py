# SPDX-License-Identifier: MIT
"""Three servers and four clients of both languages on a network, and what can be done to them."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence

from calls import Call, ClientRecord, RunCounts
from network import Host, Network
from process import Process, ProcessError
from target import PORT, TARGETS

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER_LANGUAGES = ("c++", "c++", "python")
#: Language and scheme of each client.
CLIENTS = (("c++", "tcp"), ("c++", "grpc"), ("python", "tcp"), ("python", "grpc"))
CALLS_PER_SECOND = 75
WORK_MS = 20


class Server:
    def __init__(
        self, number: int, language: str, host: Host, programs: str, folder: str, announced: str
    ) -> None:
        self.number = number
        self.host = host
        self.address = host.address
        self._record = f"{folder}/server{number}.ran"
        form = [f"{programs}/fleet_server"] if language == "c++" else [sys.executable, f"{HERE}/server.py"]
        arguments = [str(number), self._record, str(len(CLIENTS)), f"{host.address}:{PORT}"]
        if announced:
            arguments.append(announced)
        self.process = Process(f"server{number}", [*host.command(), *form, *arguments], folder, "listening")

    def ran(self) -> RunCounts:
        return RunCounts(self._record, len(CLIENTS))

    def drain(self) -> None:
        """Returns once it has ended; fails if it has cut off a call."""
        self.process.send(signal.SIGTERM)
        if (code := self.process.wait(20.0)) != 0:
            raise ProcessError(f"{self.process.name}: the drain ended with {code}; its log:\n{self.process.log()}")


class Fleet:
    """Runs from the beginning of the `with` block to its end."""

    def __init__(self, network: Network, programs: str, folder: str, target: str, balancing: str) -> None:
        os.makedirs(folder)
        self.network = network
        hosts = [network.add_host() for _ in SERVER_LANGUAGES]
        self.target = TARGETS[target](network, folder)
        self.servers = [
            Server(number, language, host, programs, folder, self.target.announced)
            for number, (language, host) in enumerate(zip(SERVER_LANGUAGES, hosts), 1)
        ]
        self._folder = folder
        self._programs = programs
        self._balancing = balancing
        self._clients: list[Process] = []

    def tell(self, servers: Sequence[Server]) -> None:
        """Which servers the clients are to know from now on."""
        self.target.set([server.address for server in servers])

    def __enter__(self) -> Fleet:
        try:
            for server in self.servers:
                server.process.start()
            self.tell(self.servers)
            for number, (language, scheme) in enumerate(CLIENTS):
                self._clients.append(self._client(number, language, scheme))
                self._clients[-1].start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _client(self, number: int, language: str, scheme: str) -> Process:
        form = [f"{self._programs}/fleet_client"] if language == "c++" else [sys.executable, f"{HERE}/client.py"]
        arguments = [str(number), self._record_of(number), self.target.uri(scheme), self._balancing]
        command = [*self.network.clients.command(), *form, *arguments, str(CALLS_PER_SECOND), str(WORK_MS)]
        return Process(f"client{number}-{language}-{scheme}", command, self._folder)

    def _record_of(self, number: int) -> str:
        return f"{self._folder}/client{number}.calls"

    def end_clients(self) -> None:
        """Once all of their calls have ended."""
        for client in self._clients:
            if not client.is_running:
                raise ProcessError(f"{client.name} has ended early; its log:\n{client.log()}")
            client.send(signal.SIGTERM)
        for client in self._clients:
            if (code := client.wait(30.0)) != 0:
                raise ProcessError(f"{client.name} ended with {code}; its log:\n{client.log()}")

    def calls(self) -> list[Call]:
        """By the time at which they have begun."""
        calls = [call for number in range(len(CLIENTS)) for call in ClientRecord(self._record_of(number), number)]
        return sorted(calls, key=lambda call: call.begun)

    def times_run(self, call: Call) -> int:
        return sum(server.ran()[call.number] for server in self.servers)

    def __exit__(self, *_: object) -> None:
        for process in [*self._clients, *(server.process for server in self.servers)]:
            process.end()
        self.target.close()


def sleep_until(when: float) -> None:
    time.sleep(max(0.0, when - time.monotonic()))

# SPDX-License-Identifier: MIT
"""Runs servers and clients of both languages under faults, and checks that no call is lost, doubled or hung.

Usage: run.py --programs FOLDER [--minutes N] [--seed S] [--keep]
README.md says what it does and how its table is to be read.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from network import Namespace
from records import CALL_TIMEOUT, PATIENCE

HERE = os.path.dirname(os.path.abspath(__file__))
#: Seconds for a process to start, or to drain, on a machine that is busy.
LONG = 60.0
#: Shorter runs say nothing about memory.
LEAST_SECONDS_FOR_MEMORY = 120.0
#: What may be added to memory between the first and the last part of a run: long messages come and go.
MEMORY_FACTOR, MEMORY_BYTES = 1.25, 64 << 20
TALLY = ("calls", "ok", "failed", "lost", "doubled", "denied", "hung", "wrong")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def resident_bytes(pid: int) -> int | None:
    """Memory of the process alone, without the records, which it shares. None: it has ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return None


class Process:
    """A program that is started, and started again."""

    def __init__(self, name: str, command: list[str], folder: str, *, says_listening: bool) -> None:
        self.name = name
        self._command = command
        self._log = os.path.join(folder, f"{name}.log")
        self._says_listening = says_listening
        self.process: subprocess.Popen[bytes] | None = None
        self.memory: list[tuple[float, int]] = []

    def start(self) -> None:
        with open(self._log, "ab") as log:
            out = subprocess.PIPE if self._says_listening else log
            self.process = subprocess.Popen(self._command, stdout=out, stderr=log, stdin=subprocess.DEVNULL)
        if self._says_listening:
            assert self.process.stdout is not None
            line = self.process.stdout.readline()
            if line.strip() != b"listening":
                raise RuntimeError(f"{self.name} does not start; its log:\n{self.log()}")

    def send(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def wait(self, seconds: float) -> int | None:
        """Its exit code; None: it still runs."""
        assert self.process is not None
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def sample(self, at: float) -> None:
        if self.process is not None and (memory := resident_bytes(self.process.pid)) is not None:
            self.memory.append((at, memory))

    def log(self) -> str:
        with contextlib.suppress(OSError), open(self._log, errors="replace") as log:
            return log.read()[-4000:]
        return ""


@dataclass
class Server:
    process: Process
    record: str
    #: Endpoints by transport.
    endpoints: dict[str, str]
    is_steady: bool


@dataclass
class Client:
    process: Process
    record: str
    language: str
    transport: str
    server: Server
    #: Nothing happens to its connections: no call may fail.
    is_undisturbed: bool
    tallies: dict[str, dict[str, int]] = field(default_factory=dict)


class Certificates:
    """An authority and a certificate of the servers, which can be renewed."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.authority = f"{folder}/ca.crt"
        self._openssl("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=soak -keyout ca.key -out ca.crt")
        with open(f"{folder}/names", "w") as names:
            names.write("subjectAltName=DNS:localhost\n")
        self.renew()

    def renew(self) -> None:
        self._openssl("req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout new.key -out new.csr")
        self._openssl(
            "x509 -req -in new.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out new.crt"
        )
        for name in ("key", "crt"):
            os.replace(f"{self.folder}/new.{name}", f"{self.folder}/server.{name}")

    def _openssl(self, arguments: str) -> None:
        subprocess.run(["openssl", *arguments.split()], cwd=self.folder, check=True, stderr=subprocess.DEVNULL)


class Soak:
    def __init__(self, programs: str, seconds: float, seed: int, folder: str) -> None:
        self.programs = os.path.abspath(programs)
        self.seconds = seconds
        self.seed = seed
        self.folder = folder
        self.random = random.Random(seed)
        self.events: Counter[str] = Counter()
        self.problems: list[str] = []
        self.servers: list[Server] = []
        self.clients: list[Client] = []
        self.proxies: list[Process] = []
        self.certificates = Certificates(folder)
        self.namespace = Namespace.make()
        self.begun = 0.0

    # --- who takes part ---

    def add_server(self, name: str, language: str, *, is_steady: bool, namespace: Namespace | None = None) -> Server:
        host = namespace.address if namespace else "127.0.0.1"
        endpoints = {
            "tcp": f"tcp://{host}:{7001 if namespace else free_port()}",
            "tls": f"tls://{host}:{7002 if namespace else free_port()}",
            "unix": f"unix://{self.folder}/{name}.socket",
        }
        record = f"{self.folder}/{name}.ran"
        form = {"c++": [f"{self.programs}/soak_server"]}.get(language) or self.python("server.py", language)
        command = [*form, record, "16", self.folder, *endpoints.values()]
        if namespace:
            command = [*namespace.command(), *command]
        server = Server(Process(name, command, self.folder, says_listening=True), record, endpoints, is_steady)
        self.servers.append(server)
        return server

    def add_client(
        self, language: str, mode: str, server: Server, transport: str, pause_ms: int, through: str = ""
    ) -> None:
        number = len(self.clients)
        name = f"{number:02d}-{language}-{mode}-{server.process.name}-{through and 'proxy-'}{transport}"
        record = f"{self.folder}/{name}.calls"
        form = [f"{self.programs}/soak_client", mode] if language == "c++" else self.python("client.py", mode)
        arguments = [record, str(number), through or server.endpoints[transport], self.certificates.authority]
        command = [*form, *arguments, str(round(self.seconds)), str(self.seed * 100 + number), str(pause_ms)]
        process = Process(name, command, self.folder, says_listening=False)
        is_undisturbed = server.is_steady and not through
        label = f"{transport} by proxy" if through else transport
        self.clients.append(Client(process, record, language, label, server, is_undisturbed))

    @staticmethod
    def python(program: str, form: str) -> list[str]:
        return [sys.executable, os.path.join(HERE, program), form]

    def add_proxy(self, server: Server) -> dict[str, str]:
        routes: list[str] = []
        endpoints = {}
        for transport in ("tcp", "tls"):
            port = free_port()
            endpoints[transport] = f"{transport}://127.0.0.1:{port}"
            routes += [str(port), server.endpoints[transport].removeprefix(f"{transport}://")]
        command = [sys.executable, os.path.join(HERE, "proxy.py"), str(self.seed), *routes]
        self.proxies.append(Process("proxy", command, self.folder, says_listening=True))
        return endpoints

    def cast(self) -> None:
        steady = self.add_server("cpp-steady", "c++", is_steady=True)
        victim = self.add_server("cpp-victim", "c++", is_steady=False, namespace=self.namespace)
        py_steady = self.add_server("python-steady", "blocking", is_steady=True)
        py_victim = self.add_server("python-victim", "asyncio", is_steady=False)
        disturbed = self.add_proxy(steady)
        self.add_client("c++", "small", steady, "unix", 0)
        self.add_client("c++", "small", steady, "tcp", 0)
        self.add_client("c++", "small", victim, "tcp", 0)
        self.add_client("c++", "mixed", steady, "tcp", 200, disturbed["tcp"])
        self.add_client("c++", "mixed", steady, "tls", 200, disturbed["tls"])
        self.add_client("c++", "mixed", victim, "tls", 200)
        self.add_client("c++", "mixed", py_steady, "tcp", 200)
        self.add_client("c++", "mixed", py_victim, "unix", 200)
        self.add_client("python", "blocking", steady, "tls", 200)
        self.add_client("python", "blocking", victim, "unix", 200)
        self.add_client("python", "blocking", py_steady, "unix", 200)
        self.add_client("python", "asyncio", steady, "tcp", 200)
        self.add_client("python", "asyncio", victim, "tcp", 200)
        self.add_client("python", "asyncio", py_victim, "tls", 200)

    # --- the run ---

    def run(self) -> bool:
        self.cast()
        for process in self.processes_besides_clients():
            process.start()
        self.begun = time.monotonic()
        for client in self.clients:
            client.process.start()
        self.disturb()
        self.end_clients()
        self.end_servers()
        self.check()
        return self.report()

    def processes_besides_clients(self) -> list[Process]:
        return [server.process for server in self.servers] + self.proxies

    def disturb(self) -> None:
        """One event after the other until the last tenth of the run."""
        end = self.begun + self.seconds
        pause = min(15.0, self.seconds / 12)
        kinds = [self.kill, self.drain, self.renew_certificates, self.cut_connections]
        if self.namespace is not None:
            kinds.append(self.cut_link)
        order = self.random.sample(kinds, len(kinds))  # a short run has each of them as far as it goes
        while self.sleep_until(min(end, time.monotonic() + self.random.uniform(0.5, 1.5) * pause)) < end:
            if time.monotonic() > end - 0.1 * self.seconds:
                continue
            (order.pop() if order else self.random.choice(kinds))()

    def sleep_until(self, until: float) -> float:
        while (now := time.monotonic()) < until:
            at = now - self.begun
            for process in [*self.processes_besides_clients(), *(client.process for client in self.clients)]:
                process.sample(at)
            time.sleep(min(2.0, until - now))
        return now

    def victim(self) -> Server:
        return self.random.choice([server for server in self.servers if not server.is_steady])

    def kill(self) -> None:
        process = self.victim().process
        process.send(signal.SIGKILL)
        process.end()
        self.sleep_until(time.monotonic() + self.random.uniform(0, 2))
        process.start()
        self.events["servers killed"] += 1

    def drain(self) -> None:
        process = self.victim().process
        process.send(signal.SIGTERM)
        if process.wait(LONG) is None:
            self.problems.append(f"{process.name} does not drain")
        process.end()
        process.start()
        self.events["servers drained"] += 1

    def renew_certificates(self) -> None:
        self.certificates.renew()
        for server in self.servers:
            if server.process.name.startswith("cpp"):
                server.process.send(signal.SIGHUP)
        self.events["certificates renewed"] += 1

    def cut_connections(self) -> None:
        for proxy in self.proxies:
            proxy.send(signal.SIGUSR1)
        self.events["connections cut"] += 1

    def cut_link(self) -> None:
        assert self.namespace is not None
        self.namespace.set_up(False)
        self.sleep_until(time.monotonic() + self.random.uniform(0.5, 4))
        self.namespace.set_up(True)
        self.events["links cut"] += 1

    def end_clients(self) -> None:
        limit = time.monotonic() + CALL_TIMEOUT + PATIENCE + LONG
        for client in self.clients:
            code = client.process.wait(max(0.0, limit - time.monotonic()))
            if code != 0:
                what = "does not end" if code is None else f"ended with code {code}"
                self.problems.append(f"{client.process.name} {what}\n{client.process.log()}")
            client.process.end()

    def end_servers(self) -> None:
        for server in self.servers:
            process = server.process
            assert process.process is not None
            if process.process.poll() is not None:
                self.problems.append(f"{process.name} has ended by itself\n{process.log()}")
            process.send(signal.SIGTERM)
            if process.wait(LONG) != 0:
                self.problems.append(f"{process.name} does not drain at the end\n{process.log()}")

    def end(self) -> None:
        """Leaves nothing behind but the folder."""
        for client in self.clients:
            client.process.end()
        for process in self.processes_besides_clients():
            process.end()
        if self.namespace is not None:
            self.namespace.remove()

    # --- the outcome ---

    def check(self) -> None:
        for number, client in enumerate(self.clients):
            command = [f"{self.programs}/soak_check", str(number), client.record, client.server.record]
            lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
            for kind, *counts in (line.split() for line in lines):
                tally = dict(zip(TALLY, map(int, counts), strict=True))
                client.tallies[kind] = tally
                for fault in TALLY[3:]:
                    if tally[fault]:
                        self.problems.append(f"{client.process.name}: {tally[fault]} {kind} calls {fault}")
                if client.is_undisturbed and tally["failed"] and kind != "cancelled":
                    text = f"{client.process.name}: {tally['failed']} {kind} calls failed without a cause"
                    self.problems.append(text)
            if not client.tallies:
                self.problems.append(f"{client.process.name} made no calls")

    def memory_of(self, process: Process) -> tuple[int, int] | None:
        """The median of the part from a quarter to half of the run, and of the last quarter."""
        early = [size for at, size in process.memory if 0.25 * self.seconds <= at < 0.5 * self.seconds]
        late = [size for at, size in process.memory if 0.75 * self.seconds <= at < self.seconds]
        return (int(statistics.median(early)), int(statistics.median(late))) if early and late else None

    def report(self) -> bool:
        sums: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        for client in self.clients:
            for kind, tally in client.tallies.items():
                sums[client.language, client.transport, kind].update(tally)
        total: Counter[str] = Counter()
        columns = "{:9} {:13} {:14} {:>12} {:>12} {:>9} {:>5} {:>8} {:>7} {:>5} {:>6}"
        print(columns.format("language", "transport", "kind", *TALLY))
        for key in sorted(sums):
            print(columns.format(*key, *(sums[key][name] for name in TALLY)))
            total.update(sums[key])
        print(columns.format("all", "", "", *(total[name] for name in TALLY)))
        print("\nevents: " + (", ".join(f"{count} {name}" for name, count in sorted(self.events.items())) or "none"))
        if self.namespace is None:
            print("network: loopback and a proxy")
        else:
            netem = "with netem" if self.namespace.has_netem else "without netem, which the kernel lacks"
            print(f"network: loopback, a proxy, and a namespace {netem}")
        self.report_memory()
        for problem in self.problems:
            print(f"problem: {problem}")
        is_good = not self.problems
        rate = total["calls"] / self.seconds
        verdict = "ok" if is_good else "FAILED"
        print(f"{verdict}: {total['calls']} calls in {self.seconds:.0f} s, {rate:.0f}/s, seed {self.seed}")
        return is_good

    def report_memory(self) -> None:
        print("\nmemory of processes that ran throughout, first half and end, in MiB")
        steady = [server.process for server in self.servers if server.is_steady]
        for process in steady + [client.process for client in self.clients]:
            sizes = self.memory_of(process)
            if sizes is None:
                continue
            early, late = sizes
            print(f"  {process.name:44} {early / 2**20:8.1f} {late / 2**20:8.1f}")
            if self.seconds >= LEAST_SECONDS_FOR_MEMORY and late > early * MEMORY_FACTOR + MEMORY_BYTES:
                self.problems.append(f"the memory of {process.name} grows")


def main() -> int:
    parser = argparse.ArgumentParser(description="a soak run; see tests/soak/README.md")
    parser.add_argument("--programs", required=True, help="the folder of soak_server, soak_client and soak_check")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long clients make calls; 10 by default")
    parser.add_argument("--seed", type=int, default=1, help="of sizes, kinds and events; 1 by default")
    parser.add_argument("--keep", action="store_true", help="keep the folder of records and logs")
    arguments = parser.parse_args()
    if not 0.1 <= arguments.minutes <= 24 * 60:
        parser.error("--minutes must be from 0.1 to 1440")
    folder = tempfile.mkdtemp(prefix="soak-")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    soak = Soak(arguments.programs, arguments.minutes * 60, arguments.seed, folder)
    try:
        return 0 if soak.run() else 1
    finally:
        soak.end()
        if arguments.keep:
            print(f"records and logs: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""Names in a real DNS server: what docs/guide/naming.md says of Kubernetes, and of the system's hosts and domains."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trunkline

from .real_name_server import PROGRAM, RealNameServer, real_name_server

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs dnsmasq")

SERVICE = "orders.default.svc.cluster.local"


@pytest.fixture
def names(tmp_path: Path) -> Iterator[RealNameServer]:
    with real_name_server(tmp_path) as server:
        yield server


def pod(name: str) -> trunkline.Server:
    server = trunkline.Server()

    @server.method("Name")
    def name_of(request: str) -> str:
        return name

    return server


class Load:
    """A thread that calls without pause. No call may fail."""

    def __init__(self, uri: str) -> None:
        self._channel = trunkline.Channel(uri, balancing="round_robin", slow_start=0.0)
        self._is_over = threading.Event()
        self._latest: list[str] = []
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Load:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        self._channel.close()
        assert self._failure is None, self._failure

    def _run(self) -> None:
        try:
            while not self._is_over.is_set():
                self._latest.append(self._channel.call("Name", "", str, timeout=20.0, wait_for_ready=True))
        except BaseException as error:
            self._failure = error

    def wait_for(self, pods: set[str]) -> None:
        """Until 30 calls in a row were served by all of these and no others."""
        deadline = time.monotonic() + 100.0
        while len(self._latest) < 30 or set(self._latest[-30:]) != pods:
            assert self._failure is None, self._failure
            assert time.monotonic() < deadline, f"{self._latest[-30:]}, not {pods}"
            time.sleep(0.01)


def test_the_pods_of_a_headless_service_come_and_go(names: RealNameServer) -> None:
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(pod("a").serve("tcp://127.0.0.1:0"))
        port = int(first.endpoint.rsplit(":", 1)[1])
        second = stack.enter_context(pod("b").serve(f"tcp://127.0.0.2:{port}"))
        names.set_addresses({SERVICE: ["127.0.0.1", "127.0.0.2"]})

        with Load(f"dns://{names.address}/{SERVICE}.:{port}?min_refresh=0.1") as load:
            load.wait_for({"a", "b"})
            stack.enter_context(pod("c").serve(f"tcp://127.0.0.3:{port}"))
            names.set_addresses({SERVICE: ["127.0.0.1", "127.0.0.2", "127.0.0.3"]})
            load.wait_for({"a", "b", "c"})
            # A pod that ends is taken out of the DNS at the same time.
            names.set_addresses({SERVICE: ["127.0.0.1", "127.0.0.3"]})
            second.shutdown(50.0)
            load.wait_for({"a", "c"})
            names.stop()
            first.shutdown(50.0)
            load.wait_for({"c"})
            names.start()
            names.set_addresses({SERVICE: ["127.0.0.3"]})
            load.wait_for({"c"})


def test_the_port_of_a_headless_service_is_found(names: RealNameServer) -> None:
    service = f"_rpc._tcp.{SERVICE}"
    with pod("a").serve("tcp://127.0.0.1:0") as a, pod("b").serve("tcp://127.0.0.1:0") as b:
        names.set_addresses({f"127-0-0-1.{SERVICE}": ["127.0.0.1"]})
        records = [
            f"srv-host={service},127-0-0-1.{SERVICE},{server.endpoint.rsplit(':', 1)[1]},0,50" for server in (a, b)
        ]
        names.set_records(records[0])

        with Load(f"dns://{names.address}/{service}.?min_refresh=0.1") as load:
            load.wait_for({"a"})
            names.set_records(*records)
            load.wait_for({"a", "b"})
            names.set_records(records[1])
            load.wait_for({"b"})


def test_service_configs_are_asked_for(names: RealNameServer, caplog: pytest.LogCaptureFixture) -> None:
    with pod("a").serve("tcp://127.0.0.1:0") as a:
        port = a.endpoint.rsplit(":", 1)[1]
        names.set_addresses({SERVICE: ["127.0.0.1"]})
        names.set_records(f'txt-record=_grpc_config.{SERVICE},grpc_config=[{{"percent": 5}}]')
        uri = f"dns://{names.address}/{SERVICE}.:{port}"
        for query in ("", "?service_config=0", "?service_config=1"):
            caplog.clear()
            with caplog.at_level(logging.WARNING, "trunkline"), trunkline.Channel(uri + query) as channel:
                assert channel.call("Name", "", str, timeout=20.0) == "a"
            told = [each.getMessage() for each in caplog.records if "choose a service config" in each.getMessage()]
            assert len(told) == (query == "?service_config=1"), (query, told)


#: Runs in mount and network namespaces of its own, so the system's files are those of the folder.
IN_A_SYSTEM_OF_ITS_OWN = """
import fcntl, json, pathlib, socket, struct, subprocess, sys
import trunkline
from python.real_name_server import real_name_server

folder = pathlib.Path(sys.argv[1])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 1))  # SIOCSIFFLAGS: up
for name in ("hosts", "resolv.conf", "nsswitch.conf"):
    (folder / "etc" / name).touch()
    subprocess.run(["mount", "--bind", folder / "etc" / name, f"/etc/{name}"], check=True)


def write(name, text):
    (folder / "etc" / name).write_text(text)


def serve(name, address, port=0):
    server = trunkline.Server()
    server.add("Name", lambda: name)
    return server.serve(f"tcp://{address}:{port}")


def called(name):
    with trunkline.Channel(f"dns:///{name}") as channel:
        try:
            return channel.call("Name", None, str, timeout=20.0)
        except trunkline.Unavailable:
            return "none"


results = {}
with serve("a", "127.0.0.1") as a, real_name_server(folder, 53) as names:
    port = int(a.endpoint.rsplit(":", 1)[1])
    with serve("b", "127.0.0.2", port):
        names.set_addresses({"orders.test": ["127.0.0.2"], "db.two.test": ["127.0.0.2"]})
        names.set_records("local=/db/", f"srv-host=_rpc._tcp.db.two.test,db.two.test,{port}")
        write("hosts", "127.0.0.1 orders.test db\\n")
        write("resolv.conf", "nameserver 127.0.0.1\\nsearch one.test two.test\\n")
        for order in ("files dns", "dns"):
            write("nsswitch.conf", f"hosts: {order}\\n")
            results[order] = called(f"orders.test:{port}")
        results["in a search domain"] = called(f"db:{port}")
        results["with a dot at the end"] = called(f"db.:{port}")
        results["with a dot at the end, in full"] = called(f"db.two.test.:{port}")
        results["SRV in a search domain"] = called("_rpc._tcp.db")
        results["SRV with a dot at the end"] = called("_rpc._tcp.db.")
print(json.dumps(results))
"""


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs namespaces of its own")
def test_the_hosts_and_the_search_domains_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    isolated = ["unshare", "--mount", "--net", "--propagation", "private"]

    done = subprocess.run(
        [*isolated, sys.executable, "-c", IN_A_SYSTEM_OF_ITS_OWN, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
        timeout=200,
    )

    if "unshare failed" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "files dns": "a",
        "dns": "b",
        "in a search domain": "b",
        "with a dot at the end": "none",
        "with a dot at the end, in full": "b",
        "SRV in a search domain": "b",
        "SRV with a dot at the end": "none",
    }

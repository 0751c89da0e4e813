# SPDX-License-Identifier: MIT
"""Servers announced in a real etcd, and what happens when it loses members, is gone, or forgets."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import logging
import pathlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import trunkline
from trunkline import aio

from .command import serving
from .commanding import needs_command, run
from .etcd_cluster import EtcdCluster, etcd_cluster, loopback_hosts
from .test_naming import call_until, named

#: Clusters are started, and members of them fail.
pytestmark = pytest.mark.timeout(600)

#: Of channels: their servers change quickly.
QUICK: trunkline.ChannelOptions = {"balancing": "round_robin", "slow_start": 0.0}
WITHOUT_RETRIES: trunkline.ChannelOptions = {**QUICK, "max_retries": 0}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EtcdCluster]:
    """Three members, for tests that leave them as they are. Each has a prefix of its own."""
    with etcd_cluster(tmp_path_factory.mktemp("etcd")) as cluster:
        yield cluster


@contextlib.contextmanager
def servers(*names: str) -> Iterator[list[str]]:
    """Servers of these names; yields their addresses."""
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(named(name).serve("tcp://127.0.0.1:0")) for name in names]
        yield [each.endpoint.removeprefix("tcp://") for each in running]


def wait_until(condition: Callable[[], bool], seconds: float = 100.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.05)


class Load:
    """A thread that calls without a pause, and collects what fails."""

    def __init__(self, channel: trunkline.Channel) -> None:
        self.failures: list[trunkline.RpcError] = []
        self.calls = 0
        self._channel = channel
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._ends.is_set():
            try:
                self._channel.call("Name", "", str, timeout=50.0)
                self.calls += 1
            except trunkline.RpcError as error:
                self.failures.append(error)
            time.sleep(0.001)

    def __enter__(self) -> Load:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()
        assert not self.failures, self.failures[:3]
        assert self.calls > 0


def test_keys_change_under_load(shared: EtcdCluster) -> None:
    with servers("a", "b", "c") as (a, b, c):
        shared.put("change/1", {"address": a})
        shared.put("change/2", {"address": b})
        with trunkline.Channel(shared.uri("change"), **QUICK) as channel:
            call_until(channel, {"a", "b"})
            with Load(channel):
                shared.put("change/3", {"uri": f"tcp://{c}", "weight": 2})
                call_until(channel, {"a", "b", "c"})
                shared.delete("change/1")
                call_until(channel, {"b", "c"})
                shared.put("change/3", {"address": a})
                call_until(channel, {"a", "b"})


def test_without_keys_the_servers_that_are_known_stay(shared: EtcdCluster) -> None:
    with servers("a") as (a,), trunkline.Channel(shared.uri("empty"), **QUICK) as channel:
        with pytest.raises(trunkline.Unavailable, match="/empty: no server is announced") as failure:
            channel.call("Name", "", str, timeout=20.0)
        assert not failure.value.may_have_run
        shared.put("empty/1", {"address": a})
        call_until(channel, {"a"})
        shared.delete("empty/1")
        time.sleep(0.5)
        call_until(channel, {"a"})


def test_a_value_that_is_wrong_is_reported_and_skipped(shared: EtcdCluster, caplog: pytest.LogCaptureFixture) -> None:
    with servers("a", "b") as (a, b):
        shared.put("wrong/1", {"address": a})
        shared.put("wrong/2", "{")
        with caplog.at_level(logging.WARNING), trunkline.Channel(shared.uri("wrong"), **QUICK) as channel:
            call_until(channel, {"a"})
            shared.put("wrong/3", {"address": b, "wieght": 2})
            shared.put("wrong/4", {"address": b})
            call_until(channel, {"a", "b"})
    assert "key wrong/2: decode json" in caplog.text
    assert "key wrong/3: wieght: unknown" in caplog.text


def test_servers_of_grpcs_own_format_are_called(shared: EtcdCluster) -> None:
    with servers("a") as (a,):
        shared.put("format/a", {"Op": 0, "Addr": a, "Metadata": None})
        with trunkline.Channel("grpc+" + shared.uri("format")) as channel:
            assert channel.call("Name", "", str, timeout=20.0) == "a"


def test_a_compaction_is_survived(tmp_path: pathlib.Path) -> None:
    with servers("a", "b") as (a, b), etcd_cluster(tmp_path, 1) as cluster:
        cluster.put("p/1", {"address": a})
        with trunkline.Channel(cluster.uri("p"), **QUICK) as channel:
            call_until(channel, {"a"})
            # Nothing runs the channel between its calls: it has to resume from a revision that is gone.
            cluster.members[0].kill()
            cluster.members[0].start()
            cluster.wait_until_healthy()
            cluster.put("p/2", {"address": b})
            cluster.delete("p/1")
            revision = json.loads(cluster.control("get", "p/2", "-w", "json"))["header"]["revision"]
            cluster.control("compaction", str(revision))
            call_until(channel, {"b"})


def test_members_are_lost_one_after_the_other(tmp_path: pathlib.Path) -> None:
    with servers("a", "b", "c", "d") as addresses, etcd_cluster(tmp_path) as cluster:
        cluster.put("p/0", {"address": addresses[0]})
        with trunkline.Channel(cluster.uri("p"), **QUICK) as channel:
            call_until(channel, {"a"})
            with Load(channel):
                leader = cluster.leader()
                leader.kill()
                cluster.put("p/0", {"address": addresses[1]})
                call_until(channel, {"b"})
                leader.start()
                cluster.wait_until_healthy()
                for i, member in enumerate(cluster.members[:2]):
                    member.suspend()
                    cluster.put("p/0", {"address": addresses[2 + i]})
                    call_until(channel, {"cd"[i]})
                    member.resume()
                    cluster.wait_until_healthy()


def test_calls_go_on_while_etcd_is_gone(tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    with servers("a", "b", "c") as (a, b, c), etcd_cluster(tmp_path) as cluster:
        cluster.put("p/1", {"address": a})
        with caplog.at_level(logging.WARNING), trunkline.Channel(cluster.uri("p"), **QUICK) as channel:
            call_until(channel, {"a"})
            with Load(channel):
                for member in cluster.members:
                    member.kill()
                time.sleep(2.0)
                for member in cluster.members:
                    member.start()
                cluster.wait_until_healthy()
                cluster.put("p/1", {"address": b})
                call_until(channel, {"b"})
                for member in cluster.members:
                    member.suspend()
                time.sleep(2.0)
                for member in cluster.members:
                    member.resume()
                cluster.wait_until_healthy()
                cluster.put("p/1", {"address": c})
                call_until(channel, {"c"})
    assert caplog.text.count("resolve etcd://") >= 1


def test_a_channel_that_finds_no_etcd_says_so() -> None:
    hosts = ",".join(loopback_hosts(2))
    with trunkline.Channel(f"etcd://root:secret@{hosts}/p") as channel:
        with pytest.raises(trunkline.Unavailable, match=f"resolve etcd://...@{hosts}/p: .*refused") as failure:
            channel.call("Name", "", str, timeout=20.0)
    assert "secret" not in str(failure.value)


def test_users_have_passwords(tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    options: dict[str, str] = {}
    with servers("a", "b") as (a, b), etcd_cluster(tmp_path, 1, options=options) as cluster:
        for words in ("user add root:ro@t", "role add reader", "role grant-permission reader read --prefix=true p/"):
            cluster.control(*words.split())
        for words in ("user add app:s3cret", "user grant-role app reader", "auth enable"):
            cluster.control(*words.split())
        cluster.environment["ETCDCTL_USER"] = "root:ro@t"
        cluster.put("p/1", {"address": a})
        with trunkline.Channel(cluster.uri("p", "app:wrong")) as channel:
            with pytest.raises(trunkline.Unavailable, match="authentication failed") as failure:
                channel.call("Name", "", str, timeout=20.0)
            assert "wrong" not in str(failure.value)
        with trunkline.Channel(cluster.uri("other", "app:s3cret")) as channel:
            with pytest.raises(trunkline.Unavailable, match="permission denied"):
                channel.call("Name", "", str, timeout=20.0)
        with trunkline.Channel(cluster.uri("p", "app:s3cret"), **QUICK) as channel:
            call_until(channel, {"a"})
            assert "s3cret" not in repr(channel)
            with Load(channel):
                # Its tokens are gone with it.
                cluster.members[0].kill()
                cluster.members[0].start()
                cluster.wait_until_healthy()
                cluster.put("p/1", {"address": b})
                call_until(channel, {"b"})
        server = named("c")
        server.announce(cluster.uri("p", "root:ro%40t"), time_to_live=2.0)
        with server.serve("tcp://127.0.0.1:0"):
            wait_until(lambda: len(cluster.keys("p/")) == 2)
            cluster.members[0].kill()
            time.sleep(1.0)
            cluster.members[0].start()
            cluster.wait_until_healthy()
            time.sleep(4.0)
            # Announced anew if its lease was renewed too late.
            wait_until(lambda: len(cluster.keys("p/")) == 2)
        assert cluster.keys("p/") == ["p/1"]
    assert "s3cret" not in caplog.text
    assert "ro@t" not in caplog.text


def certificates(folder: pathlib.Path, host: str) -> dict[str, str]:
    """A private authority, and a certificate of ``host`` by it."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    openssl(*"req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=test-ca".split())
    openssl(*"req -newkey rsa:2048 -nodes -keyout etcd.key -out etcd.csr -subj /CN=etcd".split())
    (folder / "san").write_text(f"subjectAltName=IP:{host}\nextendedKeyUsage=serverAuth,clientAuth\n")
    signing = "-CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile san"
    openssl(*f"x509 -req -in etcd.csr {signing} -out etcd.pem".split())
    return {name: str(folder / name) for name in ("ca.pem", "etcd.pem", "etcd.key")}


def test_etcd_is_called_over_tls(tmp_path: pathlib.Path) -> None:
    hosts = loopback_hosts(1)
    files = certificates(tmp_path, hosts[0])
    arguments = ["--cert-file", files["etcd.pem"], "--key-file", files["etcd.key"]]
    arguments += ["--trusted-ca-file", files["ca.pem"], "--client-cert-auth"]
    options = {"ETCDCTL_CACERT": files["ca.pem"], "ETCDCTL_CERT": files["etcd.pem"], "ETCDCTL_KEY": files["etcd.key"]}
    with (
        servers("a") as (a,),
        etcd_cluster(tmp_path, 1, hosts=hosts, arguments=arguments, options=options) as cluster,
    ):
        cluster.put("p/1", {"address": a})
        uri = cluster.uri("p")
        assert uri.startswith("etcds://")
        with trunkline.Channel(uri) as channel:
            with pytest.raises(trunkline.Unavailable, match="certificate"):
                channel.call("Name", "", str, timeout=20.0)
        own = f"?ca_file={files['ca.pem']}&certificate_file={files['etcd.pem']}&private_key_file={files['etcd.key']}"
        with trunkline.Channel(uri + own) as channel:
            assert channel.call("Name", "", str, timeout=20.0) == "a"
        with trunkline.Channel(f"{uri}?ca_file={files['ca.pem']}") as channel:
            with pytest.raises(trunkline.Unavailable):
                channel.call("Name", "", str, timeout=20.0)


def test_a_server_is_announced_while_it_is_served(shared: EtcdCluster) -> None:
    uri = shared.uri("announced")
    server = named("a")
    server.announce(uri, weight=3.0, zone="z", priority=1, host_name="orders")
    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(uri) as channel:
        address = running.endpoint.removeprefix("tcp://")
        wait_until(lambda: shared.keys("announced/") != [])
        [key] = shared.keys("announced/")
        assert key.startswith(f"announced/{address}-")
        assert json.loads(shared.insist("get", "--print-value-only", key)) == {
            "uri": f"tcp://{address}",
            "weight": 3.0,
            "zone": "z",
            "priority": 1,
            "host_name": "orders",
            "Op": 0,
            "Addr": address,
        }
        assert channel.call("Name", "", str, timeout=20.0) == "a"
    assert shared.keys("announced/") == []


def test_a_server_is_withdrawn_before_it_stops(shared: EtcdCluster) -> None:
    """It goes on serving until its clients have learned of it, for up to the delay."""
    uri = shared.uri("withdrawn")
    with contextlib.ExitStack() as stack:
        running = []
        for name in "ab":
            server = named(name)
            server.announce(uri, drain_delay=300.0)
            running.append(stack.enter_context(server.serve("tcp://127.0.0.1:0")))
        others = stack.enter_context(concurrent.futures.ThreadPoolExecutor(1))
        with trunkline.Channel(uri, **WITHOUT_RETRIES) as channel:
            call_until(channel, {"a", "b"})
            with Load(channel):
                shut_down = others.submit(running[0].shutdown, 300.0)
                call_until(channel, {"b"})
                assert not shut_down.done()
                running[0].shutdown(0.0)
                shut_down.result(50.0)
                call_until(channel, {"b"})


def test_a_server_that_runs_is_announced_at_once(shared: EtcdCluster) -> None:
    server = named("a")
    with server.serve("tcp://0.0.0.0:0") as running:
        uri = shared.uri("later")
        with pytest.raises(trunkline.InvalidArgument, match=r"announce server: .*tcp://0.0.0.0:.*option advertise"):
            server.announce(uri)
        with pytest.raises(trunkline.InvalidArgument, match=r"advertise tcp://\[::\]:1: clients cannot connect"):
            server.announce(uri, advertise=["tcp://[::]:1"])
        with pytest.raises(ValueError, match="time_to_live in seconds 1 is not 2 to 3600"):
            server.announce(uri, time_to_live=1.0)
        with pytest.raises(trunkline.InvalidArgument, match="in etcd only"):
            server.announce("dns:///orders:1")
        server.announce(uri, advertise=[f"tcp://127.0.0.1:{running.endpoint.rsplit(':', 1)[1]}"])
        with trunkline.Channel(uri) as channel:
            call_until(channel, {"a"})


def test_a_server_without_a_port_cannot_be_announced(tmp_path: pathlib.Path, shared: EtcdCluster) -> None:
    server = named("a")
    server.announce(shared.uri("nowhere"))
    with pytest.raises(trunkline.FailedPrecondition, match="listens on no tcp:// or tls:// endpoint"):
        server.serve(f"unix://{tmp_path}/socket")


def test_processes_of_one_port_count_as_one_server(shared: EtcdCluster) -> None:
    program = f"""
import sys, trunkline
server = trunkline.Server()
server.add("Name", lambda: "a")
server.announce({shared.uri("processes")!r}, time_to_live=2)
with server.serve("tcp://127.0.0.1:0", workers=2):
    sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as process:
        wait_until(lambda: len(shared.keys("processes/")) == 2)
        with trunkline.Channel(shared.uri("processes")) as channel:
            assert channel.call("Name", None, str, timeout=20.0) == "a"
            assert len(channel.servers) == 1
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
    wait_until(lambda: shared.keys("processes/") == [])


def test_the_key_of_a_process_that_dies_goes_with_its_lease(shared: EtcdCluster) -> None:
    program = f"""
import sys, trunkline
server = trunkline.Server()
def name_of(request: str) -> str:
    return "dead"
server.add("Name", name_of)
server.announce({shared.uri("dies")!r}, time_to_live=2)
with server.serve("tcp://127.0.0.1:0"):
    sys.stdin.read()
"""
    live = named("a")
    live.announce(shared.uri("dies"))
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as process:
        with trunkline.Channel(shared.uri("dies"), **QUICK) as channel:
            call_until(channel, {"dead"})
            time.sleep(3.0)
            # It is kept alive, or announced anew if its lease was renewed too late.
            wait_until(lambda: len(shared.keys("dies/")) == 1)
            with live.serve("tcp://127.0.0.1:0"):
                call_until(channel, {"a", "dead"})
                process.kill()
                wait_until(lambda: len(shared.keys("dies/")) == 1)
                # A call that was sent on the connection before it was seen to be closed may have run.
                with contextlib.suppress(trunkline.Unavailable):
                    channel.call("Name", "", str, timeout=50.0)
                call_until(channel, {"a"})
                wait_until(lambda: channel.call("Name", "", str, timeout=50.0) == "a" and len(channel.servers) == 1)


def test_a_server_is_announced_anew_when_its_lease_is_lost(shared: EtcdCluster) -> None:
    server = named("a")
    server.announce(shared.uri("anew"), time_to_live=2.0)
    with server.serve("tcp://127.0.0.1:0"):
        wait_until(lambda: shared.keys("anew/") != [])
        [key] = shared.keys("anew/")
        shared.control("lease", "revoke", key.rsplit("-", 1)[1])
        wait_until(lambda: shared.keys("anew/") != [])
        assert shared.keys("anew/") != [key]


def test_a_server_is_announced_anew_after_etcd_has_forgotten_it(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    hosts = loopback_hosts(1)
    server = named("a")
    with contextlib.ExitStack() as stack, caplog.at_level(logging.WARNING):
        with etcd_cluster(tmp_path / "before", 1, hosts=hosts) as cluster:
            server.announce(cluster.uri("p"), time_to_live=2.0)
            stack.enter_context(server.serve("tcp://127.0.0.1:0"))
            channel = stack.enter_context(trunkline.Channel(cluster.uri("p"), **QUICK))
            call_until(channel, {"a"})
        time.sleep(3.0)
        call_until(channel, {"a"})
        with etcd_cluster(tmp_path / "after", 1, hosts=hosts) as cluster:
            wait_until(lambda: len(cluster.keys("p/")) == 1)
            call_until(channel, {"a"})
            # The revisions of the new store are lower than what the channel knows.
            with servers("b") as (b,):
                cluster.put("p/0", {"address": b})
                call_until(channel, {"a", "b"})
    assert "announce at etcd://" in caplog.text


def test_a_server_on_an_event_loop_is_announced(shared: EtcdCluster) -> None:
    uri = shared.uri("aio")

    async def main() -> None:
        server = aio.Server()

        @server.method("Name")
        async def name_of(request: str) -> str:
            return "a"

        server.announce(uri)
        async with server.serve("tcp://127.0.0.1:0"), aio.Channel(uri) as channel:
            assert await channel.call("Name", "", str, timeout=20.0, wait_for_ready=True) == "a"
            assert len(await asyncio.to_thread(shared.keys, "aio/")) == 1

    asyncio.run(main())
    assert shared.keys("aio/") == []


def test_a_server_on_an_event_loop_is_announced_while_it_is_served(shared: EtcdCluster) -> None:
    async def main() -> None:
        server = aio.Server()
        async with server.serve("tcp://127.0.0.1:0"):
            await asyncio.sleep(0.2)  # until the server's thread runs the loop
            server.announce(shared.uri("aio-late"))
            server.announce(shared.uri("aio-later"))
            await asyncio.to_thread(wait_until, lambda: len(shared.keys("aio-late")) == 2)
            with pytest.raises(ValueError, match="time_to_live"):
                server.announce(shared.uri("aio-late"), time_to_live=1.0)
            with pytest.raises(trunkline.InvalidArgument, match="etcd only"):
                server.announce("dns:///fleet.test:4000")

    asyncio.run(main())
    assert shared.keys("aio-late") == []


APP = """
import trunkline
from trunkline.services import add_reflection

server = trunkline.Server()

@server.method("test.Names/Name")
def name_of(number: int) -> str:
    return "a"

add_reflection(server)
"""


@needs_command
def test_the_command_announces_servers_and_finds_them(shared: EtcdCluster, tmp_path: pathlib.Path) -> None:
    uri = shared.uri("command", "nobody:s3cret")
    (tmp_path / "app.py").write_text(APP)
    with serving(tmp_path, "app:server", "--endpoint", "tcp://127.0.0.1:0", "--announce", uri) as started:
        started.endpoint()
        wait_until(lambda: shared.keys("command/") != [])
        called = run("call", uri, "test.Names/Name", "--json", "1", "--codec", "json")
        listed = run("list", uri)
        assert (called.status, called.output) == (0, '"a"\n'), called.messages
        assert (listed.status, "test.Names" in listed.output) == (0, True), listed.messages
    absent = run("call", shared.uri("absent", "nobody:s3cret"), "test.Names/Name", "--json", "1", "--codec", "json")
    assert absent.status != 0
    assert "no server is announced" in absent.messages
    assert "s3cret" not in absent.messages


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("etcd:///orders", "the members of etcd are missing"),
        ("etcd://e1", "the prefix of the keys is missing"),
        ("etcd://e1/orders?ttl=3", "unknown parameter 'ttl'"),
        ("etcd+tls://root:secret@e1/orders", "what is before the '\\+'"),
    ],
)
def test_a_malformed_name_is_refused(uri: str, text: str) -> None:
    with pytest.raises(trunkline.InvalidArgument, match=text) as refused:
        trunkline.Channel(uri)
    assert "secret" not in str(refused.value)

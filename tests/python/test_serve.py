# SPDX-License-Identifier: MIT
"""``python -m trunkline.serve``, driven as a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import trunkline
from trunkline.serve import _arguments

from . import reflecting
from .command import serving
from .test_health import CHECK, REQUEST, RESPONSE, WATCH
from .waiting import wait_until

APP = """
import functools
import time
import trunkline
from trunkline import aio

class Adder:
    def add(self, number: int) -> int:
        return number + 1

    def pid(self) -> int:
        import os
        return os.getpid()

    def threads(self) -> int:
        import threading
        return sum(thread.name.startswith("trunkline-worker") for thread in threading.enumerate())

    def linger(self, seconds: float) -> str:
        time.sleep(seconds)
        return "done"

class AsyncAdder:
    async def add(self, number: int) -> int:
        return number + 2

server = trunkline.Server()
server.add_service(Adder)
async_server = aio.Server()
async_server.add_service(AsyncAdder)

class Holder:
    inner = Adder()

def make():
    return async_server

make_adder = functools.partial(Adder)
number = 5

def fail():
    raise LookupError("no adder today")

async def later():
    return server
"""


def run(folder: Path, *arguments: str) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "trunkline.serve", *arguments], cwd=folder, capture_output=True, text=True, timeout=200
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(APP)
    return tmp_path


def call(endpoint: str, method: str, number: int | None = None) -> Any:
    with trunkline.Channel(endpoint) as channel:
        return channel.call(method, number, timeout=20.0)


@pytest.mark.parametrize(
    "target, added",
    [
        ("app:server", "Adder"),
        ("app:async_server", "AsyncAdder"),
        ("app:Adder", "Adder"),
        ("app:AsyncAdder", "AsyncAdder"),
        ("app:Holder.inner", "Adder"),
        ("app:make", "AsyncAdder"),
        ("app:make_adder", "Adder"),
    ],
)
def test_serves_until_a_signal(folder: Path, target: str, added: str) -> None:
    with serving(folder, target) as started:
        endpoint = started.endpoint()
        assert call(endpoint, f"{added}/add", 1) == (2 if added == "Adder" else 3)
        assert started.end(signal.SIGINT if target.startswith("app:make") else signal.SIGTERM) == 0


def test_listens_on_several_endpoints(folder: Path) -> None:
    name = f"unix:@trunkline-test-serve-{os.getpid()}"
    with serving(folder, "app:Adder", "--endpoint", name) as started:
        endpoints = [started.endpoint(), started.endpoint()]
        assert endpoints[0] == name
        assert [call(endpoint, "Adder/add", 1) for endpoint in endpoints] == [2, 2]
        assert started.end() == 0


def test_listens_on_the_usual_port_by_default() -> None:
    assert _arguments.parse(["app:Adder"]).endpoints == ("tcp://127.0.0.1:8888",)


@pytest.mark.parametrize("target", ["app:Adder", "app:async_server"])
def test_built_in_services_are_there_unless_they_are_not_wanted(folder: Path, target: str) -> None:
    with serving(folder, target, "--no-statistics") as started:
        with trunkline.Channel(started.endpoint()) as channel:
            found = reflecting.services(channel)
        assert "grpc.health.v1.Health" in found and "trunkline.v1.Statistics" not in found
        assert started.end() == 0


def test_built_in_services_that_the_server_has_stay_as_they_are(folder: Path) -> None:
    (folder / "own.py").write_text(
        "import trunkline\nfrom trunkline.services import add_health\nserver = trunkline.Server()\n"
        "health = add_health(server)\nhealth.set('', False)\n"
    )
    with serving(folder, "own:server", "--health") as started:
        with trunkline.Channel(started.endpoint()) as channel:
            assert channel.call(CHECK, REQUEST(), RESPONSE).status == 2
        assert started.end() == 0


def test_without_protobuf_it_serves_what_it_can(folder: Path) -> None:
    (folder / "sitecustomize.py").write_text("import sys; sys.modules['google.protobuf'] = None\n")
    environment = {**os.environ, "PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-m", "trunkline.serve", "app:Adder", "--endpoint", "tcp://127.0.0.1:0"]
    wanted = subprocess.run(
        [*command, "--health"], cwd=folder, env=environment, capture_output=True, text=True, timeout=200
    )
    assert wanted.returncode == 1
    assert "add health: it needs the package protobuf: pip install trunkline[protobuf]" in wanted.stderr

    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    first, second = process.stderr.readline(), process.stderr.readline()
    process.terminate()
    assert (process.wait(100), process.stderr.read()) == (0, "")
    process.stderr.close()
    assert first.startswith("not serving health, reflection, statistics, which need the package protobuf")
    assert second.startswith("listening on")


def test_threads_and_workers(folder: Path) -> None:
    with serving(folder, "app:Adder", "--threads", "3", "--workers", "2") as started:
        endpoint = started.endpoint()
        assert call(endpoint, "Adder/threads") == 3
        pids = {call(endpoint, "Adder/pid") for _ in range(60)}
        assert len(pids) == 2 and started.process.pid not in pids
        assert started.end() == 0
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_calls_under_way_have_the_grace(folder: Path) -> None:
    with serving(folder, "app:Adder", "--grace", "20") as started:
        with trunkline.Channel(started.endpoint()) as channel:
            future = channel.submit("Adder/linger", 1.0, str)
            channel.call("Adder/add", 1)
            assert started.end() == 0
            assert future.result(20) == "done"


def test_calls_that_outlast_the_grace_are_reported(folder: Path) -> None:
    with serving(folder, "app:Adder", "--grace", "0.1") as started:
        with trunkline.Channel(started.endpoint(), max_retries=0) as channel:
            future = channel.submit("Adder/linger", 8.0, str)
            channel.call("Adder/add", 1)
            assert started.end() == 0
            assert isinstance(future.exception(20), trunkline.RpcError)
        started.until("^shutdown: ")


@pytest.mark.parametrize(
    "files, target, text",
    [
        ({}, "app:nothing", "serve app:nothing: module 'app' has no attribute 'nothing'"),
        ({}, "missing:server", "import missing:\nModuleNotFoundError: No module named 'missing'"),
        ({"bad.py": "x = (\n"}, "bad:server", "SyntaxError"),
        ({"bad.py": "import app\n1 / 0\n"}, "bad:server", 'bad.py", line 2, in <module>'),
        ({"bad.py": "import sys\nsys.exit(3)\n"}, "bad:server", "SystemExit: 3"),
        ({}, "app:number", "serve app:number: service int: the class has no public methods"),
        ({}, "app:trunkline", "serve app:trunkline: a module is neither a server nor a service"),
        ({}, "app:later", "serve app:later: a coroutine is neither a server nor a service"),
        ({}, "app:fail", "LookupError: no adder today"),
    ],
)
def test_what_cannot_be_loaded(folder: Path, files: dict[str, str], target: str, text: str) -> None:
    for name, content in files.items():
        (folder / name).write_text(content)
    done = run(folder, target, "--endpoint", "tcp://127.0.0.1:0")
    assert done.returncode == 1
    assert text in done.stderr
    assert ("Traceback" in done.stderr) == ("line 2" in text or "LookupError" in text or "SystemExit" in text)
    assert "trunkline/serve" not in done.stderr


@pytest.mark.parametrize(
    "arguments, text",
    [
        ([], "the following arguments are required: MODULE:OBJECT"),
        (["app"], "'app' is not of the form module:object, such as shop.app:server"),
        (["app.py:server", "--workers", "0"], "'0' is not a whole number from 1 on"),
        (["app/x:server"], "is not of the form"),
        (["app:server", "--threads", "many"], "'many' is not a whole number from 1 on"),
        (["app:server", "--grace", "-1"], "'-1' is not a number of seconds, 0 or more"),
        (["app:server", "--grace", "nan"], "'nan' is not a number of seconds"),
        (["app:server", "--log-level", "loud"], "invalid choice: 'loud'"),
        (["app:server", "--app-dir", "nowhere"], "'nowhere' is not a directory"),
        (["app:server", "--workers", "2", "--endpoint", "unix:@x"], "endpoints, not unix:@x"),
        (["app:server", "--endpoint", "tcp://127.0.0.1"], "argument --endpoint: "),
        (["app:server", "--endpoint", "nowhere"], "argument --endpoint: "),
        (["app:server", "--reload", "--endpoint", "what://x"], "argument --endpoint: "),
        (["app:server", "--workers", "2", "--endpoint", "tcp://127.0.0.1:none"], "argument --endpoint: "),
        (["app:server", "--advertise", "tcp://a:1"], "argument --advertise: needs --announce"),
        (["app:server", "--what"], "unrecognized arguments: --what"),
    ],
)
def test_a_wrong_use(folder: Path, arguments: list[str], text: str) -> None:
    done = run(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr


@pytest.mark.parametrize("reload", [[], ["--reload"]])
def test_an_endpoint_where_it_cannot_listen(folder: Path, reload: list[str]) -> None:
    server = trunkline.Server(threads=1)
    with server.serve("tcp://127.0.0.1:0") as running:
        done = run(folder, "app:Adder", "--endpoint", running.endpoint, *reload)
    assert done.returncode == 1
    assert "address already in use" in done.stderr.lower() and "Traceback" not in done.stderr


@pytest.mark.parametrize("options", [["--reload"], ["--workers", "2"], ["--reload", "--workers", "2"]])
def test_a_port_is_not_shared_with_another_command(folder: Path, options: list[str]) -> None:
    with serving(folder, "app:Adder", *options) as started:
        done = run(folder, "app:Adder", "--endpoint", started.endpoint(), *options)
        assert started.end() == 0
    assert done.returncode == 1
    assert "address already in use" in done.stderr.lower() and "Traceback" not in done.stderr


@pytest.mark.parametrize("target", ["app:Adder", "app:async_server"])
def test_a_worker_that_dies_is_replaced(folder: Path, target: str) -> None:
    with serving(folder, target, "--workers", "2") as started:
        endpoint = started.endpoint()
        children = Path(f"/proc/{started.process.pid}/task/{started.process.pid}/children")
        before = children.read_text().split()
        os.kill(int(before[0]), signal.SIGKILL)
        started.until(f"worker process {before[0]} has ended with status -9 and is replaced")
        wait_until(lambda: len(children.read_text().split()) >= 2)
        after = children.read_text().split()
        assert len(after) == 2 and before[0] not in after and before[1] in after
        assert call(endpoint, "Adder/add" if target == "app:Adder" else "AsyncAdder/add", 1) in (2, 3)
        assert started.end() == 0


@pytest.mark.parametrize("target", ["app:Adder", "app:async_server"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_health_reports_the_services_and_the_shutdown(folder: Path, target: str, workers: str) -> None:
    name = "Adder" if target == "app:Adder" else "AsyncAdder"
    with serving(folder, target, "--workers", workers) as started:
        with trunkline.Channel(started.endpoint()) as channel:
            with channel.server_stream(WATCH, REQUEST(service=name), RESPONSE) as watching:
                assert watching.read().status == 1
                assert channel.call(CHECK, REQUEST(service="trunkline.v1.Statistics"), RESPONSE).status == 1
                started.process.send_signal(signal.SIGTERM)
                assert watching.read().status == 2
                with pytest.raises(trunkline.Unavailable):
                    watching.read()
        assert started.process.wait(100) == 0


def test_help_shows_examples(folder: Path) -> None:
    done = run(folder, "--help")
    assert done.returncode == 0
    assert "trunkline serve shop.orders:Orders --reload" in done.stdout
    assert "--no-health" in done.stdout


def test_modules_are_found_in_the_app_dir(folder: Path) -> None:
    (folder / "below").mkdir()
    (folder / "below" / "deep.py").write_text(APP)
    with serving(folder, "deep:Adder", "--app-dir", "below") as started:
        assert call(started.endpoint(), "Adder/add", 1) == 2
        assert started.end() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("options", [[], ["--workers", "2"], ["--reload"], ["--reload", "--workers", "2"]])
def test_a_second_signal_does_not_wait(folder: Path, options: list[str], number: int) -> None:
    with serving(folder, "app:Adder", "--grace", "200", *options) as started:
        with trunkline.Channel(started.endpoint(), max_retries=0) as channel:
            pid = channel.call("Adder/pid", None, int)
            future = channel.submit("Adder/linger", 100.0, str)
            with channel.server_stream(WATCH, REQUEST(), RESPONSE) as watching:
                assert watching.read().status == 1
                started.process.send_signal(number)
                with pytest.raises(trunkline.Unavailable):
                    while True:  # until it drains
                        watching.read()
            begin = time.monotonic()
            started.process.send_signal(number)
            assert started.process.wait(100) == 128 + number
            assert isinstance(future.exception(20), trunkline.RpcError)
        assert time.monotonic() - begin < 40.0
    with pytest.raises(ProcessLookupError):
        for _ in range(200):
            os.kill(pid, 0)
            time.sleep(0.05)

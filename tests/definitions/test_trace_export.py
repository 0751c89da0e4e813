# SPDX-License-Identifier: MIT
"""Example 11: spans of OpenTelemetry's SDK reach a collector, whichever language either side is written in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

WORK = Path(os.environ.get("TRUNKLINE_DEFINITIONS", ""))
EXAMPLE = Path(__file__).parents[2] / "examples" / "11_trace_export" / "trace_export.py"
CPP = [str(WORK / "cmake" / "trace_export")]
PYTHON = [sys.executable, str(EXAMPLE)]
MODULES = WORK / "python/service/opentelemetry/proto/collector/trace/v1"
CERTIFICATES = WORK / "certificates"
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(MODULES),
    # Servers present a certificate at tls:// endpoints, and clients trust its authority.
    "EXAMPLE_CERTIFICATE_FILE": str(CERTIFICATES / "server.crt"),
    "EXAMPLE_PRIVATE_KEY_FILE": str(CERTIFICATES / "server.key"),
    "SSL_CERT_FILE": str(CERTIFICATES / "ca.crt"),
}

#: Of the program that is traced, in the order in which they end.
SPANS = [
    "span example.kitchen/make soup: 1 attributes, 1 events",
    "span example.kitchen/make bread: 1 attributes, 1 events",
    "span example.kitchen/cook dinner: 1 attributes, 0 events",
]

#: A collector that has rejected as many spans as it is told, whatever it gets.
MISCOUNTING = """
import sys
import trunkline
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from trace_service_trunkline import TraceService

class Collector(TraceService):
    def export(self, request, context):
        response = ExportTraceServiceResponse()
        response.partial_success.rejected_spans = int(sys.argv[1])
        return response

server = trunkline.Server()
server.add_service(Collector())
running = server.serve(sys.argv[3])
print(f"listening on {running.endpoint}", flush=True)
running.run_until_signal(grace=5.0)
"""

pytestmark = pytest.mark.skipif(
    not WORK.name, reason="is run by scripts/test-definitions, which fetches the definitions"
)


@pytest.fixture(scope="session")
def certificates() -> None:
    subprocess.run([EXAMPLE.parents[1] / "06_tls" / "make_certificates", CERTIFICATES], check=True)


@contextmanager
def collector(command: list[str], listening: str = "tcp://127.0.0.1:0") -> Iterator[tuple[str, list[str]]]:
    """Its endpoint, and what it will have printed once it has stopped."""
    serving = subprocess.Popen([*command, "serve", listening], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    printed: list[str] = []
    try:
        assert serving.stdout is not None
        yield serving.stdout.readline().removeprefix("listening on ").strip(), printed
        serving.send_signal(signal.SIGTERM)
        printed += serving.communicate(timeout=100)[0].splitlines()
        assert serving.returncode == 0
    finally:
        serving.kill()
        serving.communicate()


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, env=ENVIRONMENT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.usefixtures("certificates")
@pytest.mark.parametrize("scheme", ["tcp", "grpc", "grpcs"])
@pytest.mark.parametrize("server", [PYTHON, CPP], ids=["python server", "cpp server"])
@pytest.mark.parametrize("client", ["python", "cpp"], ids=["python client", "cpp client"])
def test_spans_of_the_sdk_arrive(server: list[str], client: str, scheme: str, tmp_path: Path) -> None:
    with collector(server, "tls://localhost:0" if scheme == "grpcs" else "tcp://127.0.0.1:0") as (served, printed):
        endpoint = f"{scheme}:{served.split(':', 1)[1]}"
        if client == "python":
            said = run([*PYTHON, "call", endpoint])
        else:
            spans = tmp_path / "spans"
            run([*PYTHON, "save", str(spans)])
            said = run([*CPP, "call", endpoint, str(spans)])

    assert "exported 3 spans, 0 were rejected" in said
    assert printed == [*SPANS, "stopped: ok"]


@pytest.mark.parametrize("server", [PYTHON, CPP], ids=["python server", "cpp server"])
def test_a_span_without_ids_is_rejected(server: list[str], tmp_path: Path) -> None:
    spans = tmp_path / "spans"
    # resource_spans { scope_spans { spans { name: "x" } } }
    spans.write_bytes(b"\x0a\x07\x12\x05\x12\x03\x2a\x01x")

    with collector(server) as (endpoint, printed):
        done = subprocess.run([*CPP, "call", endpoint, str(spans)], capture_output=True, text=True, timeout=250)

    assert done.returncode == 1
    assert "exported 0 spans, 1 were rejected" in done.stdout
    assert printed == ["stopped: ok"]


@pytest.fixture
def saved(tmp_path: Path) -> str:
    spans = tmp_path / "spans"
    run([*PYTHON, "save", str(spans)])
    return str(spans)


def call(client: str, endpoint: str, saved: str) -> subprocess.CompletedProcess[str]:
    command = [*PYTHON, "call", endpoint] if client == "python" else [*CPP, "call", endpoint, saved]
    return subprocess.run(command, capture_output=True, text=True, timeout=250, env=ENVIRONMENT)


@pytest.mark.parametrize("client", ["python", "cpp"])
def test_an_exporter_without_a_collector_says_so(client: str, saved: str) -> None:
    done = call(client, "tcp://127.0.0.1:1", saved)

    assert done.returncode == 1
    assert "unavailable" in done.stderr.lower()
    assert "exported 3" not in done.stdout


@pytest.mark.parametrize("client", ["python", "cpp"])
@pytest.mark.parametrize("rejected", [-1, 4])
def test_a_collector_that_miscounts_is_not_believed(client: str, rejected: int, saved: str) -> None:
    with collector([sys.executable, "-c", MISCOUNTING, str(rejected)]) as (endpoint, _):
        done = call(client, endpoint, saved)

    assert done.returncode == 1
    assert f"the collector has rejected {rejected} of 3 spans" in done.stderr

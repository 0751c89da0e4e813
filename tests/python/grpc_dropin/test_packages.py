# SPDX-License-Identifier: MIT
"""Generated modules, and grpcio's packages for health, reflection and details of errors, on the drop-in."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from types import ModuleType
from typing import Any

import grpc
import pytest

import trunkline.grpc

from .pairs import SOON, Pair

DEFINITION = """
syntax = "proto3";
package dropin.phones;
message Number { string digits = 1; }
message Count { int32 value = 1; }
service Phones {
  rpc Reverse(Number) returns (Number);
  rpc Digits(Number) returns (stream Number);
  rpc Counted(stream Number) returns (Count);
  rpc Echoed(stream Number) returns (stream Number);
}
"""


def imported_anew(name: str, packages: tuple[str, ...] = ()) -> ModuleType:
    """The module, which finds what ``import grpc`` finds now. What was imported before stays as it was."""
    before = {key: module for key, module in sys.modules.items() if key == name or key.startswith(packages or (name,))}
    for key in before:
        del sys.modules[key]
    try:
        return importlib.import_module(name)
    finally:
        for key in [key for key in sys.modules if key == name or key.startswith(packages or (name,))]:
            del sys.modules[key]
        sys.modules.update(before)


def module_on(implementation: Any, name: str, packages: tuple[str, ...] = ()) -> ModuleType:
    """The module, importing that implementation as ``grpc``."""
    if implementation is grpc:
        return imported_anew(name, packages)
    with trunkline.grpc.imported_as_grpc():
        return imported_anew(name, packages)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The modules ``dropin_phones_pb2`` and ``dropin_phones_pb2_grpc`` can be imported."""
    folder = tmp_path_factory.mktemp("generated")
    Path(folder / "dropin_phones.proto").write_text(DEFINITION)
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I.", "--python_out=.", "--grpc_python_out=."]
    subprocess.run([*command, "dropin_phones.proto"], check=True, cwd=folder)
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))


def phones(module: Any) -> Any:
    """The service of the generated module."""
    from importlib import import_module

    messages = import_module("dropin_phones_pb2")

    class Phones(module.PhonesServicer):  # type: ignore[misc]
        def Reverse(self, request: Any, context: Any) -> Any:
            return messages.Number(digits=request.digits[::-1])

        def Digits(self, request: Any, context: Any) -> Any:
            for digit in request.digits:
                yield messages.Number(digits=digit)

        def Counted(self, requests: Any, context: Any) -> Any:
            return messages.Count(value=sum(1 for _ in requests))

        def Echoed(self, requests: Any, context: Any) -> Any:
            yield from requests

    return Phones()


@pytest.mark.filterwarnings("ignore::grpc.experimental.ExperimentalApiWarning")
def test_generated_modules_run_unchanged(pair: Pair, generated: None) -> None:
    client = module_on(pair.client, "dropin_phones_pb2_grpc")
    served = module_on(pair.server, "dropin_phones_pb2_grpc")
    messages = importlib.import_module("dropin_phones_pb2")
    assert client.grpc is pair.client and served.grpc is pair.server
    server = pair.server.server(futures.ThreadPoolExecutor(4))
    served.add_PhonesServicer_to_server(phones(served), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    numbers = [messages.Number(digits=digits) for digits in ("1", "23")]

    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = client.PhonesStub(channel)
        assert stub.Reverse(numbers[1], timeout=SOON).digits == "32"
        assert [each.digits for each in stub.Digits(numbers[1], timeout=SOON)] == ["2", "3"]
        assert stub.Counted(iter(numbers), timeout=SOON).value == 2
        assert list(stub.Echoed(iter(numbers), timeout=SOON)) == numbers
    reversed_number = client.Phones.Reverse(numbers[1], f"127.0.0.1:{port}", insecure=True, timeout=SOON)
    assert reversed_number.digits == "32"
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        unimplemented = client.PhonesStub(channel)
        assert unimplemented.Reverse(numbers[0], timeout=SOON).digits == "1"
    server.stop(None).wait(SOON)


def test_method_that_a_servicer_does_not_have(pair: Pair, generated: None) -> None:
    client = module_on(pair.client, "dropin_phones_pb2_grpc")
    served = module_on(pair.server, "dropin_phones_pb2_grpc")
    messages = importlib.import_module("dropin_phones_pb2")
    server = pair.server.server(futures.ThreadPoolExecutor(4))
    served.add_PhonesServicer_to_server(served.PhonesServicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()

    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            client.PhonesStub(channel).Reverse(messages.Number(), timeout=SOON)

    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.UNIMPLEMENTED
    assert error.details() == "Method not implemented!"
    server.stop(None).wait(SOON)


def test_details_of_errors(pair: Pair) -> None:
    from google.protobuf import any_pb2, duration_pb2

    of_server = module_on(pair.server, "grpc_status.rpc_status", ("grpc_status",))
    of_client = module_on(pair.client, "grpc_status.rpc_status", ("grpc_status",))
    from google.rpc import code_pb2, status_pb2

    def refuse(request: bytes, context: Any) -> bytes:
        detail = any_pb2.Any()
        detail.Pack(duration_pb2.Duration(seconds=5))
        status = status_pb2.Status(code=code_pb2.RESOURCE_EXHAUSTED, message="wait a little", details=[detail])
        context.abort_with_status(of_server.to_status(status))
        return b""

    server = pair.server.server(futures.ThreadPoolExecutor(2))
    refusing = pair.server.unary_unary_rpc_method_handler(refuse)
    server.add_generic_rpc_handlers(
        (pair.server.method_handlers_generic_handler("test.Limits", {"Refuse": refusing}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()

    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            channel.unary_unary("/test.Limits/Refuse")(b"", timeout=SOON)

    status = of_client.from_call(raised.value)
    assert status.code == code_pb2.RESOURCE_EXHAUSTED
    assert status.message == "wait a little"
    wait = duration_pb2.Duration()
    assert status.details[0].Unpack(wait) and wait.seconds == 5
    server.stop(None).wait(SOON)


def test_health_and_reflection(pair: Pair) -> None:
    packages = ("grpc_health", "grpc_reflection")
    health = module_on(pair.server, "grpc_health.v1.health", packages)
    stubs = module_on(pair.client, "grpc_health.v1.health_pb2_grpc", packages)
    server_stubs = module_on(pair.server, "grpc_health.v1.health_pb2_grpc", packages)
    from grpc_health.v1 import health_pb2

    reflection = module_on(pair.server, "grpc_reflection.v1alpha.reflection", packages)
    server = pair.server.server(futures.ThreadPoolExecutor(4))
    servicer = health.HealthServicer()
    server_stubs.add_HealthServicer_to_server(servicer, server)
    names = (health_pb2.DESCRIPTOR.services_by_name["Health"].full_name, reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    servicer.set("a", health_pb2.HealthCheckResponse.SERVING)

    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = stubs.HealthStub(channel)
        request = health_pb2.HealthCheckRequest(service="a")
        assert stub.Check(request, timeout=SOON).status == health_pb2.HealthCheckResponse.SERVING
        watch = stub.Watch(request, timeout=SOON)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        servicer.set("a", health_pb2.HealthCheckResponse.NOT_SERVING)
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        watch.cancel()

        reflect = channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        # ServerReflectionRequest.list_services is "*".
        answers = list(reflect(iter([b"\x3a\x01*"]), timeout=SOON))
        assert len(answers) == 1 and b"grpc.health.v1.Health" in answers[0]
    server.stop(None).wait(SOON)


def test_modules_of_definitions_at_run_time(tmp_path: Path) -> None:
    Path(tmp_path / "dropin_at_run_time.proto").write_text(DEFINITION.replace("dropin.phones", "dropin.at_run_time"))
    program = (
        "import trunkline.grpc as grpc\n"
        "messages, services = grpc.protos_and_services('dropin_at_run_time.proto')\n"
        "assert services.grpc is grpc\n"
        "print(messages.Number(digits='1').digits, services.PhonesStub.__name__)\n"
    )

    shown = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=SOON
    )

    assert shown.stdout.split() == ["1", "PhonesStub"]


def test_install_and_uninstall() -> None:
    program = (
        "import sys, trunkline.grpc\n"
        "trunkline.grpc.install()\n"
        "import grpc, grpc.aio\n"
        "from grpc.experimental import aio\n"
        "assert grpc is trunkline.grpc and aio is trunkline.grpc.aio\n"
        "trunkline.grpc.uninstall()\n"
        "import grpc\n"
        "assert grpc is not trunkline.grpc and grpc.StatusCode is not trunkline.grpc.StatusCode\n"
        "try:\n"
        "    trunkline.grpc.install()\n"
        "except RuntimeError:\n"
        "    print('refused')\n"
    )

    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=SOON)

    assert shown.stdout == "refused\n"

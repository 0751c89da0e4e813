# SPDX-License-Identifier: MIT
"""The public classes of the drop-in beside grpcio's: their bases, what they leave to subclasses, their functions.

Google's client libraries, and others, derive from several of them at a time.
"""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
import types
import typing
from typing import Any, Generic, TypeVar

import pytest

MODULES = ("", ".aio", ".experimental")

P = TypeVar("P")


def names_of(module: str) -> list[str]:
    """The public names that both implementations, or only grpcio's, have in a module."""
    found = importlib.import_module(f"grpc{module}")
    return [name for name in found.__all__ if not name.startswith("_")]


def both(module: str, name: str) -> tuple[Any, Any]:
    """What has this name in grpcio, and in the drop-in."""
    real = getattr(importlib.import_module(f"grpc{module}"), name)
    return real, getattr(importlib.import_module(f"trunkline.grpc{module}"), name)


def classes() -> list[Any]:
    """Every public class, as a module and a name."""
    found = []
    for module in MODULES:
        members = vars(importlib.import_module(f"grpc{module}"))
        for name, member in sorted(members.items()):
            is_foreign = getattr(typing, name, None) is member
            if inspect.isclass(member) and not name.startswith("_") and not is_foreign:
                found.append(pytest.param(module, name, id=f"grpc{module}.{name}"))
    return found


def lineage(kind: type[Any]) -> list[str]:
    """The names of a class and its bases in the order in which they are searched, each once, without private ones."""
    return list(dict.fromkeys(base.__name__ for base in kind.__mro__ if not base.__name__.startswith("_")))


@pytest.mark.parametrize("module", MODULES)
def test_public_names_are_there(module: str) -> None:
    own = importlib.import_module(f"trunkline.grpc{module}")

    assert [name for name in names_of(module) if not hasattr(own, name)] == []


@pytest.mark.parametrize(("module", "name"), classes())
def test_bases_stand_in_the_same_order(module: str, name: str) -> None:
    real, own = both(module, name)

    assert lineage(own) == lineage(real)
    assert type(own) is type(real)


@pytest.mark.parametrize(("module", "name"), classes())
def test_subclasses_have_the_same_functions_to_define(module: str, name: str) -> None:
    real, own = both(module, name)

    assert getattr(own, "__abstractmethods__", frozenset()) == getattr(real, "__abstractmethods__", frozenset())


def parameters(function: Any) -> list[tuple[str, Any, Any]] | None:
    """The parameters of a function without their types; None for what has none."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    # Members of enumerations are compared by their names, as each implementation has its own.
    return [(each.name, each.kind, getattr(each.default, "name", each.default)) for each in found]


@pytest.mark.parametrize(("module", "name"), classes())
def test_functions_have_the_same_parameters(module: str, name: str) -> None:
    real, own = both(module, name)
    names = [each for each in dir(real) if not each.startswith("_") or each == "__call__"]

    for each in names:
        assert hasattr(own, each)
        assert parameters(getattr(own, each)) == parameters(getattr(real, each)), each
        are_coroutines = [inspect.iscoroutinefunction(getattr(kind, each)) for kind in (own, real)]
        assert are_coroutines[0] == are_coroutines[1], each


@pytest.mark.parametrize("module", MODULES)
def test_functions_of_modules_have_the_same_parameters(module: str) -> None:
    for name in names_of(module):
        real, own = both(module, name)
        if inspect.isfunction(real):
            assert parameters(own) == parameters(real), name


def test_calls_can_be_wrapped_as_google_api_core_does_it() -> None:
    """A generic class over Call comes before the class of a kind of call."""
    for name in ("grpc.aio", "trunkline.grpc.aio"):
        aio = importlib.import_module(name)

        class Wrapped(aio.Call):  # type: ignore[misc, name-defined]
            pass

        class OneResponse(Generic[P], Wrapped):
            pass

        class Requests(Wrapped):
            pass

        for kind in ("UnaryUnary", "UnaryStream", "StreamUnary", "StreamStream"):
            base = getattr(aio, f"{kind}Call")
            assert issubclass(types.new_class("W", (OneResponse[P], base)), base)  # type: ignore[valid-type]
            assert issubclass(types.new_class("W", (OneResponse, Requests, base)), base)
            callable_kind = getattr(aio, f"{kind}MultiCallable")
            assert callable_kind[int, str] is not None
            assert base[int, str] is not None


def test_details_may_be_of_a_class_of_the_application() -> None:
    for name in ("grpc", "trunkline.grpc"):
        module = importlib.import_module(name)

        class Details(module.HandlerCallDetails):  # type: ignore[misc, name-defined]
            def __init__(self, method: str, invocation_metadata: Any) -> None:
                self.method = method
                self.invocation_metadata = invocation_metadata

        assert Details("/S/M", ()).method == "/S/M"


def test_a_context_of_the_application_needs_no_more_than_grpcios() -> None:
    for name in ("grpc", "trunkline.grpc"):
        module, aio = importlib.import_module(name), importlib.import_module(f"{name}.aio")
        for kind in (module.ServicerContext, aio.ServicerContext):
            functions = {each: lambda *_, **__: None for each in kind.__abstractmethods__}
            context = type("Context", (kind,), functions)()
            with pytest.raises(NotImplementedError):
                context.code()
            with pytest.raises(NotImplementedError):
                context.details()


GOOGLE = """
import asyncio
import trunkline.grpc

trunkline.grpc.install()

import grpc
from concurrent import futures
from google.api_core import exceptions, gapic_v1, grpc_helpers_async, operation, operation_async, operations_v1
from google.longrunning import operations_pb2, operations_pb2_grpc
from google.protobuf.wrappers_pb2 import Int32Value, StringValue

assert grpc is trunkline.grpc


class Operations(operations_pb2_grpc.OperationsServicer):
    asked = 0

    def GetOperation(self, request, context):
        self.asked += 1
        found = operations_pb2.Operation(name=request.name, done=self.asked % 2 == 0)
        if found.done:
            found.response.Pack(StringValue(value="built"))
        return found

    def ListOperations(self, request, context):
        return operations_pb2.ListOperationsResponse(operations=[operations_pb2.Operation(name=each) for each in "ab"])

    def DeleteOperation(self, request, context):
        context.abort(grpc.StatusCode.NOT_FOUND, "gone")


def echo(requests, context):
    yield from requests


def total(requests, context):
    return Int32Value(value=sum(each.value for each in requests))


codec = (Int32Value.FromString, Int32Value.SerializeToString)
methods = {
    "Echo": grpc.stream_stream_rpc_method_handler(echo, *codec),
    "Sum": grpc.stream_unary_rpc_method_handler(total, *codec),
}
server = grpc.server(futures.ThreadPoolExecutor(2))
operations_pb2_grpc.add_OperationsServicer_to_server(Operations(), server)
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("T", methods),))
target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
server.start()
codec = codec[::-1]

with grpc.insecure_channel(target) as channel:
    client = operations_v1.OperationsClient(channel)
    found = operation.from_gapic(client.get_operation("x"), client, StringValue)
    assert found.result(timeout=20).value == "built"
    assert [each.name for each in client.list_operations("n", "f")] == ["a", "b"]
    try:
        client.delete_operation("x")
    except exceptions.NotFound as error:
        assert error.grpc_status_code is grpc.StatusCode.NOT_FOUND and error.message == "gone"
    else:
        raise AssertionError
    method = gapic_v1.method.wrap_method(channel.stream_stream("/T/Echo", *codec), default_timeout=20)
    assert [each.value for each in method(iter([Int32Value(value=7)]))] == [7]


async def main():
    async with grpc.aio.insecure_channel(target) as channel:
        client = operations_v1.OperationsAsyncClient(channel)
        found = operation_async.from_gapic(await client.get_operation("x"), client, StringValue)
        assert (await found.result(timeout=20)).value == "built"
        assert [each.name async for each in await client.list_operations("n", "f")] == ["a", "b"]
        try:
            await client.delete_operation("x")
        except exceptions.NotFound as error:
            assert error.grpc_status_code is grpc.StatusCode.NOT_FOUND and error.message == "gone"
        else:
            raise AssertionError
        call = await grpc_helpers_async.wrap_errors(channel.stream_stream("/T/Echo", *codec))()
        await call.write(Int32Value(value=7))
        assert (await call.read()).value == 7
        await call.done_writing()
        assert await call.read() is grpc.aio.EOF

        async def requests():
            yield Int32Value(value=1)
            yield Int32Value(value=4)

        method = grpc_helpers_async.wrap_errors(channel.stream_unary("/T/Sum", *codec))
        assert (await (await method(requests()))).value == 5


asyncio.run(main())
server.stop(None).wait(20)
"""


def test_google_api_core_runs_on_the_drop_in() -> None:
    pytest.importorskip("google.api_core.operations_v1")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", GOOGLE], env=environment, capture_output=True, text=True, timeout=120
    )

    assert done.returncode == 0, done.stdout + done.stderr

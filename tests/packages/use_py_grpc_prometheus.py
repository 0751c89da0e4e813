# SPDX-License-Identifier: MIT
"""py-grpc-prometheus: both interceptors count calls and messages of every kind, and the codes they end with."""

import implementation  # isort: skip

from typing import Any

import grpc
from google.protobuf.wrappers_pb2 import StringValue
from prometheus_client import CollectorRegistry
from py_grpc_prometheus.prometheus_client_interceptor import PromClientInterceptor
from py_grpc_prometheus.prometheus_server_interceptor import PromServerInterceptor
from serving import SOON, method, service, serving


def upper(request: StringValue, context: Any) -> StringValue:
    if not request.value:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no text")
    return StringValue(value=request.value.upper())


def letters(request: StringValue, context: Any) -> Any:
    for letter in request.value:
        yield StringValue(value=letter)


def join(requests: Any, context: Any) -> StringValue:
    return StringValue(value="".join(request.value for request in requests))


def echo(requests: Any, context: Any) -> Any:
    yield from requests


def main() -> None:
    registry, own = CollectorRegistry(), CollectorRegistry()
    types = (StringValue, StringValue)
    text = service(
        "test.Text",
        Upper=method("unary_unary", upper, *types),
        Letters=method("unary_stream", letters, *types),
        Join=method("stream_unary", join, *types),
        Echo=method("stream_stream", echo, *types),
    )
    interceptor = PromServerInterceptor(enable_handling_time_histogram=True, registry=registry)
    with serving(text, interceptors=[interceptor]) as target, grpc.insecure_channel(target) as plain:
        channel = grpc.intercept_channel(plain, PromClientInterceptor(registry=own))

        def call(name: str, kind: str) -> Any:
            return getattr(channel, kind)(f"/test.Text/{name}", StringValue.SerializeToString, StringValue.FromString)

        values = [StringValue(value=value) for value in "abc"]
        assert call("Upper", "unary_unary")(values[0], timeout=SOON).value == "A"
        try:
            call("Upper", "unary_unary")(StringValue(), timeout=SOON)
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
        else:
            raise AssertionError("the call did not fail")
        assert len(list(call("Letters", "unary_stream")(StringValue(value="four"), timeout=SOON))) == 4
        assert call("Join", "stream_unary")(iter(values), timeout=SOON).value == "abc"
        assert len(list(call("Echo", "stream_stream")(iter(values), timeout=SOON))) == 3

    def count(registry: CollectorRegistry, name: str, **labels: str) -> float:
        return registry.get_sample_value(name, {"grpc_service": "test.Text", **labels}) or 0

    unary, served = {"grpc_type": "UNARY", "grpc_method": "Upper"}, "grpc_server_handled_total"
    assert count(registry, "grpc_server_started_total", **unary) == 2
    assert count(registry, served, **unary, grpc_code="OK") == 1
    assert count(registry, "grpc_server_msg_sent_total", grpc_type="SERVER_STREAMING", grpc_method="Letters") == 4
    assert count(registry, "grpc_server_msg_received_total", grpc_type="BIDI_STREAMING", grpc_method="Echo") == 3
    assert count(own, "grpc_client_started_total", **unary) == 2
    assert count(own, "grpc_client_handled_total", **unary, grpc_code="OK") == 1
    assert count(own, "grpc_client_handled_total", **unary, grpc_code="INVALID_ARGUMENT") == 1
    assert count(own, "grpc_client_msg_received_total", grpc_type="SERVER_STREAMING", grpc_method="Letters") == 4
    assert count(own, "grpc_client_msg_sent_total", grpc_type="CLIENT_STREAMING", grpc_method="Join") == 3
    assert count(registry, served, **unary, grpc_code="INVALID_ARGUMENT") == 1


if __name__ == "__main__":
    main()
    implementation.check()

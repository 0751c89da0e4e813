# SPDX-License-Identifier: MIT
"""A collector of OpenTelemetry traces, and a program whose traces OpenTelemetry's SDK exports to it.

Usage: python trace_export.py serve ENDPOINT | call ENDPOINT | save FILE

``save`` writes the request that ``call`` would send. Needs the module generated from OpenTelemetry's definition,
``trace_service_trunkline``, on the path; see scripts/test-definitions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import trunkline
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from trace_service_trunkline import TraceService, TraceServiceClient


class Collector(TraceService):
    """Prints the spans; those without a valid id are rejected, as the protocol says."""

    def export(self, request: ExportTraceServiceRequest, context: trunkline.Context) -> ExportTraceServiceResponse:
        response = ExportTraceServiceResponse()
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    if len(span.trace_id) != 16 or len(span.span_id) != 8:
                        response.partial_success.rejected_spans += 1
                        response.partial_success.error_message = "export: ids of a span are not 16 and 8 bytes long"
                        continue
                    counts = f"{len(span.attributes)} attributes, {len(span.events)} events"
                    print(f"span {scope.scope.name}/{span.name}: {counts}", flush=True)
        return response


class TrunklineSpanExporter(SpanExporter):
    """Exports what the SDK hands it, in batches, through the generated client."""

    def __init__(self, endpoint: str) -> None:
        self._channel = trunkline.Channel(endpoint)
        self._client = TraceServiceClient(self._channel, timeout=10.0)
        self.exported = 0
        self.rejected = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        try:
            response = self._client.export(encode_spans(spans))
        except trunkline.RpcError as error:
            print(f"trace export: {error}", file=sys.stderr)
            return SpanExportResult.FAILURE
        rejected = response.partial_success.rejected_spans
        if not 0 <= rejected <= len(spans):
            print(f"trace export: the collector has rejected {rejected} of {len(spans)} spans", file=sys.stderr)
            return SpanExportResult.FAILURE
        self.exported += len(spans) - rejected
        self.rejected += rejected
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        self._channel.close()


def work(provider: TracerProvider) -> int:
    """Something to trace. Returns how many spans that makes."""
    tracer = provider.get_tracer("example.kitchen")
    with tracer.start_as_current_span("cook dinner") as dinner:
        dinner.set_attribute("guests", 4)
        for dish in ("soup", "bread"):
            with tracer.start_as_current_span(f"make {dish}", kind=trace.SpanKind.INTERNAL) as span:
                span.set_attribute("dish", dish)
                span.add_event("tasted", {"verdict": "good"})
        dinner.set_status(trace.StatusCode.OK)
    return 3


def call(endpoint: str) -> bool:
    provider = TracerProvider(resource=Resource.create({"service.name": "trace_export"}))
    exporter = TrunklineSpanExporter(endpoint)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    spans = work(provider)
    provider.force_flush(30000)
    provider.shutdown()
    print(f"exported {exporter.exported} spans, {exporter.rejected} were rejected")
    return exporter.exported == spans


def save(path: str) -> bool:
    provider = TracerProvider(resource=Resource.create({"service.name": "trace_export"}))
    kept = InMemorySpanExporter()
    provider.add_span_processor(BatchSpanProcessor(kept))
    work(provider)
    provider.force_flush(30000)
    Path(path).write_bytes(encode_spans(kept.get_finished_spans()).SerializeToString())
    return True


def serve(endpoint: str) -> bool:
    server = trunkline.Server(
        # For tls:// endpoints.
        certificate_file=os.environ.get("EXAMPLE_CERTIFICATE_FILE", ""),
        private_key_file=os.environ.get("EXAMPLE_PRIVATE_KEY_FILE", ""),
    )
    server.add_service(Collector())
    running = server.serve(endpoint)
    print(f"listening on {running.endpoint}", flush=True)
    running.run_until_signal(grace=5.0)
    print("stopped: ok")
    return True


def main() -> int:
    actions = {"serve": serve, "call": call, "save": save}
    if len(sys.argv) != 3 or sys.argv[1] not in actions:
        print(f"usage: {sys.argv[0]} serve ENDPOINT | call ENDPOINT | save FILE", file=sys.stderr)
        return 2
    return 0 if actions[sys.argv[1]](sys.argv[2]) else 1


if __name__ == "__main__":
    sys.exit(main())

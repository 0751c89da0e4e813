# SPDX-License-Identifier: MIT
"""opentelemetry-exporter-otlp-proto-grpc: exports spans, metrics and logs to a local collector, with retries."""

import implementation  # isort: skip

import logging
from typing import Any

import grpc
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2, logs_service_pb2_grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from serving import serving

HEADERS = (("tenant", "seven"),)


class Traces(trace_service_pb2_grpc.TraceServiceServicer):
    def __init__(self) -> None:
        self.names: list[str] = []
        self.calls = 0

    def Export(self, request: Any, context: Any) -> Any:
        assert dict(context.invocation_metadata())["tenant"] == "seven"
        self.calls += 1
        if self.calls == 1:
            context.abort(grpc.StatusCode.UNAVAILABLE, "try again")
        names = [span.name for each in request.resource_spans for one in each.scope_spans for span in one.spans]
        if "refused" in names:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "never")
        self.names += names
        return trace_service_pb2.ExportTraceServiceResponse()


class Metrics(metrics_service_pb2_grpc.MetricsServiceServicer):
    def __init__(self) -> None:
        self.values: dict[str, int] = {}

    def Export(self, request: Any, context: Any) -> Any:
        for each in request.resource_metrics:
            for scope in each.scope_metrics:
                self.values.update({one.name: one.sum.data_points[0].as_int for one in scope.metrics})
        return metrics_service_pb2.ExportMetricsServiceResponse()


class Logs(logs_service_pb2_grpc.LogsServiceServicer):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def Export(self, request: Any, context: Any) -> Any:
        for each in request.resource_logs:
            for scope in each.scope_logs:
                self.texts += [one.body.string_value for one in scope.log_records]
        return logs_service_pb2.ExportLogsServiceResponse()


class Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def main() -> None:
    traces, metrics, logs, records = Traces(), Metrics(), Logs(), Records()
    logging.getLogger("opentelemetry.exporter.otlp.proto.grpc.exporter").addHandler(records)
    services = (
        lambda server: trace_service_pb2_grpc.add_TraceServiceServicer_to_server(traces, server),
        lambda server: metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server(metrics, server),
        lambda server: logs_service_pb2_grpc.add_LogsServiceServicer_to_server(logs, server),
    )
    with serving(*services) as target:
        exporter = OTLPSpanExporter(
            endpoint=target, insecure=True, headers=HEADERS, compression=grpc.Compression.Gzip, timeout=20
        )
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(exporter))
        tracer = tracers.get_tracer("test")
        # The collector refuses the first attempt, and the exporter makes another.
        tracer.start_span("first").end()
        tracer.start_span("second " * 1000).end()
        tracer.start_span("refused").end()
        assert traces.names == ["first", "second " * 1000] and traces.calls == 4, (traces.names, traces.calls)
        assert any("INVALID_ARGUMENT" in text for text in records.texts), records.texts
        tracers.shutdown()

        reader = PeriodicExportingMetricReader(OTLPMetricExporter(endpoint=target, insecure=True), 60_000)
        meters = MeterProvider(metric_readers=[reader])
        meters.get_meter("test").create_counter("calls").add(7)
        assert meters.force_flush()
        meters.shutdown()
        assert metrics.values["calls"] == 7, metrics.values

        loggers = LoggerProvider()
        loggers.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter(endpoint=target, insecure=True)))
        record = LogRecord(timestamp=1, severity_number=SeverityNumber.INFO, body="a line")
        loggers.get_logger("test").emit(record)
        loggers.shutdown()
        assert logs.texts == ["a line"], logs.texts


if __name__ == "__main__":
    main()
    implementation.check()

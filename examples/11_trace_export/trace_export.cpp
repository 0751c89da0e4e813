// SPDX-License-Identifier: MIT
// A collector of OpenTelemetry's traces, and a client that exports those of a file.
// Usage: trace_export serve ENDPOINT | trace_export call ENDPOINT FILE
#include "opentelemetry/proto/collector/trace/v1/trace_service.trunkline.h"

#include "server_certificate.h"
#include "two_sides.h"

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>
#include <vector>

namespace {

namespace otlp = opentelemetry::proto::collector::trace::v1;
using otlp::ExportTraceServiceRequest;
using otlp::ExportTraceServiceResponse;

std::int64_t count_spans(const ExportTraceServiceRequest& request) {
  std::int64_t spans = 0;
  for (const auto& resource : request.resource_spans()) {
    for (const auto& scope : resource.scope_spans()) spans += scope.spans_size();
  }
  return spans;
}

/// Prints the spans; those without a valid id are rejected, as the protocol says.
class Collector final : public otlp::TraceService::Service {
 public:
  trunkline::Status export_(const ExportTraceServiceRequest& request, ExportTraceServiceResponse& response,
                            trunkline::ServerContext&) {
    const std::lock_guard lock(printing_);
    for (const auto& resource : request.resource_spans()) {
      for (const auto& scope : resource.scope_spans()) {
        for (const auto& span : scope.spans()) {
          if (span.trace_id().size() != 16 || span.span_id().size() != 8) {
            auto& partial = *response.mutable_partial_success();
            partial.set_rejected_spans(partial.rejected_spans() + 1);
            partial.set_error_message("export: ids of a span are not 16 and 8 bytes long");
            continue;
          }
          std::cout << "span " << scope.scope().name() << "/" << span.name() << ": " << span.attributes_size()
                    << " attributes, " << span.events_size() << " events" << std::endl;
        }
      }
    }
    return trunkline::Status::ok();
  }

 private:
  std::mutex printing_;
};

bool export_file(const std::string& endpoint, const std::string& path) {
  ExportTraceServiceRequest request;
  if (std::ifstream file(path, std::ios::binary); !request.ParseFromIstream(&file)) {
    std::cerr << "trace export: " << path << " holds no ExportTraceServiceRequest\n";
    return false;
  }
  trunkline::Channel channel(endpoint);
  const otlp::TraceService::Client client(channel);
  const auto response = client.export_(request, {.timeout = std::chrono::seconds(30)});
  if (!response) {
    std::cerr << "trace export: " << response.status().to_string() << "\n";
    return false;
  }
  const std::int64_t sent = count_spans(request);
  const std::int64_t rejected = response->partial_success().rejected_spans();
  if (rejected < 0 || rejected > sent) {
    std::cerr << "trace export: the collector has rejected " << rejected << " of " << sent << " spans\n";
    return false;
  }
  std::cout << "exported " << sent - rejected << " spans, " << rejected << " were rejected\n";
  return rejected == 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::string path;
  if (arguments.size() == 3 && arguments[0] == "call") {
    path = arguments[2];
    arguments.pop_back();
  } else if (arguments.size() != 2 || arguments[0] != "serve") {
    std::cerr << "usage: trace_export serve ENDPOINT | trace_export call ENDPOINT FILE\n";
    return 2;
  }
  Collector collector;
  trunkline::ServerOptions options;
  options.tls = example::server_certificate();
  trunkline::Server server(options);
  server.add_service(collector);
  return example::run_sides(arguments, server, "",
                            [&](const std::string& endpoint) { return export_file(endpoint, path); });
}

// SPDX-License-Identifier: MIT
// UsageProbe: makes two calls of trunkline.v1.Statistics/Get, and computes their difference.
#include "load/usage_probe.h"

#include "load/raw_message.h"

#include <trunkline/v1/statistics.pb.h>

namespace trunkline::load {
namespace {

constexpr std::string_view method = "trunkline.v1.Statistics/Get";
constexpr std::chrono::seconds timeout{1};

}  // namespace

UsageProbe::UsageProbe(const LoadPlan& plan) : metadata_(plan.metadata) {
  ChannelOptions options = plan.channel;
  options.codecs = raw_codecs();
  options.loop = {};
  options.ordered = false;
  channel_ = std::make_unique<Channel>(plan.endpoint, std::move(options));
}

std::optional<UsageProbe::Sample> UsageProbe::ask() {
  v1::StatisticsRequest request;
  request.set_without_buckets(true);
  // No method name begins with this prefix, so the response contains no methods.
  request.set_method_prefix("\x01");
  RawMessage response;
  CallOptions options;
  options.codec = "protobuf";
  options.metadata = metadata_;
  options.timeout = timeout;
  const RawMessage asked{Slice::from_string(request.SerializeAsString())};
  if (!channel_->call(Method(method), asked, response, options).is_ok()) return std::nullopt;
  v1::ServerStatistics sample;
  if (!sample.ParseFromArray(response.bytes.data(), static_cast<int>(response.bytes.size()))) return std::nullopt;
  return Sample{.process_id = sample.process_id(),
                .uptime_ns = sample.uptime_ns(),
                .cpu_ns = sample.cpu_ns(),
                .memory_bytes = sample.memory_bytes()};
}

bool UsageProbe::begin() {
  first_ = ask();
  return first_.has_value();
}

std::optional<ServerUsage> UsageProbe::end() {
  if (!first_) return std::nullopt;
  const std::optional<Sample> last = ask();
  if (!last || last->process_id != first_->process_id || last->uptime_ns <= first_->uptime_ns) return std::nullopt;
  return ServerUsage{.process_id = last->process_id,
                     .cpu_seconds = static_cast<double>(last->cpu_ns - first_->cpu_ns) * 1e-9,
                     .seconds = static_cast<double>(last->uptime_ns - first_->uptime_ns) * 1e-9,
                     .memory_bytes = last->memory_bytes};
}

}  // namespace trunkline::load

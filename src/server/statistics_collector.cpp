// SPDX-License-Identifier: MIT
// StatisticsCollector: sums over the loops, and converts histograms to the public form.
#include "server/statistics_collector.h"

#include "base/histogram.h"
#include "base/process_usage.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace trunkline::server {

namespace {

std::chrono::nanoseconds duration_of(std::uint64_t nanoseconds) {
  return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(nanoseconds));
}

LatencyHistogram to_public(const base::Histogram& histogram) {
  LatencyHistogram result{.count = histogram.count(),
                          .min = duration_of(histogram.min()),
                          .max = duration_of(histogram.max()),
                          .sum = duration_of(histogram.sum()),
                          .p50 = duration_of(histogram.quantile(0.5)),
                          .p90 = duration_of(histogram.quantile(0.9)),
                          .p99 = duration_of(histogram.quantile(0.99)),
                          .p999 = duration_of(histogram.quantile(0.999)),
                          .buckets = {}};
  histogram.visit_buckets([&](std::uint64_t upper, std::uint64_t count) {
    result.buckets.push_back({duration_of(upper), count});
  });
  return result;
}

/// The metrics of one method on all loops.
struct MethodSum {
  void add(const MethodMetrics& metrics) {
    for (std::size_t code = 0; code < MethodMetrics::status_codes; ++code) {
      const std::uint64_t count = metrics.finished[code].value();
      if (count > 0) statistics.finished_by_code[static_cast<StatusCode>(code)] += count;
      finished += count;
    }
    statistics.started += metrics.started.value();
    statistics.bytes_received += metrics.bytes_received.value();
    statistics.bytes_sent += metrics.bytes_sent.value();
    statistics.loop_holds += metrics.loop_holds.value();
    metrics.latency.add_to(latency);
  }
  MethodStatistics take(const std::string& name) && {
    statistics.method = name;
    // The counters move while they are read, so that `finished` may be ahead.
    statistics.in_flight = statistics.started - std::min(statistics.started, finished);
    statistics.latency = to_public(latency);
    return std::move(statistics);
  }

  MethodStatistics statistics;
  std::uint64_t finished = 0;
  base::Histogram latency;
};

}  // namespace

void StatisticsCollector::start() {
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(is_started_, true)) return;
    started_ = base::Clock::now();
  }
  for (const auto& loop : loops_) {
    loop->net_loop().post([weak = std::weak_ptr<ServerLoop>(loop)] {
      if (const std::shared_ptr<ServerLoop> self = weak.lock()) self->collect_statistics();
    });
  }
}

ServerTotals StatisticsCollector::totals() const {
  ServerTotals sum;
  for (const auto& loop : loops_) loop->context().totals().add_to(sum);
  sum.queued_blocking_calls = server_state_.workers.queued();
  sum.memory_used_bytes = server_state_.memory.used();
  sum.memory_max_bytes = server_state_.memory.max_bytes();
  const LoadShedding& shedding = server_state_.admission.shedding();
  sum.adaptive_limit = shedding.has_limit() ? shedding.limit() : 0;
  sum.calls_shed = shedding.calls_shed();
  return sum;
}

ServerStatistics StatisticsCollector::statistics() const {
  ServerStatistics result{.totals = totals(), .connections_by_protocol = {}, .methods = {}, .loops = {}};
  {
    std::lock_guard lock(mutex_);
    result.is_collected = is_started_;
    if (is_started_) result.uptime = base::Clock::now() - started_;
  }
  std::map<std::string, MethodSum> methods;
  for (const auto& server_loop : loops_) {
    LoopStatistics& loop = result.loops.emplace_back();
    loop.connections = server_loop->context().totals().connections.value();
    server_loop->context().protocols().add_to(result.connections_by_protocol);
    if (!result.is_collected) continue;
    const LoopMetrics& metrics = server_loop->context().metrics();
    base::Histogram lag;
    metrics.add_lag_to(lag);
    loop.lag = to_public(lag);
    metrics.visit([&](const std::string& method, const MethodMetrics& found) { methods[method].add(found); });
  }
  for (auto& [name, sum] : methods) result.methods.push_back(std::move(sum).take(name));
  const base::ProcessUsage usage = base::process_usage();
  result.process_id = usage.id;
  result.cpu = usage.cpu;
  result.memory_bytes = usage.memory_bytes;
  return result;
}

}  // namespace trunkline::server

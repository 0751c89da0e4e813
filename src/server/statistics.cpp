// SPDX-License-Identifier: MIT
// What all loops have counted, put together.
#include "base/process_usage.h"
#include "server/server_core.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace trunkline::server {

namespace {

std::chrono::nanoseconds duration_of(std::uint64_t nanoseconds) {
  return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(nanoseconds));
}

LatencyHistogram describe(const base::Histogram& histogram) {
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

/// One method on all loops.
struct MethodSum {
  void add(const MethodTally& tally) {
    for (std::size_t code = 0; code < MethodTally::codes; ++code) {
      const std::uint64_t count = tally.finished[code].value();
      if (count > 0) statistics.finished_by_code[static_cast<StatusCode>(code)] += count;
      finished += count;
    }
    statistics.started += tally.started.value();
    statistics.bytes_received += tally.bytes_received.value();
    statistics.bytes_sent += tally.bytes_sent.value();
    tally.latency.add_to(latency);
  }
  MethodStatistics take(const std::string& name) && {
    statistics.method = name;
    statistics.in_flight = statistics.started - std::min(statistics.started, finished);
    statistics.latency = describe(latency);
    return std::move(statistics);
  }

  MethodStatistics statistics;
  std::uint64_t finished = 0;
  base::Histogram latency;
};

}  // namespace

void ServerCore::collect_statistics() {
  std::lock_guard lock(mutex_);
  if (!tallies_.empty()) return;
  counting_since_ = base::Clock::now();
  for (const auto& loop : loops_) {
    tallies_.push_back(std::make_shared<LoopTally>(loop->net_loop()));
    loop->net_loop().post([weak = std::weak_ptr<ServerLoop>(loop), tally = tallies_.back()] {
      if (const std::shared_ptr<ServerLoop> self = weak.lock()) self->count_in(tally);
    });
  }
}

ServerStatistics ServerCore::statistics() const {
  ServerStatistics result{.totals = stats(), .methods = {}, .loops = {}};
  std::vector<std::shared_ptr<LoopTally>> tallies;
  {
    std::lock_guard lock(mutex_);
    tallies = tallies_;
    if (!tallies.empty()) result.uptime = base::Clock::now() - counting_since_;
  }
  result.is_collected = !tallies.empty();
  std::map<std::string, MethodSum> methods;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    LoopStatistics& loop = result.loops.emplace_back();
    loop.connections = loops_[i]->counters().connections.value();
    if (tallies.empty()) continue;
    base::Histogram lag;
    tallies[i]->add_lag_to(lag);
    loop.lag = describe(lag);
    tallies[i]->visit([&](const std::string& method, const MethodTally& tally) { methods[method].add(tally); });
  }
  for (auto& [name, sum] : methods) result.methods.push_back(std::move(sum).take(name));
  const base::ProcessUsage usage = base::process_usage();
  result.process_id = usage.id;
  result.cpu = usage.cpu;
  result.memory_bytes = usage.memory_bytes;
  return result;
}

}  // namespace trunkline::server

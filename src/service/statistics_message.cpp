// SPDX-License-Identifier: MIT
// Converts statistics to messages, field by field.
#include "service/statistics_message.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>

namespace trunkline::service {

namespace {

std::uint64_t nanoseconds_of(std::chrono::nanoseconds duration) { return static_cast<std::uint64_t>(duration.count()); }

void fill(const LatencyHistogram& histogram, bool with_buckets, v1::LatencyHistogram& out) {
  out.set_count(histogram.count);
  out.set_min_ns(nanoseconds_of(histogram.min));
  out.set_max_ns(nanoseconds_of(histogram.max));
  out.set_sum_ns(nanoseconds_of(histogram.sum));
  out.set_p50_ns(nanoseconds_of(histogram.p50));
  out.set_p90_ns(nanoseconds_of(histogram.p90));
  out.set_p99_ns(nanoseconds_of(histogram.p99));
  out.set_p999_ns(nanoseconds_of(histogram.p999));
  if (!with_buckets) return;
  for (const LatencyHistogram::Bucket& bucket : histogram.buckets) {
    v1::LatencyHistogram::Bucket& added = *out.add_buckets();
    added.set_upper_ns(nanoseconds_of(bucket.upper));
    added.set_count(bucket.count);
  }
}

void fill(const MethodStatistics& method, bool with_buckets, v1::MethodStatistics& out) {
  out.set_method(method.method);
  out.set_started(method.started);
  out.set_in_flight(method.in_flight);
  for (const auto& [code, count] : method.finished_by_code) {
    (*out.mutable_finished_by_code())[static_cast<std::int32_t>(code)] = count;
  }
  out.set_bytes_received(method.bytes_received);
  out.set_bytes_sent(method.bytes_sent);
  fill(method.latency, with_buckets, *out.mutable_latency());
  out.set_loop_holds(method.loop_holds);
}

void fill(const ServerTotals& totals, v1::ServerStatistics& out) {
  out.set_connections(totals.connections);
  out.set_connections_accepted(totals.connections_accepted);
  out.set_connections_refused(totals.connections_refused);
  out.set_open_calls(totals.open_calls);
  out.set_queued_blocking_calls(totals.queued_blocking_calls);
  out.set_calls_started(totals.calls_started);
  out.set_calls_ok(totals.calls_ok);
  out.set_calls_failed(totals.calls_failed);
  out.set_calls_cancelled(totals.calls_cancelled);
  out.set_calls_refused(totals.calls_refused);
  out.set_handler_exceptions(totals.handler_exceptions);
  out.set_memory_used_bytes(totals.memory_used_bytes);
  out.set_memory_max_bytes(totals.memory_max_bytes);
  out.set_calls_shed(totals.calls_shed);
  out.set_adaptive_limit(totals.adaptive_limit);
}

}  // namespace

void fill_message(const ServerStatistics& statistics, const v1::StatisticsRequest& request, v1::ServerStatistics& out) {
  const bool with_buckets = !request.without_buckets();
  out.set_uptime_ns(nanoseconds_of(statistics.uptime));
  out.set_process_id(statistics.process_id);
  fill(statistics.totals, out);
  for (const auto& [protocol, count] : statistics.connections_by_protocol) {
    (*out.mutable_connections_by_protocol())[protocol] = count;
  }
  for (const MethodStatistics& method : statistics.methods) {
    if (method.method.starts_with(request.method_prefix())) fill(method, with_buckets, *out.add_methods());
  }
  for (const LoopStatistics& loop : statistics.loops) {
    v1::LoopStatistics& added = *out.add_loops();
    added.set_connections(loop.connections);
    fill(loop.lag, with_buckets, *added.mutable_lag());
  }
  out.set_cpu_ns(nanoseconds_of(statistics.cpu));
  out.set_memory_bytes(statistics.memory_bytes);
}

void remove_unchanged_buckets(const v1::ServerStatistics& before, v1::ServerStatistics& message) {
  using Buckets = google::protobuf::RepeatedPtrField<v1::LatencyHistogram::Bucket>;
  std::map<std::string_view, const Buckets*> known;
  for (const v1::MethodStatistics& method : before.methods()) {
    known.emplace(method.method(), &method.latency().buckets());
  }
  for (v1::MethodStatistics& method : *message.mutable_methods()) {
    const auto found = known.find(method.method());
    if (found == known.end()) continue;
    Buckets changed;
    auto old = found->second->begin();
    for (const v1::LatencyHistogram::Bucket& bucket : method.latency().buckets()) {
      while (old != found->second->end() && old->upper_ns() < bucket.upper_ns()) ++old;
      const bool is_known = old != found->second->end() && old->upper_ns() == bucket.upper_ns();
      if (!is_known || old->count() != bucket.count()) *changed.Add() = bucket;
    }
    method.mutable_latency()->mutable_buckets()->Swap(&changed);
  }
}

}  // namespace trunkline::service

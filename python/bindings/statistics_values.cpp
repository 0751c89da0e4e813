// SPDX-License-Identifier: MIT
// dict_of: converts statistics field by field.
#include "statistics_values.h"

#include <string>

namespace trunkline::python {

namespace {

py::dict dict_of(const LatencyHistogram& histogram) {
  py::list buckets;
  for (const LatencyHistogram::Bucket& bucket : histogram.buckets) {
    py::dict described;
    described["upper_ns"] = bucket.upper.count();
    described["count"] = bucket.count;
    buckets.append(std::move(described));
  }
  py::dict result;
  result["count"] = histogram.count;
  result["min_ns"] = histogram.min.count();
  result["max_ns"] = histogram.max.count();
  result["sum_ns"] = histogram.sum.count();
  result["p50_ns"] = histogram.p50.count();
  result["p90_ns"] = histogram.p90.count();
  result["p99_ns"] = histogram.p99.count();
  result["p999_ns"] = histogram.p999.count();
  result["buckets"] = std::move(buckets);
  return result;
}

py::dict dict_of(const MethodStatistics& method) {
  py::dict finished;
  for (const auto& [code, count] : method.finished_by_code) finished[py::int_(static_cast<int>(code))] = count;
  py::dict result;
  result["method"] = method.method;
  result["started"] = method.started;
  result["in_flight"] = method.in_flight;
  result["finished_by_code"] = std::move(finished);
  result["bytes_received"] = method.bytes_received;
  result["bytes_sent"] = method.bytes_sent;
  result["latency"] = dict_of(method.latency);
  result["loop_holds"] = method.loop_holds;
  return result;
}

void add_totals(const ServerTotals& totals, py::dict& result) {
  result["connections"] = totals.connections;
  result["connections_accepted"] = totals.connections_accepted;
  result["connections_refused"] = totals.connections_refused;
  result["open_calls"] = totals.open_calls;
  result["queued_blocking_calls"] = totals.queued_blocking_calls;
  result["calls_started"] = totals.calls_started;
  result["calls_ok"] = totals.calls_ok;
  result["calls_failed"] = totals.calls_failed;
  result["calls_cancelled"] = totals.calls_cancelled;
  result["calls_refused"] = totals.calls_refused;
  result["handler_exceptions"] = totals.handler_exceptions;
  result["memory_used_bytes"] = totals.memory_used_bytes;
  result["memory_max_bytes"] = totals.memory_max_bytes;
  result["calls_shed"] = totals.calls_shed;
  result["adaptive_limit"] = totals.adaptive_limit;
}

}  // namespace

py::dict dict_of(const ServerStatistics& statistics) {
  py::list methods;
  for (const MethodStatistics& method : statistics.methods) methods.append(dict_of(method));
  py::list loops;
  for (const LoopStatistics& loop : statistics.loops) {
    py::dict described;
    described["connections"] = loop.connections;
    described["lag"] = dict_of(loop.lag);
    loops.append(std::move(described));
  }
  py::dict result;
  result["is_collected"] = statistics.is_collected;
  result["uptime_ns"] = statistics.uptime.count();
  result["process_id"] = statistics.process_id;
  add_totals(statistics.totals, result);
  py::dict protocols;
  for (const auto& [protocol, count] : statistics.connections_by_protocol) protocols[py::str(protocol)] = count;
  result["connections_by_protocol"] = std::move(protocols);
  result["methods"] = std::move(methods);
  result["loops"] = std::move(loops);
  result["cpu_ns"] = statistics.cpu.count();
  result["memory_bytes"] = statistics.memory_bytes;
  return result;
}

}  // namespace trunkline::python

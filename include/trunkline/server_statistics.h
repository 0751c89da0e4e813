// SPDX-License-Identifier: MIT
// ServerStatistics: the totals of a server, with the counts and latencies of its methods and the lag of its loops.
#pragma once

#include <trunkline/server_totals.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trunkline {

/// A distribution of durations. A bucket is at most 1/32 as wide as the durations in it. Durations over 2^40 ns (18
/// minutes) count as 2^40 ns.
struct LatencyHistogram {
  struct Bucket {
    /// The longest duration that the bucket counts.
    std::chrono::nanoseconds upper{};
    std::uint64_t count = 0;
  };
  std::uint64_t count = 0;
  std::chrono::nanoseconds min{};
  std::chrono::nanoseconds max{};
  std::chrono::nanoseconds sum{};
  /// The quantiles: each one is the upper edge of the bucket that holds it.
  std::chrono::nanoseconds p50{};
  std::chrono::nanoseconds p90{};
  std::chrono::nanoseconds p99{};
  std::chrono::nanoseconds p999{};
  /// The buckets that are not empty, sorted by their upper edge.
  std::vector<Bucket> buckets;
};

/// The calls of one method that arrived since Server::collect_statistics(), refused ones included.
struct MethodStatistics {
  std::string method;
  std::uint64_t started = 0;
  /// The number of calls whose handler runs, or waits to be run.
  std::uint64_t in_flight = 0;
  /// The number of calls by status, ok included. Statuses that have not occurred are missing.
  std::map<StatusCode, std::uint64_t> finished_by_code;
  /// The bytes of the messages' payloads, as they were on the wire.
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
  /// The time from the turn of the loop in which a call arrived until its status was handed to the connection, or until
  /// its handler ended if the caller had gone. Calls that were refused before their request was decoded do not count.
  LatencyHistogram latency;
  /// The number of times that a handler has held its loop for ServerOptions::slow_handler_threshold or longer.
  std::uint64_t loop_holds = 0;
};

struct LoopStatistics {
  std::uint64_t connections = 0;
  /// The delays of a timer that is due ten times a second, without their first millisecond, which is the resolution of
  /// timers. Other work kept the loop from the timer for this long.
  LatencyHistogram lag;
};

/// The metrics of a server, which Server::statistics() returns. The metrics of the loops are read while they change:
/// they are exact once the server is at rest.
struct ServerStatistics {
  /// False before Server::collect_statistics(): there are no methods and no lags then.
  bool is_collected = false;
  /// The time since Server::collect_statistics().
  std::chrono::nanoseconds uptime{};
  ServerTotals totals;
  /// The number of open connections past their handshake, by "native", "websocket", "http/2" and "http/1.1".
  std::map<std::string, std::uint64_t> connections_by_protocol;
  /// The registered methods that have been called, by name.
  std::vector<MethodStatistics> methods;
  std::vector<LoopStatistics> loops;
  std::uint64_t process_id = 0;
  /// The CPU time of the process, user and system.
  std::chrono::nanoseconds cpu{};
  /// The resident memory of the process; 0 where the system does not provide it.
  std::uint64_t memory_bytes = 0;
};

}  // namespace trunkline

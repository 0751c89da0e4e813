// SPDX-License-Identifier: MIT
// ServerStatistics: how a server's methods and loops do.
#pragma once

#include <trunkline/server_stats.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trunkline {

/// Durations, in buckets no wider than 1/32 of what they hold; longer than 2^40 ns (18 minutes) count as that.
struct LatencyHistogram {
  struct Bucket {
    std::chrono::nanoseconds upper{};  ///< the longest that it holds
    std::uint64_t count = 0;
  };
  std::uint64_t count = 0;
  std::chrono::nanoseconds min{};
  std::chrono::nanoseconds max{};
  std::chrono::nanoseconds sum{};
  std::chrono::nanoseconds p50{};  ///< the upper edges of the buckets that hold the quantiles
  std::chrono::nanoseconds p90{};
  std::chrono::nanoseconds p99{};
  std::chrono::nanoseconds p999{};
  std::vector<Bucket> buckets;  ///< those that are not empty, by rising upper edge
};

/// Calls of one method that came since the server began to count, refused ones among them.
struct MethodStatistics {
  std::string method;
  std::uint64_t started = 0;
  std::uint64_t in_flight = 0;                           ///< their handlers run, or wait to
  std::map<StatusCode, std::uint64_t> finished_by_code;  ///< ok among them; those that occurred
  std::uint64_t bytes_received = 0;                      ///< payloads of messages, as they were on the wire
  std::uint64_t bytes_sent = 0;
  /// From the turn of the loop in which a call came until its status was handed to the connection, or its handler ended
  /// if the caller had gone. Without calls that were refused before they were looked into.
  LatencyHistogram latency;
};

struct LoopStatistics {
  std::uint64_t connections = 0;
  /// How late a timer fired ten times a second, which is how long other work kept the loop. To the millisecond.
  LatencyHistogram lag;
};

/// See Server::statistics(). Taken from per-loop counters while they move: exact once the server rests.
struct ServerStatistics {
  bool is_collected = false;              ///< else there are neither methods nor lags
  std::chrono::nanoseconds uptime{};      ///< since the server began to count
  ServerStats totals;                     ///< since the server was made
  std::vector<MethodStatistics> methods;  ///< that have been called and are registered, by name
  std::vector<LoopStatistics> loops;
  std::uint64_t process_id = 0;
  std::chrono::nanoseconds cpu{};  ///< CPU time of the process, user and system
  std::uint64_t memory_bytes = 0;  ///< resident memory of the process; 0 where the system does not say
};

}  // namespace trunkline

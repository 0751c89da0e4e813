// SPDX-License-Identifier: MIT
// BreakerOptions: when a channel stops calling a method of a server that fails, and how it tries again.
#pragma once

#include <chrono>
#include <cstdint>

namespace trunkline {

/// Each method of each server has a circuit breaker of its own. While it is open, the server gets no calls of the
/// method. If the breakers of all servers that could get a call are open, the call ends with unavailable at once, or
/// waits if it has wait_for_ready. After open_time some calls are let through as probes: the breaker closes once they
/// are served, and opens again if one fails. The failures are those of OutlierOptions, except for lost connections.
struct BreakerOptions {
  bool enabled = false;
  /// The number of failures in a row that opens the breaker; 0: failures in a row never open it.
  std::uint32_t consecutive_failures = 5;
  /// The share of failures in a window that opens the breaker; 0: the share never opens it.
  double failure_rate = 0.5;
  /// The time over which failure_rate counts the calls. A window begins with a failure.
  std::chrono::milliseconds window{10000};
  /// The number of calls in a window below which failure_rate does not open the breaker.
  std::uint32_t min_calls = 20;
  std::chrono::milliseconds open_time{5000};
  /// The number of calls that are let through after open_time, and that must be served before the breaker closes.
  std::uint32_t probes = 1;
};

}  // namespace trunkline

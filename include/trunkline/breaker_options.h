// SPDX-License-Identifier: MIT
// BreakerOptions: when a channel stops calling a method of a server that fails, and how it tries again.
#pragma once

#include <chrono>
#include <cstdint>

namespace trunkline {

/// Each method of each server has a circuit breaker of its own. While it is open, the server gets no calls of the
/// method. If the breakers of all servers that could get a call are open, the call ends with unavailable at once, or
/// waits if it has wait_for_ready. After open_time some calls are let through as probes: the breaker closes once they
/// are served, and opens again if one fails. Failures are those of OutlierOptions, but for lost connections.
struct BreakerOptions {
  bool enabled = false;
  /// So many failures in a row open it; 0: never.
  std::uint32_t consecutive_failures = 5;
  /// This share of failures in a window opens it; 0: never.
  double failure_rate = 0.5;
  /// Of failure_rate: begins with a failure.
  std::chrono::milliseconds window{10000};
  /// Calls in the window without which failure_rate does not open it.
  std::uint32_t min_calls = 20;
  std::chrono::milliseconds open_time{5000};
  /// Calls that are let through after open_time, and have to be served.
  std::uint32_t probes = 1;
};

}  // namespace trunkline

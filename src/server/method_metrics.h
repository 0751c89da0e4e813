// SPDX-License-Identifier: MIT
// MethodMetrics: counts and measures the calls of one method on one loop.
#pragma once

#include "base/counter.h"
#include "base/shared_histogram.h"

#include <trunkline/status.h>

#include <array>
#include <cstddef>

namespace trunkline::server {

/// The loop's thread writes the metrics, and any thread reads them.
struct MethodMetrics {
  static constexpr std::size_t status_codes = 17;

  /// Counts a call that has ended. A code outside the enumeration counts as unknown.
  void count_finished(StatusCode code) noexcept {
    const auto number = static_cast<std::size_t>(code);
    finished[number < status_codes ? number : static_cast<std::size_t>(StatusCode::unknown)].add();
  }

  base::Counter started;
  /// The number of ended calls by status code.
  std::array<base::Counter, status_codes> finished;
  base::Counter bytes_received;
  base::Counter bytes_sent;
  base::Counter loop_holds;
  /// The latencies in nanoseconds.
  base::SharedHistogram latency;
};

}  // namespace trunkline::server

// SPDX-License-Identifier: MIT
// MethodMetrics: what one loop counts and measures of the calls of one method.
#pragma once

#include "base/counter.h"
#include "base/shared_histogram.h"

#include <trunkline/status.h>

#include <array>
#include <cstddef>

namespace trunkline::server {

/// Written by the loop's thread, read by any.
struct MethodMetrics {
  static constexpr std::size_t status_codes = 17;

  /// A code outside the enumeration counts as unknown.
  void count_finished(StatusCode code) noexcept {
    const auto number = static_cast<std::size_t>(code);
    finished[number < status_codes ? number : static_cast<std::size_t>(StatusCode::unknown)].add();
  }

  base::Counter started;
  /// By status code.
  std::array<base::Counter, status_codes> finished;
  base::Counter bytes_received;
  base::Counter bytes_sent;
  base::Counter loop_holds;
  /// Nanoseconds.
  base::SharedHistogram latency;
};

}  // namespace trunkline::server

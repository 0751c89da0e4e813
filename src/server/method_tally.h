// SPDX-License-Identifier: MIT
// MethodTally: what one loop counts of one method's calls.
#pragma once

#include "base/counter.h"
#include "base/shared_histogram.h"

#include <trunkline/status.h>

#include <array>
#include <cstddef>

namespace trunkline::server {

/// Counted by the loop's thread, read by any.
struct MethodTally {
  static constexpr std::size_t codes = 17;

  void finish(StatusCode code) noexcept {
    const auto number = static_cast<std::size_t>(code);
    finished[number < codes ? number : static_cast<std::size_t>(StatusCode::unknown)].add();
  }

  base::Counter started;
  std::array<base::Counter, codes> finished;
  base::Counter bytes_received;
  base::Counter bytes_sent;
  base::SharedHistogram latency;
};

}  // namespace trunkline::server

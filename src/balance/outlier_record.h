// SPDX-License-Identifier: MIT
// OutlierRecord: the counts of OutlierDetector for one server.
#pragma once

#include "base/clock.h"

#include <cstdint>

namespace trunkline::balance {

struct OutlierRecord {
  /// The owner sets it: the server would get calls if it were not ejected.
  bool is_available = true;
  std::uint32_t failures_in_a_row = 0;
  /// The calls since the last sweep.
  std::uint32_t calls = 0;
  std::uint32_t failures = 0;
  base::Duration latency_sum{};
  std::uint32_t latencies = 0;
  /// The number of steps by which the next ejection is longer.
  std::uint32_t ejections = 0;
  bool is_ejected = false;
  base::TimePoint ejected_until{};
};

}  // namespace trunkline::balance

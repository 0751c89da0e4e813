// SPDX-License-Identifier: MIT
// OutlierRecord: what OutlierDetector keeps of one server.
#pragma once

#include "base/clock.h"

#include <cstdint>

namespace trunkline::balance {

struct OutlierRecord {
  /// For the owner: the server would get calls if it were not ejected.
  bool is_available = true;
  std::uint32_t failures_in_a_row = 0;
  /// Since the last sweep.
  std::uint32_t calls = 0;
  std::uint32_t failures = 0;
  base::Duration latency_sum{};
  std::uint32_t latencies = 0;
  /// The steps by which the next ejection is longer.
  std::uint32_t ejections = 0;
  bool is_ejected = false;
  base::TimePoint ejected_until{};
};

}  // namespace trunkline::balance

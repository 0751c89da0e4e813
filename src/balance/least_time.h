// SPDX-License-Identifier: MIT
// LeastTime: chooses the server with the least average latency.
#pragma once

#include "balance/ranked_policy.h"

#include <cstdint>
#include <limits>

namespace trunkline::balance {

/// The cost is the average latency, relative to the weight.
struct CostOfLatency {
  static double of(const ServerLoad& server, base::TimePoint now) noexcept {
    // Either its first call is under way, and others need not find out what it will say, or its calls have only failed.
    if (server.is_unproven()) return std::numeric_limits<double>::max();
    return server.latency() / server.effective_weight(now);
  }
};

/// One choice of 16 is random, so that the others are measured too; hslam's policy of this name takes the next server
/// in turn once a tick for that. A server that was not measured gets one call at once. Many clients choose the same
/// server, until it becomes slow: use two_choices where there are many.
class LeastTime final : public RankedPolicy<CostOfLatency> {
 public:
  static constexpr std::uint64_t one_random_of = 16;

  explicit LeastTime(std::uint64_t seed) noexcept : RankedPolicy(seed) {}

  ServerLoad* choose(const CallHints& hints, base::TimePoint now) override;
};

}  // namespace trunkline::balance

// SPDX-License-Identifier: MIT
// LeastOutstanding: chooses the server with the fewest open calls.
#pragma once

#include "balance/ranked_policy.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::balance {

/// The cost is the number of open calls and one more, relative to the weight.
struct CostOfOpenCalls {
  static double of(const ServerLoad& server, base::TimePoint now) noexcept {
    return (server.outstanding() + 1) / server.effective_weight(now);
  }
};

/// Takes servers of equal cost in turn, from a random one on, so that many clients do not meet at one.
class LeastOutstanding final : public RankedPolicy<CostOfOpenCalls> {
 public:
  explicit LeastOutstanding(std::uint64_t seed) noexcept : RankedPolicy(seed) {}

  ServerLoad* choose(const CallHints& hints, base::TimePoint now) override;

 private:
  /// The server that is ranked anew with the next choice: its weight may have grown since.
  std::size_t turn_ = 0;
};

}  // namespace trunkline::balance

// SPDX-License-Identifier: MIT
// LeastOutstanding: the server with the fewest open calls.
#pragma once

#include "balance/ranked_policy.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::balance {

/// The open calls with one more, relative to the weight.
struct CostOfOpenCalls {
  static double of(const ServerLoad& server, base::TimePoint now) noexcept {
    return (server.outstanding() + 1) / server.effective_weight(now);
  }
};

/// Those that are equal in turn, from a random one, so that many clients do not meet at one.
class LeastOutstanding final : public RankedPolicy<CostOfOpenCalls> {
 public:
  explicit LeastOutstanding(std::uint64_t seed) noexcept : RankedPolicy(seed) {}

  ServerLoad* choose(const CallHints& hints, base::TimePoint now) override;

 private:
  /// One server is ranked anew with each choice, in turn: its weight may have grown since.
  std::size_t turn_ = 0;
};

}  // namespace trunkline::balance

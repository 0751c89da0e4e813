// SPDX-License-Identifier: MIT
// DelayDistribution: draws the time for which a server waits before it responds.
#pragma once

#include "load/random.h"

#include <chrono>
#include <vector>

namespace trunkline::load {

struct DelayShare {
  /// The share of the calls that wait for this long. All shares together are 1.
  double share = 1;
  std::chrono::nanoseconds delay{0};
};

/// A value type, of which each thread uses a copy of its own.
class DelayDistribution {
 public:
  DelayDistribution() = default;
  explicit DelayDistribution(std::vector<DelayShare> shares, std::uint64_t seed = 0);

  /// Returns the same shares with another sequence of random numbers.
  DelayDistribution with_seed(std::uint64_t seed) const { return DelayDistribution(shares_, seed); }
  bool is_none() const noexcept { return shares_.empty(); }
  std::chrono::nanoseconds next() noexcept;

 private:
  std::vector<DelayShare> shares_;
  Random random_{0};
};

}  // namespace trunkline::load

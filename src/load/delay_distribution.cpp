// SPDX-License-Identifier: MIT
// DelayDistribution: a random number, and the share into which it falls.
#include "load/delay_distribution.h"

#include <utility>

namespace trunkline::load {

DelayDistribution::DelayDistribution(std::vector<DelayShare> shares, std::uint64_t seed)
    : shares_(std::move(shares)), random_(seed) {}

std::chrono::nanoseconds DelayDistribution::next() noexcept {
  if (shares_.empty()) return {};
  double drawn = random_.fraction();
  for (const DelayShare& each : shares_) {
    if (drawn <= each.share) return each.delay;
    drawn -= each.share;
  }
  return shares_.back().delay;
}

}  // namespace trunkline::load

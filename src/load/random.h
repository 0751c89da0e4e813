// SPDX-License-Identifier: MIT
// Random: pseudo-random numbers for the choice of calls, gaps and delays.
#pragma once

#include <cstdint>

namespace trunkline::load {

/// The generator xorshift64*. The same seed gives the same numbers.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed * 2 + 1) {}
  std::uint64_t next() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }
  /// Returns a number in (0, 1].
  double fraction() noexcept { return static_cast<double>((next() >> 11) + 1) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace trunkline::load

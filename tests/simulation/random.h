// SPDX-License-Identifier: MIT
// Random: the simulation's only source of randomness, so that a seed determines a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace trunkline::simulation {

/// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// 0 to bound - 1.
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
  bool chance(unsigned percent) noexcept { return below(100) < percent; }
  template <class T>
  T pick(std::initializer_list<T> values) noexcept {
    return values.begin()[below(values.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace trunkline::simulation

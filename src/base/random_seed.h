// SPDX-License-Identifier: MIT
// random_seed(): gives numbers that cannot be predicted from outside the process.
#pragma once

#include <cstdint>

namespace trunkline::base {

/// Returns a different seed with each call, on any thread. It is for choices that a peer must not be able to predict,
/// such as the slots of a hash table, and not for cryptographic keys.
std::uint64_t random_seed();

/// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): advances
/// `state` and returns the next number.
constexpr std::uint64_t next_random(std::uint64_t& state) noexcept {
  std::uint64_t value = state += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace trunkline::base

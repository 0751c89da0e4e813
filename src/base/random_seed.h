// SPDX-License-Identifier: MIT
// Seeds that nobody outside the process can foresee.
#pragma once

#include <cstdint>

namespace trunkline::base {

/// Another one with each call, from any thread. For what a peer must not be able to play against, like the places in a
/// hash table; not for keys.
std::uint64_t random_seed();

/// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): moves
/// `state` on and gives the next of its numbers.
constexpr std::uint64_t next_random(std::uint64_t& state) noexcept {
  std::uint64_t value = state += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace trunkline::base

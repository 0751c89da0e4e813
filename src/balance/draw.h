// SPDX-License-Identifier: MIT
// Makes numbers of a wanted range from random bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trunkline::balance {

/// Returns 0 to bound - 1, from the lower 32 bits.
constexpr std::size_t draw_below(std::uint64_t bits, std::size_t bound) noexcept {
  return static_cast<std::size_t>((bits & 0xFFFFFFFFu) * bound >> 32);
}

/// Returns a number that is at least 0 and less than 1.
constexpr double draw_unit(std::uint64_t bits) noexcept { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

/// Mixes bits as SplitMix64 does at its end: similar numbers come to lie far apart.
constexpr std::uint64_t mix(std::uint64_t bits) noexcept {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

}  // namespace trunkline::balance

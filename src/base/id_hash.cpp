// SPDX-License-Identifier: MIT
// Draws multipliers that spread ids evenly.
#include "base/id_hash.h"

#include "base/random_seed.h"

namespace trunkline::base {

/// Returns a fraction of 2^64. The smaller the terms of its continued fraction are, the more evenly its multiples lie
/// (Knuth, "The Art of Computer Programming", volume 3, section 6.4: the golden ratio has only ones). So the terms are
/// drawn from 1 to 4. Nearly all fractions drawn freely have larger ones, and bunch ids somewhere.
std::uint64_t IdHash::multiplier_of(std::uint64_t seed) noexcept {
  constexpr std::uint64_t enough = std::uint64_t{1} << 29;  // One more term keeps `below` under 2^32.
  std::uint64_t above = 0, last_above = 1;
  std::uint64_t below = 1, last_below = 0;
  while (below < enough) {
    const std::uint64_t term = 1 + next_random(seed) % 4;
    const std::uint64_t next_above = term * above + last_above;
    const std::uint64_t next_below = term * below + last_below;
    last_above = above, above = next_above;
    last_below = below, below = next_below;
  }
  const std::uint64_t high = (above << 32) / below;
  const std::uint64_t low = ((above << 32) % below << 32) / below;
  return high << 32 | low | 1;
}

}  // namespace trunkline::base

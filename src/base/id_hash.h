// SPDX-License-Identifier: MIT
// IdHash: the slot of a call's id in a table, which the peer that chooses the ids cannot foresee.
#pragma once

#include "base/random_seed.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::base {

/// Multiplies by a number derived from the seed and takes the upper bits. A peer that does not know the seed cannot
/// choose ids that collide. Ids that rise by one, as an honest client sends them, are spread evenly for every seed;
/// adjacent slots would form one long run, which erasing walks. Standard containers use the hash as well.
class IdHash {
 public:
  explicit IdHash(std::uint64_t seed = random_seed()) : multiplier_(multiplier_of(seed)) {}

  /// Returns a slot below 2^(64 - shift).
  std::size_t operator()(std::uint32_t id, int shift) const noexcept {
    return static_cast<std::size_t>((id * multiplier_) >> shift);
  }
  std::size_t operator()(std::uint32_t id) const noexcept { return operator()(id, 32); }

 private:
  static std::uint64_t multiplier_of(std::uint64_t seed) noexcept;

  std::uint64_t multiplier_;
};

}  // namespace trunkline::base

// SPDX-License-Identifier: MIT
// IdHash: where a call's id has its place in a table.
#pragma once

#include "session/event.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::session {

/// Multiplies by a number made from the seed and takes the upper bits. Whoever does not know the seed cannot choose ids
/// that share their places; and ids that rise by one, which are those of an honest client, are spread evenly whatever
/// the seed is: kept together they would make one long run, which erasing walks.
class IdHash {
 public:
  explicit IdHash(std::uint64_t seed) noexcept : multiplier_(multiplier_of(seed)) {}

  /// Below 2^(64 - shift).
  std::size_t operator()(CallId id, int shift) const noexcept {
    return static_cast<std::size_t>((id * multiplier_) >> shift);
  }

 private:
  static std::uint64_t multiplier_of(std::uint64_t seed) noexcept;

  std::uint64_t multiplier_;
};

}  // namespace trunkline::session

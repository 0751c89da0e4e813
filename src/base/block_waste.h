// SPDX-License-Identifier: MIT
// wastes_its_block(): says whether a slice is better copied than kept.
#pragma once

#include <trunkline/slice.h>

namespace trunkline::base {

/// Returns true if the slice keeps a block alive that is more than four times as long as the slice.
inline bool wastes_its_block(const Slice& slice) noexcept {
  return slice.block() != nullptr && slice.block()->capacity() / 4 > slice.size();
}

}  // namespace trunkline::base

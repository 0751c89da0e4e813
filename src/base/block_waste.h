// SPDX-License-Identifier: MIT
// When a slice is better copied than kept.
#pragma once

#include <trunkline/slice.h>

namespace trunkline::base {

/// True if keeping the slice would keep a block of more than four times its size.
inline bool wastes_its_block(const Slice& slice) noexcept {
  return slice.block() != nullptr && slice.block()->capacity() / 4 > slice.size();
}

}  // namespace trunkline::base

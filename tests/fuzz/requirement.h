// SPDX-License-Identifier: MIT
// The assertion of fuzz targets.
#pragma once

namespace trunkline::fuzz {

/// Aborts if `is_met` is false, so that the fuzzer saves the input.
inline void require(bool is_met) {
  if (!is_met) __builtin_trap();
}

}  // namespace trunkline::fuzz

// SPDX-License-Identifier: MIT
// What fuzz targets assert with.
#pragma once

namespace trunkline::fuzz {

/// Ends the run if `held` is false, so that the fuzzer keeps the input.
inline void require(bool held) {
  if (!held) __builtin_trap();
}

}  // namespace trunkline::fuzz

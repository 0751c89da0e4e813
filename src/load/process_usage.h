// SPDX-License-Identifier: MIT
// ProcessUsage: what this process has taken of the machine so far.
#pragma once

#include <cstdint>

namespace trunkline::load {

struct ProcessUsage {
  double cpu_seconds = 0;  ///< user and system
  std::uint64_t peak_memory_bytes = 0;

  static ProcessUsage now() noexcept;
};

/// Resident at this moment.
std::uint64_t resident_bytes() noexcept;

}  // namespace trunkline::load

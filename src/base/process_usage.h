// SPDX-License-Identifier: MIT
// ProcessUsage: what the process takes of its machine.
#pragma once

#include <chrono>
#include <cstdint>

namespace trunkline::base {

struct ProcessUsage {
  std::uint64_t id = 0;
  std::chrono::nanoseconds cpu{};       ///< user and system
  std::uint64_t memory_bytes = 0;       ///< resident; 0 where the system does not say
  std::uint64_t peak_memory_bytes = 0;  ///< the most that was resident; likewise
};

ProcessUsage process_usage();

}  // namespace trunkline::base

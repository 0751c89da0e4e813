// SPDX-License-Identifier: MIT
// ProcessUsage: the processor time and memory that this process uses.
#pragma once

#include <chrono>
#include <cstdint>

namespace trunkline::base {

struct ProcessUsage {
  std::uint64_t id = 0;
  /// The processor time in user and in system mode together.
  std::chrono::nanoseconds cpu{};
  /// The memory that is resident now; 0 where the system does not say.
  std::uint64_t memory_bytes = 0;
  /// The most memory that was resident so far; 0 where the system does not say.
  std::uint64_t peak_memory_bytes = 0;
};

ProcessUsage process_usage();

}  // namespace trunkline::base

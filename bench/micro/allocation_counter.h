// SPDX-License-Identifier: MIT
// How often and how much this process has allocated, for benchmarks. malloc() of glibc is replaced by one that counts.
#pragma once

#include <cstdint>

namespace trunkline::bench {

struct AllocationCount {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< as asked for; what was freed again is not taken off
};

/// Since the process began, over all threads. Any thread.
AllocationCount allocations() noexcept;

}  // namespace trunkline::bench

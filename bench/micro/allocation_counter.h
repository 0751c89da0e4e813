// SPDX-License-Identifier: MIT
// AllocationCount: how often and how much this process has allocated. Replaces malloc() of glibc by one that counts.
#pragma once

#include <cstdint>

namespace trunkline::bench {

struct AllocationCount {
  std::uint64_t calls = 0;
  /// As requested. Freed memory is not subtracted.
  std::uint64_t bytes = 0;
};

/// All allocations since the process began, over all threads. Any thread.
AllocationCount allocations() noexcept;

}  // namespace trunkline::bench

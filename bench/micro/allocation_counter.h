// SPDX-License-Identifier: MIT
// How often the process has asked the system's allocator for memory, counted in a program that links this.
#pragma once

#include <cstdint>

namespace trunkline::bench {

/// Calls of malloc() so far, by whatever way (operator new and counted blocks end there), on any thread.
std::uint64_t allocations() noexcept;

}  // namespace trunkline::bench

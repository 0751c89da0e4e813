// SPDX-License-Identifier: MIT
// malloc() of glibc behind a counter.
#include "allocation_counter.h"

#include <atomic>
#include <cstddef>

extern "C" void* __libc_malloc(std::size_t size);

namespace {
constinit std::atomic<std::uint64_t> count{0};
}  // namespace

extern "C" __attribute__((visibility("default"))) void* malloc(std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

namespace trunkline::bench {

std::uint64_t allocations() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace trunkline::bench

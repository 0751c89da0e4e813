// SPDX-License-Identifier: MIT
// glibc's allocating functions behind a counter.
#include "micro/allocation_counter.h"

#include <atomic>
#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

constinit std::atomic<std::uint64_t> calls{0};
constinit std::atomic<std::uint64_t> bytes{0};

void count(std::size_t size) noexcept {
  calls.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(size, std::memory_order_relaxed);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void* malloc(std::size_t size) {
  count(size);
  return __libc_malloc(size);
}

__attribute__((visibility("default"))) void* calloc(std::size_t items, std::size_t size) {
  count(items * size);
  return __libc_calloc(items, size);
}

__attribute__((visibility("default"))) void* realloc(void* memory, std::size_t size) {
  count(size);
  return __libc_realloc(memory, size);
}

__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

}  // extern "C"

namespace trunkline::bench {

AllocationCount allocations() noexcept {
  return {calls.load(std::memory_order_relaxed), bytes.load(std::memory_order_relaxed)};
}

}  // namespace trunkline::bench

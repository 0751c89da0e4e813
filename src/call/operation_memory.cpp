// SPDX-License-Identifier: MIT
// allocate_operation() and free_operation(): free lists by size, one set for each thread.
#include <trunkline/detail/operation_memory.h>

#include "base/thread_free_lists.h"

namespace trunkline::detail {

namespace {

constexpr std::size_t class_bytes = 64;
/// The number of size classes, which reach up to 2 KiB.
constexpr std::size_t classes = 32;
constexpr std::size_t max_kept = 16384;

struct Operations;
using FreeLists = base::ThreadFreeLists<Operations, classes, max_kept>;

constexpr std::size_t class_of(std::size_t size) noexcept { return size == 0 ? 0 : (size - 1) / class_bytes; }

}  // namespace

void* allocate_operation(std::size_t size) {
  const std::size_t index = class_of(size);
  // Memory that is not kept has exactly its size, so that a sanitizer detects writes behind it.
  if (!FreeLists::is_keeping || index >= classes) return ::operator new(size);
  void* const kept = FreeLists::take(index);
  return kept != nullptr ? kept : ::operator new((index + 1) * class_bytes);
}

void free_operation(void* memory, std::size_t size) noexcept {
  const std::size_t index = class_of(size);
  if (index >= classes) return ::operator delete(memory);
  FreeLists::give(memory, index);
}

}  // namespace trunkline::detail

// SPDX-License-Identifier: MIT
// Free lists by size, one set per thread.
#include <trunkline/operation_memory.h>

#include "base/thread_free_lists.h"

namespace trunkline::call {

namespace {

constexpr std::size_t class_bytes = 64;
constexpr std::size_t classes = 32;  // up to 2 KiB
constexpr std::size_t most_kept = 16384;

struct Operations;
using FreeLists = base::ThreadFreeLists<Operations, classes, most_kept>;

constexpr std::size_t class_of(std::size_t size) noexcept { return size == 0 ? 0 : (size - 1) / class_bytes; }

}  // namespace

void* allocate_operation(std::size_t size) {
  const std::size_t index = class_of(size);
  // What is not kept has just its size, so that a sanitizer sees what is written beyond it.
  if (!FreeLists::is_keeping || index >= classes) return ::operator new(size);
  void* const kept = FreeLists::take(index);
  return kept != nullptr ? kept : ::operator new((index + 1) * class_bytes);
}

void free_operation(void* memory, std::size_t size) noexcept {
  const std::size_t index = class_of(size);
  if (index >= classes) return ::operator delete(memory);
  FreeLists::give(memory, index);
}

}  // namespace trunkline::call

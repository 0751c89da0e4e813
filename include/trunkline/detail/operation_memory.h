// SPDX-License-Identifier: MIT
// Memory for operations in progress, recycled per thread: in the steady state a call takes none from the heap.
#pragma once

#include <trunkline/detail/export.h>

#include <cstddef>
#include <new>
#include <utility>

namespace trunkline::detail {

/// Returns memory for an operation, aligned to 16 bytes. Throws std::bad_alloc.
TRUNKLINE_API void* allocate_operation(std::size_t size);
/// Frees the memory of an operation, on any thread. `size` must be the allocated size.
TRUNKLINE_API void free_operation(void* memory, std::size_t size) noexcept;

template <class Operation, class... Arguments>
Operation* make_operation(Arguments&&... arguments) {
  static_assert(alignof(Operation) <= 16);
  void* memory = allocate_operation(sizeof(Operation));
  try {
    return ::new (memory) Operation(std::forward<Arguments>(arguments)...);
  } catch (...) {
    free_operation(memory, sizeof(Operation));
    throw;
  }
}

template <class Operation>
void destroy_operation(Operation* operation) noexcept {
  operation->~Operation();
  free_operation(operation, sizeof(Operation));
}

}  // namespace trunkline::detail

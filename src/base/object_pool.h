// SPDX-License-Identifier: MIT
// ObjectPool: recycles the memory of one type's objects, which are made and destroyed once per call.
#pragma once

#include "base/thread_free_lists.h"

#include <cstddef>
#include <new>
#include <utility>

namespace trunkline::base {

/// A pool with a list for each thread of at most `capacity` pieces of memory. The thread that frees an object keeps it.
template <class T, std::size_t capacity = 16384>
class ObjectPool {
 public:
  template <class... Arguments>
  static T* make(Arguments&&... arguments) {
    void* memory = FreeList::take(0);
    if (memory == nullptr) memory = ::operator new(sizeof(T));
    try {
      return ::new (memory) T(std::forward<Arguments>(arguments)...);
    } catch (...) {
      ::operator delete(memory);
      throw;
    }
  }
  static void free(T* object) noexcept {
    object->~T();
    FreeList::give(object, 0);
  }

 private:
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__ && sizeof(T) >= sizeof(void*));
  using FreeList = ThreadFreeLists<T, 1, capacity>;
};

}  // namespace trunkline::base

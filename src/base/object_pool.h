// SPDX-License-Identifier: MIT
// ObjectPool: per-thread recycling of one type's memory, for objects made and dropped once per call.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRUNKLINE_NO_POOLING 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TRUNKLINE_NO_POOLING 1
#endif

namespace trunkline::base {

/// Memory goes to the list of the thread that frees it; a list keeps at most `capacity` objects. With AddressSanitizer
/// nothing is kept, so that use after free is seen.
template <class T, std::size_t capacity = 16384>
class ObjectPool {
 public:
  template <class... Arguments>
  static T* make(Arguments&&... arguments) {
    void* memory = take();
    try {
      return ::new (memory) T(std::forward<Arguments>(arguments)...);
    } catch (...) {
      ::operator delete(memory);
      throw;
    }
  }
  static void free(T* object) noexcept {
    object->~T();
    give(object);
  }

 private:
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__ && sizeof(T) >= sizeof(void*));
  struct Node {
    Node* next;
  };
  struct List {
    Node* head = nullptr;
    std::size_t size = 0;
    ~List() {
      while (head != nullptr) ::operator delete(std::exchange(head, head->next));
      size = capacity;  // objects freed later on this thread go straight back
    }
  };
  static List& list() noexcept {
    static thread_local List value;
    return value;
  }

  static void* take() {
#ifndef TRUNKLINE_NO_POOLING
    List& free_list = list();
    if (free_list.head != nullptr) {
      --free_list.size;
      return std::exchange(free_list.head, free_list.head->next);
    }
#endif
    return ::operator new(sizeof(T));
  }
  static void give(void* memory) noexcept {
#ifndef TRUNKLINE_NO_POOLING
    List& free_list = list();
    if (free_list.size < capacity) {
      free_list.head = ::new (memory) Node{free_list.head};
      ++free_list.size;
      return;
    }
#endif
    ::operator delete(memory);
  }
};

}  // namespace trunkline::base

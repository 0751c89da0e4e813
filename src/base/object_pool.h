// SPDX-License-Identifier: MIT
// ObjectPool: per-thread recycling of one type's memory, for objects made and dropped once per call.
#pragma once

#include <cstddef>
#include <cstdint>
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
  /// Trivial to destroy, so that it can still be read when the thread's other thread-local objects are gone.
  struct List {
    enum class State : std::uint8_t { fresh, open, closed };
    Node* head;
    std::size_t size;
    State state;
  };
  /// Empties the list at the thread's end. Objects freed after that go straight back.
  struct Closer {
    ~Closer() {
      list_.state = List::State::closed;
      while (list_.head != nullptr) ::operator delete(std::exchange(list_.head, list_.head->next));
      list_.size = 0;
    }
    void open() noexcept { list_.state = List::State::open; }
  };
  static inline constinit thread_local List list_{};
  static inline thread_local Closer closer_{};

  /// False: the thread is about to end.
  static bool open_list() noexcept {
    if (list_.state == List::State::closed) return false;
    closer_.open();  // the first use registers its destructor for this thread
    return true;
  }

  static void* take() {
#ifndef TRUNKLINE_NO_POOLING
    List& free_list = list_;
    if (free_list.head != nullptr) {
      --free_list.size;
      return std::exchange(free_list.head, free_list.head->next);
    }
#endif
    return ::operator new(sizeof(T));
  }
  static void give(void* memory) noexcept {
#ifndef TRUNKLINE_NO_POOLING
    List& free_list = list_;
    if (free_list.size < capacity && (free_list.state == List::State::open || open_list())) {
      free_list.head = ::new (memory) Node{free_list.head};
      ++free_list.size;
      return;
    }
#endif
    ::operator delete(memory);
  }
};

}  // namespace trunkline::base

// SPDX-License-Identifier: MIT
// ThreadFreeLists: memory that a thread keeps for its next use, and gives back at its end.
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

/// So many lists for each thread, one for each size of memory, of at most `capacity` pieces each. Each `Owner` has its
/// own. With AddressSanitizer nothing is kept, so that use after free is seen.
template <class Owner, std::size_t list_count, std::size_t capacity>
class ThreadFreeLists {
 public:
#ifdef TRUNKLINE_NO_POOLING
  static constexpr bool is_keeping = false;
#else
  static constexpr bool is_keeping = true;
#endif

  /// Null if the list is empty.
  static void* take([[maybe_unused]] std::size_t list) noexcept {
#ifndef TRUNKLINE_NO_POOLING
    List& from = kept_.lists[list];
    if (from.head != nullptr) {
      --from.size;
      return std::exchange(from.head, from.head->next);
    }
#endif
    return nullptr;
  }
  /// `memory`, of operator new and no smaller than a pointer, is kept or deleted.
  static void give(void* memory, [[maybe_unused]] std::size_t list) noexcept {
#ifndef TRUNKLINE_NO_POOLING
    List& to = kept_.lists[list];
    if (to.size < capacity && (kept_.state == State::open || open())) {
      to.head = ::new (memory) Node{to.head};
      ++to.size;
      return;
    }
#endif
    ::operator delete(memory);
  }

#ifndef TRUNKLINE_NO_POOLING
 private:
  enum class State : std::uint8_t { fresh, open, closed };
  struct Node {
    Node* next;
  };
  struct List {
    Node* head;
    std::size_t size;
  };
  /// Trivial to destroy, so that they can still be read when the thread's other thread-local objects are gone.
  struct Kept {
    List lists[list_count];
    State state;
  };
  /// Empties the lists at the thread's end. What is given after that is deleted.
  struct Closer {
    ~Closer() {
      kept_.state = State::closed;
      for (List& list : kept_.lists) {
        while (list.head != nullptr) ::operator delete(std::exchange(list.head, list.head->next));
        list.size = 0;
      }
    }
    void open() noexcept { kept_.state = State::open; }
  };
  static inline constinit thread_local Kept kept_{};
  static inline thread_local Closer closer_{};

  /// False: the thread is about to end.
  static bool open() noexcept {
    if (kept_.state == State::closed) return false;
    closer_.open();  // the first use registers its destructor for this thread
    return true;
  }
#endif
};

}  // namespace trunkline::base

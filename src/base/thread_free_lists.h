// SPDX-License-Identifier: MIT
// ThreadFreeLists: freed memory that a thread keeps for reuse, and returns to the system when it ends.
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

/// Returns false if the library was compiled for AddressSanitizer. Code that uses it may have been compiled without.
bool keeps_freed_memory() noexcept;

/// Each thread has `list_count` lists, one for each size of memory, of at most `capacity` pieces each. Each type
/// `Owner` has lists of its own. Under AddressSanitizer no memory is kept, so that it finds a use after free.
template <class Owner, std::size_t list_count, std::size_t capacity>
class ThreadFreeLists {
 public:
#ifdef TRUNKLINE_NO_POOLING
  static constexpr bool is_keeping = false;
#else
  static constexpr bool is_keeping = true;
#endif

  /// Returns a piece of memory from the list; null if the list is empty.
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
  /// Keeps or deletes `memory`, which is from operator new and no smaller than a pointer.
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
  /// The lists are trivial to destroy: they can still be read after the thread's other thread-local objects are gone.
  struct Kept {
    List lists[list_count];
    State state;
  };
  /// Empties the lists when the thread ends. From then on give() deletes.
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

  /// Returns false if the lists were emptied because the thread ends, or if nothing is to be kept.
  static bool open() noexcept {
    if (kept_.state == State::closed || !keeps_freed_memory()) return false;
    // The first use registers the destructor of `closer_` for this thread.
    closer_.open();
    return true;
  }
#endif
};

}  // namespace trunkline::base

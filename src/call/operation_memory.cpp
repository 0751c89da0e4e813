// SPDX-License-Identifier: MIT
// Free lists by size, one set per thread.
#include <trunkline/operation_memory.h>

#include "base/object_pool.h"  // TRUNKLINE_NO_POOLING

#include <array>
#include <cstdint>
#include <utility>

namespace trunkline::call {

namespace {

#ifndef TRUNKLINE_NO_POOLING
constexpr std::size_t class_bytes = 64;
constexpr std::size_t classes = 32;  // up to 2 KiB
constexpr std::size_t most_kept = 16384;

struct Node {
  Node* next;
};

/// Trivial to destroy, so that they can still be read when the thread's other thread-local objects are gone.
struct FreeLists {
  enum class State : std::uint8_t { fresh, open, closed };
  struct List {
    Node* head;
    std::size_t size;
  };
  std::array<List, classes> lists;
  State state;
};

constinit thread_local FreeLists free_lists{};

/// Empties the lists at the thread's end. Operations freed after that go straight back.
struct Closer {
  ~Closer() {
    free_lists.state = FreeLists::State::closed;
    for (FreeLists::List& list : free_lists.lists) {
      while (list.head != nullptr) ::operator delete(std::exchange(list.head, list.head->next));
      list.size = 0;
    }
  }
  void open() noexcept { free_lists.state = FreeLists::State::open; }
};

thread_local Closer closer;

/// False: the thread is about to end.
bool open_lists() noexcept {
  if (free_lists.state == FreeLists::State::closed) return false;
  closer.open();  // the first use registers its destructor for this thread
  return true;
}

constexpr std::size_t class_of(std::size_t size) noexcept { return size == 0 ? 0 : (size - 1) / class_bytes; }
#endif

}  // namespace

void* allocate_operation(std::size_t size) {
#ifndef TRUNKLINE_NO_POOLING
  const std::size_t index = class_of(size);
  if (index < classes) {
    FreeLists::List& list = free_lists.lists[index];
    if (list.head != nullptr) {
      --list.size;
      return std::exchange(list.head, list.head->next);
    }
    return ::operator new((index + 1) * class_bytes);
  }
#endif
  return ::operator new(size);
}

void free_operation(void* memory, [[maybe_unused]] std::size_t size) noexcept {
#ifndef TRUNKLINE_NO_POOLING
  const std::size_t index = class_of(size);
  if (index < classes && free_lists.lists[index].size < most_kept &&
      (free_lists.state == FreeLists::State::open || open_lists())) {
    FreeLists::List& list = free_lists.lists[index];
    list.head = ::new (memory) Node{list.head};
    ++list.size;
    return;
  }
#endif
  ::operator delete(memory);
}

}  // namespace trunkline::call

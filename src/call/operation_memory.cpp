// SPDX-License-Identifier: MIT
// Free lists by size, one set per thread.
#include <trunkline/operation_memory.h>

#include "base/object_pool.h"  // TRUNKLINE_NO_POOLING

#include <array>

namespace trunkline::call {

namespace {

#ifndef TRUNKLINE_NO_POOLING
constexpr std::size_t class_bytes = 64;
constexpr std::size_t classes = 32;  // up to 2 KiB
constexpr std::size_t most_kept = 16384;

struct Node {
  Node* next;
};

struct FreeLists {
  struct List {
    Node* head = nullptr;
    std::size_t size = 0;
  };
  std::array<List, classes> lists{};
  bool closed = false;
  ~FreeLists() {
    closed = true;  // operations freed later on this thread go straight back
    for (List& list : lists) {
      while (list.head != nullptr) ::operator delete(std::exchange(list.head, list.head->next));
    }
  }
};

FreeLists& free_lists() noexcept {
  static thread_local FreeLists value;
  return value;
}

constexpr std::size_t class_of(std::size_t size) noexcept { return size == 0 ? 0 : (size - 1) / class_bytes; }
#endif

}  // namespace

void* allocate_operation(std::size_t size) {
#ifndef TRUNKLINE_NO_POOLING
  const std::size_t index = class_of(size);
  if (index < classes) {
    FreeLists::List& list = free_lists().lists[index];
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
  FreeLists& lists = free_lists();
  if (index < classes && !lists.closed && lists.lists[index].size < most_kept) {
    FreeLists::List& list = lists.lists[index];
    list.head = ::new (memory) Node{list.head};
    ++list.size;
    return;
  }
#endif
  ::operator delete(memory);
}

}  // namespace trunkline::call

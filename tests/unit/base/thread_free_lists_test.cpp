// SPDX-License-Identifier: MIT
// ThreadFreeLists: recycling within a thread, its bound, and memory given after the lists of the thread were emptied.
#include "base/thread_free_lists.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#ifndef TRUNKLINE_NO_POOLING
namespace {
/// Only this test uses memory of this size, one piece at a time.
constexpr std::size_t watched_bytes = 4808;
std::atomic<void*> watched{nullptr};
}  // namespace

void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  if (size == watched_bytes) watched = memory;
  return memory;
}
void operator delete(void* memory) noexcept {
  void* expected = memory;
  if (memory != nullptr) watched.compare_exchange_strong(expected, nullptr);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace trunkline::base {
namespace {

struct Owner;
constexpr std::size_t capacity = 2;
using Lists = ThreadFreeLists<Owner, 2, capacity>;

void* make() { return ::operator new(watched_bytes); }
bool is_freed() { return watched == nullptr; }

TEST(ThreadFreeLists, TakeReturnsWhatTheSameListWasGiven) {
  void* const first = make();
  Lists::give(first, 1);

  EXPECT_EQ(Lists::take(0), nullptr);
  EXPECT_EQ(Lists::take(1), first);
  EXPECT_EQ(Lists::take(1), nullptr);
  ::operator delete(first);
}

TEST(ThreadFreeLists, KeepNoMoreThanTheirCapacity) {
  for (std::size_t i = 0; i < capacity; ++i) Lists::give(make(), 0);
  EXPECT_FALSE(is_freed());

  Lists::give(make(), 0);
  EXPECT_TRUE(is_freed());

  Lists::give(make(), 1);
  EXPECT_FALSE(is_freed());
  while (void* const memory = Lists::take(0)) ::operator delete(memory);
  ::operator delete(Lists::take(1));
}

TEST(ThreadFreeLists, AreEmptiedAtTheThreadsEnd) {
  std::thread([] { Lists::give(make(), 1); }).join();

  EXPECT_TRUE(is_freed());
}

TEST(ThreadFreeLists, KeepNothingThatIsGivenAfterTheThreadEnded) {
  struct Late {
    ~Late() { Lists::give(memory, 0); }
    void* memory = nullptr;
  };
  std::thread([] {
    // Made before the lists of the thread, so that it is destroyed after them.
    thread_local Late late;
    late.memory = make();
    // Makes the lists.
    Lists::give(make(), 0);
    watched = late.memory;
  }).join();

  EXPECT_TRUE(is_freed());
}

}  // namespace
}  // namespace trunkline::base
#endif

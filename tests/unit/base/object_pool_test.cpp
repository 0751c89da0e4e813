// SPDX-License-Identifier: MIT
// ObjectPool: recycling within a thread, and what is freed when the thread's list is gone.
#include "base/object_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>

#ifndef TRUNKLINE_NO_POOLING
namespace {
/// Memory of this size is the test's alone; one piece at a time.
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

struct Large {
  std::array<std::byte, watched_bytes> bytes;
};
using Pool = ObjectPool<Large>;

TEST(ObjectPool, GivesTheSameMemoryAgain) {
  Large* const first = Pool::make();
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  Pool::free(first);

  Large* const second = Pool::make();

  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second), address);
  Pool::free(second);
}

TEST(ObjectPool, IsEmptiedAtTheThreadsEnd) {
  std::thread([] { Pool::free(Pool::make()); }).join();

  EXPECT_EQ(watched, nullptr);
}

TEST(ObjectPool, KeepsNothingThatIsFreedAfterItsEnd) {
  struct Late {
    ~Late() { Pool::free(object); }
    Large* object = nullptr;
  };
  std::thread([] {
    thread_local Late late;      // made before the thread's list, so destroyed after it
    late.object = Pool::make();  // makes no list
    Pool::free(Pool::make());    // does
    watched = late.object;
  }).join();

  EXPECT_EQ(watched, nullptr);
}

}  // namespace
}  // namespace trunkline::base
#endif

// SPDX-License-Identifier: MIT
// Block: sizes, recycling within a thread, and references released on other threads and when a thread ends.
#include "base/block_pool.h"

#include <trunkline/slice.h>

#include <gtest/gtest.h>

#include <malloc.h>

#include <atomic>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BLOCKS_ARE_NOT_POOLED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define BLOCKS_ARE_NOT_POOLED
#endif

namespace trunkline {
namespace {

TEST(Block, HasTheRequestedCapacityAndIsAligned) {
  for (const std::size_t size : {0, 1, 63, 64, 65, 2048, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1, 3 << 20}) {
    Block* block = Block::allocate(size);

    EXPECT_GE(block->capacity(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->data()) % 16, 0u) << size;
    EXPECT_TRUE(block->unique());
    std::memset(block->data(), 0x5a, block->capacity());
    block->release();
  }
}

TEST(Block, ThrowsForAnImpossibleSize) {
  EXPECT_THROW(Block::allocate(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(Block::allocate(SIZE_MAX - 32), std::bad_alloc);
}

TEST(Block, CountsReferences) {
  Block* block = Block::allocate(100);

  block->retain();
  EXPECT_FALSE(block->unique());
  block->release();
  EXPECT_TRUE(block->unique());
  block->release();
}

#ifndef BLOCKS_ARE_NOT_POOLED
TEST(Block, RoundsPooledSizesUpToAPowerOfTwo) {
  const auto capacity_of = [](std::size_t size) {
    Block* block = Block::allocate(size);
    const std::size_t capacity = block->capacity();
    block->release();
    return capacity;
  };

  EXPECT_EQ(capacity_of(4096), 4096u);
  EXPECT_EQ(capacity_of(4097), 8192u);
  EXPECT_EQ(capacity_of((1 << 19) + 1), 1u << 20);
  EXPECT_EQ(capacity_of(1 << 20), 1u << 20);
  EXPECT_EQ(capacity_of((1 << 20) + 1), (1u << 20) + 1);
}

TEST(Block, IsRecycledWithinItsThreadAndSizeClass) {
  Block* first = Block::allocate(5000);
  first->release();

  Block* other_class = Block::allocate(500);
  Block* again = Block::allocate(8000);

  EXPECT_NE(static_cast<void*>(other_class), first);
  EXPECT_EQ(static_cast<void*>(again), first);
  EXPECT_TRUE(again->unique());
  EXPECT_EQ(again->capacity(), 8192u);
  again->release();
  other_class->release();
}

TEST(Block, GoesToTheListOfTheThreadThatReleasesIt) {
  Block* block = Block::allocate(1 << 16);
  Block* on_the_other_thread = nullptr;

  std::thread([&] {
    block->release();
    on_the_other_thread = Block::allocate(1 << 16);
    on_the_other_thread->retain();
    on_the_other_thread->release();
  }).join();

  EXPECT_EQ(static_cast<void*>(on_the_other_thread), block);
  on_the_other_thread->release();
}

#if defined(__GLIBC__)
std::size_t bytes_in_use() {
  const struct mallinfo2 usage = mallinfo2();
  return usage.uordblks + usage.hblkhd;
}

TEST(Block, ListsAreBounded) {
  constexpr std::size_t size = 1 << 20;
  std::vector<Block*> blocks(64);
  const std::size_t before = bytes_in_use();

  for (Block*& block : blocks) block = Block::allocate(size);
  const std::size_t during = bytes_in_use();
  for (Block* block : blocks) block->release();
  const std::size_t after = bytes_in_use();

  if (during == before) GTEST_SKIP() << "a sanitizer's malloc keeps no such account";
  EXPECT_GE(during - before, 56 * size);
  EXPECT_LE(after - before, 5 * size);
}

TEST(Block, ListsAreTrimmedToWhatIsNeeded) {
  constexpr std::size_t size = 1 << 20;
  base::free_block_pool();
  const std::size_t before = bytes_in_use();
  std::vector<Block*> blocks(3);
  for (Block*& block : blocks) block = Block::allocate(size);
  for (Block* block : blocks) block->release();
  const std::size_t kept = bytes_in_use();
  if (kept < before + 3 * size) GTEST_SKIP() << "blocks are not kept here";

  EXPECT_TRUE(base::trim_block_pool()) << "all three have been needed since the list was empty";
  EXPECT_GE(bytes_in_use(), kept);
  Block::allocate(size)->release();
  EXPECT_TRUE(base::trim_block_pool()) << "one has been needed";
  EXPECT_LT(bytes_in_use(), before + 2 * size);
  EXPECT_GE(bytes_in_use(), before + size);
  EXPECT_FALSE(base::trim_block_pool());
  EXPECT_LT(bytes_in_use(), before + size);
}

TEST(Block, ListsAreFreedOnDemand) {
  constexpr std::size_t size = 1 << 20;
  base::free_block_pool();
  const std::size_t before = bytes_in_use();
  Block* const first = Block::allocate(size);
  Block* const second = Block::allocate(size);
  first->release();
  second->release();
  const std::size_t kept = bytes_in_use();

  base::free_block_pool();

  if (kept == before) GTEST_SKIP() << "a sanitizer's malloc keeps no such account";
  EXPECT_GE(kept - before, 2 * size);
  EXPECT_LT(bytes_in_use(), before + size);
}
#endif
#endif

struct Owner {
  std::atomic<int> releases{0};
  static void release(void* owner) { ++static_cast<Owner*>(owner)->releases; }
};

TEST(Block, AdoptReleasesItsOwnerOnce) {
  Owner owner;
  std::byte memory[32] = {};

  Block* block = Block::adopt(memory, sizeof memory, Owner::release, &owner);
  EXPECT_EQ(block->data(), memory);
  EXPECT_EQ(block->capacity(), sizeof memory);
  block->retain();
  block->release();
  EXPECT_EQ(owner.releases, 0);
  block->release();

  EXPECT_EQ(owner.releases, 1);
}

TEST(Block, RecycledFromAdoptionIsAnOrdinaryBlock) {
  Owner owner;
  std::byte memory[8] = {};
  Block::adopt(memory, sizeof memory, Owner::release, &owner)->release();

  Block* block = Block::allocate(10);
  EXPECT_NE(block->data(), memory);
  EXPECT_GE(block->capacity(), 10u);
  block->release();

  EXPECT_EQ(owner.releases, 1);
}

TEST(Block, OwnerIsReleasedOnTheThreadOfTheLastReference) {
  struct Recorder {
    std::thread::id released_on;
  } recorder;
  std::byte memory[8] = {};
  const auto record = [](void* owner) { static_cast<Recorder*>(owner)->released_on = std::this_thread::get_id(); };
  Block* block = Block::adopt(memory, sizeof memory, record, &recorder);

  std::thread thread([block] { block->release(); });
  const std::thread::id expected = thread.get_id();
  thread.join();

  EXPECT_EQ(recorder.released_on, expected);
}

/// Holds a block until the thread-local objects of its thread are destroyed, which may be after the block lists.
struct LateReleaser {
  std::vector<Slice> slices;
  ~LateReleaser() {
    slices.clear();
    for (int i = 0; i < 3; ++i) slices.push_back(Slice::copy_of(std::string(100, 'l')));
    slices.clear();
  }
};

TEST(Block, MayBeUsedAndReleasedWhileItsThreadEnds) {
  for (const bool pool_first : {true, false}) {
    std::thread([pool_first] {
      if (pool_first) Block::allocate(100)->release();
      thread_local LateReleaser late;
      for (int i = 0; i < 5; ++i) late.slices.push_back(Slice::copy_of(std::string(100, 's')));
      if (!pool_first) Block::allocate(100)->release();
    }).join();
  }
  // The sanitizers report a leak or a use of freed lists here. The lists of the main thread still work.
  EXPECT_EQ(Slice::copy_of("after").text(), "after");
}

TEST(Block, ReferencesMayBeReleasedOnAnyThread) {
  constexpr int threads = 4;
  constexpr int rounds = 2000;
  std::atomic<int> releases{0};
  static const auto count = [](void* owner) { ++*static_cast<std::atomic<int>*>(owner); };
  std::byte memory[8] = {};

  for (int round = 0; round < rounds / 100; ++round) {
    std::vector<std::vector<Slice>> shares(threads);
    for (int i = 0; i < 100; ++i) {
      Block* block = Block::adopt(
          memory, sizeof memory, [](void* owner) { count(owner); }, &releases);
      const Slice slice(block, memory, sizeof memory);
      for (auto& share : shares) share.push_back(slice);
    }
    std::vector<std::thread> running;
    for (auto& share : shares) {
      running.emplace_back([&share] {
        share.clear();
        for (int i = 0; i < 50; ++i) Block::allocate(static_cast<std::size_t>(i) * 200)->release();
      });
    }
    for (std::thread& thread : running) thread.join();
  }

  EXPECT_EQ(releases, rounds);
}

}  // namespace
}  // namespace trunkline

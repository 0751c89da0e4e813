// SPDX-License-Identifier: MIT
// The memory that sessions share.
#include "session/memory_budget.h"

#include "session/memory_share.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace trunkline::session {
namespace {

constexpr std::size_t kib = 1 << 10;

TEST(MemoryBudget, HasRoomForFourOfTheLongestMessages) {
  EXPECT_EQ(MemoryBudget(1000, 100).max_bytes(), 1000u);
  EXPECT_EQ(MemoryBudget(1000, 1000).max_bytes(), 4000u);
}

TEST(MemoryBudget, IsShortWhenMoreThanHalfIsUsed) {
  MemoryBudget budget(1000, 1);

  budget.add(500);
  EXPECT_FALSE(budget.is_short());
  budget.add(1);
  EXPECT_TRUE(budget.is_short());
  EXPECT_FALSE(budget.is_used_up());
  budget.add(499);
  EXPECT_TRUE(budget.is_used_up());
}

TEST(MemoryBudget, KeepsAQuarterForOneAtATime) {
  MemoryBudget budget(1000, 1);
  const int first = 0;
  const int second = 0;

  EXPECT_TRUE(budget.try_add(750));
  EXPECT_FALSE(budget.try_add(1));
  EXPECT_TRUE(budget.try_add_from_reserve(100, &first));
  EXPECT_FALSE(budget.try_add_from_reserve(100, &second));
  budget.free_reserve();
  EXPECT_FALSE(budget.try_add_from_reserve(151, &second));
  EXPECT_TRUE(budget.try_add_from_reserve(150, &second));
  EXPECT_EQ(budget.used(), 1000u);
}

TEST(MemoryBudget, NeverExceedsItsLimitFromSeveralThreads) {
  MemoryBudget budget(1000 * kib, 1);
  std::vector<std::thread> threads;
  std::atomic<bool> was_exceeded{false};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        MemoryShare share(&budget);
        static_cast<void>(share.try_take(300 * kib));
        if (budget.used() > budget.max_bytes()) was_exceeded = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_FALSE(was_exceeded);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryShare, TakesLargeStepsAndNothingForLittle) {
  MemoryBudget budget(1 << 30, 1);
  MemoryShare share(&budget);

  share.update(16 * kib);
  EXPECT_EQ(budget.used(), 0u);
  share.update(17 * kib);
  EXPECT_EQ(budget.used(), 64 * kib);
  share.update(64 * kib + 1);
  EXPECT_EQ(budget.used(), 128 * kib);
  share.update(100);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryShare, ReturnsEverythingAtItsEnd) {
  MemoryBudget budget(1000 * kib, 1);
  {
    MemoryShare share(&budget);
    share.update(700 * kib);
    EXPECT_TRUE(share.try_take(200 * kib)) << "from the reserve";
    EXPECT_FALSE(share.try_take(1));
  }
  MemoryShare next(&budget);
  next.update(750 * kib);

  EXPECT_TRUE(next.try_take(100 * kib)) << "the reserve is free again";
}

TEST(MemoryShare, WithoutABudgetHasNoLimit) {
  MemoryShare share(nullptr);

  EXPECT_TRUE(share.try_take(std::size_t{1} << 40));
  EXPECT_FALSE(share.is_short());
  EXPECT_FALSE(share.is_used_up());
}

}  // namespace
}  // namespace trunkline::session
